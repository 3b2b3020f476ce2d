/**
 * A stand-in for the API of a forge, GitHub's or GitLab's, as far as pipelines ask it: comments, issues, and what led to a commit. It keeps what the forges promise: pages of at
 * most a hundred, the longest body, who may write, ids that grow. On demand it fails.
 */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";

export type Kind = "github" | "gitlab";

export interface Post {
  readonly id: number;
  /** Of the issue, or of the request that was commented. */
  readonly number: number;
  readonly author: string;
  body: string;
  title: string;
  state: "open" | "closed";
}

/** A request that was merged, and what its pipeline left. */
export interface Merged {
  readonly number: number;
  readonly commit: string;
  readonly head: string;
  readonly stack: string;
  /** Of the pipeline's run (GitHub) or job (GitLab). */
  readonly run: number;
  /** The saved plan; on GitHub another action brings it. */
  readonly plan: string;
}

export interface Forge {
  readonly kind: Kind;
  readonly url: string;
  readonly comments: Post[];
  readonly issues: Post[];
  readonly merged: Merged[];
  /** What was asked, `METHOD path` without a query. */
  readonly asked: string[];
  /** The next so many requests that `which` is true for are answered by this status; after they were done, when `isDone`. */
  readonly fail: (status: number, times: number, how?: Failure) => void;
  /** Each answer takes so many milliseconds. */
  slow: number;
  readonly close: () => Promise<void>;
}

interface Failure {
  readonly which?: (method: string, path: string) => boolean;
  readonly headers?: Record<string, string>;
  readonly isDone?: boolean;
}

