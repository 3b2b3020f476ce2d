/** A day of the team, hour by hour, as the guide tells it. Each step's exit code is noted; after each the account is looked at, never a state. */

import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import type { Kind } from "../deploy/forge.ts";
import { killNow } from "../kill.ts";
import { openTeam, type Person, type Team } from "./team.ts";

/** What was done, in the guide's words, and how it ended. */
export interface Step {
  readonly what: string;
  readonly code: number | null;
}

export interface DayOptions {
  readonly kind: Kind;
  /** Where the states are (PLUMBLINE_STATE), and what else a backend needs. */
  readonly backend: { readonly [name: string]: string };
  /** A file of rules outside of the repository. */
  readonly policies: string;
}

const stacks = ["test", "prod"] as const;
type Stack = (typeof stacks)[number];

/** The resources of the stack file, as it grows over the day. */
interface Declared {
  readonly ttl: number;
  readonly records: readonly string[];
  /** Every address may read the bucket. */
  readonly isPublic?: boolean;
}

const stackFile = ({ ttl, records, isPublic }: Declared): string => `name: infra
runtime: yaml
config:
  domain: { type: string }
  password: { type: string, secret: true }
resources:
  zone:
    type: plumbline:dns:Domain
    properties: { domain: "\${domain}", type: master, soaEmail: "hostmaster@\${domain}", ttlSec: ${ttl} }
  backend:
    type: plumbline:managed:Credential
    properties: { label: "\${pulumi.stack}", username: backend, password: "\${password}" }
${records.map((name) => `  ${name}:\n    type: plumbline:dns:Record\n    properties: { domainId: "\${zone.id}", type: A, name: ${name}, target: 203.0.113.10 }\n`).join("")}${isPublic ? `  files:\n    type: plumbline:objectstorage:Bucket\n    properties: { cluster: us-east-1, label: "\${pulumi.stack}-files", acl: public-read }\n` : ""}`;

/** Plays the day. Resolves to its steps. */
export async function playDay(options: DayOptions): Promise<Step[]> {
  const emulator = await startEmulator({ speed: "instant", seed: starterAccount, checkAnswers: true });
  const team = await openTeam({
    kind: options.kind,
    environment: {
      PLUMBLINE_BASE_URL: emulator.baseUrl,
      PLUMBLINE_TOKEN: emulator.token,
      PLUMBLINE_PASSPHRASE: "correct horse battery staple",
      ...options.backend,
    },
    pipeline: { PLUMBLINE_POLICIES: options.policies },
  });
  try {
    const day = new Day(team, emulator);
    await day.morning();
    await day.twoAtOnce();
    await day.killedRunner();
    await day.driftByHand();
    await day.violation();
    await day.rollback();
    await day.evening();
    expect(emulator.mismatches).toEqual([]);
    return day.steps;
  } finally {
    await team.close();
    await emulator.close();
  }
}

class Day {
  readonly steps: Step[] = [];
  readonly #team: Team;
  readonly #emulator: Emulator;
  #declared: Declared = { ttl: 300, records: ["www"] };

  constructor(team: Team, emulator: Emulator) {
    this.#team = team;
    this.#emulator = emulator;
  }

