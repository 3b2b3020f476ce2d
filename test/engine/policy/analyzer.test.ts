/** The analyzer as Pulumi's engine calls it: over gRPC, resource by resource, without the engine. */

import grpc from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
import wire from "@pulumi/pulumi/proto/analyzer_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { secret, unknown, type ValueMap } from "../../../provider/core/value.ts";
import { serveAnalyzer } from "../../../provider/engine/policy/analyzer.ts";
import { builtInRules } from "../../../provider/engine/policy/builtin/index.ts";
import type { AskedRule, Policy, SeenStep } from "../../../provider/engine/policy/rule.ts";
import { catalogue } from "../../../provider/provider.ts";
import { encodeProperties } from "../../../provider/wire/struct.ts";

/** What the rule below was asked about. */
let seen: readonly SeenStep[] = [];
let stacks: string[] = [];

const watcher: AskedRule = {
  name: "watcher",
  description: "remembers",
  source: "here",
  level: "advisory",
  allow: false,
  operations: ["create", "update"],
  isOfPlan: false,
  defaults: {},
  ask: (steps) => {
    seen = steps;
    return { findings: [] };
  },
};
const policyOf = (rule: AskedRule, level: Policy["level"], settings = {}): Policy => ({
  rule,
  level,
  settings: { ...rule.defaults, ...settings },
  except: [],
  allow: true,
  owner: "pack",
});
const builtIn = (name: string) => builtInRules.find((rule) => rule.name === name)!;

let close: () => void;
let client: InstanceType<typeof services.AnalyzerClient>;
beforeEach(async () => {
  [seen, stacks] = [[], []];
  const served = await serveAnalyzer({
    name: "pack",
    catalogue,
    policiesFor: async (stack) => {
      stacks.push(stack);
      if (stack === "broken") throw new Error("the policies cannot be read");
      return [
        policyOf(watcher, "advisory"),
        policyOf(builtIn("public-bucket"), "mandatory"),
        policyOf(builtIn("delete-limit"), "mandatory", { count: 0 }),
      ];
    },
  });
  close = served.close;
  client = new services.AnalyzerClient(`127.0.0.1:${served.port}`, grpc.credentials.createInsecure());
});
afterEach(() => {
  client.close();
  close();
});

function declared(type: string, inputs: ValueMap) {
  const request = new wire.AnalyzeRequest();
  request.setUrn(`urn:pulumi:prod::shop::${type}::it`);
  request.setType(type);
  request.setName("it");
  request.setProperties(encodeProperties(inputs, { keepSecrets: true }));
  return request;
}
const analyze = (request: InstanceType<typeof wire.AnalyzeRequest>) =>
  new Promise<{ policyname: string; message: string; enforcementlevel: number; urn: string }[]>(
    (done, fail) =>
      client.analyze(request, (error, response) =>
        error ? fail(error) : done(response.toObject().diagnosticsList),
      ),
  );
const configure = (stack: string) => {
  const request = new wire.AnalyzerStackConfigureRequest();
  request.setStack(stack);
  request.setProject("shop");
  return new Promise<void>((done, fail) =>
    client.configureStack(request, (error) => (error ? fail(error) : done())),
  );
};

const bucket = "plumbline:objectstorage/bucket:Bucket";

describe("the analyzer", () => {
  it("tells what policies have against a declaration, with their level and without a flag that Pulumi has not", async () => {
    await configure("prod");
    const [found, ...more] = await analyze(declared(bucket, { acl: "public-read", label: "x" }));
    expect(more).toEqual([]);
    expect(found).toMatchObject({
      policyname: "public-bucket",
      message: "acl: everybody can read what is in it (policy public-bucket)",
      enforcementlevel: wire.EnforcementLevel.MANDATORY,
      urn: `urn:pulumi:prod::shop::${bucket}::it`,
    });
    expect(await analyze(declared(bucket, { acl: unknown }))).toEqual([]);
    expect(stacks).toEqual(["prod"]);
  });

  it("shows rules no secret, marked or by its type, and what is not known as such", async () => {
    await configure("prod");
    const type = "plumbline:managed/credential:Credential";
    await analyze(declared(type, { label: secret("hidden one"), username: unknown, password: "hidden two" }));
    expect(seen).toHaveLength(1);
    expect(JSON.stringify(seen)).not.toContain("hidden");
    expect(seen[0]).toMatchObject({
      type: "plumbline:managed:Credential",
      inputs: { label: { $secret: true }, username: { $unknown: true }, password: { $secret: true } },
    });
  });

  it("judges resources of other packages by their own types", async () => {
    await configure("prod");
    await analyze(declared("random:index/randomId:RandomId", { byteLength: 8 }));
    expect(seen[0]).toMatchObject({ type: "random:index/randomId:RandomId", inputs: { byteLength: 8 } });
  });

  it("says what is wrong with its policies before anything is planned", async () => {
    await expect(configure("broken")).rejects.toThrow("the policies cannot be read");
  });

  it("lists its policies", async () => {
    const info = await new Promise<{
      name: string;
      policiesList: { name: string; enforcementlevel: number }[];
    }>((done, fail) =>
      client.getAnalyzerInfo(new empty.Empty(), (error, response) =>
        error ? fail(error) : done(response.toObject()),
      ),
    );
    expect(info.name).toBe("pack");
    expect(info.policiesList.map(({ name }) => name)).toEqual(["watcher", "public-bucket", "delete-limit"]);
  });
});