/** Who has which token. The robot's may not ask who it is, as in GitHub Actions. */
export const tokens: { readonly [token: string]: { readonly login: string; readonly mayWrite: boolean } } = {
  "robot-token": { login: "github-actions[bot]", mayWrite: true },
  "apps-token": { login: "plans[bot]", mayWrite: true },
  "eves-token": { login: "eve", mayWrite: true },
  "readers-token": { login: "github-actions[bot]", mayWrite: false },
};
const robots = ["github-actions[bot]", "plans[bot]"];
const longest = { github: 65_536, gitlab: 1_000_000 };

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function openForge(kind: Kind): Promise<Forge> {
  const failures: (Failure & { status: number; times: number })[] = [];
  const state = {
    comments: [] as Post[],
    issues: [] as Post[],
    merged: [] as Merged[],
    asked: [] as string[],
  };
  let ids = 1000;
  const api = apiOf(kind, state, () => ++ids);
  const forge: { slow: number } = { slow: 0 };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://forge");
    const [method, body] = [request.method!, await bodyOf(request)];
    state.asked.push(`${method} ${pathname}`);
    await setTimeout(forge.slow);
    const failure = failures.find(({ times, which }) => times > 0 && (which?.(method, pathname) ?? true));
    if (failure) failure.times -= 1;
    if (failure && !failure.isDone)
      return send(response, failure.status, { message: "not now" }, failure.headers);
    try {
      const found = api(method, pathname, searchParams, body, userOf(kind, request));
      if (failure) return send(response, failure.status, { message: "not now" }, failure.headers);
      if (typeof found === "string") response.writeHead(200).end(found);
      else send(response, method === "POST" ? 201 : method === "DELETE" ? 204 : 200, found);
    } catch (error) {
      send(response, error instanceof Refused ? error.status : 500, { message: String(error) });
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return Object.assign(forge, state, {
    kind,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (status: number, times: number, how: Failure = {}) => void failures.push({ ...how, status, times }),
    close,
  });
}

/** One that a test alone uses. */
export async function forgeFor(kind: Kind): Promise<Forge> {
  const forge = await openForge(kind);
  onTestFinished(forge.close);
  return forge;
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece;
  return text === "" ? {} : JSON.parse(text);
}

function send(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(status === 204 ? "" : JSON.stringify(body));
}

function userOf(kind: Kind, { headers }: IncomingMessage): string {
  const token = kind === "github" ? headers.authorization?.replace(/^Bearer /, "") : headers["private-token"];
  if (tokens[String(token)] === undefined) throw new Refused(401, "Bad credentials");
  return String(token);
}

type Api = (
  method: string,
  path: string,
  query: URLSearchParams,
  body: Record<string, string>,
  token: string,
) => unknown;

function apiOf(
  kind: Kind,
  { comments, issues, merged }: Pick<Forge, "comments" | "issues" | "merged">,
  nextId: () => number,
): Api {
  const id = (login: string) => Object.values(tokens).findIndex((each) => each.login === login);
  const shown = (post: Post) => ({
    ...post,
    iid: post.number,
    description: post.body,
    user: { login: post.author },
    author: { id: id(post.author) },
  });
  const add = (
    posts: Post[],
    number: number,
    author: string,
    { title = "", body }: { title?: string; body: string },
  ) => {
    const post: Post = { id: nextId(), number, author, title, body, state: "open" };
    posts.push(post);
    return shown(post);
  };
  const change = (post: Post | undefined, fields: Record<string, string>) => {
    if (post === undefined) throw new Refused(404, "Not Found");
    const body = fields["body"] ?? fields["description"];
    if (body !== undefined) post.body = body;
    if (fields["state"] === "closed" || fields["state_event"] === "close") post.state = "closed";
    return shown(post);
  };
  return (method, path, query, body, token) => {
    const { login, mayWrite } = tokens[token]!;
    if (method !== "GET" && !mayWrite) throw new Refused(403, "Resource not accessible by integration");
    if ((body["body"] ?? body["description"] ?? "").length > longest[kind])
      throw new Refused(422, "body is too long");
    const page = <T>(all: readonly T[]): T[] => {
      const size = Math.min(Number(query.get("per_page") ?? 30), 100);
      const at = (Number(query.get("page") ?? 1) - 1) * size;
      return all.slice(at, at + size);
    };
    const routes: readonly (readonly [string, RegExp, (...words: string[]) => unknown])[] = [
      [
        "GET",
        /^\/user$/,
        () => {
          if (kind === "github" && robots.includes(login))
            throw new Refused(403, "Resource not accessible by integration");
          return { login, id: id(login) };
        },
      ],
      [
        "GET",
        /^\/(?:repos|projects).*\/(?:issues|merge_requests)\/(\d+)\/(?:comments|notes)$/,
        (number) => page(comments.filter((each) => each.number === Number(number)).map(shown)),
      ],
      [
        "POST",
        /\/(?:issues|merge_requests)\/(\d+)\/(?:comments|notes)$/,
        (number) => add(comments, Number(number), login, { body: body["body"]! }),
      ],
      [
        "PATCH",
        /\/issues\/comments\/(\d+)$/,
        (found) =>
          change(
            comments.find((each) => each.id === Number(found)),
            body,
          ),
      ],
      [
        "PUT",
        /\/merge_requests\/\d+\/notes\/(\d+)$/,
        (found) =>
          change(
            comments.find((each) => each.id === Number(found)),
            body,
          ),
      ],
      [
        "DELETE",
        /\/(?:comments|notes)\/(\d+)$/,
        (found) => {
          const at = comments.findIndex((each) => each.id === Number(found));
          if (at < 0) throw new Refused(404, "Not Found");
          comments.splice(at, 1);
        },
      ],
      ["GET", /\/issues$/, () => page(issues.filter(({ state }) => state === "open").map(shown))],
      [
        "POST",
        /\/issues$/,
        () =>
          add(issues, issues.length + 1, login, {
            title: body["title"]!,
            body: (body["body"] ?? body["description"])!,
          }),
      ],
      [
        "PATCH",
        /\/issues\/(\d+)$/,
        (number) =>
          change(
            issues.find((each) => each.number === Number(number)),
            body,
          ),
      ],
      [
        "PUT",
        /\/issues\/(\d+)$/,
        (number) =>
          change(
            issues.find((each) => each.number === Number(number)),
            body,
          ),
      ],
      [
        "GET",
        /\/commits\/(\w+)\/pulls$/,
        (commit) =>
          merged
            .filter((each) => each.commit === commit)
            .map(({ number, head }) => ({
              number,
              head: { sha: head },
              merge_commit_sha: commit,
              merged_at: "2026-01-01T00:00:00Z",
            })),
      ],
      [
        "GET",
        /\/actions\/artifacts$/,
        () => ({
          artifacts: merged
            .filter(({ stack }) => `plumbline-plan-${stack}` === query.get("name"))
            .map(({ run, head }) => ({ id: run, expired: false, workflow_run: { id: run, head_sha: head } })),
        }),
      ],
      [
        "GET",
        /\/repository\/commits\/(\w+)\/merge_requests$/,
        (commit) =>
          merged
            .filter((each) => each.commit === commit)
            .map(({ number, head }) => ({ iid: number, sha: head, state: "merged" })),
      ],
      [
        "GET",
        /\/merge_requests\/(\d+)\/pipelines$/,
        (number) =>
          merged
            .filter((each) => each.number === Number(number))
            .map(({ run, head }) => ({ id: run, sha: head })),
      ],
      [
        "GET",
        /\/pipelines\/(\d+)\/jobs$/,
        (run) =>
          page(
            merged
              .filter((each) => each.run === Number(run))
              .map(({ stack }) => ({ id: Number(run), name: `plumbline:plan:${stack}`, status: "success" })),
          ),
      ],
      [
        "GET",
        /\/jobs\/(\d+)\/artifacts\/plumbline-plan\/plan\.json$/,
        (run) => {
          const found = merged.find((each) => each.run === Number(run));
          if (!found) throw new Refused(404, "Not Found");
          return found.plan;
        },
      ],
    ];
    for (const [verb, pattern, work] of routes) {
      const words = verb === method ? pattern.exec(path) : null;
      if (words) return work(...words.slice(1));
    }
    throw new Refused(404, `${method} ${path}`);
  };
}
