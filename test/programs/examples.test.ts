/** Every example in TypeScript, unchanged, under both engines: equal accounts and equal states, nothing to do the second time, and no trace. */

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Emulator } from "../../emulator/index.ts";
import { automate, compile, installAll, installSdk } from "../e2e/automation.ts";
import { stateOf } from "../e2e/engines.ts";
import { findExamples, projectText } from "../e2e/example.ts";
import { createProject, type Project, pulumiBin } from "../e2e/pulumi.ts";
import { type Left, left, liveHere, onEmulator } from "./left.ts";

const examples = resolve(import.meta.dirname, "../../examples");
const base = mkdtempSync(join(tmpdir(), "plumbline-examples-"));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

/** A folder with a copy of all the examples, where their packages are to be. */
function copied(name: string): string {
  const copy = join(base, name);
  cpSync(examples, join(copy, "examples"), {
    recursive: true,
    filter: (source) => !["node_modules", ".plumbline"].includes(basename(source)),
  });
  return copy;
}

let pulumi: Project | undefined;
beforeAll(async () => {
  installAll(copied("plumbline"));
  // The Automation API and the program share one copy of Pulumi's package.
  installSdk(copied("pulumi"));
  if (pulumiBin) pulumi = await createProject({}, { baseUrl: "", token: "" });
}, 120_000);
afterAll(() => pulumi?.remove());

async function liveThere(folder: string, emulator: Emulator, project: Project): Promise<Left> {
  expect(compile(folder)).toBe("");
  const text = projectText(folder.replace(join(base, "pulumi", "examples"), examples));
  writeFileSync(join(project.folder, "Pulumi.yaml"), text);
  const { baseUrl, token } = emulator;
  const [up] = await automate(
    {
      ...{ verbs: ["up"], states: true, parallel: 1, folder: project.folder, stack: project.stack },
      ...{ entry: join(folder, "bin", "index.js"), project: (parse(text) as { name: string }).name },
    },
    { cwd: folder, env: { ...project.env, PLUMBLINE_BASE_URL: baseUrl, PLUMBLINE_TOKEN: token } },
  );
  return left(emulator, stateOf(up?.resources ?? []), base);
}

const programs = findExamples().flatMap(({ name, program }) =>
  program === undefined ? [] : [[name, program.slice(examples.length + 1)] as const],
);

describe.each(programs)("examples/%s", { timeout: 300_000 }, (_, place) => {
  let here: Left | undefined;

  it("lives as it is under plumbline", async () => {
    here = await onEmulator((emulator) =>
      liveHere(join(base, "plumbline", "examples", place), emulator, base),
    );
  });

  it.skipIf(!pulumiBin)("leaves what it leaves under pulumi", async () => {
    const there = await onEmulator((emulator) =>
      liveThere(join(base, "pulumi", "examples", place), emulator, pulumi!),
    );
    expect(here?.account).toEqual(there.account);
    expect(here?.state).toEqual(there.state);
  });
});
