/** The engine's side of the protocol: a client that speaks values instead of structs, and an engine service that keeps what it is told. It knows no test runner. */

import grpc from "@grpc/grpc-js";
import engineServices from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import status from "@pulumi/pulumi/proto/status_pb.js";
import type { Message } from "google-protobuf";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import type { ValueMap } from "../../provider/core/value.ts";
import { decodeProperties, encodeProperties } from "../../provider/wire/struct.ts";

/** The provider whose plugin it is. */
const providerUrn = "urn:pulumi:dev::project::pulumi:providers:plumbline::default";

/** A rejected call: its gRPC status. */
export interface Refusal extends Error {
  readonly code: number;
  readonly details: string;
  readonly metadata: grpc.Metadata;
}

type Method = Exclude<keyof ResourceProviderClient, keyof grpc.Client>;
type RequestOf<M extends Method> = Parameters<ResourceProviderClient[M]>[0];
type ResponseOf<M extends Method> = ResourceProviderClient[M] extends (
  request: RequestOf<M>,
  metadata: grpc.Metadata,
  options: Partial<grpc.CallOptions>,
  callback: (error: grpc.ServiceError | null, response: infer Response) => void,
) => grpc.ClientUnaryCall
  ? Response
  : never;

/** What a partial failure keeps. */
export interface Kept {
  readonly id: string;
  readonly properties: ValueMap;
  readonly inputs: ValueMap;
  readonly reasons: readonly string[];
}

/** What the engine gives automatic names to come from; `mode` as the protocol counts them. */
export interface Naming {
  readonly seed?: Uint8Array;
  readonly proposedName?: string;
  readonly mode?: 0 | 1 | 2;
}

export type Client = ReturnType<typeof connect>;

