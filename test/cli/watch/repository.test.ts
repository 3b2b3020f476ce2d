/** `plumbline watch --git`: a ref of a repository, as people push to it, is what the account is made like. */

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Desk, openDesk } from "../plumbline.ts";
import { watching } from "./watching.ts";

let desk: Desk;
/** What people push to, and where one of them works. */
let [origin, clone] = ["", ""];

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=anna", "-c", "user.email=anna@team.example", ...args], {
    cwd: clone,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(() => {
  desk.emulator.reset();
  const folder = mkdtempSync(join(tmpdir(), "plumbline-git-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  [origin, clone] = [join(folder, "infra.git"), join(folder, "clone")];
  mkdirSync(clone);
  git("init", "--quiet", "--bare", "--initial-branch=main", origin);
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", origin);
});

const domain = (name: string, ttl: number) =>
  `  ${name}: { type: "plumbline:dns:Domain", properties: { domain: ${name}.example, type: master, soaEmail: a@a.example, ttlSec: ${ttl} } }`;
/** Commits a declaration of these domains, in a folder of the repository. */
function commit(ttl: number, ...names: string[]): string {
  mkdirSync(join(clone, "dns"), { recursive: true });
  const resources = names.map((name) => domain(name, ttl)).join("\n");
  writeFileSync(join(clone, "dns/Pulumi.yaml"), `name: pushed\nruntime: yaml\nresources:\n${resources}\n`);
  git("add", ".");
  git("commit", "--quiet", "--message", "Declare");
  return git("rev-parse", "HEAD").trim();
}

const state = () => mkdtempSync(join(desk.folder, "state-"));
const args = (folder: string, url = origin) => ["--git", url, "-f", "dns/Pulumi.yaml", "--state", folder];

async function domains(): Promise<string[]> {
  const { data } = await desk.api("GET", "/domains");
  const found = data as unknown as { domain: string; ttl_sec: number }[];
  return found.map((each) => `${each.domain} ${each.ttl_sec}`).sort();
}

describe("watch --git", { timeout: 60_000 }, () => {
  it("applies what is pushed, also by force with another history, in a folder of its own", async () => {
    commit(300, "one");
    commit(300, "one", "two");
    git("push", "--quiet", "origin", "main");
    const watch = watching(desk, args(state()));
    await watch.next("succeeded");
    expect(await domains()).toEqual(["one.example 300", "two.example 300"]);
    git("reset", "--quiet", "--hard", "HEAD~1");
    commit(3600, "one", "three");
    git("push", "--quiet", "--force", "origin", "main");
    await watch.next("changed");
    await watch.next("succeeded");
    expect(await domains()).toEqual(["one.example 3600", "three.example 3600"]);
    const [checkout] = readdirSync(join(desk.folder, ".plumbline/watch"));
    expect(checkout).toMatch(/^infra-[0-9a-f]{8}$/);
    const folder = join(desk.folder, ".plumbline/watch", checkout!);
    expect(
      execFileSync("git", ["rev-list", "--all", "--count", "HEAD"], { cwd: folder }).toString().trim(),
    ).toBe("1");
  });

  it("a ref that vanishes is told once; the last declaration is kept to, and drift of it put right", async () => {
    commit(300, "one");
    git("push", "--quiet", "origin", "main");
    const watch = watching(desk, args(state()));
    await watch.next("succeeded");
    execFileSync("git", ["update-ref", "-d", "refs/heads/main"], { cwd: origin });
    expect((await watch.next("unseen")).message).toMatch(/git fetch: .*main; the last one is kept to$/);
    const { data } = await desk.api("GET", "/domains");
    await desk.api("PUT", `/domains/${(data as unknown as { id: number }[])[0]!.id}`, { ttl_sec: 3600 });
    await watch.next("step");
    expect(await domains()).toEqual(["one.example 300"]);
    expect(watch.lines().filter(({ event }) => event === "unseen")).toHaveLength(1);
    commit(300, "one", "two");
    git("push", "--quiet", "origin", "main");
    await watch.next("seen");
    await watch.next("succeeded");
    expect(await domains()).toEqual(["one.example 300", "two.example 300"]);
  });

  it("goes on in a folder in which git was killed, and puts right what was torn there", async () => {
    commit(300, "one");
    git("push", "--quiet", "origin", "main");
    const folder = state();
    const within = join(desk.folder, "killed");
    const words = [...args(folder), "--checkout", "killed"];
    const first = watching(desk, words);
    await first.next("succeeded");
    expect(await first.end("SIGKILL")).toBe(null);
    for (const left of ["index.lock", "shallow.lock"]) writeFileSync(join(within, ".git", left), "");
    writeFileSync(join(within, "dns/Pulumi.yaml"), "torn");
    commit(300, "two");
    git("push", "--quiet", "origin", "main");
    const second = watching(desk, words);
    await second.next("succeeded");
    expect(await domains()).toEqual(["two.example 300"]);
    expect(readdirSync(join(within, ".git")).filter((name) => name.endsWith(".lock"))).toEqual([]);
  });

  it("follows a tag, and runs no hook that lies in the checkout", async () => {
    commit(300, "one");
    git("tag", "live");
    git("push", "--quiet", "origin", "live");
    const checkout = join(desk.folder, "checkout");
    mkdirSync(join(checkout, ".git/hooks"), { recursive: true });
    const hook = join(checkout, ".git/hooks/post-checkout");
    writeFileSync(hook, `#!/bin/sh\ntouch ${join(desk.folder, "hooked")}\n`);
    chmodSync(hook, 0o755);
    const watch = watching(desk, [...args(state()), "--ref", "live", "--checkout", "checkout"]);
    await watch.next("succeeded");
    expect(existsSync(join(desk.folder, "hooked"))).toBe(false);
    expect(await domains()).toEqual(["one.example 300"]);
  });

  it("asks nobody for credentials, and prints none that it was given", async () => {
    const closed = createServer((_request, response) => {
      response.writeHead(401, { "www-authenticate": 'Basic realm="infra"' }).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void closed.close());
    await new Promise((done) => closed.once("listening", done));
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/infra.git`;
    const askpass = join(desk.folder, "askpass");
    writeFileSync(askpass, "#!/bin/sh\necho hidden-password\n", { mode: 0o755 });
    const watch = watching(desk, args(state(), url), { GIT_ASKPASS: askpass });
    expect((await watch.next("unseen")).message).toMatch(/^the declaration cannot be read: git fetch: /);
    await setTimeout(1000);
    expect(await watch.end()).toBe(0);
    expect(watch.text()).not.toContain("hidden-password");
    expect(await domains()).toEqual([]);
  });
});
