/** The scripts of the pipelines, run as jobs against a stand-in for each forge's API: what a team sees of them, also on a bad day. */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { findProgram } from "../../scripts/programs.mjs";
import { type Desk, openDesk } from "../cli/plumbline.ts";
import { type Forge, forgeFor, type Kind } from "./forge.ts";
import { type Ended, type JobOptions, runJob, scripts } from "./job.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
  onTestFinished(desk.close);
});

const domain = (name: string, email = "a@a.example") =>
  `  ${name}: { type: "plumbline:dns:Domain", properties: { domain: ${name}.example, type: master, soaEmail: ${email} } }`;
const declare = (...resources: string[]) =>
  desk.write("Pulumi.yaml", `name: infra\nruntime: yaml\nresources:\n${resources.join("\n")}\n`);
const request = { number: 12, head: "aaaaaaaaaaaaaaaaaaaa" };
const secrets = () => ({
  PLUMBLINE_BASE_URL: desk.emulator.baseUrl,
  PLUMBLINE_TOKEN: desk.emulator.token,
  PLUMBLINE_PASSPHRASE: "correct horse",
  PLUMBLINE_STATE: join(desk.folder, "state"),
});
const job = (forge: Forge, script: string, options: Partial<JobOptions> = {}): Promise<Ended> =>
  runJob({
    forge,
    folder: desk.folder,
    script: script.split(" "),
    ...options,
    env: { ...secrets(), ...options.env },
  });
const plan = (forge: Forge, options: Partial<JobOptions> = {}) =>
  job(forge, "plan.sh", { request, ...options });
const applied = async () => {
  const { data } = await desk.api("GET", "/domains");
  return (data as unknown as { domain: string }[]).map((each) => each.domain).sort();
};

