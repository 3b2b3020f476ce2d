/** Part 7, second half: odd requests to the plugin over gRPC, in this process. Each is answered in the time of a breath, by a result or by sentences, and the plugin lives on. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import type { Message } from "google-protobuf";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { startEmulator, starterAccount } from "../../emulator/index.ts";
import { catalogue, createProvider, packageSchema } from "../../provider/provider.ts";
import { servePlugin } from "../../provider/pulumi/server.ts";
import { randomFrom } from "../resilience/random.ts";
import { unclear } from "./damage.ts";
import { resourcesAt } from "./stack.ts";
import { type Choice, count, type Fault, isChosen, newTally, type Tally } from "./verdict.ts";

type Random = () => number;
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)]!;

const signature = "4dabf18193072939515e22adb298388d";
const oddValues: readonly Json[] = [
  ...[null, true, -1, 1e300, Number.NaN, "", "\0", "\u{1F642}", "x".repeat(5000), "../..", "%2F", "1/2/3"],
  ...[[], {}, [[[]]], { "": {} }, { __proto__: null }, "04da6b54-80e4-46f7-96ec-b56ff0331ba9"],
  { [signature]: "1b47061264138c4ac30d75fd1eb44270", value: [null] },
  { [signature]: "c44067f5952c0a294b673a41bacd8c17", path: "/does/not/exist" },
  { [signature]: "5cf8f73096256a8f31e491e813e4eb8e", urn: 7 as never },
  { [signature]: "d0e6a833031e9bbcd3f4e8bde6ca49a4" },
  { [signature]: {} },
];

/** Properties of the type as a stack has them, some of them odd. */
function oddProperties(random: Random, properties: object): { [name: string]: Json } {
  const result = structuredClone(properties) as { [name: string]: Json };
  for (let times = Math.floor(random() * 3); times > 0; times--)
    result[pick(random, [...Object.keys(result), "extra", "id", "__defaults"])] = pick(random, oddValues);
  return result;
}

const wire = (values: { [name: string]: Json }) => struct.Struct.fromJavaScript(values as never);

/** A request with its method; setters that a message does not have are left out. */
function oddRequest(random: Random): { readonly method: string; readonly request: Message } {
  const resources = Object.entries(resourcesAt(pick(random, ["made", "edited"])));
  const [name, { type, properties }] = pick(random, resources);
  const token = catalogue.resolveResource(type) ?? type;
  const urn = pick(random, [
    ...Array<string>(6).fill(`urn:pulumi:dev::torture::${token}::${name}`),
    ...["", "urn:pulumi:dev", `urn:pulumi:dev::torture::plumbline:none:None::x`, "::::", "\u{1F642}"],
  ]);
  const [method, make] = pick(random, [
    ["check", () => new messages.CheckRequest()],
    ["diff", () => new messages.DiffRequest()],
    ["create", () => new messages.CreateRequest()],
    ["read", () => new messages.ReadRequest()],
    ["update", () => new messages.UpdateRequest()],
    ["delete", () => new messages.DeleteRequest()],
    ["invoke", () => new messages.InvokeRequest()],
    ["checkConfig", () => new messages.CheckRequest()],
    ["diffConfig", () => new messages.DiffRequest()],
    ["call", () => new messages.CallRequest()],
    ["construct", () => new messages.ConstructRequest()],
    ["getSchema", () => new messages.GetSchemaRequest()],
    ["getMapping", () => new messages.GetMappingRequest()],
  ] as const);
  const request = make() as unknown as Message & { [setter: string]: ((value: unknown) => void) | undefined };
  const set = (field: string, value: unknown) => request[`set${field}`]?.(value);
  set("Urn", urn);
  set("Id", pick(random, ["1", "1/2", "", "none", "mysql/1", "us-east-1/photos", "../1", "9".repeat(40)]));
  set("Tok", pick(random, ["plumbline:dns:getDomain", "plumbline:dns:getZoneFile", "x", "", token]));
  for (const field of ["Olds", "News", "Properties", "Inputs", "OldInputs", "Args"])
    if (random() < 0.8) set(field, wire(oddProperties(random, properties)));
  // Writes are foreseen: what a real one does is judged by the other parts.
  set("Preview", true);
  return { method, request };
}

/** Seconds that no request may take. */
const mostSeconds = 10;

async function tryRequest(
  client: { readonly [method: string]: unknown },
  { method, request }: ReturnType<typeof oddRequest>,
): Promise<Fault[]> {
  const failure = await new Promise<grpc.ServiceError | null>((resolve) => {
    const call = client[method] as (...args: unknown[]) => void;
    const deadline = Date.now() + mostSeconds * 1000;
    call.call(client, request, new grpc.Metadata(), { deadline }, resolve);
  });
  if (failure === null) return [];
  if (failure.code === grpc.status.DEADLINE_EXCEEDED)
    return [{ kind: "stuck", detail: `${method}: no answer in ${mostSeconds} s` }];
  if (failure.code === grpc.status.UNIMPLEMENTED) return [];
  const wrong = unclear(failure.details.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, "quoted"));
  return wrong === undefined
    ? []
    : [{ kind: "stuck", detail: `${method}: ${wrong}: ${failure.details.slice(0, 200)}` }];
}

export async function requestsPlugin(choice: Choice, { requests = 5000 } = {}): Promise<Tally> {
  const tally = newTally("requests", "plugin");
  const began = Date.now();
  const emulator = await startEmulator({ seed: starterAccount, speed: "max" });
  const folder = mkdtempSync(join(tmpdir(), "plumbline-torture-"));
  const environment = { PLUMBLINE_BASE_URL: emulator.baseUrl, PLUMBLINE_TOKEN: emulator.token };
  const parts = { createProvider: () => createProvider({ environment }), catalogue, packageSchema };
  const server = await servePlugin({ load: async () => parts, createsFolder: join(folder, "creates") });
  const client = new services.ResourceProviderClient(
    `127.0.0.1:${server.port}`,
    grpc.credentials.createInsecure(),
    { "grpc.max_receive_message_length": 64 * 1024 * 1024 },
  );
  const methods = client as unknown as { readonly [method: string]: unknown };
  const configure = new messages.ConfigureRequest();
  configure.setAcceptsecrets(true);
  const first = await tryRequest(methods, { method: "configure", request: configure });
  if (first.length > 0) throw new Error(first[0]!.detail);
  for (let number = 1; number <= requests; number++) {
    if (!isChosen(number, choice)) continue;
    const odd = oddRequest(randomFrom(choice.seed * 1_000_000 + number));
    const faults = await tryRequest(methods, odd);
    count(tally, choice, { number, at: `request ${number}, ${odd.method}` }, faults);
  }
  const alive = await tryRequest(methods, { method: "getPluginInfo", request: new empty.Empty() });
  count(tally, choice, { number: 0, at: "the plugin after all of them" }, alive);
  client.close();
  await server.close();
  await emulator.close();
  rmSync(folder, { recursive: true, force: true });
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}
