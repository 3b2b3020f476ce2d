/** A watch as a service: the container file followed line by line, and the systemd unit as systemd judges it. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../emulator/index.ts";
import { findProgram } from "../../scripts/programs.mjs";
import { buildImage, type Image, isRoot, packages } from "./containerfile.ts";

const root = resolve(import.meta.dirname, "../..");
const stackFile = `name: contained
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: contained.example, type: master, soaEmail: a@a.example } }
`;

describe("the watch's container", { timeout: 60_000 }, () => {
  let image: Image;
  beforeAll(() => {
    image = buildImage("deploy/watch/Containerfile");
  });
  afterAll(() => image.remove());

  it("runs as nobody's root, with git, and holds no sources and no packages", () => {
    expect(image.last("USER")).toBe("1000:1000");
    expect(image.all("RUN")).toContain(packages);
    expect(image.all("RUN").join("\n")).toMatch(/apt-get install -y --no-install-recommends .*\bgit\b/);
    for (const absent of ["source", "opt/plumbline/node_modules"])
      expect(existsSync(join(image.folder, absent))).toBe(false);
    expect(readFileSync(join(image.folder, "opt/plumbline/third-party-licences.txt"), "utf8")).toContain(
      "prom-client",
    );
  });

  it("applies a stack of a folder that it cannot write, is found healthy, keeps its state in the volume, and ends when told to", async () => {
    const service = await startEmulator({ speed: "instant" });
    onTestFinished(() => service.close());
    const stack = mkdtempSync(join(tmpdir(), "plumbline-stack-"));
    onTestFinished(() => rmSync(stack, { recursive: true, force: true }));
    writeFileSync(join(stack, "Pulumi.yaml"), stackFile);
    chmodSync(stack, 0o555);
    const entry = image.list("ENTRYPOINT").map((text) => image.within(text).replace("0.0.0.0:9464", "0"));
    const [program, ...args] = [...image.asUser, ...entry, "--cwd", stack, "--interval", "1s"];
    const [name, value] = image.last("ENV").split("=") as [string, string];
    const env = {
      PATH: process.env["PATH"],
      PLUMBLINE_BASE_URL: service.baseUrl,
      PLUMBLINE_TOKEN: service.token,
      PLUMBLINE_PASSPHRASE: "correct horse",
      [name]: image.within(value),
    };
    const watch = spawn(program!, args, { cwd: "/", env, stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(watch, "close");
    let text = "";
    try {
      watch.stdout.setEncoding("utf8");
      for await (const piece of watch.stdout) {
        text += piece;
        if (text.includes('"event":"succeeded"') || text.includes('"event":"failed"')) break;
      }
      expect(text).toContain('"event":"succeeded"');
      const at = /127\.0\.0\.1:(\d+)/.exec(text)![1]!;
      const check = (port: string) => {
        const [node, ...rest] = image.list("HEALTHCHECK").map((word) => word.replace("9464", port));
        return new Promise((done) => spawn(node!, rest).on("exit", done));
      };
      expect([await check(at), await check("1")]).toEqual([0, 1]);
      const state = join(image.folder, "data/state/stacks/contained/dev.json");
      expect(readFileSync(state, "utf8")).toContain("contained.example");
      if (isRoot) expect(statSync(state).uid).toBe(1000);
    } finally {
      watch.kill("SIGTERM");
    }
    expect((await closed)[0]).toBe(0);
    expect(image.last("EXPOSE")).toBe("9464");
  });
});

const systemd = findProgram("systemd-analyze");

describe.skipIf(systemd === undefined)("the watch's systemd unit", () => {
  /** With a program that is there: systemd looks for it. */
  const unit = () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-unit-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "plumbline-watch@.service");
    cpSync(join(root, "deploy/watch/plumbline-watch@.service"), file);
    const text = readFileSync(file, "utf8");
    expect(text).toContain("ExecStart=/usr/local/bin/plumbline watch");
    writeFileSync(file, text.replaceAll("/usr/local/bin/plumbline", "/bin/true"));
    return file;
  };

  it("is one that systemd takes, without a warning", () => {
    const { status, stdout, stderr } = spawnSync(systemd!, ["verify", unit()], { encoding: "utf8" });
    expect([status, stdout + stderr]).toEqual([0, ""]);
  });

  it("is exposed less than 2.0 of 10, as systemd counts", () => {
    const ran = spawnSync(systemd!, ["security", "--offline=true", "--threshold=20", unit()], {
      encoding: "utf8",
    });
    expect(ran.status, ran.stdout + ran.stderr).toBe(0);
  });

  it("gives a run the time to end, and the run alone is what it waits for", () => {
    const text = readFileSync(join(root, "deploy/watch/plumbline-watch@.service"), "utf8");
    for (const line of ["KillMode=mixed", "TimeoutStopSec=1h", "NoNewPrivileges=yes", "DynamicUser=yes"])
      expect(text.split("\n")).toContain(line);
  });
});