  /** Anna begins: two stacks of one file, with a secret each, by the first request. */
  async morning(): Promise<void> {
    const { anna } = this.#team.people;
    anna.write("infra/Pulumi.yaml", stackFile(this.#declared));
    for (const stack of stacks) {
      await this.#typed(anna, "config set", stack, ["config", "set", "domain", `${stack}.example`]);
      const secret = ["config", "set", "password", `${stack}-hidden-word`, "--secret"];
      await this.#typed(anna, "config set --secret", stack, secret);
    }
    await this.#changed(anna, "Begin", { isFirst: true });
    for (const stack of stacks)
      expect(await this.#account(stack)).toEqual({ ttl: 300, records: ["www"], credentials: 1, buckets: 0 });
    expect(this.#said()).not.toContain("hidden-word");
    expect(this.#team.forge.comments).toHaveLength(2);
  }

  /** Ben and Carla propose at the same time: the plan of whoever is merged second is stale. */
  async twoAtOnce(): Promise<void> {
    const { ben, carla } = this.#team.people;
    const bens = await this.#proposed(ben, "Add a shop", { records: ["shop", "www"] });
    const carlas = await this.#proposed(carla, "Add a blog", { records: ["www", "blog"] });
    await this.#applied(this.#team.merge(bens), 0);
    // The forge merges both changes of the file, as they touch other lines.
    await this.#applied(this.#team.merge(carlas), 4, { anew: 0 });
    this.#declared = { ...this.#declared, records: ["blog", "shop", "www"] };
    for (const stack of stacks) expect((await this.#account(stack)).records).toEqual(["blog", "shop", "www"]);
  }

  /** The runner of Anna's change dies in the middle of it. */
  async killedRunner(): Promise<void> {
    const { anna } = this.#team.people;
    const records = ["api", "blog", "cdn", "mail", "shop", "www"];
    const request = await this.#proposed(anna, "Add three names", { records });
    const commit = this.#team.merge(request);
    const before = this.#posts();
    this.#emulator.setFaults([{ method: "POST", path: "*", nth: 2, do: "delay", seconds: 2 }]);
    const killed = await this.#team.apply(commit, "test", async (pid) => {
      while (this.#posts() < before + 2) await setTimeout(20);
      killNow(-pid);
    });
    this.#note("apply in test, and its runner dies", killed.code);
    this.#emulator.setFaults([]);
    // What the service was asked for is done, whoever asked.
    await setTimeout(2500);
    this.#note(
      "apply in test, once more",
      (await this.#patiently(() => this.#team.apply(commit, "test"))).code,
    );
    await this.#anew(commit, "test", 0);
    this.#note("apply in prod", (await this.#team.apply(commit, "prod")).code);
    this.#declared = { ...this.#declared, records };
    for (const stack of stacks) expect((await this.#account(stack)).records).toEqual(records);
  }

  /** Somebody changes a zone in the service's own page. */
  async driftByHand(): Promise<void> {
    const { ben } = this.#team.people;
    this.#note("drift of prod", (await this.#team.drift("prod")).code);
    const { id } = await this.#zone("prod");
    await this.#api("PUT", `/domains/${id}`, { ttl_sec: 86400 });
    const found = await this.#team.drift("prod");
    this.#note("drift of prod, changed by hand", found.code);
    const issues = this.#team.forge.issues;
    expect(issues.map(({ state, body }) => [state, /now 86400/.test(body)])).toEqual([["open", true]]);
    // An old clone would take the others' records along.
    this.#follow(ben);
    await this.#typed(ben, "up --refresh --yes", "prod", ["up", "--refresh", "--yes"]);
    this.#note("drift of prod, put right", (await this.#team.drift("prod")).code);
    expect(issues.map(({ state }) => state)).toEqual(["closed"]);
    expect(await this.#account("prod")).toMatchObject({ ttl: 300, records: this.#declared.records });
  }

  /** Ben wants a bucket that everybody reads; the rules of the pipeline do not. */
  async violation(): Promise<void> {
    const { ben } = this.#team.people;
    const request = await this.#proposed(ben, "Share files", { isPublic: true }, 4);
    const comments = this.#team.forge.comments.filter(({ number }) => number === request.number);
    expect(comments.map(({ body }) => /public-bucket/.test(body))).toEqual([true, true]);
    for (const stack of stacks) expect((await this.#account(stack)).buckets).toBe(0);
  }

  /** A change that was right in test is wrong in prod, and taken back. */
  async rollback(): Promise<void> {
    const { carla } = this.#team.people;
    const before = await Promise.all(stacks.map((stack) => this.#account(stack)));
    const commit = await this.#changed(carla, "Raise the TTL", { ttl: 3600 });
    for (const stack of stacks) expect((await this.#account(stack)).ttl).toBe(3600);
    this.#follow(carla);
    carla.git("revert", "--no-edit", "--mainline", "1", commit);
    this.#declared = { ...this.#declared, ttl: 300 };
    const back = this.#team.propose(carla, "Take the TTL back");
    for (const stack of stacks) this.#note(`plan of ${stack}`, (await this.#team.plan(back, stack)).code);
    await this.#applied(this.#team.merge(back), 0);
    expect(await Promise.all(stacks.map((stack) => this.#account(stack)))).toEqual(before);
  }

  /** Nothing is left to do, nothing is on the account that nobody declared, nothing was said that is secret. */
  async evening(): Promise<void> {
    const { anna } = this.#team.people;
    this.#follow(anna);
    for (const stack of stacks) {
      const words = ["preview", "--refresh", "--expect-no-changes"];
      await this.#typed(anna, words.join(" "), stack, words);
      this.#note(`drift of ${stack}`, (await this.#team.drift(stack)).code);
    }
    expect(this.#said()).not.toContain("hidden-word");
    const history = await this.#typed(anna, "stack history", "prod", ["stack", "history", "--json"]);
    // Four requests, Ben's terminal, there and back; what was refused has left nothing.
    expect((JSON.parse(history) as { operation: string }[]).map(({ operation }) => operation)).toEqual(
      Array(7).fill("up"),
    );
  }

  #note(what: string, code: number | null): void {
    this.steps.push({ what, code });
  }

  async #typed(person: Person, what: string, stack: Stack, words: readonly string[]): Promise<string> {
    const { code, text } = await person.type(...words, "--stack", stack, "--non-interactive");
    this.#note(`${what} in ${stack}`, code);
    expect(code, text).toBe(0);
    return text;
  }

  /** The person's clone is as main is. */
  #follow(person: Person): void {
    person.git("fetch", "--quiet", "origin", "main");
    person.git("checkout", "--quiet", "--force", "--detach", "FETCH_HEAD");
  }

  /** Commits a change, opens a request, and plans it for both stacks. */
  async #proposed(person: Person, title: string, change: Partial<Declared>, code = 0) {
    this.#follow(person);
    person.write("infra/Pulumi.yaml", stackFile({ ...this.#declared, ...change }));
    return this.#planned(person, title, code);
  }

  async #planned(person: Person, title: string, code: number) {
    person.git("add", ".");
    person.git("commit", "--quiet", "--message", title);
    const request = this.#team.propose(person, title);
    for (const stack of stacks) {
      const planned = await this.#team.plan(request, stack);
      this.#note(`plan of ${stack}`, planned.code);
      expect(planned.code, planned.text).toBe(code);
    }
    return request;
  }

  /** A change that nothing comes in between of, from the request to the account. */
  async #changed(
    person: Person,
    title: string,
    change: Partial<Declared> & { isFirst?: boolean },
  ): Promise<string> {
    const { isFirst, ...declared } = change;
    const request = isFirst
      ? await this.#begun(person, title)
      : await this.#proposed(person, title, declared);
    this.#declared = { ...this.#declared, ...declared };
    const commit = this.#team.merge(request);
    await this.#applied(commit, 0);
    return commit;
  }

  /** The first commit of all: before it there is no main. */
  async #begun(person: Person, title: string) {
    person.git("commit", "--quiet", "--allow-empty", "--message", "Open the repository");
    person.git("push", "--quiet", "origin", "HEAD:main");
    return this.#planned(person, title, 0);
  }

  async #applied(commit: string, code: number, { anew }: { anew?: number } = {}): Promise<void> {
    for (const stack of stacks) {
      const ended = await this.#team.apply(commit, stack);
      this.#note(`apply in ${stack}`, ended.code);
      expect(ended.code, ended.text).toBe(code);
      if (anew !== undefined) await this.#anew(commit, stack, anew);
    }
  }

  async #anew(commit: string, stack: Stack, code: number): Promise<void> {
    this.#note(`plan of ${stack} anew`, (await this.#team.replan(commit, stack)).code);
    const ended = await this.#team.applyAnew(commit, stack);
    this.#note(`apply in ${stack} anew`, ended.code);
    expect(ended.code, ended.text).toBe(code);
  }

  /** Where the lock of a dead runner ends by time, the team tries again. */
  async #patiently(work: () => ReturnType<Team["apply"]>): Promise<Awaited<ReturnType<Team["apply"]>>> {
    for (let tries = 0; ; tries++) {
      const ended = await work();
      if (tries === 60 || !ended.text.includes("PLB-LOCK")) return ended;
      await setTimeout(2000);
    }
  }

  #posts(): number {
    const { requests } = this.#emulator.stats();
    return Object.entries(requests).reduce(
      (sum, [name, count]) => sum + (name.startsWith("POST ") ? count : 0),
      0,
    );
  }

  #said(): string {
    const { comments, issues } = this.#team.forge;
    return [...comments, ...issues].map(({ body }) => body).join("\n");
  }

  async #api(method: string, path: string, body?: object): Promise<never> {
    const answer = await fetch(this.#emulator.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${this.#emulator.token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    return (await answer.json()) as never;
  }

  async #zone(stack: Stack): Promise<{ id: number; domain: string; ttl_sec: number }> {
    const { data } = (await this.#api("GET", "/domains?page_size=100")) as {
      data: { id: number; domain: string; ttl_sec: number }[];
    };
    const found = data.filter(({ domain }) => domain === `${stack}.example`);
    expect(found).toHaveLength(1);
    return found[0]!;
  }

  /** What is there of a stack. */
  async #account(stack: Stack) {
    const zone = await this.#zone(stack);
    const [records, credentials, buckets] = (await Promise.all([
      this.#api("GET", `/domains/${zone.id}/records?page_size=100`),
      this.#api("GET", "/managed/credentials?page_size=100"),
      this.#api("GET", "/object-storage/buckets?page_size=100"),
    ])) as { data: { name: string; label: string }[] }[];
    return {
      ttl: zone.ttl_sec,
      records: records!.data.map(({ name }) => name).sort(),
      credentials: credentials!.data.filter(({ label }) => label === stack).length,
      buckets: buckets!.data.filter(({ label }) => label === `${stack}-files`).length,
    };
  }
}
