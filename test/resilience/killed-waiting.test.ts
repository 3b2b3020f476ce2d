/** An engine killed while it waits for what a request began: the next run goes on with the wait, sends that request no second time, and leaves one object. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createEmbedded } from "../e2e/embedded.ts";
import type { EngineName } from "../e2e/engines.ts";
import { createProject, pulumiBin, stackText } from "../e2e/pulumi.ts";
import { killTree } from "./dying.ts";
import { type Service, startService } from "./service.ts";
import { type Resources, type Row, rows } from "./waits.ts";

const canKill = existsSync("/proc/self/stat");
const engines: readonly EngineName[] = ["plumbline", "pulumi"];
for (const engine of engines) {
  describe.skipIf(!canKill || (engine === "pulumi" && !pulumiBin))(
    `${engine} killed while it waits for`,
    { timeout: 180_000 },
    () => {
      // Most of the time they wait, so some do it together.
      it.concurrent.for(rows)(
        "$what goes on with the wait, and sends nothing twice",
        async (row, { onTestFinished }) => {
          const service = await startService(row.slowness ?? 1);
          onTestFinished(() => service.close());
          const stack = await openStack(engine, service);
          onTestFinished(() => stack.remove());
          const [first, ...next] = row.states as [Resources, ...Resources[]];
          if (Object.keys(first).length > 0) {
            stack.write(first);
            await throughWaits(service, row, stack.up());
          }
          for (const [step, state] of next.entries()) {
            const since = await lastRequest(service);
            stack.write(state);
            await killedWhileItWaits(service, row, stack.start());
            await stack.recover();
            // The next run comes while it is still under way, the one after the next kill when it is over.
            if (step > 0) await service.advance(row.takes * (row.slowness ?? 1));
            await throughWaits(service, row, stack.up());
            const writes = await writesSince(service, since);
            expect(writes).toEqual(Array.from({ length: row.times ?? 1 }, () => row.begins));
          }

          const last = row.states.at(-1)!;
          const declared = Object.values(last).filter(({ type }) => type === row.type);
          const objects = (await service.kept(row.collection)).filter(({ type }) => type !== "auto");
          expect(objects).toHaveLength(declared.length + (row.others ?? 0));
          const since = await lastRequest(service);
          expect((await stack.up()).changes).toEqual({ same: Object.keys(last).length });
          expect(await writesSince(service, since)).toEqual([]);
        },
      );
    },
  );
}

interface Stack {
  readonly write: (resources: Resources) => void;
  /** Starts an `up` and leaves it to the caller. */
  readonly start: () => ChildProcess;
  /** Runs it to its end; rejects when it fails. */
  readonly up: () => Promise<{ readonly changes: { readonly [op: string]: number } }>;
  /** What has to be done after a kill before the next run. */
  readonly recover: () => Promise<unknown>;
  readonly remove: () => void;
}

async function openStack(engine: EngineName, { baseUrl, token }: Service): Promise<Stack> {
  const nothing = stackText({});
  if (engine === "plumbline") {
    const { folder, env, write, up, remove } = createEmbedded(nothing, { baseUrl, token, cli: "own" });
    const cli = resolve(import.meta.dirname, "../../bin/plumbline");
    const flags = ["up", "--yes", "--skip-preview"];
    return {
      write: (resources) => write({ resources }),
      start: () => spawn(process.execPath, [cli, ...flags], { cwd: folder, env, stdio: "ignore" }),
      up,
      recover: async () => {},
      remove,
    };
  }
  const { write, start, up, recover, remove } = await createProject(nothing, { baseUrl, token });
  return {
    write: (resources) => write({ resources }),
    start: () => start("up", "--yes", "--skip-preview", "--stack", "dev"),
    up,
    recover,
    remove,
  };
}

/** Kills the engine, with all that it started, once the request is answered and was looked after. */
async function killedWhileItWaits(service: Service, row: Row, child: ChildProcess): Promise<void> {
  const dead = once(child, "exit");
  const since = await lastRequest(service);
  while (!(await isWaiting(service, row, since)) && child.exitCode === null) await setTimeout(25);
  killTree(child.pid ?? 0);
  await dead;
  expect(child.signalCode).toBe("SIGKILL");
}

async function isWaiting(service: Service, row: Row, since: number): Promise<boolean> {
  const asked = await service.requests(since);
  const begun = asked.find((one) => operationOf(one) === row.begins && one.status === 200);
  return begun !== undefined && looksIn(asked, row).some(({ n }) => n > begun.n);
}

/** Lets a run come to its end: whenever it has looked some times in vain, time passes. */
async function throughWaits<T>(service: Service, row: Row, run: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  run.then(over, over);
  let since = await lastRequest(service);
  while (!isOver) {
    const asked = await service.requests(since);
    if (looksIn(asked, row).length >= 3) {
      await service.advance(row.takes * (row.slowness ?? 1));
      since = asked.at(-1)?.n ?? since;
    }
    await setTimeout(50);
  }
  return run;
}

type Asked = Awaited<ReturnType<Service["requests"]>>;

const operationOf = ({ method, template }: Asked[number]) => `${method} ${template}`;

const looksIn = (asked: Asked, { looks }: Row) =>
  asked.filter(
    ({ method, template, status }) => method === "GET" && status === 200 && template?.startsWith(looks),
  );

const lastRequest = async (service: Service) => (await service.requests(0)).at(-1)?.n ?? 0;

async function writesSince(service: Service, since: number): Promise<string[]> {
  return (await service.requests(since)).filter(({ method }) => method !== "GET").map(operationOf);
}
