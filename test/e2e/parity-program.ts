/** The stack file of the parity test, put together of blocks that its edits replace. */

import type { Program } from "./pulumi.ts";

/** One resource of the stack file. */
export interface Block {
  readonly type: string;
  readonly properties?: object;
  readonly options?: object;
  readonly get?: object;
}
export type Blocks = { readonly [name: string]: Block };

export const domain = (properties: object, options?: object): Block => ({
  type: "plumbline:dns:Domain",
  properties: { type: "master", soaEmail: "hostmaster@parity.example", ...properties },
  ...(options && { options }),
});
export const record = (
  type: string,
  name: string,
  target: string,
  more: object = {},
  options?: object,
): Block => ({
  type: "plumbline:dns:Record",
  properties: { domainId: "${zone.id}", type, name, target, ...more },
  ...(options && { options }),
});
export const vpc = (properties: object, options?: object): Block => ({
  type: "plumbline:vpc:Vpc",
  properties: { region: "us-east", ...properties },
  ...(options && { options }),
});
export const subnet = (parent: string, label: string, ipv4: string, options?: object): Block => ({
  type: "plumbline:vpc:Subnet",
  properties: { vpcId: `\${${parent}.id}`, label, ipv4 },
  ...(options && { options }),
});
export const volume = (properties: object, options?: object): Block => ({
  type: "plumbline:blockstorage:Volume",
  properties: { region: "us-east", size: "${size}", ...properties },
  ...(options && { options }),
});

/** What the chain of edits starts from: every way to declare that two engines could read differently. */
export const first: Blocks = {
  zone: domain({ domain: "parity.example", description: "for ${pulumi.stack}", tags: "${tags}" }),
  apex: record("A", "", "203.0.113.1", { ttlSec: 300 }),
  www: record("CNAME", "www", "parity.example", {}, { dependsOn: ["${apex}"] }),
  mail: record("MX", "", "mx.parity.example", { priority: 10 }),
  text: record("TXT", "", "${digest}"),
  note: record("TXT", "note", "${confidential}"),
  quiet: record("TXT", "quiet", "nobody reads this", {}, { additionalSecretOutputs: ["target"] }),
  second: { type: "pulumi:providers:plumbline", properties: { baseUrl: "${service}", token: "${key}" } },
  network: vpc({ label: "parity-net" }, { provider: "${second}" }),
  inner: subnet("network", "inner", "10.0.1.0/24", { parent: "${network}" }),
  outer: subnet("network", "outer", "10.0.2.0/24", { provider: "${second}", retainOnDelete: true }),
  disk: volume(
    { label: "parity-disk", computeId: 1001 },
    { customTimeouts: { create: "10m", update: "90s" } },
  ),
  named: volume({ size: 10, label: "named-by-hand" }, { deleteBeforeReplace: true }),
  there: { type: "plumbline:vpc:Vpc", get: { id: "${elsewhere.id}" } },
};

/** The whole stack file around the blocks. */
export function program(resources: Blocks, more: Program = {}): Program {
  return {
    config: {
      size: { type: "integer", default: 20 },
      confidential: { type: "string", secret: true },
      key: { type: "string", secret: true },
      service: { type: "string" },
    },
    variables: {
      tags: ["parity", "Both"],
      elsewhere: { "fn::plumbline:vpc:getVpc": { label: "elsewhere" } },
      apexRecords: {
        "fn::invoke": {
          function: "plumbline:dns:getRecords",
          // A property of the record, so that Pulumi's engine waits for it: there, a function's `dependsOn` does not.
          arguments: { domainId: "${zone.id}", name: "${apex.name}", type: "${apex.type}" },
          return: "records",
        },
      },
      digest: { "fn::join": ["=", ["v", { "fn::toBase64": "two engines" }]] },
    },
    resources,
    outputs: {
      zone: "${zone.id}",
      text: "${text.target}",
      secret: "${note.target}",
      quiet: "${quiet.target}",
      region: "${there.region}",
      apexRecords: "${apexRecords}",
      elsewhere: { "fn::toJSON": ["${elsewhere.label}", "${elsewhere.region}"] },
      nested: { network: "${network.id}", list: ["${disk.filesystemPath}", "${size}"] },
      ...more.outputs,
    },
  };
}

/** The blocks with some replaced or added, and those set to undefined taken out. */
export function having(blocks: Blocks, edits: { readonly [name: string]: Block | undefined }): Blocks {
  const all = Object.entries({ ...blocks, ...edits });
  return Object.fromEntries(all.filter((entry): entry is [string, Block] => entry[1] !== undefined));
}
