/** A store of states for the benchmark: the S3 server of the tests behind a way on which each answer takes a while. */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findS3 } from "./stores.mjs";

/** True where there is an S3 server. */
export const hasStore = findS3() !== undefined;

const credentials = { AWS_ACCESS_KEY_ID: "bench", AWS_SECRET_ACCESS_KEY: "bench-secret-word" };

const listening = (server, port) =>
  new Promise((done) => server.listen(port, "127.0.0.1", () => done(server.address().port)));

async function freePort() {
  const server = createServer();
  const port = await listening(server, 0);
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Starts it; `environment` is what a command needs to use it, its address included. */
export async function openStore(milliseconds) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-bench-s3-"));
  mkdirSync(join(folder, "data", "bench-states"), { recursive: true });
  const port = await freePort();
  const child = spawn(findS3(), ["--port", `127.0.0.1:${port}`, "--quiet", "posix", join(folder, "data")], {
    cwd: folder,
    stdio: "ignore",
    env: {
      PATH: process.env.PATH,
      ROOT_ACCESS_KEY: credentials.AWS_ACCESS_KEY_ID,
      ROOT_SECRET_KEY: credentials.AWS_SECRET_ACCESS_KEY,
    },
  });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) await sleep(50);
  const way = createServer((from) => {
    const to = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [from, to],
      [to, from],
    ]) {
      one.on("data", (data) => setTimeout(() => other.write(data), milliseconds / 2));
      one.on("end", () => setTimeout(() => other.end(), milliseconds / 2));
      one.on("error", () => other.destroy());
    }
  });
  const door = await listening(way, 0);
  return {
    environment: {
      ...credentials,
      PLUMBLINE_STATE: `s3://bench-states/bench?endpoint=http://127.0.0.1:${door}&region=us-east-1`,
    },
    async close() {
      way.close();
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
