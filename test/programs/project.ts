/** Programs of Node and Python for tests: projects beside one set of packages, run by the built command line against an emulator. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { type OnOutput, runCommand, startCommand } from "../cli-process.ts";
import { installSdk } from "../e2e/automation.ts";
import { installPythonSdk } from "../e2e/python.ts";
import { environmentOf } from "./environment.ts";

/** What programs of a language are made of. */
interface Language {
  readonly runtime: string;
  readonly file: string;
  /** What stands at the top of every program. */
  readonly head: string;
  /** Lays the packages out in a folder; returns what the environment has for them. */
  readonly install: (base: string) => NodeJS.ProcessEnv;
}

const node: Language = {
  runtime: "nodejs",
  file: "index.js",
  head: `const pulumi = require("@pulumi/pulumi");
const plumbline = require("@plumbline/pulumi");
`,
  install(base) {
    installSdk(base);
    return {};
  },
};

const python: Language = {
  runtime: "python",
  file: "__main__.py",
  head: "import pulumi\nfrom plumbline_pulumi import blockstorage, dns, objectstorage, vpc\n",
  install: installPythonSdk,
};

export interface TestProject {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly emulator: Emulator;
  /** Writes the program, without its imports. */
  readonly write: (source: string) => void;
  /** Runs a command to its end. */
  readonly run: (...args: string[]) => Promise<Told>;
  /** The same as a process of its own. */
  readonly start: (args: readonly string[], onOutput?: OnOutput) => Promise<Told>;
  /** As `run`; throws what was printed when it fails. */
  readonly succeed: (...args: string[]) => Promise<string>;
  /** The saved state of each resource by name, without providers and the stack itself. */
  readonly state: () => Promise<{ readonly [name: string]: StateRecord }>;
}

export interface Told {
  readonly code: number | null;
  /** Both streams. */
  readonly said: string;
}

export interface StateRecord {
  readonly urn: string;
  readonly custom: boolean;
  readonly inputs?: { readonly [name: string]: unknown };
  readonly outputs?: { readonly [name: string]: unknown };
  readonly [name: string]: unknown;
}

export type Projects = ReturnType<typeof openProjects>;

export const openNodeProjects = () => openProjects(node);
/** Needs `python` of `test/e2e/python.ts`. */
export const openPythonProjects = () => openProjects(python);

/** One set of packages for many projects. Call `close` at the end. */
function openProjects({ runtime, file, head, install }: Language) {
  const base = mkdtempSync(join(tmpdir(), "plumbline-programs-"));
  const packages = install(base);
  const emulators: Emulator[] = [];
  let count = 0;

  async function project(source: string, settings: object = {}): Promise<TestProject> {
    count += 1;
    const folder = join(base, `project-${count}`);
    mkdirSync(folder);
    const emulator = await startEmulator({ seed: starterAccount, speed: "instant", checkAnswers: true });
    emulators.push(emulator);
    const env = environmentOf(emulator, base, packages);
    const write = (text: string) => writeFileSync(join(folder, file), `${head}${text}`);
    writeFileSync(join(folder, "package.json"), "{}");
    writeFileSync(join(folder, "Pulumi.yaml"), stringify({ name: "shop", runtime, ...settings }));
    write(source);
    const where = { cwd: folder, env };
    const told = ({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }) => ({
      code,
      said: `${stdout}${stderr}`,
    });
    const run: TestProject["run"] = async (...args) => told(await runCommand(args, where));
    const succeed: TestProject["succeed"] = async (...args) => {
      const { code, said } = await run(...args);
      if (code !== 0) throw new Error(`plumbline ${args.join(" ")}: ${code}\n${said}`);
      return said;
    };
    return {
      ...{ folder, env, emulator, write, run, succeed },
      start: async (args, onOutput) => told(await startCommand(args, where, "", onOutput)),
      async state() {
        const { stdout } = await runCommand(["stack", "export", "--show-secrets"], where);
        const { resources } = (JSON.parse(stdout) as { deployment: { resources: StateRecord[] } }).deployment;
        const shown = resources.filter(({ urn }) => !/::pulumi:(providers|pulumi):/.test(urn));
        return Object.fromEntries(shown.map((record) => [record.urn.split("::").pop()!, record]));
      },
    };
  }

  return {
    project,
    async close() {
      await Promise.all(emulators.map((each) => each.close()));
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A domain with records of these names. */
export const zoneOf = (...names: string[]) => `
const zone = new plumbline.dns.Domain("zone", { domain: "shop.example", type: "master", soaEmail: "admin@shop.example" });
for (const name of ${JSON.stringify(names)})
  new plumbline.dns.Record(name, { domainId: zone.id, type: "A", name, target: "203.0.113.10" });
`;

/** The same in Python. */
export const pythonZoneOf = (...names: string[]) => `
zone = dns.Domain("zone", domain="shop.example", type="master", soa_email="admin@shop.example")
for name in ${JSON.stringify(names)}:
    dns.Record(name, domain_id=zone.id, type="A", name=name, target="203.0.113.10")
`;
