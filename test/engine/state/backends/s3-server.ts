/** A real S3 server in a folder of its own (versitygw), for tests of states; and what reaches it. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { stat, utimes } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findS3 } from "../../../../scripts/stores.mjs";

const program = findS3();
if (program === undefined && process.env["PLUMBLINE_REQUIRE_STORES"] === "1")
  throw new Error("no S3 server for the tests of states: node scripts/stores.mjs says why");

/** False: there is no S3 server on this machine, and its tests are left out. */
export const hasS3 = program !== undefined;

export interface S3Server {
  readonly endpoint: string;
  /** What a process needs to use it. */
  readonly environment: { readonly AWS_ACCESS_KEY_ID: string; readonly AWS_SECRET_ACCESS_KEY: string };
  /** The address of an empty place in it; `at` is another door to the same server. */
  readonly address: (parameters?: string, at?: string) => string;
  /** Makes an object so many seconds older than it is, by the server's clock; its key as it stands in the bucket. */
  readonly age: (key: string, seconds: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const environment = { AWS_ACCESS_KEY_ID: "states", AWS_SECRET_ACCESS_KEY: "states-secret-word" };

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

export async function startS3(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-s3-"));
  mkdirSync(join(folder, "data", "team-states"), { recursive: true });
  const port = await freePort();
  const child = spawn(program!, ["--port", `127.0.0.1:${port}`, "--quiet", "posix", join(folder, "data")], {
    cwd: folder,
    stdio: "ignore",
    env: {
      PATH: process.env["PATH"],
      ROOT_ACCESS_KEY: environment.AWS_ACCESS_KEY_ID,
      ROOT_SECRET_KEY: environment.AWS_SECRET_ACCESS_KEY,
    },
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await answering(endpoint, child);
  let places = 0;
  return {
    endpoint,
    environment,
    address: (parameters = "", at = endpoint) => {
      places += 1;
      return `s3://team-states/place-${places}?endpoint=${at}&region=us-east-1${parameters}`;
    },
    async age(key, seconds) {
      const file = join(folder, "data", "team-states", key);
      const then = (await stat(file)).mtimeMs / 1000 - seconds;
      await utimes(file, then, then);
    },
    async close() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answering(endpoint: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`the S3 server ended with ${child.exitCode}`);
    const isUp = await fetch(endpoint).then(
      (answer) => answer.text().then(() => true),
      () => false,
    );
    if (isUp) return;
    await sleep(50);
  }
  throw new Error("the S3 server does not answer");
}