describe.each(["github", "gitlab"] as const)("on %s", { timeout: 60_000 }, (kind: Kind) => {
  it("a plan is one comment, which the next one updates, and the saved plan is applied as it was", async () => {
    const forge = await forgeFor(kind);
    forge.comments.push({ id: 1, number: 12, author: "eve", title: "", state: "open", body: "Looks good" });
    declare(domain("one"));
    const first = await plan(forge);
    expect(first.code, first.text).toBe(0);
    expect(forge.comments).toHaveLength(2);
    expect(forge.comments[1]!.body).toContain("### Plan for `dev`: 1 to create");
    expect(forge.comments[1]!.body).toMatch(/at aaaaaaaaaaaa · \[job\]\(https:/);
    declare(domain("one"), domain("two"));
    const second = await plan(forge);
    expect(second.code, second.text).toBe(0);
    expect(forge.comments).toHaveLength(2);
    expect(forge.comments[1]!.body).toContain("2 to create");
    if (kind === "github") expect(second.summary).toContain("2 to create");
    expect(statSync(join(desk.folder, "plumbline-plan/plan.json")).mode & 0o077).toBe(0);
    const ran = await job(forge, "apply.sh");
    expect(ran.code, ran.text).toBe(0);
    expect(await applied()).toEqual(["one.example", "two.example"]);
    if (kind === "github") expect(ran.outputs).toEqual({ code: "0" });
  });

  it("a stale plan is refused with 4, a missing one as well, and the plan that is made anew is applied", async () => {
    const forge = await forgeFor(kind);
    declare(domain("one"));
    await plan(forge);
    declare(domain("one"), domain("two"));
    const stale = await job(forge, "apply.sh");
    expect([stale.code, stale.text]).toEqual([4, expect.stringContaining("PLB-PLAN")]);
    expect(await applied()).toEqual([]);
    if (kind === "github") expect(stale.outputs).toEqual({ code: "4" });
    const none = await job(forge, "apply.sh", { env: { PLUMBLINE_PLAN_FOLDER: "elsewhere" } });
    expect([none.code, none.text]).toEqual([
      4,
      expect.stringContaining("There is no plan in elsewhere/plan.json"),
    ]);
    // After a merge there is no request: what is planned is in the job alone.
    const anew = await job(forge, "plan.sh");
    expect([anew.code, anew.text]).toEqual([0, expect.stringContaining("nothing is commented")]);
    expect((await job(forge, "apply.sh")).code).toBe(0);
    expect(await applied()).toEqual(["one.example", "two.example"]);
  });

  it("a declaration that is wrong ends the job, and one that the service's rules refuse is told in the comment", async () => {
    const forge = await forgeFor(kind);
    declare("  one: { type: plumbline:dns:Domian, properties: {} }");
    const wrong = await plan(forge);
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringContaining("Pulumi.yaml:4:")]);
    declare(domain("one"));
    await desk.api("POST", "/domains", { domain: "one.example", type: "master", soa_email: "a@a.example" });
    const refused = await plan(forge);
    expect([refused.code, refused.text]).toEqual([1, expect.stringContaining("PLB-NAME")]);
    expect(forge.comments[0]!.body).toContain("PLB-NAME");
    expect(existsSync(join(desk.folder, "plumbline-plan/plan.json"))).toBe(false);
  });

  it("what a plan costs is told where that is asked for", async () => {
    const forge = await forgeFor(kind);
    declare(
      "  shop: { type: plumbline:databases:MySqlInstance, properties: { label: shop, engine: mysql/8.0.30, region: us-east, type: g6-nanode-1 } }",
    );
    expect((await plan(forge)).code).toBe(0);
    expect(forge.comments[0]!.body).not.toContain("a month");
    expect((await plan(forge, { env: { PLUMBLINE_COST: "true" } })).code).toBe(0);
    expect(forge.comments[0]!.body).toContain("a month");
  });

  it("a fork's request, which gets no secrets, is checked, and neither planned nor commented", async () => {
    const forge = await forgeFor(kind);
    declare(domain("one"));
    const bare = { PLUMBLINE_TOKEN: "", PLUMBLINE_PASSPHRASE: "", PLUMBLINE_STATE: "" };
    const fork = await plan(forge, { request: { ...request, isFork: true }, env: bare });
    expect([fork.code, fork.text]).toEqual([0, expect.stringContaining("This comes from a fork")]);
    declare("  one: { type: plumbline:dns:Domian, properties: {} }");
    expect((await plan(forge, { request: { ...request, isFork: true }, env: bare })).code).toBe(1);
    declare(domain("one"));
    const forgotten = await plan(forge, { env: bare });
    expect([forgotten.code, forgotten.text]).toEqual([1, expect.stringContaining("PLUMBLINE_TOKEN")]);
    expect(forge.asked.filter((each) => !each.startsWith("GET"))).toEqual(
      forge.comments.length === 0 ? [] : [expect.stringContaining("POST")],
    );
  });

  it("a plan that is longer than a comment is cut at a line, and says how much is missing and where it is", async () => {
    const forge = await forgeFor(kind);
    const many = Array.from(
      { length: kind === "github" ? 700 : 7000 },
      (_, at) => `| create | **r${at}** | ${"x".repeat(160)} |`,
    );
    writeFileSync(join(desk.folder, "long.md"), many.join("\n"));
    const ran = await job(forge, "forge.mjs comment long.md", { request });
    expect(ran.code, ran.text).toBe(0);
    const { body } = forge.comments[0]!;
    const kept = body.split("\n").filter((line) => line.startsWith("| create"));
    expect(kept.length).toBeGreaterThan(300);
    expect(kept.at(-1)).toBe(many[kept.length - 1]);
    expect(body).toContain(`**${many.length - kept.length} more lines are not shown`);
    expect(body).toMatch(/All of them: \[job\]\(https:/);
  });

  it("the comment is found behind a hundred others, and another's that looks like ours is left alone", async () => {
    const forge = await forgeFor(kind);
    for (let id = 1; id <= 250; id++)
      forge.comments.push({ id, number: 12, author: "eve", title: "", state: "open", body: `comment ${id}` });
    declare(domain("one"));
    await plan(forge);
    const { body } = forge.comments[250]!;
    forge.comments[3]!.body = body.replace("1 to create", "nothing to see here");
    declare(domain("one"), domain("two"));
    await plan(forge);
    expect(forge.comments).toHaveLength(251);
    expect(forge.comments[250]!.body).toContain("2 to create");
    expect(forge.comments[3]!.body).toContain("nothing to see here");
  });

  it("two stacks have a comment each, and two jobs at once leave one", async () => {
    const forge = await forgeFor(kind);
    for (const name of ["a", "b"]) writeFileSync(join(desk.folder, `${name}.md`), `plan ${name}`);
    await job(forge, "forge.mjs comment a.md", { request, env: { PLUMBLINE_STACK: "prod" } });
    await job(forge, "forge.mjs comment a.md", { request, env: { PLUMBLINE_STACK: "dev" } });
    expect(forge.comments).toHaveLength(2);
    forge.comments.splice(0);
    forge.slow = 50;
    const both = await Promise.all(
      ["a", "b"].map((name) => job(forge, `forge.mjs comment ${name}.md`, { request })),
    );
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(forge.comments).toHaveLength(1);
    expect(forge.comments[0]!.body).toMatch(/plan [ab]/);
  });

  it("a forge that fails for a while is asked again, and a lost answer makes no second comment", async () => {
    const forge = await forgeFor(kind);
    writeFileSync(join(desk.folder, "plan.md"), "the plan");
    forge.fail(502, 1);
    forge.fail(429, 1, { headers: { "retry-after": "1" } });
    forge.fail(503, 1, { which: (method) => method === "POST", isDone: true });
    const ran = await job(forge, "forge.mjs comment plan.md", { request });
    expect(ran.code, ran.text).toBe(0);
    expect(ran.text).toContain("again in 1 s");
    expect(forge.comments.map(({ body }) => body)).toEqual([expect.stringContaining("the plan")]);
  });

  it("a refusal says which right is missing, and fails the job; a forge that stays away, too", async () => {
    const forge = await forgeFor(kind);
    writeFileSync(join(desk.folder, "plan.md"), "the plan");
    const reader = await job(forge, "forge.mjs comment plan.md", {
      request,
      env: { GITHUB_TOKEN: "readers-token", GITLAB_TOKEN: "readers-token" },
    });
    const right = kind === "github" ? "pull-requests: write" : "with the scope `api`";
    expect([reader.code, reader.text]).toEqual([1, expect.stringContaining(right)]);
    const stranger = await job(forge, "forge.mjs comment plan.md", {
      request,
      env: { GITHUB_TOKEN: "wrong-token", GITLAB_TOKEN: "wrong-token" },
    });
    expect(stranger.code).toBe(1);
    expect(stranger.text).not.toContain("wrong-token");
    forge.fail(500, 100);
    const away = await job(forge, "forge.mjs comment plan.md", { request });
    expect([away.code, away.text]).toEqual([1, expect.stringContaining("500")]);
    expect(forge.comments).toEqual([]);
  });

  it("no secret of the job gets into a comment, as it stands or as JSON and addresses write it", async () => {
    const forge = await forgeFor(kind);
    const env = {
      PLUMBLINE_TOKEN: 'to"ken/1',
      AWS_SECRET_ACCESS_KEY: "s3cr3t+key",
      TF_VAR_DB_PASSWORD: "hunter22",
    };
    writeFileSync(
      join(desk.folder, "plan.md"),
      'to"ken/1 to\\"ken/1 to%22ken%2F1 s3cr3t+key s3cr3t%2Bkey hunter22 robot-token end',
    );
    await job(forge, "forge.mjs comment plan.md", { request, env });
    expect(forge.comments[0]!.body).toContain(`${"[secret] ".repeat(7)}end`);
  });

  it("drift opens one issue, updates it, and closes it when there is none; the job ends with 3 as long as there is", async () => {
    const forge = await forgeFor(kind);
    forge.issues.push({
      id: 1,
      number: 1,
      author: "eve",
      title: "Drift of dev",
      state: "open",
      body: "is it?",
    });
    declare(domain("one"));
    expect((await desk.run(["up", "-y", "--state", "state"])).code).toBe(0);
    const { data } = await desk.api("GET", "/domains");
    const path = `/domains/${(data as unknown as { id: number }[])[0]!.id}`;
    for (const ttl of [3600, 7200]) {
      await desk.api("PUT", path, { ttl_sec: ttl });
      const ran = await job(forge, "drift.sh");
      expect(ran.code, ran.text).toBe(3);
      expect(forge.issues).toHaveLength(2);
      expect(forge.issues[1]).toMatchObject({ title: "Drift of dev", state: "open" });
      expect(forge.issues[1]!.body).toContain(`now ${ttl}`);
    }
    expect((await desk.run(["up", "-y", "--refresh", "--state", "state"])).code).toBe(0);
    expect((await job(forge, "drift.sh")).code).toBe(0);
    expect(forge.issues.map(({ state }) => state)).toEqual(["open", "closed"]);
    await desk.api("POST", "/vpcs", { label: "by-hand", region: "us-east" });
    expect((await job(forge, "drift.sh")).code).toBe(0);
    const unowned = await job(forge, "drift.sh", { env: { PLUMBLINE_UNOWNED: "true" } });
    expect(unowned.code, unowned.text).toBe(3);
    expect(forge.issues[2]!.body).toContain("plumbline import --stack dev plumbline:vpc:Vpc by-hand");
    desk.emulator.setFaults([{ method: "GET", path: "*", do: "status", status: 401, times: 1000 }]);
    expect((await job(forge, "drift.sh")).code).toBe(1);
    expect(forge.issues.map(({ state }) => state)).toEqual(["open", "closed", "open"]);
  });

  it("the plan that was reviewed is found by the commit that merged it", async () => {
    const forge = await forgeFor(kind);
    declare(domain("one"));
    await plan(forge);
    const text = readFileSync(join(desk.folder, "plumbline-plan/plan.json"), "utf8");
    const merged = { number: 12, commit: "bbbbbb", head: request.head, stack: "dev", run: 77, plan: text };
    forge.merged.push({ ...merged, run: 76, commit: "unmerged", head: "another", plan: "older" }, merged);
    const found = await job(forge, "forge.mjs reviewed-plan", { commit: "bbbbbb" });
    expect([found.code, found.text]).toEqual([0, expect.stringContaining("77")]);
    if (kind === "github") expect(found.outputs).toEqual({ "run-id": "77" });
    else expect(readFileSync(join(desk.folder, "plumbline-plan/plan.json"), "utf8")).toBe(text);
    const none = await job(forge, "forge.mjs reviewed-plan", { commit: "cccccc" });
    expect([none.code, none.text, none.outputs]).toEqual([0, expect.stringContaining("No request"), {}]);
  });

  it("a plan with secrets is kept sealed, and opens in another job that has the passphrase, or the key", async () => {
    const forge = await forgeFor(kind);
    const login = (password: string) =>
      `  login: { type: "plumbline:managed:Credential", properties: { label: login, username: me, password: { "fn::secret": ${password} } } }`;
    declare(login("very-secret-word"));
    expect((await plan(forge)).code).toBe(0);
    const files = readdirSync(join(desk.folder, "plumbline-plan")).map((name) =>
      readFileSync(join(desk.folder, "plumbline-plan", name), "utf8"),
    );
    expect(files.join("")).not.toContain("very-secret-word");
    expect(forge.comments[0]!.body).not.toContain("very-secret-word");
    const wrong = await job(forge, "apply.sh", { env: { PLUMBLINE_PASSPHRASE: "battery staple" } });
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringContaining("PLB-KEY")]);
    expect((await job(forge, "apply.sh")).code).toBe(0);
    const { data } = await desk.api("GET", "/managed/credentials");
    expect(data).toHaveLength(1);
  });
});

