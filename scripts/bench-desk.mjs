/**
 * What the benchmark works with: an emulator of its own, stacks in temporary folders, both engines as users run them, and the number of
 * requests that reached the emulator meanwhile. Knows no bound.
 */

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { automation, writeProgram } from "./bench-program.mjs";

const root = resolve(import.meta.dirname, "..");
const cli = join(root, "bin", "plumbline");

/** The environment without what could point a command at another account, state or stack. */
const cleanEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(PLUMBLINE|PULUMI)_/.test(name)),
);

/** Runs a program to its end; rejects with all it said when it fails. */
function run(program, args, options) {
  return new Promise((settle, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (data) => {
      stdout += data;
    });
    child.stderr.on("data", (data) => {
      stderr += data;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) settle(stdout);
      else reject(new Error(`${program} ${args.join(" ")} ended with ${code}\n${stdout}\n${stderr}`));
    });
  });
}

/** Starts an emulator as its own process; it ends with `close`. */
async function startService(more) {
  const args = [cli, "emulator", "--port", "0", "--speed", "instant", "--json", ...more];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: cleanEnvironment,
  });
  const ended = new Promise((done) => child.once("close", done));
  for await (const line of createInterface({ input: child.stdout })) {
    const { baseUrl, token } = JSON.parse(line);
    const control = baseUrl.replace(/\/v4$/, "/_emulator");
    return {
      baseUrl,
      token,
      refused: async () => {
        const requests = await (await fetch(`${control}/requests?last=10000`)).json();
        return requests.filter(({ status }) => status === 429).length;
      },
      requests: async () => (await (await fetch(`${control}/stats`)).json()).total,
      close: async () => {
        child.kill("SIGTERM");
        await ended;
      },
    };
  }
  throw new Error("the emulator did not start");
}

/** True where a terminal can be had. */
export const hasTerminals = spawnSync("script", ["-qec", "stty size", "/dev/null"]).status === 0;

