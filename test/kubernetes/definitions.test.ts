/** The kinds of a cluster: a real API server takes their definitions, every life as manifests, and refuses what can never be made. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { celOf } from "../../provider/core/schema/manifest/cel.ts";
import { kindOf, manifestForm, version } from "../../provider/core/schema/manifest/form.ts";
import { isAsset, reveal, type Value, type ValueMap } from "../../provider/core/value.ts";
import { resourceTypes } from "../../provider/resources/index.ts";
import { lives } from "../provider/lives/index.ts";
import { type Answer, type Cluster, hasKubernetes, startCluster } from "./cluster.ts";
import { applyDefinitions, definitions } from "./definitions.ts";

const byKey = new Map(resourceTypes.map((type) => [type.key, type]));
const byToken = new Map(resourceTypes.map((type) => [type.token, type]));

describe("a pattern as a rule in CEL", () => {
  it.each([
    ["^[a-z]*$", "self.matches('^[a-z]*$')"],
    ["^(?!.*(--|__))", "!self.matches('^(.*(--|__))')"],
    [
      "^(?=(?:[^)]*[0-9]){3})\\+?[0-9]+$",
      "self.matches('^((?:[^)]*[0-9]){3})') && self.matches('^\\\\+?[0-9]+$')",
    ],
    ["^[\\u0000-\\uFFFF]*$", "self.matches('^[\\\\x{0000}-\\\\x{FFFF}]*$')"],
  ])("%s is %s", (pattern, rule) => {
    expect(celOf({ pattern, says: "must be so" })).toEqual({ rule, message: "must be so" });
  });
});

it("every input of every type can be told, a secret by a Secret alone", () => {
  for (const type of resourceTypes) {
    const form = manifestForm(type, byKey);
    for (const { property, inputs } of form.twins) {
      expect(type.inputs).not.toHaveProperty(property);
      for (const { name } of inputs) expect(type.inputs).toHaveProperty(name);
    }
  }
  expect(manifestForm(byKey.get("dns/record")!, byKey).twins).toEqual([
    { property: "domainRef", types: ["dns/domain"], isList: false, inputs: [{ name: "domainId", is: "id" }] },
  ]);
  expect(manifestForm(byKey.get("objectstorage/object")!, byKey).twins[0]).toMatchObject({
    property: "bucketRef",
    inputs: [
      { name: "cluster", is: { input: "cluster" } },
      { name: "bucket", is: { input: "label" } },
    ],
  });
  expect(manifestForm(byKey.get("databases/snapshot")!, byKey).twins[0]).toMatchObject({
    property: "instanceRef",
    types: ["databases/mySqlInstance", "databases/postgreSqlInstance"],
  });
  expect(manifestForm(byKey.get("managed/credential")!, byKey).secrets).toEqual([
    { property: "passwordSecretRef", input: "password" },
  ]);
});

describe.skipIf(!hasKubernetes)("a cluster that has the definitions", { timeout: 120_000 }, () => {
  let cluster: Cluster;
  const at = (path: string) => `/apis/${path}`;
  const pathOf = (type: string, name = "") => {
    const { group, plural } = kindOf(byToken.get(type)!);
    return at(`${group}/${version}/namespaces/site/${plural}${name && `/${name}`}`);
  };
  const manifest = (type: string, name: string, spec: object, annotations = {}) => {
    const { group, kind } = kindOf(byToken.get(type)!);
    return { apiVersion: `${group}/${version}`, kind, metadata: { name, annotations }, spec };
  };
  const apply = (type: string, name: string, spec: object, annotations = {}): Promise<Answer> =>
    cluster.apply(pathOf(type, name), manifest(type, name, spec, annotations));
  const refusal = async (type: string, spec: object): Promise<string> => {
    const { status, body } = await apply(type, "refused", spec);
    expect(status).toBe(422);
    return body.message!;
  };

  let answers: readonly Answer[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
    answers = await applyDefinitions(cluster);
  });
  afterAll(() => cluster?.close());

  it("took every one of them, without a warning", () => {
    const wrong = answers.flatMap(({ status, body, warnings }, at) =>
      status < 300 && warnings.length === 0 ? [] : [[definitions[at]!.metadata.name, body.message, warnings]],
    );
    expect(wrong).toEqual([]);
  });

  it.each(lives.map((life) => [life.type, life] as const))(
    "takes every declaration in the life of %s",
    async (type, { steps }) => {
      const ids = new Proxy({}, { get: () => "123" });
      for (const { declare } of steps) {
        const spec = specOf(type, declare(ids));
        const { status, body } = await cluster.ask(
          "POST",
          `${pathOf(type)}?dryRun=All&fieldValidation=Strict`,
          manifest(type, "subject", spec),
        );
        expect(`${status} ${body.message ?? ""}`, JSON.stringify(spec)).toBe("201 ");
      }
    },
  );

  it("refuses what can never be made, with our words and the property", async () => {
    const domain = "plumbline:dns/domain:Domain";
    expect(await refusal(domain, { domain: "nodots", type: "master" })).toMatch(
      /spec\.domain: Invalid value: .*must be a domain name of at least two labels/,
    );
    expect(await refusal(domain, { domain: "one.example", type: "other" })).toMatch(
      /spec\.type: Unsupported value: "other": supported values: "master", "slave"/,
    );
    const record = "plumbline:dns/record:Record";
    expect(await refusal(record, { type: "A", target: "192.0.2.1" })).toContain(
      "domainId or domainRef is required",
    );
    expect(
      await refusal(record, { type: "A", target: "x", domainId: "1", domainRef: { name: "zone" } }),
    ).toContain("domainRef stands in the place of domainId: keep one");
    const plain = await apply("plumbline:managed/credential:Credential", "plain", {
      label: "x",
      password: "y",
    });
    expect(plain.body.message).toContain("field not declared in schema");
  });

  it("refuses to change what only a replacement changes, once it is made, unless it may be replaced", async () => {
    const subnet = "plumbline:vpc/subnet:Subnet";
    const spec = { vpcId: "1", label: "web", ipv4: "10.0.0.0/24" };
    const other = { ...spec, ipv4: "10.0.1.0/24" };
    expect((await apply(subnet, "web", spec)).status).toBe(201);
    // Nothing is made of it yet.
    expect((await apply(subnet, "web", other)).status).toBe(200);
    expect((await apply(subnet, "web", spec)).status).toBe(200);
    const made = await cluster.ask(
      "PATCH",
      `${pathOf(subnet, "web")}/status`,
      { status: { id: "1/2" } },
      "application/merge-patch+json",
    );
    expect(made.status).toBe(200);
    await expect.poll(async () => (await apply(subnet, "web", other)).status).toBe(422);
    const { body } = await apply(subnet, "web", other);
    expect(body.message).toMatch(/spec\.ipv4: cannot be changed in place: .*allow a Subnet to be replaced/);
    expect((await apply(subnet, "web", { ...spec, label: "www" })).status).toBe(200);
    const allowed = { "plumbline.dev/allow-replace": "true" };
    expect((await apply(subnet, "web", { ...other, label: "www" }, allowed)).status).toBe(200);
  });

  it("scales a pool of nodes, as whoever scales anything there does", async () => {
    const pool = "plumbline:kubernetes/nodePool:NodePool";
    expect((await apply(pool, "web", { clusterId: "1", type: "g6-standard-2", count: 2 })).status).toBe(201);
    const scale = `${pathOf(pool, "web")}/scale`;
    expect((await cluster.ask("GET", scale)).body).toMatchObject({ spec: { replicas: 2 } });
    const change = { spec: { replicas: 5 } };
    const scaled = await cluster.ask("PATCH", scale, change, "application/merge-patch+json");
    expect(scaled.status, scaled.body.message).toBe(200);
    expect((await cluster.ask("GET", pathOf(pool, "web"))).body).toMatchObject({ spec: { count: 5 } });
    const refused = await cluster.ask(
      ...(["PATCH", scale, { spec: { replicas: 101 } }, "application/merge-patch+json"] as const),
    );
    expect(refused.status).toBe(422);
  });

  it("explains every field, and lists what tells one object from another", async () => {
    const { body } = await cluster.ask("GET", "/openapi/v3/apis/dns.plumbline.dev/v1alpha1");
    expect(JSON.stringify(body)).toContain("How long resolvers may keep it; 0 means the domain's default.");
    const table = await cluster.ask("GET", pathOf("plumbline:vpc/subnet:Subnet"));
    expect(table.status).toBe(200);
  });
});

/** A declaration as a spec: secrets by a Secret, files as texts. */
function specOf(type: string, inputs: ValueMap): object {
  const { secrets } = manifestForm(byToken.get(type)!, byKey);
  const plain = (value: Value): unknown => {
    const shown = reveal(value);
    if (isAsset(shown)) return { text: shown.text ?? "" };
    if (Array.isArray(shown)) return shown.map((each) => plain(each as Value));
    if (typeof shown !== "object" || shown === null) return shown;
    return Object.fromEntries(Object.entries(shown).map(([name, each]) => [name, plain(each as Value)]));
  };
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      const secret = secrets.find(({ input }) => input === name);
      if (secret) return [secret.property, { name: "secrets", key: name }];
      // An id may be a number elsewhere.
      const isText = (byToken.get(type)!.inputs[name] as { type?: string }).type === "string";
      return [name, isText ? String(reveal(value)) : plain(value)];
    }),
  );
}
