/** Trouble that passes: limits, bad gateways, a service that is away for a moment. Every step of the web example survives it in the same run. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { FaultRule } from "../../emulator/index.ts";
import { comparable } from "../e2e/account.ts";
import { text } from "../e2e/web.ts";
import { story, type Undisturbed, undisturbed } from "./web.ts";
import { errorsOf, openWorkbench } from "./workbench.ts";

const troubles: { readonly [name: string]: Omit<FaultRule, "method" | "path"> } = {
  "429 with Retry-After": { do: "status", status: 429, headers: { "Retry-After": "1" } },
  "502": { do: "status", status: 502 },
  "503": { do: "status", status: 503 },
  "503 with Retry-After": { do: "status", status: 503, headers: { "Retry-After": "1" } },
  "500": { do: "status", status: 500 },
  "connection reset before the service acted": { do: "reset-before" },
  "connection reset after it acted": { do: "reset-after" },
  "answer cut off": { do: "truncate" },
};

const contract = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../../schemas/service.openapi.json"), "utf8"),
) as { paths: { [template: string]: unknown } };

/** What is read may be asked for alone or in its list, as it happens: both of them, with the list's path. */
function alternatives(operation: string): { readonly group: string; readonly rules: readonly Target[] } {
  const [method = "", path = ""] = operation.split(" ");
  if (method !== "GET") return { group: operation, rules: [{ method, path }] };
  const list = path.replace(/\/\{\w+\}$/, "");
  const isItem = (template: string) =>
    template.startsWith(`${list}/{`) && /^\{\w+\}$/.test(template.slice(list.length + 1));
  const paths = [list, ...Object.keys(contract.paths).filter(isItem)];
  return { group: `GET ${list}`, rules: paths.map((each) => ({ method, path: each })) };
}

type Target = Pick<FaultRule, "method" | "path">;

describe("the web example", { timeout: 60_000 }, () => {
  let clean: Undisturbed;
  beforeAll(async () => {
    clean = await undisturbed();
  });

  // Most of the time they wait, so they may do it together.
  it.concurrent.for(Object.keys(troubles))(
    "survives it in each kind of request of each step: %s",
    async (name, { onTestFinished }) => {
      const bench = await openWorkbench(text);
      onTestFinished(() => bench.close());
      for (const step of story) {
        await step.before?.(bench);
        const groups = new Map(
          (clean.operations.get(step.name) ?? []).map((operation) => {
            const { group, rules } = alternatives(operation);
            return [group, rules] as const;
          }),
        );
        bench.emulator.setFaults(
          [...groups.values()].flat().map((target): FaultRule => ({ ...target, nth: 1, ...troubles[name]! })),
        );
        const result = await bench.run(step.run);
        expect([step.name, result.result, errorsOf(result)]).toEqual([step.name, "succeeded", []]);
        const fired = new Set(
          (await bench.fired()).filter((rule) => rule.fired > 0).map((rule) => `${rule.method} ${rule.path}`),
        );
        for (const [group, rules] of groups) {
          expect([
            step.name,
            group,
            rules.some(({ method, path }) => fired.has(`${method} ${path}`)),
          ]).toEqual([step.name, group, true]);
        }
        bench.emulator.setFaults([]);
        expect(comparable(bench.emulator)).toEqual(clean.account.get(step.name));
      }
    },
  );
});
