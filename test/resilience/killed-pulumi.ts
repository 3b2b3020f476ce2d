/** The real engine on a stage where it can be killed, with all its children, at a chosen request. */

import { once } from "node:events";
import type { Watched } from "../../emulator/index.ts";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { createProject, type Program, type Project } from "../e2e/pulumi.ts";
import { killTree } from "./dying.ts";

export interface Stage {
  readonly emulator: Emulator;
  readonly project: Project;
  /** What becomes of requests from now on. */
  watch: (moment: "before" | "after", request: Watched) => Promise<"cut" | undefined>;
}

const quiet = async () => undefined;

/** An emulator and a project of the program. */
export async function openKillable(
  program: Program | string,
  closing: (close: () => Promise<void>) => void,
): Promise<Stage> {
  const emulator = await startEmulator({
    speed: "instant",
    watch: (moment, request) => stage.watch(moment, request),
  });
  closing(() => emulator.close());
  const project = await createProject(program, { baseUrl: emulator.baseUrl, token: emulator.token });
  closing(async () => project.remove());
  const stage: Stage = { emulator, project, watch: quiet };
  return stage;
}

/**
 * Runs `up` (or another operation) and kills it at the `nth` request of this operation (`POST /volumes`), when the service has acted and its
 * answer has not left, or before it acts. Throws when the operation ended by itself.
 */
export async function killed(
  stage: Stage,
  operation: string,
  {
    moment = "after",
    nth = 1,
    args = ["up", "--yes", "--skip-preview"],
  }: { moment?: "before" | "after"; nth?: number; args?: readonly string[] } = {},
): Promise<void> {
  const child = stage.project.start(...args, "--stack", "dev", "--non-interactive");
  const dead = once(child, "exit");
  let count = 0;
  stage.watch = async (now, { method, template }) => {
    if (now !== moment || `${method} ${template}` !== operation) return undefined;
    count += 1;
    if (count !== nth) return undefined;
    killTree(child.pid ?? 0);
    await dead;
    return "cut";
  };
  await dead;
  stage.watch = quiet;
  if (child.signalCode !== "SIGKILL") throw new Error(`it ended by itself, with ${child.exitCode}`);
  await stage.project.recover();
}
