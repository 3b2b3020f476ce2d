/** `plumbline watch` of a program in Python: its sources are what is watched, not the virtual environment that its project names, nor what Python writes. */

import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { python } from "../../e2e/python.ts";
import { openPythonProjects, type TestProject } from "../../programs/project.ts";
import { watching } from "./watching.ts";

let projects: ReturnType<typeof openPythonProjects>;
beforeAll(() => {
  if (python) projects = openPythonProjects();
});
afterAll(() => projects?.close());

/** A virtual environment of its own, with the packages of the one that there is. */
function makeEnvironment({ folder }: TestProject, name: string): string {
  const made = join(folder, name);
  mkdirSync(join(made, "bin"), { recursive: true });
  copyFileSync(join(python!, "pyvenv.cfg"), join(made, "pyvenv.cfg"));
  symlinkSync(join(python!, "bin", "python"), join(made, "bin", "python"));
  symlinkSync(join(python!, "lib"), join(made, "lib"));
  return made;
}

it.skipIf(!python)(
  "each change of a source is applied once, and one of its packages is none",
  {
    timeout: 120_000,
  },
  async () => {
    const options = { virtualenv: "env" };
    const project = await projects.project("import zones", { runtime: { name: "python", options } });
    const environment = makeEnvironment(project, "env");
    const zones = (...names: string[]) =>
      writeFileSync(
        join(project.folder, "zones.py"),
        `from plumbline_pulumi import dns
for name in ${JSON.stringify(names)}:
    dns.Domain(name, domain=name + ".example", type="master", soa_email="a@a.example")
`,
      );
    zones("one");
    const watch = watching(project, ["--interval", "1h"], {
      PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple",
      PYTHONPATH: project.env["PYTHONPATH"],
    });
    expect((await watch.next("succeeded")).summary).toMatchObject({ create: 1 });
    expect(existsSync(join(project.folder, "__pycache__"))).toBe(true);
    writeFileSync(join(environment, "other.py"), "");
    await setTimeout(2000);
    expect(watch.lines().filter(({ event }) => event === "changed")).toEqual([]);
    zones("one", "two");
    expect(await watch.next("succeeded")).toMatchObject({ reason: "change", summary: { create: 1 } });
    for (const broken of ["raise ValueError('not today')", "raise SystemExit(0)", "import nowhere"]) {
      project.write(`${broken}\nimport zones`);
      await watch.next("changed");
      await watch.next("failed");
    }
    project.write("import zones");
    expect((await watch.next("succeeded")).summary).toMatchObject({ same: 2, delete: 0 });
    expect(await watch.end()).toBe(0);
  },
);
