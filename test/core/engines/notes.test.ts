/** The notes of one object, whatever keeps them: the embedded engine's journal, the plugin's create log, a verb that has neither. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Notes } from "../../../provider/core/protocol.ts";
import { secret, unknown, type Value } from "../../../provider/core/value.ts";
import { createStateFolder } from "../../../provider/engine/state/backends/folder/folder.ts";
import { createMemoryDisk } from "../../../provider/engine/state/backends/folder/memory.ts";
import { notesOf } from "../../../provider/engine/state/notes.ts";
import { thisMachine } from "../../../provider/engine/state/owner.ts";
import { createStates } from "../../../provider/engine/state/states.ts";
import { openCreateLog } from "../../../provider/pulumi/unfinished/create-log.ts";
import { createNotebook } from "../../../provider/pulumi/unfinished/notebook.ts";
import { begin } from "../../../provider/verbs/operation.ts";
import { cheapKey } from "../../engine/cheap-key.ts";

const type = "plumbline:test/thing:Thing";
const urn = `urn:pulumi:dev::shop::${type}::a`;

/** Opens the notes of the one object as a run does, after every earlier run was killed. */
type Open = (isPreview?: boolean) => Promise<Notes>;

const keepers: { readonly [name: string]: () => Open } = {
  "the embedded engine": () => {
    const now = () => new Date();
    const disk = createMemoryDisk();
    const backend = createStateFolder({ folder: "/state", machine: thisMachine(), now, disk });
    const states = createStates({
      ...{ backend, now, project: "shop", stack: "dev", notice: () => {}, deriveKey: cheapKey },
      machine: thisMachine(),
      environment: { PLUMBLINE_PASSPHRASE: "x" },
    });
    return async (preview = false) => {
      const ledger = await states.open({ write: !preview });
      let slot = [...ledger.attempts.keys()][0];
      if (slot === undefined) {
        slot = ledger.reserve();
        const none = { inputs: {}, outputs: {}, dependencies: [], propertyDependencies: {} };
        await ledger.begin("creating", slot, now().toISOString(), { urn, type, custom: true, ...none });
      }
      return notesOf({ ledger, preview }, slot);
    };
  },
  "the plugin": () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-notes-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return async (isPreview = false) => {
      const notebook = createNotebook(openCreateLog(join(folder, "dev")));
      if (!isPreview) return notebook.ofCreate(urn, type, "7").notes;
      return notebook.of({ type, id: "7", isPreview }, async (notes) => notes);
    };
  },
};

/** What a verb may rely on within one run. */
function keepsNotes(open: Open): void {
  test("are none at first, under whatever name", async () => {
    const notes = await open();
    for (const key of ["pool", "", "constructor", "__proto__"]) expect(notes.get(key)).toBeUndefined();
    await notes.set("pool", undefined);
    expect(notes.get("pool")).toBeUndefined();
  });

  test("are each the last one under its key, until it is taken back", async () => {
    const notes = await open();
    const note = { ids: [1, 2.5, -3], text: "ä\n😀", no: null, yes: true, deep: [{ deeper: {} }] };
    await notes.set("pool", note);
    await notes.set("other", "kept");
    expect(notes.get("pool")).toEqual(note);
    await notes.set("pool", []);
    expect([notes.get("pool"), notes.get("other")]).toEqual([[], "kept"]);
    await notes.set("pool", undefined);
    expect([notes.get("pool"), notes.get("other")]).toEqual([undefined, "kept"]);
  });

  test("count from the moment in which they are made, side by side too", async () => {
    const notes = await open();
    const keys = Array.from({ length: 20 }, (_, i) => `key ${i}`);
    const all = keys.map((key, i) => notes.set(key, i));
    expect(keys.map((key) => notes.get(key))).toEqual(keys.map((_, i) => i));
    await Promise.all(all);
    expect(keys.map((key) => notes.get(key))).toEqual(keys.map((_, i) => i));
  });

  test.each<[string, Value]>([
    ["a secret", secret("hunter2")],
    ["a secret within", { pools: [{ key: secret("hunter2") }] }],
    ["what is not known yet", [unknown]],
    ["a number that is none", Number.NaN],
  ])("are refused when they hold %s, and what was noted before stays", async (_what, note) => {
    const notes = await open();
    await notes.set("pool", "before");
    await expect(notes.set("pool", note)).rejects.toThrow("not plain JSON");
    expect(notes.get("pool")).toBe("before");
  });
}

describe.each(Object.entries(keepers))("notes in %s", (_name, keeper) => {
  keepsNotes((isPreview) => keeper()(isPreview));

  test("are found by every later run, as they were when the earlier ones were killed", async () => {
    const open = keeper();
    const first = await open();
    await first.set("pool", ["p1"]);
    await first.set("taken back", 1);
    await first.set("taken back", undefined);
    const second = await open();
    expect([second.get("pool"), second.get("taken back")]).toEqual([["p1"], undefined]);
    await second.set("more", { n: 2 });
    const third = await open();
    expect([third.get("pool"), third.get("more")]).toEqual([["p1"], { n: 2 }]);
  });

  test("are read in a preview, and made in none", async () => {
    const open = keeper();
    await (await open()).set("pool", 1);
    const preview = await open(true);
    expect(preview.get("pool")).toBe(1);
    for (const note of [2, undefined])
      await expect(preview.set("pool", note)).rejects.toThrow('a preview must not note anything ("pool")');
    expect((await open()).get("pool")).toBe(1);
  });
});

describe("notes of a verb that no engine keeps them for", () => {
  keepsNotes(async () => {
    const operation = { service: () => ({}), cancelled: new AbortController().signal };
    return begin(operation as never, {}).notes;
  });
});
