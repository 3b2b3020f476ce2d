/** What this engine does not do for a program in Python, and what its project lacks, is told before anything is done, with what to do instead. */

import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writes } from "../e2e/account.ts";
import { python } from "../e2e/python.ts";
import { openPythonProjects, type TestProject, pythonZoneOf as zoneOf } from "./project.ts";

let projects: ReturnType<typeof openPythonProjects>;
beforeAll(() => {
  if (python) projects = openPythonProjects();
}, 60_000);
afterAll(() => projects?.close());

const net = (options: string) =>
  `vpc.Vpc("v", label="v", region="us-east", opts=pulumi.ResourceOptions(${options}))`;

describe.skipIf(!python)("a program in Python is told", { timeout: 60_000 }, () => {
  it.each([
    [
      "of a resource of another package",
      'pulumi.CustomResource("random:index/randomPet:RandomPet", "pet", {})',
      /random:index\/randomPet:RandomPet belongs to package "random".*pulumi up/s,
    ],
    [
      "of a dynamic resource",
      `from pulumi import dynamic
class Own(dynamic.ResourceProvider):
    def create(self, props):
        return dynamic.CreateResult("1", {})
class Thing(dynamic.Resource):
    def __init__(self, name):
        super().__init__(Own(), name, {})
Thing("own")`,
      /pulumi-python:dynamic:Resource belongs to package "pulumi-python".*pulumi up/s,
    ],
    [
      "of a function of another package",
      'pulumi.runtime.invoke("aws:index/getRegion:getRegion", {})',
      /the function aws:index\/getRegion:getRegion belongs to another package.*pulumi up/s,
    ],
    [
      "of a component of a package",
      'pulumi.ComponentResource("eks:index:Cluster", "k", {}, None, True)',
      /eks:index:Cluster is a component of a package.*pulumi up/s,
    ],
    [
      "of hooks",
      net('hooks=pulumi.ResourceHookBinding(before_create=[pulumi.ResourceHook("h", lambda args: None)])'),
      /this engine has no resource hooks.*pulumi up/s,
    ],
    [
      "of a function that fails, and where it calls it",
      'dns.get_domain(id="99999999")',
      /__main__\.py", line 3, in <module>(?!.*sync_await).*there is no Domain with id 99999999/s,
    ],
    [
      "of a value that cannot be sent, without the places that it was passed through",
      'dns.Domain("zone", domain=object(), type="master")',
      /error: The program failed:\s+\|\s+ValueError: (?!.*rpc\.py).*unexpected input of type object for domain/s,
    ],
    ["of a trigger", net("replacement_trigger=1"), /no replacementTrigger.*pulumi up/s],
    [
      "of what the checks find",
      'dns.Domain("zone", domain="shop.example", type="slave")',
      /__main__\.py:3:1.*masterIps/s,
    ],
    ["of a name that it uses twice", `${zoneOf()}${zoneOf()}`, /two resources have the URN/],
    [
      "of a file that is not there",
      'objectstorage.Object("o", cluster="us-east-1", bucket="b", name="n", source=pulumi.FileAsset("nowhere.txt"))',
      /cannot read nowhere\.txt: there is no such file/,
    ],
    [
      "of a stack that is not there",
      'pulumi.StackReference("organization/other/dev")',
      /__main__\.py:3:1: there is no stack organization\/other\/dev/,
    ],
    [
      "of an object that is not there, and where it reads it",
      '\ndns.Domain.get("theirs", "99999999")',
      /[^/]__main__\.py:4:1: there is no object with the id "99999999"/,
    ],
  ])("%s", async (_, source, told) => {
    const p = await projects.project(source);
    const { code, said } = await p.run("up", "-y", "--skip-preview");
    expect(said).toMatch(told);
    expect(said).not.toContain("Task was destroyed");
    expect(code).toBe(1);
    expect(writes(p.emulator)).toEqual({});
  });
});

const runtime = (options: object) => ({ runtime: { name: "python", options } });

