/** Processes of several people and runners at one stack: whoever comes second is told so, whoever is killed is continued, and the account is what one run would make. */

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Desk, openDesk, type Ran } from "../cli/plumbline.ts";
import { stores } from "../stores.ts";

const hosts = (word: string): string[] => Array.from({ length: 12 }, (_, at) => `${word}-${at}`);

const file = (word: string): string => `name: race
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: race.example, type: master, soaEmail: a@b.example } }
${hosts(word)
  .map(
    (name, at) =>
      `  host-${at}: { type: "plumbline:dns:Record", properties: { domainId: "\${zone.id}", type: A, name: ${name}, target: 192.0.2.1 } }`,
  )
  .join("\n")}
`;

/** What the account has, by name. */
async function account(desk: Desk): Promise<{ zones: unknown[]; names: unknown[] }> {
  const { data } = (await desk.api("GET", "/domains")) as { data?: { id: number; domain: string }[] };
  const records = await Promise.all(
    data!.map(async ({ id }) => {
      const page = (await desk.api("GET", `/domains/${id}/records`)) as { data?: { name: string }[] };
      return page.data!.map(({ name }) => name);
    }),
  );
  return { zones: data!.map(({ domain }) => domain), names: records.flat().sort() };
}

const declared = (word: string) => ({ zones: ["race.example"], names: hosts(word).sort() });

describe.each(Object.entries(stores))("over %s", (_, open) => {
  async function opened() {
    const [desk, environment] = [await openDesk(), await open()];
    onTestFinished(desk.close);
    /** In a process of its own, killed after so many milliseconds where that is said. */
    const run = (args: readonly string[], killedAfter?: number): Promise<Ran> => {
      let isStarted = false;
      return desk.run(args, {
        env: environment,
        onOutput: (_piece, kill) => {
          if (isStarted || killedAfter === undefined) return;
          isStarted = true;
          void sleep(killedAfter).then(() => kill("SIGKILL"));
        },
      });
    };
    return { desk, run };
  }

  it("of many that begin at once, each succeeds or is told who has the stack", {
    timeout: 120_000,
  }, async () => {
    const { desk, run } = await opened();
    desk.write("Pulumi.yaml", file("one"));
    const ran = await Promise.all(Array.from({ length: 6 }, () => run(["up", "-y", "--skip-preview"])));
    for (const { code, text } of ran) {
      if (code === 0) continue;
      expect([code, text]).toEqual([
        1,
        expect.stringMatching(/being changed by .* \[PLB-LOCK\]|several runs/s),
      ]);
    }
    expect(ran.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
    expect(await account(desk)).toEqual(declared("one"));
    expect((await run(["preview", "--refresh", "--expect-no-changes"])).code).toBe(0);
    const versions = JSON.parse((await run(["stack", "history", "--json"])).stdout) as unknown[];
    expect(versions).toHaveLength(1);
  });

  it("two clones that declare different things, some of them killed, leave what the last one declares", {
    timeout: 240_000,
  }, async () => {
    const { desk, run } = await opened();
    for (const word of ["one", "two"]) desk.write(`${word}.yaml`, file(word));
    /** A person who tries until it is done, and whose first runs are killed. */
    const insists = async (word: string, kills: readonly number[]): Promise<void> => {
      for (const after of kills) await run(["up", "-y", "--skip-preview", "--file", `${word}.yaml`], after);
      for (let round = 0; round < 20; round += 1) {
        const ran = await run(["up", "-y", "--skip-preview", "--file", `${word}.yaml`]);
        if (ran.code === 0) return;
        expect(ran.text).toMatch(/\[PLB-(LOCK|LEASE)\]|several runs/);
      }
      throw new Error(`${word} never had its turn`);
    };
    await Promise.all([insists("one", [1, 40]), insists("two", [15])]);
    const last = await run(["up", "-y", "--file", "one.yaml"]);
    expect(last.code, last.text).toBe(0);
    expect(await account(desk)).toEqual(declared("one"));
    expect((await run(["preview", "--refresh", "--expect-no-changes", "--file", "one.yaml"])).code).toBe(0);
  });
});
