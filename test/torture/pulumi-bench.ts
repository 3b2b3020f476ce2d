/** One emulator and one project of the real engine, whose whole state can be copied at any moment of a run and put back. */

import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { createProject } from "../e2e/pulumi.ts";
import type { Moment, Watch } from "./bench.ts";
import { family, type Process, signal } from "./processes.ts";

/** One planned step of the engine's events. */
export interface Planned {
  readonly op: string;
  readonly type: string;
  readonly name: string;
  readonly id: string | undefined;
}

export interface Ran {
  /** What the engine said when it did not end well. */
  readonly refusal: string | undefined;
  /** What a preview showed, without what stays; empty for a run. */
  readonly planned: readonly Planned[];
}

export interface PulumiBench {
  readonly emulator: Emulator;
  watch: Watch | undefined;
  /** Account and state while every process of the run stands still. */
  readonly now: () => Moment;
  readonly restore: (moment: Moment) => void;
  readonly run: (stack: string, operation: "up" | "preview" | "destroy", ...args: string[]) => Promise<Ran>;
  /** The processes of the run that is under way. */
  readonly processes: () => readonly Process[];
  readonly close: () => Promise<void>;
}

export async function openPulumi(): Promise<PulumiBench> {
  const emulator = await startEmulator({
    seed: starterAccount,
    speed: "max",
    watch: (moment, request) => bench.watch?.(moment, request),
    log: () => {},
  });
  const project = await createProject(
    { name: "torture", resources: {} },
    {
      ...{ baseUrl: emulator.baseUrl, token: emulator.token },
      // It is no friend of `--preview-only`, and every run here says `--yes` itself.
      environment: { PULUMI_SKIP_CONFIRMATIONS: "false" },
    },
  );
  const folder = dirname(project.folder);
  /** What a kill leaves: the engine's own state, and the plugin's. */
  const rooms = [join(folder, "backend"), join(project.folder, ".plumbline")];
  let running: number | undefined;
  let logs = 0;

  const bench: PulumiBench = {
    emulator,
    watch: undefined,
    processes: () => (running === undefined ? [] : family(running)),
    now() {
      const still = bench.processes();
      signal(still, "SIGSTOP");
      try {
        const files = new Map<string, string>();
        for (const room of rooms) {
          for (const path of filesIn(room)) files.set(relative(folder, path), readFileSync(path, "latin1"));
        }
        return { account: emulator.data(), files };
      } finally {
        signal(still, "SIGCONT");
      }
    },
    restore({ account, files }) {
      emulator.setData(account);
      for (const room of rooms) rmSync(room, { recursive: true, force: true });
      mkdirSync(rooms[0]!, { recursive: true });
      for (const [path, text] of files) {
        // The lock of a killed engine is let go of by `pulumi cancel`, which does no more than this.
        if (path.includes("/locks/")) continue;
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text, "latin1");
      }
    },
    async run(stack, operation, ...args) {
      project.write(stack);
      const log = join(folder, `torture-events-${++logs}`);
      const agreed = args.includes("--preview-only") || operation === "preview" ? [] : ["--yes"];
      const rest = ["--stack", "dev", "--event-log", log, "--non-interactive", "--color=never", ...args];
      const child = project.start(operation, ...agreed, ...rest);
      running = child.pid;
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => (said += data));
      const [code] = (await once(child, "close")) as [number | null];
      running = undefined;
      const planned = plannedIn(existsSync(log) ? readFileSync(log, "utf8") : "");
      rmSync(log, { force: true });
      const errors = said.split("\n").filter((line) => /error/i.test(line));
      return { refusal: code === 0 ? undefined : (errors.join(" ") || said).slice(0, 600), planned };
    },
    async close() {
      project.remove();
      await emulator.close();
    },
  };
  return bench;
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

interface PreEvent {
  readonly planning?: boolean;
  readonly metadata: {
    readonly op: string;
    readonly urn: string;
    readonly type: string;
    readonly old?: { readonly id?: string };
  };
}

function plannedIn(log: string): Planned[] {
  return log
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { resourcePreEvent?: PreEvent }).resourcePreEvent)
    .filter((event) => event?.planning === true && event.metadata.op !== "same")
    .map((event) => event!.metadata)
    .filter(({ type }) => !type.startsWith("pulumi:"))
    .map(({ op, urn, type, old }) => ({ op, type, name: urn.split("::").at(-1)!, id: old?.id }));
}
