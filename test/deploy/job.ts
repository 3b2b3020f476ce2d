/** A job of a pipeline, as the forge's runner starts it: its script, with the variables that the runner sets and those that the team has given it. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { freshFolder } from "../folders.ts";
import type { Forge } from "./forge.ts";

const root = resolve(import.meta.dirname, "../..");
export const scripts = join(root, "deploy/pipelines/scripts");

export interface JobOptions {
  readonly forge: Forge;
  /** The checkout that it works in. */
  readonly folder: string;
  /** A script, or `forge.mjs` with its words. */
  readonly script: readonly string[];
  /** What the team gives it: token, passphrase, state… */
  readonly env?: { readonly [name: string]: string | undefined };
  readonly commit?: string;
  /** The pull or merge request that it is for; absent: a push, or a schedule. */
  readonly request?: { readonly number: number; readonly head: string; readonly isFork?: boolean };
  /** Called once it runs. */
  readonly onStart?: (pid: number) => void;
}

export interface Ended {
  readonly code: number | null;
  readonly text: string;
  /** What its step tells the steps after it (GitHub). */
  readonly outputs: { readonly [name: string]: string };
  /** What the job's page shows (GitHub). */
  readonly summary: string;
}

let runs = 5000;

export async function runJob(options: JobOptions): Promise<Ended> {
  const { folder, script, env = {}, onStart } = options;
  const beside = freshFolder("job");
  const [name, ...words] = script;
  const command = name!.endsWith(".sh") ? [join(scripts, name!)] : [process.execPath, join(scripts, name!)];
  const [program, ...args] = [...command, ...words];
  const own = {
    PATH: `${join(root, "bin")}:${process.env["PATH"]}`,
    HOME: beside,
    ...(options.forge.kind === "github" ? githubVariables(options, beside) : gitlabVariables(options)),
    ...env,
  };
  const child = spawn(program!, args, {
    cwd: folder,
    env: Object.fromEntries(
      Object.entries(own).filter(([, value]) => value !== undefined),
    ) as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
    // So that a runner that dies takes all of it along.
    detached: true,
  });
  onStart?.(child.pid!);
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
  const [code] = (await once(child, "close")) as [number | null];
  const read = (file: string) =>
    existsSync(join(beside, file)) ? readFileSync(join(beside, file), "utf8") : "";
  const outputs = Object.fromEntries(
    read("output")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split("=") as [string, string]),
  );
  return { code, text, outputs, summary: read("summary") };
}

function githubVariables({ forge, commit = "", request }: JobOptions, beside: string) {
  const full = (isFork: boolean | undefined) => ({ full_name: isFork ? "eve/infra" : "team/infra" });
  const event = request && {
    pull_request: {
      number: request.number,
      head: { sha: request.head, repo: full(request.isFork) },
      base: { repo: full(false) },
    },
  };
  writeFileSync(join(beside, "event.json"), JSON.stringify(event ?? {}));
  return {
    GITHUB_ACTIONS: "true",
    GITHUB_API_URL: forge.url,
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_REPOSITORY: "team/infra",
    GITHUB_RUN_ID: String(++runs),
    GITHUB_SHA: commit,
    GITHUB_EVENT_PATH: join(beside, "event.json"),
    GITHUB_OUTPUT: join(beside, "output"),
    GITHUB_STEP_SUMMARY: join(beside, "summary"),
    GITHUB_TOKEN: "robot-token",
  };
}

function gitlabVariables({ forge, commit, request }: JobOptions) {
  return {
    GITLAB_CI: "true",
    CI_API_V4_URL: forge.url,
    CI_PROJECT_ID: request?.isFork ? "99" : "7",
    CI_JOB_URL: `https://gitlab.example/team/infra/-/jobs/${++runs}`,
    CI_COMMIT_SHA: request?.head ?? commit ?? "",
    GITLAB_TOKEN: "robot-token",
    ...(request && {
      CI_MERGE_REQUEST_IID: String(request.number),
      CI_MERGE_REQUEST_PROJECT_ID: "7",
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: request.isFork ? "99" : "7",
    }),
  };
}
