/** What `kubectl apply -k deploy/kubernetes` installs: the controller's account may do what it does and no more, and what is protected stays. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kinds } from "../../provider/provider.ts";
import { type Ask, type Cluster, hasKubernetes, startCluster } from "./cluster.ts";
import { type Kubectl, kubectlOf } from "./kubectl.ts";

const everywhere = "system:serviceaccount:plumbline:plumbline-controller";
const inSite = "system:serviceaccount:site:plumbline-controller";
const groups = [
  { group: "plumbline.dev", plural: "accounts", kind: "Account" },
  ...[...kinds.values()].map(({ group, plural, kind }) => ({ group, plural, kind })),
];
const zones = "/apis/dns.plumbline.dev/v1alpha1/namespaces/site/domains";
const vpcs = "/apis/vpc.plumbline.dev/v1alpha1/namespaces/site/vpcs";
const merge = "application/merge-patch+json";

describe.skipIf(!hasKubernetes)("an installation", { timeout: 180_000 }, () => {
  let cluster: Cluster;
  let admin: Kubectl;
  const succeed = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await admin(...words);
    expect(`${code} ${stderr}`, words.join(" ")).toBe("0 ");
    return stdout;
  };
  /** Of a kind that was just made known the server says for a moment that it is too busy. */
  const settled = async (status: () => Promise<number>): Promise<number> => {
    for (let tries = 0; tries < 50; tries += 1) {
      const found = await status();
      if (found !== 429) return found;
      await sleep(100);
    }
    return 429;
  };
  const statusOf = async (ask: Ask, ...question: Parameters<Ask>) => (await ask(...question)).status;

  beforeAll(async () => {
    cluster = await startCluster({ users: [everywhere, inSite] });
    admin = kubectlOf(cluster);
    for (const name of ["site", "other"]) await succeed("create", "namespace", name);
    await succeed("apply", "--server-side", "-k", "deploy/kubernetes");
    await succeed("apply", "--server-side", "-k", "deploy/kubernetes/single-namespace");
    for (const { group, plural } of groups)
      await succeed("wait", "--for=condition=Established", `crd/${plural}.${group}`, "--timeout=60s");
  }, 180_000);
  afterAll(() => cluster?.close());

  it("is the same when it is applied again, and whole at once", async () => {
    const again = await succeed("apply", "--server-side", "-k", "deploy/kubernetes");
    expect(again.split("\n").filter((line) => line !== "" && !line.endsWith(" serverside-applied"))).toEqual(
      [],
    );
    const shown = await succeed("diff", "--server-side", "-k", "deploy/kubernetes/single-namespace");
    expect(shown).toBe("");
  });

  it("has two replicas of no rights on their machines, that are spread, and told when they are ready", async () => {
    const { body } = await cluster.ask(
      "GET",
      "/apis/apps/v1/namespaces/plumbline/deployments/plumbline-controller",
    );
    const { replicas, template } = body["spec"] as {
      replicas: number;
      template: { spec: { [name: string]: unknown; containers: { [name: string]: unknown }[] } };
    };
    expect(replicas).toBe(2);
    const [container, ...others] = template.spec.containers;
    expect(others).toEqual([]);
    expect(container).toMatchObject({
      livenessProbe: { httpGet: { path: "/healthz" } },
      readinessProbe: { httpGet: { path: "/readyz" } },
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    });
    expect(template.spec).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      topologySpreadConstraints: [{ topologyKey: "kubernetes.io/hostname" }],
    });
    const { body: budget } = await cluster.ask(
      "GET",
      "/apis/policy/v1/namespaces/plumbline/poddisruptionbudgets/plumbline-controller",
    );
    expect(budget["spec"]).toMatchObject({ maxUnavailable: 1 });
  });

  it("passes the strictest standard for pods that Kubernetes has", async () => {
    const { body } = await cluster.ask(
      "GET",
      "/apis/apps/v1/namespaces/plumbline/deployments/plumbline-controller",
    );
    const { template } = body["spec"] as { template: { spec: object } };
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    expect((await cluster.ask("GET", "/api/v1/namespaces/plumbline")).body["metadata"]).toMatchObject({
      labels,
    });
    const pod = { metadata: { name: "trial" }, spec: template.spec };
    const path = "/api/v1/namespaces/plumbline/pods?dryRun=All";
    const taken = await cluster.ask("POST", path, pod);
    expect([taken.status, taken.body.message]).toEqual([201, undefined]);
    const loose = { metadata: pod.metadata, spec: { ...template.spec, hostNetwork: true } };
    expect((await cluster.ask("POST", path, loose)).body.message).toContain("violates PodSecurity");
  });

  describe("the controller's account", () => {
    const ask: Ask = (...question) => cluster.as(everywhere).ask(...question);
    const own: Ask = (...question) => cluster.as(inSite).ask(...question);

    beforeAll(async () => {
      await cluster.apply(`${zones}/zone`, {
        ...{ apiVersion: "dns.plumbline.dev/v1alpha1", kind: "Domain", metadata: { name: "zone" } },
        spec: { domain: "site.example", type: "master", soaEmail: "a@b.example" },
      });
    });

    it("follows every kind, marks its objects and tells their status", async () => {
      const followed = groups.flatMap(({ group, plural }) =>
        ["", "?watch=1&timeoutSeconds=1"].map((query) => `/apis/${group}/v1alpha1/${plural}${query}`),
      );
      const answers = await Promise.all(followed.map((path) => settled(() => statusOf(ask, "GET", path))));
      expect(followed.filter((_, at) => answers[at] !== 200)).toEqual([]);
      const marked = await ask(
        "PATCH",
        `${zones}/zone`,
        { metadata: { annotations: { a: "b" }, finalizers: ["plumbline.dev/finalizer"] } },
        merge,
      );
      expect(marked.status).toBe(200);
      const told = await ask("PUT", `${zones}/zone/status`, { ...marked.body, status: { id: "1" } });
      expect([told.status, told.body.message]).toEqual([200, undefined]);
      const released = { metadata: { annotations: { a: null }, finalizers: null } };
      expect(await statusOf(ask, "PATCH", `${zones}/zone`, released, merge)).toBe(200);
    });

    it("makes and deletes nothing of ours, nor of the cluster's", async () => {
      const object = (kind: string, group: string) => ({
        ...{ apiVersion: `${group}/v1alpha1`, kind, metadata: { name: "x" }, spec: {} },
      });
      for (const { group, plural, kind } of groups) {
        const path = `/apis/${group}/v1alpha1/namespaces/site/${plural}`;
        expect([kind, await statusOf(ask, "POST", path, object(kind, group))]).toEqual([kind, 403]);
        expect([kind, await statusOf(ask, "DELETE", `${path}/x`)]).toEqual([kind, 403]);
        expect([kind, await statusOf(ask, "DELETE", path)]).toEqual([kind, 403]);
      }
      const own = "/apis/apps/v1/namespaces/plumbline/deployments";
      const forbidden = [
        ["GET", "/api/v1/namespaces/plumbline/pods"],
        ["POST", "/api/v1/namespaces/plumbline/pods"],
        ["GET", "/api/v1/nodes"],
        ["GET", own],
        ["PATCH", `${own}/plumbline-controller`],
        ["DELETE", "/api/v1/namespaces/site"],
        ["DELETE", "/api/v1/namespaces/site/secrets/x"],
        ["PUT", "/api/v1/namespaces/site/configmaps/x"],
        ["GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"],
        ["POST", "/apis/coordination.k8s.io/v1/namespaces/site/leases"],
        ["GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles"],
        ["POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"],
        ["GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"],
        ["DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/domains.dns.plumbline.dev"],
        ["POST", "/api/v1/namespaces/plumbline/serviceaccounts/plumbline-controller/token"],
      ] as const;
      for (const [method, path] of forbidden) {
        const body =
          method === "POST" || method === "PUT" || method === "PATCH"
            ? { metadata: { name: "x" } }
            : undefined;
        const type = method === "PATCH" ? merge : undefined;
        expect([method, path, await statusOf(ask, method, path, body, type)]).toEqual([method, path, 403]);
      }
    });

    it("shares Leases in its own namespace, and tells events anywhere", async () => {
      const leases = "/apis/coordination.k8s.io/v1/namespaces/plumbline/leases";
      const lease = { metadata: { name: "one" }, spec: { holderIdentity: "me" } };
      expect(await statusOf(ask, "POST", leases, lease)).toBe(201);
      expect(await statusOf(ask, "GET", `${leases}?watch=1&timeoutSeconds=1`)).toBe(200);
      expect(await statusOf(ask, "PATCH", `${leases}/one`, { spec: { holderIdentity: "" } }, merge)).toBe(
        200,
      );
      expect(await statusOf(ask, "DELETE", `${leases}/one`)).toBe(200);
      const event = {
        metadata: { name: "x" },
        ...{ type: "Normal", reason: "Made", note: "made", action: "Made" },
        ...{ eventTime: "2026-01-01T00:00:00.000000Z", reportingController: "c", reportingInstance: "i" },
        regarding: { kind: "Domain", name: "zone", namespace: "site" },
      };
      const events = "/apis/events.k8s.io/v1/namespaces/site/events";
      expect(await statusOf(ask, "POST", events, event)).toBe(201);
      const series = { series: { count: 2, lastObservedTime: event.eventTime } };
      expect(await statusOf(ask, "PATCH", `${events}/x`, series, merge)).toBe(200);
      expect(await statusOf(ask, "GET", events)).toBe(403);
    });

    it("writes the Secrets of its objects and its own, and none that means something to the cluster", async () => {
      const secret = (name: string, more: object = {}, metadata: object = {}) => ({
        ...{ metadata: { name, ...metadata }, type: "Opaque", stringData: { a: "b" }, ...more },
      });
      const { metadata } = (await cluster.ask("GET", `${zones}/zone`)).body as {
        metadata: { name: string; uid: string };
      };
      const owner = {
        apiVersion: "dns.plumbline.dev/v1alpha1",
        kind: "Domain",
        ...{ name: "zone", uid: metadata.uid },
      };
      const owned = { ownerReferences: [{ ...owner, controller: true }] };
      const managed = { labels: { "app.kubernetes.io/managed-by": "plumbline" } };
      const [here, there] = ["plumbline", "site"].map((each) => `/api/v1/namespaces/${each}/secrets`);
      expect(await statusOf(ask, "POST", there!, secret("made", {}, owned))).toBe(201);
      expect(await statusOf(ask, "PATCH", `${there}/made`, { data: { a: "eA==" } }, merge)).toBe(200);
      expect(await statusOf(ask, "POST", here!, secret("key", {}, managed))).toBe(201);
      const refused = async (...question: Parameters<Ask>) => {
        const { status, body } = await ask(...question);
        expect(status).toBe(403);
        return body.message;
      };
      const others = /writes no Secret but those of its objects/;
      expect(await refused("POST", there!, secret("foreign"))).toMatch(others);
      expect(await refused("POST", there!, secret("foreign", {}, managed))).toMatch(others);
      const name = { "kubernetes.io/service-account.name": "plumbline-controller" };
      const token = secret(
        "token",
        { type: "kubernetes.io/service-account-token" },
        { ...owned, annotations: name },
      );
      expect(await refused("POST", there!, token)).toMatch(/writes no Secret that means something/);
      expect((await cluster.ask("POST", there!, secret("theirs"))).status).toBe(201);
      const taken = { metadata: { ...owned }, data: { a: "eA==" } };
      expect(await refused("PATCH", `${there}/theirs`, taken, merge)).toMatch(others);
      // Whoever else writes Secrets is not asked.
      expect((await cluster.ask("PATCH", `${there}/theirs`, { data: { a: "eA==" } }, merge)).status).toBe(
        200,
      );
    });

    it("of one namespace does the same there, and nothing anywhere else", async () => {
      const lists = (namespace: string) => [
        `/apis/dns.plumbline.dev/v1alpha1/namespaces/${namespace}/domains`,
        `/apis/plumbline.dev/v1alpha1/namespaces/${namespace}/accounts`,
        `/api/v1/namespaces/${namespace}/secrets`,
        `/api/v1/namespaces/${namespace}/configmaps`,
        `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
      ];
      for (const path of lists("site")) expect([path, await statusOf(own, "GET", path)]).toEqual([path, 200]);
      for (const path of [
        ...lists("other"),
        ...lists("plumbline"),
        "/apis/dns.plumbline.dev/v1alpha1/domains",
      ])
        expect([path, await statusOf(own, "GET", path)]).toEqual([path, 403]);
    });
  });

  describe("what is protected", () => {
    const vpc = (name: string, annotations: object) => ({
      ...{ apiVersion: "vpc.plumbline.dev/v1alpha1", kind: "Vpc", metadata: { name, annotations } },
      spec: { label: name, region: "us-east" },
    });
    const protect = { "plumbline.dev/protect": "true" };
    const away = (what: string) =>
      `${what} is protected: take its annotation plumbline.dev/protect away first`;

    it("is not deleted by itself, nor with all others of its kind, until it is protected no more", async () => {
      for (const [name, annotations] of [
        ["kept", protect],
        ["plain", {}],
        ["never", { "plumbline.dev/protect": "false" }],
      ] as const)
        expect((await cluster.apply(`${vpcs}/${name}`, vpc(name, annotations))).status).toBe(201);
      const one = await admin("delete", "vpc.vpc.plumbline.dev/kept", "-n", "site");
      expect(one.code).toBe(1);
      expect(one.stderr).toContain(away("Vpc kept"));
      const all = await admin("delete", "vpcs.vpc.plumbline.dev", "--all", "-n", "site");
      expect(all.stderr).toContain(away("Vpc kept"));
      expect((await cluster.ask("DELETE", vpcs)).body.message).toContain(away("Vpc kept"));
      const left = await succeed("get", "vpcs.vpc.plumbline.dev", "-n", "site", "-o", "name");
      expect(left).toBe("vpc.vpc.plumbline.dev/kept\n");
      await succeed("annotate", "-n", "site", "vpc.vpc.plumbline.dev/kept", "plumbline.dev/protect-");
      await succeed("delete", "-n", "site", "vpc.vpc.plumbline.dev/kept");
    });

    it("is a namespace, too", async () => {
      await succeed("create", "namespace", "dear");
      await succeed("annotate", "namespace", "dear", "plumbline.dev/protect=true");
      const ran = await admin("delete", "namespace", "dear");
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(away("Namespace dear"))]);
      await succeed("annotate", "namespace", "dear", "plumbline.dev/protect-");
      await succeed("delete", "namespace", "dear", "--wait=false");
    });

    it("is every definition, so that taking the installation out deletes nobody's objects", async () => {
      expect((await cluster.apply(`${vpcs}/stays`, vpc("stays", {}))).status).toBe(201);
      const ran = await admin("delete", "-k", "deploy/kubernetes", "--wait=false");
      expect(ran.code).toBe(1);
      for (const { group, plural } of groups)
        expect(ran.stderr).toContain(away(`CustomResourceDefinition ${plural}.${group}`));
      expect((await cluster.ask("GET", `${vpcs}/stays`)).status).toBe(200);
    });
  });
});
