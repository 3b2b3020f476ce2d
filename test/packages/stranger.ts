/**
 * A stranger's machine for what is packed here: an empty folder and an empty home, no network beyond the machine itself, and this clone out of sight.
 * Where the system has no namespaces to hide things in, network and clone are only not used.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Hides the folder $1 and the network, after the folder $2 (if any) was shown as $3; then runs the rest. */
const enclosure = `
ip link set lo up && { [ -z "$2" ] || mount --bind "$2" "$3"; } && mount -t tmpfs none "$1" || exit 125
shift 3; exec "$@"`;

const enclosed = ["unshare", "--map-root-user", "--net", "--mount", "sh", "-c", enclosure, "sh"];

export const canEnclose =
  spawnSync(enclosed[0]!, [...enclosed.slice(1), tmpdir(), "", "", "true"]).status === 0;
if (!canEnclose) console.info("this system cannot hide network and clone: packed programs run beside them");

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Stranger {
  readonly folder: string;
  /** Runs a program of the PATH, or of the folder, to its end. */
  readonly run: (program: string, ...args: string[]) => Ran;
  readonly leave: () => void;
}

export interface Belongings {
  readonly environment?: { readonly [name: string]: string };
  /** A folder of programs that is first on the PATH, as if installed. */
  readonly programs?: string | undefined;
}

export function comeStranger({ environment = {}, programs }: Belongings = {}): Stranger {
  const place = mkdtempSync(join(tmpdir(), "plumbline-stranger-"));
  const [folder, home, bin] = ["folder", "home", "bin"].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  for (const made of [folder, home, bin]) mkdirSync(made);
  const shown = canEnclose ? bin : programs;
  const path = [...(programs ? [shown!] : []), dirname(process.execPath), process.env["PATH"]!];
  const env = { PATH: path.join(delimiter), HOME: home, NO_COLOR: "1", ...environment };
  const before = canEnclose ? [...enclosed, root, programs ?? "", bin] : [];
  return {
    folder,
    run(...command) {
      const [program, ...args] = [...before, ...command];
      const ran = spawnSync(program!, args, { cwd: folder, env, encoding: "utf8", input: "" });
      if (ran.error) throw ran.error;
      return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
    },
    leave: () => rmSync(place, { recursive: true, force: true }),
  };
}
