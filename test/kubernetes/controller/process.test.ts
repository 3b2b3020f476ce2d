/** The controller as a user starts it: `plumbline controller` as a process, its log, its figures, and how it ends. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, hasKubernetes, startCluster } from "../cluster.ts";
import { applyDefinitions } from "../definitions.ts";
import { openSite, type Site } from "./site.ts";

const plumbline = resolve(import.meta.dirname, "../../../bin/plumbline");
const domain = "plumbline:dns/domain:Domain";
const contact = "plumbline:managed/credential:Credential";
const zone = { domain: "one.example", type: "master", soaEmail: "root@one.example" };

interface Line {
  readonly time: string;
  readonly event: string;
  readonly message: string;
  readonly url?: string;
}

describe.skipIf(!hasKubernetes)("plumbline controller", { timeout: 60_000 }, () => {
  let cluster: Cluster;
  let site: Site;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
    await applyDefinitions(cluster);
  }, 120_000);
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    await site?.close();
  });
  afterAll(() => cluster?.close());

  function start(...more: string[]) {
    const words = ["controller", "--kubeconfig", cluster.kubeconfig(), ...more];
    const child = spawn(process.execPath, [plumbline, ...words], {
      env: { ...process.env, PLUMBLINE_TOKEN: "the-operators-own-token" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    const said: string[] = [];
    let errors = "";
    createInterface({ input: child.stdout! }).on("line", (line) => said.push(line));
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    const lines = (): Line[] => said.map((line) => JSON.parse(line) as Line);
    return {
      child,
      text: () => said.join("\n") + errors,
      errors: () => errors,
      lines,
      exited: once(child, "exit").then(([code]) => code as number | null),
      heard: (event: string) =>
        expect.poll(() => lines().map((line) => line.event), { timeout: 20_000 }).toContain(event),
    };
  }
  const ours = (): string[] => ["--namespace", site.namespace];
  const leases = async () =>
    (
      (await cluster.ask("GET", "/apis/coordination.k8s.io/v1/namespaces/plumbline/leases")).body[
        "items"
      ] as {
        metadata: { name: string };
        spec: { holderIdentity?: string };
      }[]
    ).filter(({ metadata, spec }) => metadata.name.includes(site.namespace) && spec.holderIdentity !== "");

  it("keeps what is declared, tells it in JSON without a secret, serves figures, and ends on SIGTERM", async () => {
    site = await openSite(cluster);
    await site.secret("login", { password: "word-of-the-login" });
    const { text, lines, heard, child, exited } = start(...ours(), "--metrics", "0");
    await heard("listening");
    const { url } = lines().find(({ event }) => event === "listening")!;
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 20_000 }).toBe(200);
    await site.apply(domain, "zone", zone);
    await site.apply(contact, "login", {
      label: "shop",
      passwordSecretRef: { name: "login", key: "password" },
    });
    await site.ready(domain, "zone");
    await site.ready(contact, "login");
    const figures = await (await fetch(`${url}/metrics`)).text();
    const account = `${site.namespace}/default`;
    expect(figures).toContain('plumbline_controller_reconciles_total{kind="Domain",result="ready"}');
    expect(figures).toContain(
      `plumbline_controller_requests_total{account="${account}",method="POST",status="200"} 2`,
    );
    expect(figures).toContain('plumbline_controller_objects{kind="Domain",condition="Ready"} 1');
    expect(figures).toContain(`plumbline_controller_queue_depth{account="${account}",urgency="change"} 0`);
    expect((await leases()).length).toBe(1);
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    expect(await leases()).toEqual([]);
    expect(lines().at(-1)).toMatchObject({ event: "ended" });
    expect(lines().map(({ event }) => event)).toContain("Made");
    for (const secret of ["word-of-the-login", site.emulator.token, "the-operators-own-token"])
      expect(text() + figures).not.toContain(secret);
  });

  it("takes no token but that of an Account", async () => {
    site = await openSite(cluster);
    await site.secret("token", null);
    const { heard } = start(...ours());
    await heard("gained");
    await site.until("Account", "default", "Reconciling", { reason: "WaitingForToken" });
    expect(site.emulator.stats().total).toBe(0);
  });

  it("lets end what is under way when it is told to end", async () => {
    site = await openSite(cluster);
    site.emulator.setFaults([{ method: "POST", path: "/domains", do: "delay", seconds: 3 }]);
    const { child, heard, exited } = start(...ours());
    await heard("gained");
    await site.apply(domain, "zone", zone);
    await expect.poll(() => site.emulator.stats().requests["POST /domains"], { timeout: 10_000 }).toBe(1);
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    const { metadata, status } = await site.ready(domain, "zone", 1);
    expect(metadata.annotations!["plumbline.dev/external-id"]).toBe(status!.id);
    expect((await site.call("GET", "/domains"))["results"]).toBe(1);
  });

  it("stops at once at a second signal, and the next one makes nothing twice", async () => {
    site = await openSite(cluster);
    site.emulator.setFaults([{ method: "POST", path: "/domains", do: "delay", seconds: 15 }]);
    const first = start(...ours());
    await first.heard("gained");
    await site.apply(domain, "zone", zone);
    await expect.poll(() => site.emulator.stats().requests["POST /domains"], { timeout: 10_000 }).toBe(1);
    first.child.kill("SIGTERM");
    await first.heard("ending");
    const begun = performance.now();
    first.child.kill("SIGTERM");
    expect(await first.exited).toBe(130);
    expect(performance.now() - begun).toBeLessThan(3_000);
    site.emulator.setFaults([]);
    start(...ours());
    await site.ready(domain, "zone", 50);
    expect((await site.call("GET", "/domains"))["results"]).toBe(1);
  });

  it("says what is wrong with its options, and ends with 1", async () => {
    site = await openSite(cluster);
    const runs = [
      { words: ["--metrics", "here"], says: /--metrics needs PORT or HOST:PORT, not "here"/ },
      { words: ["--concurrency", "0"], says: /whole number from 1 to 1000/ },
      { words: ["--kubeconfig", "/nowhere/config"], says: /--kubeconfig: .*nowhere/ },
    ];
    for (const { words, says } of runs) {
      const { exited, errors } = start(...words);
      expect(await exited).toBe(1);
      expect(errors()).toMatch(says);
    }
  });
});
