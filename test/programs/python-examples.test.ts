/** Every example in Python, unchanged, under both engines: equal accounts and equal states, nothing to do the second time, and no trace. */

import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Emulator } from "../../emulator/index.ts";
import { automate } from "../e2e/automation.ts";
import { stateOf } from "../e2e/engines.ts";
import { projectText } from "../e2e/example.ts";
import { createProject, type Project, pulumiBin } from "../e2e/pulumi.ts";
import { installPythonSdk, python } from "../e2e/python.ts";
import { type Left, left, liveHere, onEmulator } from "./left.ts";

const examples = resolve(import.meta.dirname, "../../examples");
const base = mkdtempSync(join(tmpdir(), "plumbline-python-examples-"));
let packages: NodeJS.ProcessEnv = {};
let pulumi: Project | undefined;
beforeAll(async () => {
  if (!python) return;
  packages = installPythonSdk(base);
  if (pulumiBin) pulumi = await createProject({}, { baseUrl: "", token: "" });
}, 120_000);
afterAll(() => {
  pulumi?.remove();
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

const places = readdirSync(examples, { recursive: true, encoding: "utf8" })
  .filter(
    (file) => /(^|\/)__main__\.py$/.test(file) && existsSync(join(examples, dirname(file), "Pulumi.yaml")),
  )
  .map(dirname);

/** A copy of the example with what lies beside it, where what its engine keeps may lie, too. */
function copied(engine: string, place: string): string {
  const [whole = place] = place.split("/");
  cpSync(join(examples, whole), join(base, engine, whole), {
    recursive: true,
    filter: (source) => ![".plumbline", "node_modules"].includes(basename(source)),
  });
  return join(base, engine, place);
}

async function liveThere(place: string, emulator: Emulator, project: Project): Promise<Left> {
  const folder = copied("pulumi", place);
  const text = projectText(join(examples, place));
  writeFileSync(join(project.folder, "Pulumi.yaml"), text);
  const { baseUrl, token } = emulator;
  const { PATH: _, ...wanted } = packages;
  const [up] = await automate(
    {
      ...{ verbs: ["up"], states: true, parallel: 1, folder: project.folder, stack: project.stack },
      ...{ entry: join(folder, "__main__.py"), project: (parse(text) as { name: string }).name },
    },
    {
      cwd: folder,
      env: { ...project.env, ...wanted, PLUMBLINE_BASE_URL: baseUrl, PLUMBLINE_TOKEN: token },
      python: join(python!, "bin", "python"),
    },
  );
  return left(emulator, stateOf(up?.resources ?? []), base);
}

it("there are examples in Python", () => {
  expect(places).toContain("python");
  for (const whole of ["functions", "tls"]) expect(places).toContain(`${whole}/python`);
});

describe.skipIf(!python).each(places)("examples/%s", { timeout: 300_000 }, (place) => {
  let here: Left | undefined;

  it("lives as it is under plumbline", async () => {
    const folder = copied("plumbline", place);
    here = await onEmulator((emulator) => liveHere(folder, emulator, base, packages));
  });

  it.skipIf(!pulumiBin)("leaves what it leaves under pulumi", async () => {
    // Other draws, as the order in which they are drawn is no engine's to say.
    const there = await onEmulator((emulator) => liveThere(place, emulator, pulumi!), { random: 1 });
    expect(here?.account).toEqual(there.account);
    expect(here?.state).toEqual(there.state);
  });
});
