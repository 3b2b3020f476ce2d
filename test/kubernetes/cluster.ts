/** A real API server over a real etcd, in a folder of their own, for tests of what a cluster makes of our kinds; and what reaches it. */

import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { findKubernetes } from "../../scripts/kubernetes.mjs";
import { freePort } from "../engine/state/backends/s3-server.ts";

const programs = findKubernetes();
if (programs === undefined && process.env["PLUMBLINE_REQUIRE_KUBERNETES"] === "1")
  throw new Error("no API server for the tests of the controller: node scripts/kubernetes.mjs says why");

/** False: there is no API server on this machine, and its tests are left out. */
export const hasKubernetes = programs !== undefined;

/** An answer of the API server. */
export interface Answer {
  readonly status: number;
  readonly body: { readonly [name: string]: unknown; readonly message?: string };
  /** What `kubectl` would show as warnings. */
  readonly warnings: readonly string[];
}

export type Ask = (method: string, path: string, body?: object, contentType?: string) => Promise<Answer>;

export interface Cluster {
  readonly url: string;
  /** Certificate of whoever signed the server's, as a file. */
  readonly authority: string;
  /** Of an administrator. */
  readonly token: string;
  readonly ask: Ask;
  /** The same as one of `users`. */
  readonly as: (user: string) => { readonly token: string; readonly ask: Ask };
  /** Server-side apply, as `kubectl apply --server-side` does it; `path` is the object's. */
  readonly apply: (path: string, object: object) => Promise<Answer>;
  /** A kubeconfig of the administrator, or of one of `users`, as a file; `url`: another way to the server. */
  readonly kubeconfig: (url?: string, user?: string) => string;
  /** The API server ends, or begins again where it was; etcd goes on. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** `users`: names of those who have no rights but what the cluster's roles give them. */
export async function startCluster({ users = [] as readonly string[] } = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-kube-"));
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
  const log: string[] = [];
  const start = (program: string, args: readonly string[]): ChildProcess => {
    const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      log.push(text);
      if (log.length > 200) log.shift();
    });
    return child;
  };
  const at = (number: number) => `http://127.0.0.1:${number}`;
  const etcd = start(programs!.etcd, [
    ...["--data-dir", join(folder, "etcd"), "--unsafe-no-fsync", "--log-level", "error"],
    ...["--listen-client-urls", at(client), "--advertise-client-urls", at(client)],
    ...["--listen-peer-urls", at(peer), "--initial-advertise-peer-urls", at(peer)],
    ...["--initial-cluster", `default=${at(peer)}`],
  ]);
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = join(folder, "accounts.key");
  writeFileSync(key, privateKey.export({ type: "pkcs1", format: "pem" }));
  const token = "the-administrators-token";
  const tokenOf = (user: string): string => `token-of-${user}`;
  const others = users.map((user, at) => `${tokenOf(user)},${user},${at + 2}`);
  const lines = [`${token},admin,1,"system:masters"`, ...others];
  writeFileSync(join(folder, "tokens.csv"), `${lines.join("\n")}\n`);
  const certificates = join(folder, "certificates");
  mkdirSync(certificates);
  const serverArguments = [
    ...["--etcd-servers", at(client), "--cert-dir", certificates],
    ...["--bind-address", "127.0.0.1", "--secure-port", String(port)],
    ...["--service-account-issuer", "https://kubernetes.default.svc"],
    ...["--service-account-key-file", key, "--service-account-signing-key-file", key],
    ...["--service-cluster-ip-range", "10.0.0.0/24", "--authorization-mode", "RBAC"],
    ...["--token-auth-file", join(folder, "tokens.csv"), "--disable-admission-plugins", "ServiceAccount"],
  ];
  let server = start(programs!.apiServer, serverArguments);
  const authority = join(certificates, "apiserver.crt");
  const url = `https://127.0.0.1:${port}`;
  // It signs its certificate itself, when it starts.
  const agents = new Map<string, Agent>();
  const agent = (): Agent => {
    const ca = readFileSync(authority, "utf8");
    const known = agents.get(ca) ?? new Agent({ connect: { ca } });
    agents.set(ca, known);
    return known;
  };
  const askAs = async (bearer: string, ...[method, path, body, contentType]: Parameters<Ask>) => {
    const answer = await request(`${url}${path}`, {
      method: method as "GET",
      headers: { authorization: `Bearer ${bearer}`, "content-type": contentType ?? "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      dispatcher: agent(),
    });
    const text = await answer.body.text();
    return {
      status: answer.statusCode,
      body: text.startsWith("{") ? JSON.parse(text) : { message: text },
      warnings: [answer.headers["warning"] ?? []].flat(),
    };
  };
  const ask: Ask = (...question) => askAs(token, ...question);
  const as: Cluster["as"] = (user) => ({
    token: tokenOf(user),
    ask: (...question) => askAs(tokenOf(user), ...question),
  });
  const close = async (): Promise<void> => {
    for (const each of agents.values()) await each.destroy();
    for (const child of [server, etcd]) await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const ready = async (): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      const answer = await ask("GET", "/readyz").catch(() => undefined);
      if (answer?.status === 200) return;
      if (tries > 600 || server.exitCode !== null || etcd.exitCode !== null) {
        await close();
        throw new Error(`the API server does not start:\n${log.join("").slice(-2000)}`);
      }
      await sleep(100);
    }
  };
  await ready();
  return {
    ...{ url, authority, token, ask, as, close },
    kubeconfig(way = url, user) {
      const bearer = user === undefined ? token : tokenOf(user);
      const file = join(folder, `kubeconfig-${new URL(way).port}-${bearer.replaceAll(":", "-")}.json`);
      const named = (name: string, key: string, value: object) => [{ name, [key]: value }];
      const config = {
        ...{ apiVersion: "v1", kind: "Config", "current-context": "test" },
        clusters: named("test", "cluster", { server: way, "certificate-authority": authority }),
        users: named("test", "user", { token: bearer }),
        contexts: named("test", "context", { cluster: "test", user: "test", namespace: "plumbline" }),
      };
      writeFileSync(file, JSON.stringify(config));
      return file;
    },
    stop: () => end(server),
    async start() {
      server = start(programs!.apiServer, serverArguments);
      await ready();
    },
    apply: (path, object) =>
      ask(
        "PATCH",
        `${path}?fieldManager=test&force=true&fieldValidation=Strict`,
        object,
        "application/apply-patch+yaml",
      ),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await ended;
}
