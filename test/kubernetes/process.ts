/** `plumbline controller` as a process, under the rights of its installation. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, resolve } from "node:path";
import type { Cluster } from "./cluster.ts";

const program = resolve(import.meta.dirname, "../../bin/plumbline");

/** The account that `deploy/kubernetes` gives rights in every namespace. */
export const serviceAccount = "system:serviceaccount:plumbline:plumbline-controller";

export interface ControllerProcess {
  /** Everything that it said. */
  readonly said: () => string;
  /** What it tells at one of its paths. */
  readonly asked: (path: string) => Promise<{ status: number; text: string }>;
  /** Tells it to end; resolves to its exit code. */
  readonly end: () => Promise<number | null>;
}

/** Resolves once it listens. `words` before the entry make it run as somebody else. */
export async function startControllerProcess(
  cluster: Pick<Cluster, "kubeconfig">,
  {
    user = serviceAccount,
    entry = [program, "controller"] as readonly string[],
    args = [] as readonly string[],
  } = {},
): Promise<ControllerProcess> {
  const config = cluster.kubeconfig(undefined, user);
  const [command, ...words] = [...entry, "--kubeconfig", config, "--metrics", "127.0.0.1:0", ...args];
  const child = spawn(command!, words, {
    env: { PATH: process.env["PATH"], HOME: dirname(config) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const url = await new Promise<string>((found, failed) => {
    child.stdout.on("data", () => {
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (address) found(address[0]);
    });
    child.once("exit", (code) => failed(new Error(`it ended with ${code}:\n${said}`)));
  });
  return {
    said: () => said,
    async asked(path) {
      const answer = await fetch(url + path);
      return { status: answer.status, text: await answer.text() };
    },
    async end() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      return child.exitCode;
    },
  };
}
