/** The guides, step by step as their reader takes them, with nothing but what is packed. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findKubernetes } from "../../scripts/kubernetes.mjs";
import { findProgram } from "../../scripts/programs.mjs";
import { packCommandLine, packSdk } from "../../scripts/release/npm.mjs";
import { packPython } from "../../scripts/release/sources.mjs";
import { pulumiBin } from "../e2e/pulumi.ts";
import { python } from "../e2e/python.ts";
import { hasKubernetes, startCluster } from "../kubernetes/cluster.ts";
import { stores } from "../stores.ts";
import { guides, readGuide, type Step, stepsOf, walk } from "./guide.ts";
import { comePulumiUser, pluginArchive } from "./pulumi-user.ts";
import { comeStranger } from "./stranger.ts";

const root = resolve(import.meta.dirname, "../..");
const hasTerminals = spawnSync("script", ["-qec", "stty size", "/dev/null"]).status === 0;
const canWalk = hasTerminals && findProgram("curl") !== undefined;

const first = "first-zone.md";
/** Those without steps: the list, and sections for when something went wrong, of which `test/cli/error-codes.test.ts` tells. */
const lists = ["index.md", "troubleshooting.md"];
const typescript = "yaml-to-typescript.md";
const programs = "typescript-programs.md";
const inPython = "python-programs.md";
const shared = "shared-state.md";
const kubernetes = "kubernetes.md";
const others = readdirSync(guides).filter(
  (name) => ![kubernetes, first, typescript, programs, inPython, shared, ...lists].includes(name),
);
const isPulumi = ({ text }: Step) => /^(?:timeout .*)?pulumi /m.test(text);
const [plain, withPulumi] = [false, true].map((pulumi) =>
  others.filter((name) => readGuide(name).some(isPulumi) === pulumi),
) as [string[], string[]];

const main = (text: string): Step => ({ text, terminal: "main" });
const install = main("npm install --global ./plumbline-cli-*.tgz");

/** A stranger beside whose folder the packed command line lies. */
function comeWithArchive(installed = {}) {
  const shelf = mkdtempSync(join(tmpdir(), "plumbline-shelf-"));
  const quiet = {
    npm_config_offline: "true",
    npm_config_audit: "false",
    npm_config_update_notifier: "false",
  };
  const user = comeStranger({ environment: quiet, installed });
  onTestFinished(() => {
    user.leave();
    rmSync(shelf, { recursive: true, force: true });
  });
  user.download(join(shelf, packCommandLine(shelf)));
  return user;
}

/** A stranger who has installed the plugin, too. */
async function comeWithPlugin(installed = {}) {
  const user = await comePulumiUser({ environment: { PULUMI_CONFIG_PASSPHRASE: undefined }, installed });
  onTestFinished(user.leave);
  user.installPlugin(user.download(join(user.shelf, pluginArchive)));
  return user;
}

const portOf = (address: string): string => /127\.0\.0\.1:(\d+)/.exec(address)![1]!;

/** Makes ports of this machine the stranger's, too, who has a loopback of his own. Returns the step that he takes for it. */
async function reach(user: ReturnType<typeof comeWithArchive>, ...ports: string[]): Promise<Step> {
  const relay = user.download(join(import.meta.dirname, "relay.mjs"));
  const socketOf = (port: string) => join(user.folder, `${port}.sock`);
  const child = spawn(process.execPath, [
    join(user.folder, relay),
    ...ports.map((port) => `${socketOf(port)}=${port}`),
  ]);
  onTestFinished(() => void child.kill());
  await once(child.stdout, "data");
  const pairs = ports.map((port) => `${port}=${socketOf(port)}`);
  return { text: `node ${relay} ${pairs.join(" ")} &`, terminal: "main" };
}

