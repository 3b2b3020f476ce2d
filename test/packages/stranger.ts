/**
 * A stranger's machine for what is packed here: an empty folder and an empty home, no network beyond the machine itself, and this clone out of sight.
 * Where the system has no namespaces to hide things in, network and clone are only not used.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Shows folders elsewhere, to be read only (pairs, up to `--`), hides the next one and the network, then runs the rest. */
const enclosure = `
ip link set lo up || exit 125
while [ "$1" != -- ]; do mount --bind "$1" "$2" && mount -o remount,bind,ro "$2" || exit 125; shift 2; done
mount -t tmpfs none "$2" || exit 125
shift 2; exec "$@"`;

const enclosed = ["unshare", "--map-root-user", "--net", "--mount", "sh", "-c", enclosure, "sh"];

export const canEnclose =
  spawnSync(enclosed[0]!, [...enclosed.slice(1), "--", tmpdir(), "true"]).status === 0;
if (!canEnclose) console.info("this system cannot hide network and clone: packed programs run beside them");

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Stranger {
  readonly folder: string;
  /** Puts a file of this machine into the folder; returns its name there. */
  readonly download: (file: string) => string;
  /** Runs a program of the PATH to its end, in the folder. */
  readonly run: (program: string, ...args: string[]) => Ran;
  readonly leave: () => void;
}

export interface Belongings {
  /** Besides the usual, in which Pulumi keeps its things in the home, and its states in the folder `states`. */
  readonly environment?: { readonly [name: string]: string | undefined };
  /** What was installed before beside this Node, by where it is beside the folder (`bin` is on the PATH): folders of this machine. */
  readonly installed?: { readonly [name: string]: string };
}

export function comeStranger({ environment = {}, installed = {} }: Belongings = {}): Stranger {
  const place = mkdtempSync(join(tmpdir(), "plumbline-stranger-"));
  const [folder, home] = [join(place, "folder"), join(place, "home")];
  for (const made of [folder, home]) mkdirSync(made);
  // npm would take a folder above for the project, if that one has packages.
  writeFileSync(join(folder, "package.json"), "{}");
  const node = dirname(process.execPath);
  const all = node.startsWith(root) ? { ...installed, node } : installed;
  const shown = Object.entries(all).map(([name, source]) => [source, join(place, name)] as const);
  for (const [source, target] of shown) canEnclose ? mkdirSync(target) : symlinkSync(source, target);
  const globalPackages = join(home, "packages");
  const path = [
    join(globalPackages, "bin"),
    join(place, "bin"),
    join(place, "node"),
    node,
    process.env["PATH"]!,
  ];
  const pulumi = {
    PULUMI_HOME: join(home, ".pulumi"),
    PULUMI_BACKEND_URL: `file://${join(folder, "states")}`,
  };
  const env: NodeJS.ProcessEnv = {
    PATH: path.join(delimiter),
    HOME: home,
    NO_COLOR: "1",
    npm_config_prefix: globalPackages,
    ...pulumi,
    ...environment,
  };
  const before = canEnclose ? [...enclosed, ...shown.flat(), "--", root] : [];
  return {
    folder,
    download(file) {
      const name = file.slice(dirname(file).length + 1);
      cpSync(file, join(folder, name));
      return name;
    },
    run(...command) {
      const [program, ...args] = [...before, ...command];
      const { error, status, stdout, stderr } = spawnSync(program!, args, {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      if (error) throw error;
      return { code: status, stdout, stderr };
    },
    leave: () => rmSync(place, { recursive: true, force: true }),
  };
}