/** A zone with `count` address records, the last octets counted from `shift`; `extra` more are declared after them. */
export function zoneStack(count, { shift = 0, extra = 0 } = {}) {
  const lines = [
    "name: bench",
    "runtime: yaml",
    "plugins:",
    `  providers: [{ name: plumbline, path: ${JSON.stringify(join(root, "bin"))} }]`,
    "resources:",
    "  zone:",
    "    type: plumbline:dns:Domain",
    "    properties: { domain: bench.example, type: master, soaEmail: hostmaster@bench.example }",
  ];
  for (let n = 0; n < count + extra; n += 1) {
    const octets = n === 0 ? shift : n;
    lines.push(
      `  record-${n}:`,
      "    type: plumbline:dns:Record",
      `    properties: { domainId: "\${zone.id}", type: A, name: host-${n}, target: 198.51.${octets >> 8}.${octets & 255} }`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** One Zone of `count` address records as a zone file; the first `moved` of them point elsewhere. */
export function wholeZoneStack(count, { moved = 0 } = {}) {
  const records = Array.from({ length: count }, (_, n) => {
    const network = n < moved ? "203.0" : "198.51";
    return `        host-${n} 3600 IN A ${network}.${n >> 8}.${n & 255}`;
  });
  const [head] = zoneStack(0).split("\n    properties");
  return [
    `${head}\n    properties: { domain: bench.example, type: master, soaEmail: hostmaster@bench.example }`,
    "  records:",
    "    type: plumbline:dns:Zone",
    "    properties:",
    '      domainId: "${zone.id}"',
    "      zoneFile: |",
    "        $ORIGIN bench.example.",
    ...records,
    "",
  ].join("\n");
}

/** The stack file of an example, with the plugin's folder as it is seen from elsewhere. */
export function exampleStack(name) {
  const text = readFileSync(join(root, "examples", name, "Pulumi.yaml"), "utf8");
  const moved = text.replace("path: ../../bin", `path: ${JSON.stringify(join(root, "bin"))}`);
  if (moved === text) throw new Error(`examples/${name} no longer names its plugin's folder as ../../bin`);
  return moved;
}

/**
 * A desk for one engine, with an emulator and a fresh stack for the text of a stack file. `bin` is the folder of `pulumi`; without it the
 * engine is the embedded one. `program` is how many records a program of Node beside it declares. `example` names the one whose other files lie beside the stack file; `limits` are the emulator's limits of requests, `environment` is added to that of commands.
 */
export async function openDesk(
  text,
  { bin, example, program: records, withCheckpoints = false, limits = "off", environment = {} } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-bench-"));
  const project = join(folder, "project");
  for (const name of ["project", "backend"]) mkdirSync(join(folder, name));
  if (example !== undefined) cpSync(join(root, "examples", example), project, { recursive: true });
  const service = await startService(["--rate-limit", limits]);
  const env = {
    ...cleanEnvironment,
    PLUMBLINE_BASE_URL: service.baseUrl,
    PLUMBLINE_TOKEN: service.token,
    PULUMI_CONFIG_PASSPHRASE: "bench",
    NO_COLOR: "1",
    ...environment,
    ...(bin && {
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      HOME: folder,
      PULUMI_HOME: join(folder, "home"),
      PULUMI_BACKEND_URL: `file://${join(folder, "backend")}`,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
      PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
      // Pulumi writes its whole state at each step, which takes minutes for a thousand; it changes no request.
      ...(withCheckpoints ? {} : { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" }),
    }),
  };
  const program = bin ? join(bin, "pulumi") : process.execPath;
  const runWith = (more, args) =>
    run(program, bin ? [...args, "--non-interactive"] : [cli, ...args], {
      cwd: project,
      env: { ...env, ...more },
    });
  const command = (...args) => runWith({}, args);
  const measured = async (work) => {
    const file = join(folder, "costs.json");
    const preload = `--require ${JSON.stringify(join(root, "scripts", "measure-process.cjs"))}`;
    await work({ NODE_OPTIONS: preload, PLUMBLINE_BENCH_COSTS: file });
    return JSON.parse(readFileSync(file, "utf8"));
  };
  const write = (text) => writeFileSync(join(project, "Pulumi.yaml"), text);
  write(text);
  if (records !== undefined) writeProgram(project, records);
  if (bin) await command("stack", "init", "dev");

  return {
    write,
    command,
    /** Runs the command; resolves to the number of requests that it made. */
    async requests(...args) {
      const before = await service.requests();
      await command(...args);
      return (await service.requests()) - before;
    },
    /** How many of the last requests, ten thousand at most, were refused for there being too many. */
    refused: service.refused,
    /** Runs the command; resolves to its whole time in seconds. */
    async seconds(...args) {
      const start = performance.now();
      await command(...args);
      return (performance.now() - start) / 1000;
    },
    /** Previews the program and brings it up, twice; resolves to the seconds of each. Under Pulumi it runs within the Automation API, which starts no process for it. */
    async programSeconds() {
      const twice = [1, 2];
      if (!bin) {
        const seconds = [];
        for (const _ of twice) seconds.push(await this.seconds("up", "-y"));
        return seconds;
      }
      const told = await run(process.execPath, automation(project), { cwd: project, env });
      const each = told
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).seconds);
      return twice.map((_, at) => each[2 * at] + each[2 * at + 1]);
    },
    /** Runs the command of the embedded engine; resolves to its CPU in seconds, and the most memory that it held in mebibytes. */
    costs: (...args) => measured((more) => runWith(more, args)),
    /** The same in a terminal of 100 columns and 40 rows, as `script` opens one. */
    costsInTerminal: (...args) =>
      measured((more) =>
        run(
          "script",
          ["-qec", `stty cols 100 rows 40; exec ${[process.execPath, cli, ...args].join(" ")}`, "/dev/null"],
          {
            cwd: project,
            env: { ...env, TERM: "xterm-256color", ...more },
          },
        ),
      ),
    async close() {
      await service.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
