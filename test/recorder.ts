/**
 * Writes down which type's verb and which function really called which operation of the contract, as the emulator answered it. Hears only
 * what the product tells of itself: what a test asks the service by itself is in no call of a Provider and so never counts.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { channel, subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Catalogue } from "../provider/core/protocol.ts";
import { shortToken } from "../provider/core/token.ts";
import type { ProviderCall } from "../provider/provider.ts";
import type { ToldAnswer } from "../provider/service/http/transport.ts";

/** Reachers (`plumbline:dns:Domain create`) by operation (`POST /domains`). */
export type Calls = { readonly [operation: string]: readonly string[] };

/** Records the whole test file, and leaves what it called in a file of its own in `folder`, as JSON. */
export function recordCalls(folder: string): void {
  const calls = listen();
  afterAll(async () => {
    const heard = await calls();
    if (Object.keys(heard).length === 0) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${process.pid}-${Date.now()}.json`), JSON.stringify(heard));
  });
}

/** Listens from now on. The function that it returns ends that, and tells what was called and answered with success. */
export function listen(): () => Promise<Calls> {
  const current = new AsyncLocalStorage<ProviderCall>();
  const heard = new Map<string, { call: ProviderCall; answer: ToldAnswer }>();
  channel("plumbline:call").bindStore(current);
  const hear = (message: unknown) => {
    const call = current.getStore();
    const answer = message as ToldAnswer;
    if (call === undefined || answer.status >= 300) return;
    const path = answer.path.split("?", 1)[0]!;
    const key = [call.verb, call.token, call.name, answer.method, path].join(" ");
    if (!heard.has(key)) heard.set(key, { call, answer: { ...answer, path } });
  };
  subscribe("plumbline:answer", hear);
  return async () => {
    // The next file of the same process has its own listener.
    unsubscribe("plumbline:answer", hear);
    channel("plumbline:call").unbindStore(current);
    if (heard.size === 0) return {};
    // Whoever called something has loaded all of this already; a file that calls nothing needs none of it.
    const [{ operations, release }, { createRouter }, { catalogue }] = await Promise.all([
      import("../emulator/contract/contract.ts"),
      import("../emulator/http/router.ts"),
      import("../provider/provider.ts"),
    ]);
    const route = createRouter(operations, (segment) => segment);
    const reached = new Map<string, Set<string>>();
    for (const { call, answer } of heard.values()) {
      // Only the judge's answers count: a server that a test made up may say yes to anything.
      if (answer.headers["x-spec-version"] !== release) continue;
      const operation = route(answer.path)?.operations.get(answer.method)?.key;
      const by = reacherOf(call, catalogue);
      if (operation === undefined || by === undefined) continue;
      reached.set(operation, (reached.get(operation) ?? new Set()).add(by));
    }
    return Object.fromEntries([...reached].map(([operation, by]) => [operation, [...by].sort()]));
  };
}

/** What is told of a call: `plumbline:dns:getDomain`, `plumbline:dns:Domain create`, `plumbline:databases:MySqlInstance run patch`, and `plumbline:objectstorage:cancel run` for a verb of an area. */
function reacherOf(call: ProviderCall, known: Catalogue): string | undefined {
  if (call.verb === "invoke") return named(known.resolveFunction(call.token));
  const type = known.resolveResource(call.token);
  if (call.verb !== "run") return named(type, call.verb);
  return named(type, "run", call.name) ?? named(known.resolveVerb?.(call.token), "run");
}

function named(token: string | undefined, ...words: readonly (string | undefined)[]): string | undefined {
  return token && [shortToken(token), ...words.filter((word) => word !== undefined)].join(" ");
}
