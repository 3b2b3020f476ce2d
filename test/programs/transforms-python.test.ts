/** A transform of a program in Python that throws. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writes } from "../e2e/account.ts";
import { python } from "../e2e/python.ts";
import { openPythonProjects, pythonZoneOf } from "./project.ts";

describe.skipIf(!python)("a transform in Python", { timeout: 60_000 }, () => {
  let projects: ReturnType<typeof openPythonProjects>;
  beforeAll(() => {
    projects = openPythonProjects();
  }, 60_000);
  afterAll(() => projects.close());

  it("that throws deletes nothing, and is told where it does", async () => {
    const p = await projects.project(pythonZoneOf("a", "b", "c"));
    await p.succeed("up", "-y", "--skip-preview");
    const before = writes(p.emulator);
    p.write(`
def throwing(args):
    if args.name == "a":
        raise ValueError("no such luck")


pulumi.runtime.register_resource_transform(throwing)
${pythonZoneOf("a", "b")}`);
    const { code, said } = await p.run("up", "-y", "--skip-preview");
    expect(said).toMatch(/no such luck:\s.*__main__\.py/s);
    expect(said).not.toMatch(/Invoke callback/);
    expect(code).toBe(1);
    expect(writes(p.emulator)).toEqual(before);
  });
});
