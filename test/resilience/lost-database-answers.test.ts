/** Every write of databases and their snapshots whose answer is lost, before the service acted or after: nothing is doubled, nothing missing, nothing left to do. */

import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, type FaultRule, startEmulator } from "../../emulator/index.ts";
import { beginning } from "../beginning.ts";
import { kept, writes } from "../e2e/account.ts";
import { createProject, pulumiBin, stackText } from "../e2e/pulumi.ts";
import { errorsOf, openWorkbench, type Workbench } from "./workbench.ts";

const steps = ["make", "change", "destroy"] as const;
type Step = (typeof steps)[number];

const kinds = ["mysql", "postgresql"];
const instances = kinds.map((kind) => `/databases/${kind}/instances`);
const instance = instances.map((path) => `${path}/{instanceId}`);

/** What each step sends; the maintenance window goes by a PUT after the create. */
const operations: { readonly [step in Step]: readonly string[] } = {
  make: [
    ...instances.map((path) => `POST ${path}`),
    ...instance.map((path) => `PUT ${path}`),
    ...instance.map((path) => `POST ${path}/backups`),
  ],
  change: instance.map((path) => `PUT ${path}`),
  destroy: [
    ...instance.map((path) => `DELETE ${path}/backups/{backupId}`),
    ...instance.map((path) => `DELETE ${path}`),
  ],
};

/** One database of each kind with a snapshot; changed, each has two requests to come. */
function program(step: "make" | "change"): string {
  const isChanged = step === "change";
  const common = () => ({
    region: "us-east",
    type: isChanged ? "g6-standard-1" : "g6-nanode-1",
    allowList: isChanged ? ["192.0.2.1", "192.0.2.2"] : [],
    updates: { frequency: "weekly", dayOfWeek: isChanged ? 4 : 3, hourOfDay: 5, duration: 1 },
  });
  return stackText({
    resources: {
      shop: {
        type: "plumbline:databases:MySqlInstance",
        properties: { label: "shop", engine: "mysql/8.0.30", ...common() },
      },
      books: {
        type: "plumbline:databases:PostgreSqlInstance",
        properties: { label: "books", engine: "postgresql/14.6", ...common() },
      },
      ofShop: {
        type: "plumbline:databases:Snapshot",
        properties: { kind: "mysql", instanceId: "${shop.id}", label: "before" },
      },
      ofBooks: {
        type: "plumbline:databases:Snapshot",
        properties: { kind: "postgresql", instanceId: "${books.id}", label: "before" },
      },
    },
  });
}

/** The account's databases and snapshots, as far as they are declared. */
function declaredIn({ emulator }: { readonly emulator: Emulator }) {
  const databases = kept(emulator, "databases")
    .map(({ label, engine, type, status, allow_list, updates }) => ({
      ...{ label: String(label), engine, type, status, allow_list, updates },
    }))
    .sort((a, b) => (a.label < b.label ? -1 : 1));
  const snapshots = kept(emulator, "databaseBackups").map(({ label, type }) => ({ label, type }));
  return { databases, snapshots };
}

describe("a lost answer about databases", { timeout: 120_000 }, () => {
  const undisturbed = new Map<Step, ReturnType<typeof declaredIn>>();
  let bench: Workbench;
  afterEach(() => bench?.close());

  async function perform(step: Step): Promise<void> {
    if (step !== "destroy") bench.write(program(step));
    const result = await bench.run((engine) => (step === "destroy" ? engine.destroy() : engine.up()));
    expect([step, result.result, errorsOf(result)]).toEqual([step, "succeeded", []]);
  }

  beforeAll(async () => {
    bench = await openWorkbench(program("make"));
    for (const step of steps) {
      const before = writes(bench.emulator);
      await perform(step);
      undisturbed.set(step, declaredIn(bench));
      const made = Object.entries(writes(bench.emulator)).filter(([name, count]) => count !== before[name]);
      expect(made.map(([name]) => name)).toEqual([...operations[step]].sort());
    }
    await bench.close();
  });

  const rule = (operation: string, kind: FaultRule["do"], nth: number): FaultRule => {
    const [method = "", path = ""] = operation.split(" ");
    // Silence that ends in a closed connection; the client's own patience is a minute.
    return { method, path, nth, do: kind, ...(kind === "drop-after" && { seconds: 0.3 }) };
  };

  /** The whole life with the rules in force at each step; every rule must have fired. */
  async function disturbed(rulesOf: (step: Step) => readonly FaultRule[], speed: number | "max") {
    bench = await openWorkbench(program("make"), { speed });
    for (const step of steps) {
      bench.emulator.setFaults(rulesOf(step));
      await perform(step);
      expect((await bench.fired()).filter(({ fired }) => fired === 0)).toEqual([]);
      bench.emulator.setFaults([]);
      expect(declaredIn(bench)).toEqual(undisturbed.get(step));
      if (step === "destroy") continue;
      const again = await bench.run((engine) => engine.preview());
      expect([again.result, again.changes]).toEqual(["succeeded", false]);
    }
  }

  const kindsOfLoss = ["reset-before", "reset-after", "drop-after", "truncate", "garbage"] as const;
  // A quarter of an hour in some seconds: what a lost request began is seen under way.
  const slow = 500;

  it.each(kindsOfLoss)("(%s) of every first request does no harm", async (kind) => {
    await disturbed((step) => operations[step].map((operation) => rule(operation, kind, 1)), slow);
  });

  it.each(kindsOfLoss)("(%s) of an update's second request, a resize, does no harm", async (kind) => {
    const second = (step: Step) =>
      step === "change" ? operations.change.map((operation) => rule(operation, kind, 2)) : [];
    await disturbed(second, slow);
  });

  it("of every first request does no harm where everything is over at once", async () => {
    await disturbed((step) => operations[step].map((operation) => rule(operation, "reset-after", 1)), "max");
  });

  it.skipIf(!pulumiBin)(
    "of every first request does no harm under the real engine",
    async ({ onTestFinished }) => {
      const emulator = await startEmulator({ startTime: beginning, speed: slow, checkAnswers: true });
      onTestFinished(() => emulator.close());
      const project = await createProject(program("make"), {
        baseUrl: emulator.baseUrl,
        token: emulator.token,
        plugin: "shared",
      });
      onTestFinished(() => project.remove());
      for (const step of steps) {
        if (step !== "destroy") project.write(program(step));
        emulator.setFaults(operations[step].map((operation) => rule(operation, "reset-after", 1)));
        await (step === "destroy" ? project.destroy() : project.up());
        const rules = await fetch(`${emulator.baseUrl.replace(/\/v4$/, "")}/_emulator/faults`);
        const unfired = ((await rules.json()) as { fired: number }[]).filter(({ fired }) => fired === 0);
        expect([step, unfired]).toEqual([step, []]);
        emulator.setFaults([]);
        expect(declaredIn({ emulator })).toEqual(undisturbed.get(step));
        if (step !== "destroy") expect((await project.preview()).changes).toEqual({ same: 4 });
      }
      expect(emulator.mismatches).toEqual([]);
    },
  );
});
