/** The plugin's face alone under the real engine: a provider in memory, attached to in this process, so that each of its answers can be chosen. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Provider } from "../../provider/core/protocol.ts";
import { CheckFailedError, ResourceInitFailedError } from "../../provider/core/protocol.ts";
import { ApiError } from "../../provider/core/service-port.ts";
import { secret, unknown } from "../../provider/core/value.ts";
import { startPlugin, thing } from "../pulumi/engine.ts";
import { fakeProvider, noChange } from "../pulumi/fake-provider.ts";
import { createProject, type Program, type Project, pulumiBin } from "./pulumi.ts";

const text = { type: "string" };
const packageSchema = {
  name: "plumbline",
  version: "0.1.0",
  config: { variables: { token: { ...text, secret: true } } },
  provider: { inputProperties: { token: { ...text, secret: true } } },
  resources: {
    [thing]: {
      inputProperties: { name: text, size: { type: "integer" }, password: { ...text, secret: true } },
      properties: { name: text, size: { type: "integer" }, password: { ...text, secret: true }, key: text },
      required: ["key"],
    },
  },
  functions: {
    "plumbline:test/getThing:getThing": {
      inputs: { properties: { name: text }, required: ["name"] },
      outputs: { properties: { size: { type: "integer" } }, required: ["size"] },
    },
  },
};

/** One resource, `a`, with these inputs. */
function one(properties: object, rest: Program = {}): Program {
  return { resources: { a: { type: "plumbline:test:Thing", properties } }, ...rest };
}