/** A client of the plugin at the port. */
export function connect(port: number) {
  const client = new services.ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), {
    "grpc.max_receive_message_length": 400 * 1024 * 1024,
    "grpc.max_send_message_length": 400 * 1024 * 1024,
  });
  function call<M extends Method>(method: M, request: RequestOf<M>): Promise<ResponseOf<M>> {
    return new Promise((resolve, reject) => {
      const unary = client[method] as unknown as (
        request: Message,
        callback: (error: Error | null, response: ResponseOf<M>) => void,
      ) => void;
      unary.call(client, request as Message, (error, response) =>
        error ? reject(error) : resolve(response),
      );
    });
  }

  return {
    call,
    close: () => client.close(),
    handshake: (address = "") => {
      const request = new messages.ProviderHandshakeRequest();
      request.setEngineAddress(address);
      return call("handshake", request);
    },
    configure: (args: ValueMap = {}, urn = providerUrn) => {
      const request = new messages.ConfigureRequest();
      request.setArgs(encodeProperties(args));
      request.setUrn(urn);
      request.setAcceptsecrets(true);
      request.setAcceptresources(true);
      return call("configure", request);
    },
    check: async (urn: string, news: ValueMap, olds: ValueMap = {}, naming: Naming = {}) => {
      const request = new messages.CheckRequest();
      if (naming.seed !== undefined) request.setRandomseed(naming.seed);
      if (naming.proposedName !== undefined) {
        const autonaming = new messages.CheckRequest.AutonamingOptions();
        autonaming.setProposedName(naming.proposedName);
        autonaming.setMode(naming.mode ?? 0);
        request.setAutonaming(autonaming);
      }
      request.setUrn(urn);
      request.setOlds(encodeProperties(olds));
      request.setNews(encodeProperties(news));
      const response = await call("check", request);
      return {
        inputs: decodeProperties(response.getInputs()),
        failures: response
          .getFailuresList()
          .map((f) => ({ property: f.getProperty(), reason: f.getReason() })),
      };
    },
    diff: (urn: string, id: string, olds: ValueMap, oldInputs: ValueMap, news: ValueMap) => {
      const request = new messages.DiffRequest();
      request.setUrn(urn);
      request.setId(id);
      request.setOlds(encodeProperties(olds));
      request.setOldInputs(encodeProperties(oldInputs));
      request.setNews(encodeProperties(news));
      return call("diff", request);
    },
    create: async (urn: string, inputs: ValueMap, options: { preview?: boolean; timeout?: number } = {}) => {
      const request = new messages.CreateRequest();
      request.setUrn(urn);
      request.setProperties(encodeProperties(inputs));
      request.setPreview(options.preview ?? false);
      request.setTimeout(options.timeout ?? 0);
      const response = await call("create", request);
      return { id: response.getId(), properties: decodeProperties(response.getProperties()) };
    },
    read: async (urn: string, id: string, state?: ValueMap, inputs?: ValueMap) => {
      const request = new messages.ReadRequest();
      request.setUrn(urn);
      request.setId(id);
      if (state) request.setProperties(encodeProperties(state));
      if (inputs) request.setInputs(encodeProperties(inputs));
      const response = await call("read", request);
      return {
        id: response.getId(),
        ...(response.hasProperties() && { properties: decodeProperties(response.getProperties()) }),
        ...(response.hasInputs() && { inputs: decodeProperties(response.getInputs()) }),
      };
    },
    update: async (
      urn: string,
      id: string,
      olds: ValueMap,
      oldInputs: ValueMap,
      news: ValueMap,
      options: { preview?: boolean } = {},
    ) => {
      const request = new messages.UpdateRequest();
      request.setUrn(urn);
      request.setId(id);
      request.setOlds(encodeProperties(olds));
      request.setOldInputs(encodeProperties(oldInputs));
      request.setNews(encodeProperties(news));
      request.setPreview(options.preview ?? false);
      return decodeProperties((await call("update", request)).getProperties());
    },
    delete: (urn: string, id: string, state: ValueMap = {}, inputs: ValueMap = {}) => {
      const request = new messages.DeleteRequest();
      request.setUrn(urn);
      request.setId(id);
      request.setProperties(encodeProperties(state));
      request.setOldInputs(encodeProperties(inputs));
      return call("delete", request);
    },
    invoke: async (token: string, args: ValueMap, preview = false) => {
      const request = new messages.InvokeRequest();
      request.setTok(token);
      request.setArgs(encodeProperties(args));
      request.setPreview(preview);
      return decodeProperties((await call("invoke", request)).getReturn());
    },
    cancel: () => call("cancel", new empty.Empty()),
  };
}

/** The status of a call that must fail. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  try {
    await call;
  } catch (error) {
    return error as Refusal;
  }
  throw new Error("the call succeeded");
}

/** What a partial failure keeps in the engine's state, from the status detail. */
export function keptBy(error: Refusal): Kept {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Buffer)) throw new Error("the status has no detail");
  const [detail] = status.Status.deserializeBinary(bytes).getDetailsList();
  const unpacked = detail?.unpack(
    messages.ErrorResourceInitFailed.deserializeBinary,
    "pulumirpc.ErrorResourceInitFailed",
  );
  if (!unpacked) throw new Error(`the detail is a ${detail?.getTypeUrl()}`);
  return {
    id: unpacked.getId(),
    properties: decodeProperties(unpacked.getProperties()),
    inputs: decodeProperties(unpacked.getInputs()),
    reasons: unpacked.getReasonsList(),
  };
}

export interface Heard {
  readonly severity: number;
  readonly message: string;
  readonly urn: string;
  readonly ephemeral: boolean;
}

/** An engine's own service that keeps the messages that it is sent. */
export async function startEngine() {
  const heard: Heard[] = [];
  const server = new grpc.Server();
  server.addService(engineServices.EngineService, {
    log: (call: { request: LogRequest }, callback: (error: null, response: Message) => void) => {
      const { request } = call;
      heard.push({
        severity: request.getSeverity(),
        message: request.getMessage(),
        urn: request.getUrn(),
        ephemeral: request.getEphemeral(),
      });
      callback(null, new empty.Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { heard, address: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
}
