import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import grpc from "@grpc/grpc-js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { freshFolder } from "../folders.ts";
import { connect, refusal, startEngine } from "./engine.ts";

const root = resolve(import.meta.dirname, "../..");
const program = join(root, "bin", "pulumi-resource-plumbline");
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

/** Starts the plugin as the engine does. */
function start(args: string[], options: { program?: string; cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const child = spawn(options.program ?? program, args, {
    cwd: options.cwd ?? freshFolder(),
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (data) => {
    output.stdout += data;
  });
  child.stderr.on("data", (data) => {
    output.stderr += data;
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((settle) => {
    child.once("exit", (code, signal) => settle({ code, signal }));
  });
  const port = (async () => {
    await expect.poll(() => output.stdout, { timeout: 10_000 }).toContain("\n");
    const opened = connect(Number(output.stdout));
    onTestFinished(opened.close);
    return opened;
  })();
  return { child, output, ended, client: () => port };
}

describe("the plugin as a process", () => {
  it("writes its port and nothing else to the standard output", async () => {
    const { output, client } = start(["127.0.0.1:1"]);
    const { handshake, call } = await client();
    expect((await handshake()).getAcceptSecrets()).toBe(true);
    await call("getSchema", new messages.GetSchemaRequest()).catch(() => {});
    expect(output.stdout).toMatch(/^\d{2,5}\n$/);
  });

  it.each([
    ["flags before the address", ["--logtostderr", "-v=9", "--tracing", "http://127.0.0.1:1", "127.0.0.1:1"]],
    ["no address at all, to be attached to", []],
    ["flags that nobody knows", ["--made-up", "127.0.0.1:1"]],
  ])("starts with %s", async (_what, args) => {
    const { client } = start(args);
    await expect((await client()).handshake()).resolves.toBeDefined();
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends at once, in peace, on %s", async (signal) => {
    const { child, client, ended } = start(["127.0.0.1:1"]);
    await (await client()).handshake();
    const begin = performance.now();
    child.kill(signal);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - begin).toBeLessThan(2_000);
  });

  it("lives on after Cancel", async () => {
    const { client, child } = start(["127.0.0.1:1"]);
    const { cancel, handshake } = await client();
    await cancel();
    await handshake();
    expect(child.exitCode).toBeNull();
  });

  it("ends when the engine that started it was killed", async () => {
    // A shell in the engine's place starts it in the background, tells its pid and waits to be killed.
    const shell = spawn("sh", ["-c", `"${program}" 127.0.0.1:1 & echo "pid $!"; wait`], {
      cwd: freshFolder(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    running.push(shell);
    let text = "";
    shell.stdout.on("data", (data) => {
      text += data;
    });
    await expect.poll(() => text, { timeout: 10_000 }).toMatch(/pid \d+\n(.*\n)?\d+\n|^\d+\npid \d+\n/);
    const pid = Number(/pid (\d+)/.exec(text)?.[1]);
    shell.kill("SIGKILL");
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });

  it("refuses nothing for its size: 6 MB in one message", async () => {
    const { client } = start(["127.0.0.1:1"]);
    const { call } = await client();
    const request = new messages.GetSchemaRequest();
    request.setSubpackageName("x".repeat(6_291_456));
    // Answered by the handler, not by the transport: RESOURCE_EXHAUSTED would be the transport.
    const error = await refusal(call("getSchema", request));
    expect(error.code).toBe(grpc.status.INVALID_ARGUMENT);
    expect(error.details.length).toBeLessThan(10_000);
  });

  it("tells the engine of its Handshake, not the one of its arguments, what happens", async () => {
    const engine = await startEngine();
    onTestFinished(engine.close);
    const { client, output } = start(["127.0.0.1:1"]);
    await (await client()).handshake(engine.address);
    expect(output.stderr).toBe("");
  });

  it("starts from a folder that holds only the program and its bundle", async () => {
    const folder = freshFolder();
    const bundle = "pulumi-resource-plumbline.cjs";
    copyFileSync(join(root, "bin", bundle), join(folder, bundle));
    copyFileSync(program, join(folder, "pulumi-resource-plumbline"));
    const { client } = start(["127.0.0.1:1"], { program: join(folder, "pulumi-resource-plumbline") });
    await expect((await client()).handshake()).resolves.toBeDefined();
  });

  it("starts with a code cache that V8 does not take", async () => {
    const folder = freshFolder();
    const bundle = readFileSync(join(root, "bin", "pulumi-resource-plumbline.cjs"), "latin1");
    const digest = /^\/\*([0-9a-f]{16})\*\//.exec(bundle)?.[1];
    expect(
      existsSync(join(root, "bin", `pulumi-resource-plumbline.${digest}-${process.version}.cache`)),
    ).toBe(true);
    writeFileSync(join(folder, "pulumi-resource-plumbline.cjs"), bundle, "latin1");
    writeFileSync(
      join(folder, `pulumi-resource-plumbline.${digest}-${process.version}.cache`),
      "of another make",
    );
    copyFileSync(program, join(folder, "pulumi-resource-plumbline"));
    const { client } = start(["127.0.0.1:1"], { program: join(folder, "pulumi-resource-plumbline") });
    await expect((await client()).handshake()).resolves.toBeDefined();
  });

  it("says what to do when it is not built", () => {
    const copy = join(freshFolder(), "launcher.cjs");
    copyFileSync(program, copy);
    const { status, stderr } = spawnSync(process.execPath, [copy], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toContain("npm run build");
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
