/**
 * `npm start`: the main job from end to end on the embedded emulator: preview, apply, change, drift, destroy; then one example of each area, a line
 * each. `npm start -- --all` shows all that they print.
 * Needs nothing installed beside this project, touches nothing outside a temporary folder, and leaves nothing running.
 */

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import pc from "picocolors";

const showsAll = process.argv.includes("--all");
const root = resolve(import.meta.dirname, "..");
const cli = join(root, "bin", "plumbline");
const work = mkdtempSync(join(tmpdir(), "plumbline-demo-"));
const stackFile = join(work, "Pulumi.yaml");
cpSync(join(root, "examples", "web", "Pulumi.yaml"), stackFile);

/** Starts the emulator as its own process and waits for its address. */
async function startService() {
  const child = spawn(process.execPath, [cli, "emulator", "--port", "0", "--speed", "instant", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, ...JSON.parse(line) };
  }
  throw new Error("the emulator did not start");
}

const service = await startService();
const control = service.baseUrl.replace(/\/v4$/, "/_emulator");

async function api(method, path, body) {
  const answer = await fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function requestsMade() {
  return (await (await fetch(`${control}/stats`)).json()).total;
}

/** Runs one command of the command line as a user would; its output goes straight through, or is kept. */
function plumbline(args, folder, keeps = false) {
  return new Promise((done, fail) => {
    const out = keeps ? "pipe" : "inherit";
    const child = spawn(process.execPath, [cli, ...args], {
      cwd: folder,
      stdio: ["ignore", out, out],
      env: { ...process.env, PLUMBLINE_BASE_URL: service.baseUrl, PLUMBLINE_TOKEN: service.token },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (data) => {
        output += data;
      });
    child.on("error", fail);
    child.on("close", (code) => done({ code, output }));
  });
}

let step = 0;

/** One step of the story: a heading, the command as one would type it, what it prints; of a long text its `first` and `last` lines. */
async function chapter(title, args, { expected = 0, folder = work, first, last } = {}) {
  step += 1;
  console.log(`\n${pc.bold(pc.cyan(`${step}. ${title}`))}`);
  console.log(pc.dim(`$ plumbline ${args.join(" ")}`));
  const folds = !showsAll && first !== undefined;
  const colored = folds && pc.isColorSupported ? [...args, "--color", "always"] : args;
  const { code, output } = await plumbline(colored, folder, folds);
  const lines = output.trimEnd().split("\n");
  const more = lines.length - first - last;
  if (more > 1) lines.splice(first, more, pc.dim(`  … ${more} more lines`));
  if (output !== "") console.log(lines.join("\n"));
  if (code !== expected) throw new Error(`plumbline ${args[0]} ended with ${code}, expected ${expected}`);
}

function edit(...changes) {
  let text = readFileSync(stackFile, "utf8");
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`the example no longer has "${from}"`);
    text = text.replace(from, to);
    console.log(pc.dim(`  ${from}  →  ${to}`));
  }
  writeFileSync(stackFile, text);
}

/** The examples beside the web one, and what each shows. */
const areas = [
  ["database", "managed databases"],
  ["kubernetes", "a Kubernetes cluster with its node pools"],
  ["object-storage", "a bucket, its objects and a key"],
  ["monitoring", "managed monitoring"],
  ["stackscript", "a StackScript"],
];

/** An example's whole life: made, found unchanged, taken down. */
async function visit(area, what) {
  const folder = join(work, area);
  cpSync(join(root, "examples", area), folder, { recursive: true });
  const life = [
    [`Make ${what}.`, ["up", "-y", "--skip-preview"]],
    ["Again: nothing to do.", ["preview", "--expect-no-changes"]],
    ["Take it down.", ["destroy", "-y"]],
  ];
  if (showsAll) {
    console.log(`\n${pc.bold(`examples/${area}: ${what}.`)}`);
    for (const [title, args] of life) await chapter(title, args, { folder });
    return;
  }
  const before = await requestsMade();
  let made = "";
  for (const [, args] of life) {
    const { code, output } = await plumbline(args, folder, true);
    if (code !== 0) throw new Error(`examples/${area}: plumbline ${args[0]} ended with ${code}\n${output}`);
    made ||= /(\d[\d,]*) created/.exec(output)?.[1] ?? "";
  }
  const requests = (await requestsMade()) - before;
  console.log(
    `  ${`examples/${area}`.padEnd(24)} ${made.padStart(2)} created, found unchanged, taken down; ${requests} requests: ${what}`,
  );
}