describe.skipIf(!canWalk)("a guide", { timeout: 300_000 }, () => {
  it("to the first zone is followed to the letter within two minutes, and the zone is on the account", async () => {
    const [account, here] = ["https://api.example/v4", "http://127.0.0.1:4848/v4"];
    const steps = readGuide(first).map((step) => ({ ...step, text: step.text.replaceAll(account, here) }));
    const at = steps.findIndex(({ text }) => text.includes(here));
    expect(at).toBeGreaterThan(5);
    steps.splice(at, 0, {
      text: "plumbline emulator --port 4848 --speed instant",
      terminal: "other",
      until: "listening on",
    });
    const zones = `fetch("${here}/domains", { headers: { authorization: "Bearer your-token" } })`;
    steps.push({
      text: `node -p '${zones}.then((answer) => answer.json()).then(({ data }) => console.log(data[0].domain))'`,
      terminal: "main",
      shows: "…\nfirst.example",
    });
    const user = comeWithArchive();
    const start = Date.now();
    expect(await walk(user, steps)).toEqual([]);
    expect(Date.now() - start).toBeLessThan(120_000);
  });

  it.each(plain)("is followed to the letter: %s", async (name) => {
    expect(await walk(comeWithArchive(), [install, ...readGuide(name)])).toEqual([]);
  });

  const over =
    stores.S3 && stores.PostgreSQL ? "over a bucket and a database" : "without bucket and database";
  it(`to a shared state is followed to the letter, ${over}`, async () => {
    const user = comeWithArchive();
    if (!stores.S3 || !stores.PostgreSQL) {
      expect(await walk(user, [install, ...readGuide(shared)])).toEqual([]);
      return;
    }
    const [bucket, database] = await Promise.all([stores.S3(), stores.PostgreSQL()]);
    const reached = await reach(user, portOf(bucket.PLUMBLINE_STATE), portOf(database.PLUMBLINE_STATE));
    const means = {
      "s3://team-states/shared?region=eu-central-1": bucket.PLUMBLINE_STATE,
      "AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…": `AWS_ACCESS_KEY_ID=${bucket["AWS_ACCESS_KEY_ID"]} AWS_SECRET_ACCESS_KEY=${bucket["AWS_SECRET_ACCESS_KEY"]}`,
      "postgres://team@db.example.com/states?sslmode=verify-full": database.PLUMBLINE_STATE,
      "PGPASSWORD=…": `PGPASSWORD=${database["PGPASSWORD"]}`,
    };
    const steps = readGuide(shared, "stores").map((step) => {
      let { text } = step;
      for (const [told, meant] of Object.entries(means)) text = text.replaceAll(told, meant);
      expect(text.replaceAll("<<'END OF THE FILE'", "")).not.toContain("…");
      return { ...step, text };
    });
    expect(await walk(user, [reached, install, ...steps])).toEqual([]);
  });

  it.skipIf(!hasKubernetes)("to Kubernetes is followed to the letter, over a cluster", async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster.close());
    const user = comeWithArchive({ bin: dirname(findKubernetes()!.kubectl) });
    const reached = await reach(user, portOf(cluster.url));
    const config = main(`export KUBECONFIG=$PWD/${user.download(cluster.kubeconfig())}`);
    expect(await walk(user, [reached, config, install, ...readGuide(kubernetes)])).toEqual([]);
  });

  const followed = pulumiBin ? "to the letter" : "to its first step with Pulumi";
  it.each(withPulumi)(`is followed ${followed}: %s`, async (name) => {
    const steps = readGuide(name);
    const [user, taken] = pulumiBin
      ? [await comeWithPlugin(), steps]
      : [comeWithArchive(), steps.slice(0, steps.findIndex(isPulumi))];
    expect(await walk(user, [install, ...taken])).toEqual([]);
  });

  it("to programs without Pulumi is followed to the letter", async () => {
    // Beside the folder there is what a registry would bring; what has to lie together is laid there.
    const user = comeWithArchive({ node_modules: join(root, "node_modules") });
    const packages = join(user.folder, "node_modules");
    const shelf = mkdtempSync(join(tmpdir(), "plumbline-shelf-"));
    onTestFinished(() => rmSync(shelf, { recursive: true, force: true }));
    const sdk = user.download(join(shelf, packSdk(shelf, join(shelf, "sdk"))));
    mkdirSync(join(packages, "@plumbline", "pulumi"), { recursive: true });
    cpSync(join(root, "node_modules", "@pulumi", "pulumi"), join(packages, "@pulumi", "pulumi"), {
      recursive: true,
    });
    symlinkSync("../../node_modules/typescript-5", join(packages, "typescript"));
    const unpack = main(`tar xzf ${sdk} --strip-components=1 -C node_modules/@plumbline/pulumi`);
    expect(await walk(user, [unpack, install, ...readGuide(programs)])).toEqual([]);
  });

  it.skipIf(!python)("to programs in Python is followed to the letter", async () => {
    const user = comeWithArchive({ python: python! });
    const shelf = mkdtempSync(join(tmpdir(), "plumbline-shelf-"));
    onTestFinished(() => rmSync(shelf, { recursive: true, force: true }));
    const sdk = user.download(join(shelf, await packPython(shelf, join(shelf, "sdk"))));
    // The environment cannot be written to: the SDK lies beside it.
    symlinkSync("../python", join(user.folder, "venv"));
    const alone = "--no-index --no-deps --no-build-isolation --quiet --target modules";
    const unpack = main(`venv/bin/python -m pip install ${alone} ./${sdk} && export PYTHONPATH=modules`);
    expect(await walk(user, [unpack, install, ...readGuide(inPython)])).toEqual([]);
  });

  it.skipIf(!pulumiBin)(
    "to TypeScript is followed to the letter, and its program changes nothing",
    async () => {
      // Beside the folder there is what a registry would bring: Pulumi's own package, and the compiler.
      const user = await comeWithPlugin({ node_modules: join(root, "node_modules") });
      const sdk = user.download(join(user.shelf, packSdk(user.shelf, join(user.shelf, "sdk"))));
      user.succeed("npm", "install", "--offline", "--no-audit", "../node_modules/@pulumi/pulumi", `./${sdk}`);
      symlinkSync("../../../node_modules/.bin/tsc", join(user.folder, "node_modules", ".bin", "tsc"));
      const steps = readGuide(typescript);
      const compiled = steps.findIndex(({ text }) => text === "npx tsc");
      // The step after it declares the program's own language.
      steps.splice(compiled + 2, 0, main(`node -e '${previewOfProgram}'`));
      expect(await walk(user, [install, ...steps])).toEqual([]);
    },
  );
});

