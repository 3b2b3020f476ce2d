/** Makes the requests of a seed file, one after the other, as the account's owner. */

import type { Route } from "../http/router.ts";
import type { ServiceAnswer, ServiceRequest } from "../http/service.ts";
import type { SeedRequest } from "./account-file.ts";

/** Rejects with the request's number when one is refused. */
export async function makeSeedRequests(
  requests: readonly SeedRequest[],
  route: (path: string) => Route | undefined,
  serve: (request: ServiceRequest) => Promise<ServiceAnswer>,
  token: string,
): Promise<void> {
  const answers: unknown[] = [];
  for (const [at, request] of requests.entries()) {
    const [path = "", query = ""] = String(fill(request.path, answers)).split("?");
    const method = request.method.toUpperCase();
    const { status, body } = await serve({
      method,
      route: route(path),
      query,
      headers: { authorization: `Bearer ${token}` },
      body: request.body === undefined ? undefined : Buffer.from(JSON.stringify(fill(request.body, answers))),
      remoteAddress: "127.0.0.1",
    });
    if (status >= 400)
      throw new Error(`the seed's requests[${at}], ${method} ${path}, was refused: ${status} ${body}`);
    answers.push(JSON.parse(body || "{}"));
  }
}

/** Puts earlier answers in place of `${0.id}`; a text that is nothing else takes the value's own type. */
function fill(value: unknown, answers: readonly unknown[]): unknown {
  if (typeof value === "string") {
    const whole = /^\$\{(\d+)\.([\w.]+)\}$/.exec(value);
    if (whole) return look(answers, whole[1]!, whole[2]!);
    return value.replace(/\$\{(\d+)\.([\w.]+)\}/g, (_all, at, path) => String(look(answers, at, path)));
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, answers));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, fill(content, answers)]));
}

function look(answers: readonly unknown[], at: string, path: string): unknown {
  let found: unknown = answers[Number(at)];
  for (const part of path.split(".")) found = (found as { [name: string]: unknown } | undefined)?.[part];
  if (found === undefined) throw new Error(`the seed refers to ${at}.${path}, which no earlier answer has`);
  return found;
}
