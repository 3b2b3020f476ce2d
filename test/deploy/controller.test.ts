/** The controller's container, followed line by line, and its Deployment, which runs it. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { buildImage, type Image, packages } from "./containerfile.ts";

const root = resolve(import.meta.dirname, "../..");

describe("the controller's container", { timeout: 60_000 }, () => {
  let image: Image;
  beforeAll(() => {
    image = buildImage("deploy/kubernetes/Containerfile");
  }, 120_000);
  afterAll(() => image.remove());

  it("runs as nobody's root, and holds no sources, no packages and nothing of a distribution that was added", () => {
    expect(image.last("USER")).toBe("1000:1000");
    expect(image.all("RUN")).toEqual([packages, "node scripts/build.mjs"]);
    for (const absent of ["source", "opt/plumbline/node_modules"])
      expect(existsSync(join(image.folder, absent))).toBe(false);
    expect(existsSync(join(image.folder, "opt/plumbline/third-party-licences.txt"))).toBe(true);
  });

  it("starts what it is there for, as its user", () => {
    const [program, ...words] = [...image.asUser, ...image.list("ENTRYPOINT").map(image.within)];
    const ran = spawnSync(program!, [...words, "--help"], {
      cwd: "/",
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    expect(ran.stdout).toContain("--metrics");
  });

  it("is what the Deployment runs: as the same user, at the same port", () => {
    const text = readFileSync(join(root, "deploy/kubernetes/controller/deployment.yaml"), "utf8");
    const [deployment] = parseAllDocuments(text).map((each) => each.toJS());
    const { containers, securityContext } = deployment.spec.template.spec;
    expect(`${securityContext.runAsUser}:${securityContext.runAsGroup}`).toBe(image.last("USER"));
    const [{ args, ports, command }] = containers;
    expect(command).toBeUndefined();
    expect(String(ports[0].containerPort)).toBe(image.last("EXPOSE"));
    expect(args).toEqual([image.list("CMD").join("=")]);
  });
});