/** How many objects of each kind the account has. */
async function inventory() {
  const lists = [
    ...["/domains", "/vpcs", "/volumes", "/databases/instances", "/lke/clusters", "/compute/stackscripts"],
    ...["/object-storage/buckets", "/object-storage/keys"],
    ...["/managed/contacts", "/managed/credentials", "/managed/services"],
  ];
  return Promise.all(lists.map(async (path) => `${(await api("GET", path)).results} in ${path}`));
}

async function tell() {
  const before = await inventory();
  console.log(pc.bold("Plumbline: a cloud account kept true to its declared state."));
  console.log(
    `The stack is examples/web: a DNS zone, a private network, two disks. The service is the emulator, at ${service.baseUrl}.`,
  );

  await chapter("What would be made?", ["preview"], { first: 6, last: 12 });
  await chapter("Make it.", ["up", "-y", "--skip-preview"], { first: 4, last: 5 });
  const [zone] = (await api("GET", "/domains")).data;
  const zoneFile = ["invoke", "plumbline:dns:getZoneFile", `domainId=${zone.id}`, "--return", "text"];
  await chapter("The zone as the name servers get it.", zoneFile, { first: 4, last: 3 });
  await chapter("Again: nothing to do.", ["preview", "--expect-no-changes"]);

  console.log(`\n${pc.bold("Two edits in Pulumi.yaml: one changes in place, one cannot.")}`);
  edit(["p=quarantine", "p=reject"], ["10.10.3.0/26", "10.10.4.0/24"]);
  await chapter("Preview says which is which, and why.", ["preview", "--diff"]);
  await chapter("Apply both.", ["up", "-y", "--skip-preview"], { first: 4, last: 1 });

  console.log(`\n${pc.bold("Somebody changes a record by hand, behind our back.")}`);
  const records = (await api("GET", `/domains/${zone.id}/records`)).data;
  const wildcard = records.find((record) => record.name === "*.sites");
  await api("PUT", `/domains/${zone.id}/records/${wildcard.id}`, { target: "198.51.100.66" });
  console.log(pc.dim(`  *.sites A ${wildcard.target}  →  198.51.100.66`));
  await chapter("Drift finds it, and says which side moved.", ["drift"], { expected: 3 });
  await chapter("Put it back.", ["up", "-y", "--refresh", "--skip-preview"]);

  await chapter("Take everything down.", ["destroy", "-y"]);
  if (!showsAll)
    console.log(
      `\n${pc.bold(pc.cyan(`${step + 1}. The other areas`))} ${pc.dim("(npm start -- --all shows all of it)")}`,
    );
  for (const [area, what] of areas) await visit(area, what);

  const left = (await inventory()).filter((line) => !before.includes(line));
  if (left.length > 0) throw new Error(`the account has now: ${left.join(", ")}`);
  console.log("\nNothing is left in the account.");

  console.log(`\n${pc.bold("Next:")} README.md, or a stack of your own: plumbline --help`);
}

let failure;
try {
  await tell();
} catch (error) {
  failure = error;
} finally {
  const ended = new Promise((done) => service.child.once("close", done));
  service.child.kill("SIGTERM");
  await ended;
  rmSync(work, { recursive: true, force: true });
}
if (failure !== undefined) {
  console.error(`\n${pc.red("The demonstration failed:")} ${failure.message}`);
  process.exit(1);
}