it("the shell is plain POSIX, as shellcheck judges it, or at least as sh reads it", () => {
  const shellcheck = findProgram("shellcheck");
  const files = readdirSync(scripts).filter((name) => name.endsWith(".sh"));
  expect(files).toHaveLength(4);
  for (const name of files) {
    execFileSync("sh", ["-n", join(scripts, name)]);
    if (shellcheck) execFileSync(shellcheck, [join(scripts, name)]);
    expect(statSync(join(scripts, name)).mode & 0o111).toBe(0o111);
  }
});

it("a token of OpenID Connect is where S3's own client finds it, and only its owner reads it; without a role nothing is written", () => {
  const sourced = (env: NodeJS.ProcessEnv) =>
    execFileSync(
      "sh",
      ["-euc", `. ${join(scripts, "identity.sh")}; echo "\${AWS_WEB_IDENTITY_TOKEN_FILE:-none}"`],
      {
        env: { PATH: process.env["PATH"], ...env },
        encoding: "utf8",
      },
    ).trim();
  const file = sourced({
    PLUMBLINE_ID_TOKEN: "header.payload.signature",
    AWS_ROLE_ARN: "arn:aws:iam::1:role/states",
  });
  onTestFinished(() => rmSync(file));
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o077]).toEqual(["header.payload.signature", 0]);
  expect([sourced({}), sourced({ PLUMBLINE_ID_TOKEN: "x" }), sourced({ AWS_ROLE_ARN: "x" })]).toEqual([
    "none",
    "none",
    "none",
  ]);
});

it("the comment of an app is found again by the name that the app has", async () => {
  const forge = await forgeFor("github");
  for (const name of ["a", "b"]) {
    writeFileSync(join(desk.folder, `${name}.md`), `plan ${name}`);
    const env = { GITHUB_TOKEN: "apps-token", PLUMBLINE_FORGE_USER: "plans[bot]" };
    expect((await job(forge, `forge.mjs comment ${name}.md`, { request, env })).code).toBe(0);
  }
  expect(forge.comments.map(({ author, body }) => [author, /plan b/.test(body)])).toEqual([
    ["plans[bot]", true],
  ]);
});

it("forge.mjs says what it takes", async () => {
  const forge = await forgeFor("github");
  for (const words of ["", " tell", " comment", " is-fork plan.md"]) {
    const ran = await job(forge, `forge.mjs${words}`);
    expect([ran.code, ran.text]).toEqual([1, expect.stringContaining("forge.mjs takes comment, issue")]);
  }
});