describe.skipIf(!python)("a project in Python is told", { timeout: 60_000 }, () => {
  async function told(p: TestProject, expected: RegExp) {
    const { code, said } = await p.run("validate");
    expect(said).toMatch(expected);
    expect(code).toBe(1);
  }

  it.each([
    [
      "of a folder that is not there",
      { main: "source" },
      /Pulumi\.yaml:\d+:\d+.*"main" names "?source"?, and there is no/s,
    ],
    ["of an option that is none", runtime({ virtualenw: "venv" }), /did you mean "virtualenv"/],
    [
      "of a toolchain that is none",
      runtime({ toolchain: "conda" }),
      /"toolchain" is pip, poetry, uv, and this is "conda"/,
    ],
    [
      "how to make its virtual environment",
      runtime({ virtualenv: "venv" }),
      /venv has no Python: run python3 -m venv (\S+)\/venv && \1\/venv\/bin\/python -m pip install pulumi plumbline_pulumi in /,
    ],
    [
      "how to make one with a space in its name",
      runtime({ virtualenv: "my venv" }),
      /run python3 -m venv "(\S+\/my venv)" && "\1\/bin\/python" -m pip install /,
    ],
    ["how to make that of uv", runtime({ toolchain: "uv" }), /\.venv has no Python: run uv sync in /],
    ["how to make that of poetry", runtime({ toolchain: "poetry" }), /run poetry install in /],
  ])("%s", async (_, settings, expected) => {
    await told(await projects.project(zoneOf(), settings), expected);
  });

  it("that there is no program", async () => {
    const p = await projects.project(zoneOf());
    rmSync(join(p.folder, "__main__.py"));
    await told(p, /has no __main__\.py: write the program there, or name its file as "main"/);
  });

  it("that there is no Python", async () => {
    const p = await projects.project(zoneOf());
    Object.assign(p.env, { PATH: p.folder });
    await told(p, /there is no python3 on the PATH/);
    Object.assign(p.env, { PULUMI_PYTHON_CMD: "python9" });
    await told(p, /PULUMI_PYTHON_CMD names python9, and there is no such program/);
  });

  /** The only Python that it finds. */
  function instead(p: TestProject, script: string) {
    const file = join(p.folder, "python3");
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    Object.assign(p.env, { PATH: `${p.folder}:/usr/bin:/bin` });
  }

  it("to install Pulumi's package", async () => {
    const p = await projects.project(zoneOf());
    // Nothing beside the standard library.
    instead(p, `exec ${python}/bin/python -S "$@"`);
    Object.assign(p.env, { PYTHONPATH: "" });
    await told(
      p,
      /needs the package pulumi, which python3 has not: run python3 -m pip install pulumi plumbline_pulumi in /,
    );
    writeFileSync(join(p.folder, "requirements.txt"), "pulumi\n");
    await told(p, /run python3 -m pip install -r requirements\.txt in /);
  });

  it("of a package that is too old", async () => {
    const p = await projects.project(zoneOf());
    const old = join(p.folder, "old", "pulumi-3.189.0.dist-info");
    mkdirSync(old, { recursive: true });
    writeFileSync(join(old, "METADATA"), "Metadata-Version: 2.1\nName: pulumi\nVersion: 3.189.0\n");
    Object.assign(p.env, { PYTHONPATH: join(p.folder, "old") });
    await told(
      p,
      /pulumi 3\.189\.0 of python3 is too old.*run python3 -m pip install "pulumi>=3\.190,<4" in /,
    );
  });

  it("of a Python that does not start", async () => {
    const p = await projects.project(zoneOf());
    instead(p, "echo 'libpython: cannot open shared object file' >&2; exit 127");
    await told(p, /python3 does not run as a Python: libpython: cannot open shared object file/);
  });

  it("that a type checker has no effect", async () => {
    const p = await projects.project(zoneOf(), runtime({ typechecker: "mypy" }));
    expect(await p.succeed("validate")).toMatch(/Pulumi\.yaml:\d+:\d+.*"typechecker" has no effect/s);
  });

  it("nothing where uv has made its environment in a folder above", async () => {
    const p = await projects.project("", { ...runtime({ toolchain: "uv" }), main: "source" });
    symlinkSync(python!, join(p.folder, ".venv"));
    mkdirSync(join(p.folder, "source"));
    writeFileSync(join(p.folder, "source", "__main__.py"), "import sys\nprint('it is', sys.prefix)\n");
    expect(await p.succeed("preview")).toContain(`it is ${p.folder}/.venv`);
  });

  it("nothing where poetry says which environment it has", async () => {
    const p = await projects.project(
      "import sys\nprint('it is', sys.prefix)",
      runtime({ toolchain: "poetry" }),
    );
    const poetry = join(p.folder, "poetry");
    writeFileSync(poetry, `#!/bin/sh\n[ "$*" = "env info --path" ] && echo ${python}\n`);
    chmodSync(poetry, 0o755);
    Object.assign(p.env, { PATH: `${p.folder}:/usr/bin:/bin` });
    expect(await p.succeed("preview")).toContain(`it is ${python}`);
  });
});