describe.skipIf(!pulumiBin)("the plugin under the real engine", { timeout: 120_000 }, () => {
  let project: Project;
  const replaced: { [verb: string]: unknown } = {};
  /** Replaces verbs until the next call. */
  function replace(verbs: Partial<Provider>): void {
    for (const verb of Object.keys(replaced)) delete replaced[verb];
    Object.assign(replaced, verbs);
  }
  const original = fakeProvider();
  const fake = {
    ...original,
    parts: {
      ...original.parts,
      packageSchema: () => packageSchema,
      createProvider: () => ({ ...original.parts.createProvider(), ...replaced }),
    },
  };
  let close: () => unknown;

  beforeAll(async () => {
    const plugin = await startPlugin(fake.parts);
    close = plugin.close;
    project = await createProject(
      { resources: {} },
      {
        baseUrl: "http://127.0.0.1:1/v4",
        token: "unused",
        environment: { PULUMI_DEBUG_PROVIDERS: `plumbline:${plugin.port}` },
      },
    );
  });
  afterAll(async () => {
    project.remove();
    await close();
  });

  const changing = {
    diff: async ({ oldInputs, newInputs }) => {
      const names = Object.keys({ ...oldInputs, ...newInputs });
      const changed = names.filter(
        (name) => JSON.stringify(oldInputs[name]) !== JSON.stringify(newInputs[name]),
      );
      return {
        ...noChange,
        changes: changed.length > 0,
        detailedDiff: Object.fromEntries(
          changed.map((name) => [name, { kind: "update", inputDiff: true } as const]),
        ),
      };
    },
  } satisfies Partial<Provider>;

  it("previews what is unknown, without an id and without a write", async () => {
    replace({
      create: async ({ inputs, preview }) => {
        if (!preview) throw new Error("a preview wrote");
        return { id: "", state: { ...inputs, key: unknown } };
      },
    });
    project.write(one({ name: "x" }, { outputs: { key: "${a.key}" } }));
    expect((await project.preview()).changes).toEqual({ create: 1 });
  });

  it("stops a preview on what a look-up refuses, naming the property", async () => {
    replace({
      create: async () => {
        throw new CheckFailedError([{ property: "name", reason: "is taken by thing 9" }]);
      },
    });
    const refused = await project.attempt("preview");
    expect(refused.code).not.toBe(0);
    expect(refused.diagnostics.map(({ message }) => message).join()).toContain("name: is taken by thing 9");
  });

  it("shows every failed check with its property", async () => {
    replace({
      check: async ({ newInputs }) => ({
        inputs: newInputs,
        failures: [
          { property: "name", reason: "is too short" },
          { property: "tags[0].key", reason: "is empty" },
        ],
      }),
    });
    const refused = await project.attempt("preview");
    const said = refused.diagnostics.map(({ message }) => message).join("\n");
    expect(refused.code).not.toBe(0);
    expect(said).toContain("is too short");
    expect(said).toContain("tags[0].key");
  });

  it("keeps a half-made thing in the state, and finishes it with an update", async () => {
    replace({
      create: async ({ inputs, preview }) => {
        if (preview) return { id: "", state: inputs };
        throw new ResourceInitFailedError({
          id: "77",
          state: { ...inputs, key: "k" },
          reasons: ["still creating"],
        });
      },
    });
    const failed = await project.attempt("up", "--yes", "--skip-preview");
    expect(failed.code).not.toBe(0);
    expect(failed.diagnostics.map(({ message }) => message).join()).toContain("still creating");
    expect(await project.resources()).toMatchObject([
      { id: "77", outputs: { name: "x", key: "k" }, initErrors: ["still creating"] },
    ]);

    const updated: unknown[] = [];
    replace({
      update: async ({ id, state, newInputs }) => {
        updated.push({ id, state });
        return { state: { ...newInputs, key: "k2" } };
      },
    });
    const finished = await project.up();
    expect(finished.changes).toEqual({ update: 1 });
    expect(updated).toEqual([{ id: "77", state: { name: "x", key: secret("k") } }]);
    const [resource] = await project.resources();
    expect(resource).toMatchObject({ id: "77", outputs: { name: "x", key: "k2" } });
    expect(resource).not.toHaveProperty("initErrors");
    expect((await project.up()).changes).toEqual({ same: 1 });
  });

  it("shows an update by its property, and the state keeps secrets out of sight", async () => {
    replace({
      ...changing,
      update: async ({ newInputs }) => ({ state: { ...newInputs, key: secret("made-secret") } }),
    });
    project.write(one({ name: "y", password: { "fn::secret": "given-secret" } }));
    const { changes, steps } = await project.up();
    expect(changes).toEqual({ update: 1 });
    expect(steps[0]?.detailedDiff).toEqual({
      name: { diffKind: "update", inputDiff: true },
      password: { diffKind: "update", inputDiff: true },
    });
    expect(project.stateText()).not.toContain("made-secret");
    expect(project.stateText()).not.toContain("given-secret");
    expect(project.stateText()).toContain("ciphertext");
  });

  it("keeps the old inputs after a half-done update, so that the rest is still a change", async () => {
    replace({
      ...changing,
      update: async ({ id, state }) => {
        throw new ResourceInitFailedError({ id, state: { ...state, name: "y" }, reasons: ["only half"] });
      },
    });
    project.write(one({ name: "z" }));
    expect((await project.attempt("up", "--yes", "--skip-preview")).code).not.toBe(0);
    replace(changing);
    const preview = await project.preview();
    expect(preview.steps[0]?.detailedDiff).toHaveProperty("name");
    await project.up();
  });

  it("replaces by a detailed diff alone, creating first or deleting first as it says", async () => {
    for (const deleteBeforeReplace of [false, true]) {
      const order: string[] = [];
      replace({
        diff: async ({ oldInputs, newInputs }) => ({
          ...noChange,
          changes: oldInputs["size"] !== newInputs["size"],
          detailedDiff: { size: { kind: "update-replace", inputDiff: true } },
          replaces: ["size"],
          deleteBeforeReplace,
        }),
        create: async ({ inputs }) => {
          order.push("create");
          return { id: `new-${deleteBeforeReplace}`, state: { ...inputs, key: "k" } };
        },
        delete: async () => void order.push("delete"),
      });
      project.write(one({ name: "z", size: deleteBeforeReplace ? 2 : 1 }));
      const { changes } = await project.up();
      expect(changes["replace"]).toBe(1);
      expect(order).toEqual(deleteBeforeReplace ? ["delete", "create"] : ["create", "delete"]);
    }
  });

  it("takes a gone thing out of the state on refresh, and keeps a failing read's", async () => {
    replace({
      read: async () => {
        throw new ApiError({ method: "GET", path: "/things/1", status: 503, reasons: [], retryable: true });
      },
    });
    expect((await project.attempt("refresh", "--yes", "--skip-preview")).code).not.toBe(0);
    expect(await project.resources()).toHaveLength(1);
    replace({ read: async () => undefined });
    await project.refresh();
    expect(await project.resources()).toEqual([]);
  });

  it("imports with nothing but the id", async () => {
    const asked: unknown[] = [];
    replace({
      ...changing,
      read: async ({ id, inputs, state }) => {
        asked.push({ inputs, state });
        return { id, inputs: { name: "found", size: 4 }, state: { name: "found", size: 4, key: "k" } };
      },
    });
    const short = [
      "import",
      "plumbline:test:Thing",
      "found",
      "natural/name",
      "--yes",
      "--generate-code=false",
    ];
    const refused = await project.attempt(...short);
    expect(refused.code).not.toBe(0);
    const said = refused.diagnostics.map(({ message }) => message).join();
    expect(said).toContain(`pulumi import ${thing} found natural/name`);
    expect(await project.resources()).toEqual([]);
    expect(asked).toEqual([]);
    await project.import(thing, "found", "natural/name");
    expect(asked[0]).toEqual({ inputs: undefined, state: undefined });
    expect(await project.resources()).toMatchObject([
      { id: "natural/name", inputs: { name: "found", size: 4 } },
    ]);
    project.write({
      resources: { found: { type: "plumbline:test:Thing", properties: { name: "found", size: 4 } } },
    });
    expect((await project.preview()).changes).toEqual({ same: 1 });
  });

  it("tells why a function refuses", async () => {
    replace({
      ...changing,
      invoke: async () => ({
        result: {},
        failures: [{ property: "name", reason: "there is no thing of that name" }],
      }),
    });
    project.write({
      variables: { found: { "fn::plumbline:test:getThing": { name: "nobody" } } },
      outputs: { size: "${found.size}" },
    });
    const refused = await project.attempt("preview");
    expect(refused.code).not.toBe(0);
    const said = `${refused.stdout}${refused.diagnostics.map(({ message }) => message).join()}`;
    expect(said).toContain("there is no thing of that name");
  });

  it("destroys, and a warning fails nothing", async () => {
    replace({
      delete: async ({ log }) => {
        log?.("error", "it was gone already");
        log?.("info", "deleting: 3 s", { ephemeral: true });
      },
    });
    const destroyed = await project.destroy();
    expect(destroyed.changes).toEqual({ delete: 1 });
    expect(destroyed.diagnostics).toMatchObject([
      { severity: "warning", message: expect.stringContaining("gone already") },
    ]);
    expect(destroyed.status).toMatchObject([{ message: expect.stringContaining("deleting: 3 s") }]);
    expect(await project.resources()).toEqual([]);
  });
});