it("a block that is no step is refused, unless it says why it is not run", () => {
  const block = "```\nplumbline up\n```\n";
  expect(() => stepsOf(`Text.\n\n${block}`)).toThrow("what is a reader to do with this?");
  expect(() => stepsOf("```yaml Pulumi.yaml\nname: site\n```\n")).toThrow(
    "what is a reader to do with this?",
  );
  expect(stepsOf(`<!-- not run: why -->\n${block}`)).toEqual([]);
  const typed = "```sh\nplumbline up\n```\n";
  expect(stepsOf(`<!-- needs: gold -->\n${typed}`, ["silver"])).toEqual([]);
  expect(stepsOf(`<!-- needs: gold -->\n${typed}`, ["gold"])).toHaveLength(1);
});

it.skipIf(!canWalk)("what goes or shows other than the guide says is told", async () => {
  const user = comeWithArchive();
  const [shown] = await walk(user, stepsOf("```sh\necho three\n```\n\n```text\ntwo\n```\n"));
  expect(shown).toBe("echo three\nshows, other than the guide says:\nthree");
  const [ended] = await walk(user, stepsOf("```sh\nfalse\ntrue\n```\n"));
  expect(ended).toMatch(/^false\ntrue: ends with 1:/);
});

/** What `pulumi preview --expect-no-changes` does where there is a language host for Node. */
const previewOfProgram = `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const program = async () => ({ ...require("./bin/index.js") });
LocalWorkspace.selectStack({ stackName: "dev", projectName: "site", program }, { workDir: "." })
  .then((stack) => stack.preview({ expectNoChanges: true }))
  .then(({ changeSummary }) => console.log(changeSummary), (error) => { console.error(error); process.exit(1); });`;
