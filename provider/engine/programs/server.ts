/** The two services that a program talks to, on one port of the loopback. It knows nothing of what they do. */

import grpc from "@grpc/grpc-js";
import engine from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import resource from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import { messageOf } from "../failure.ts";

/** Answers a request; what it rejects with is the call's failure. Left out: the library says that nobody does that. */
// biome-ignore lint/suspicious/noExplicitAny: each service types its own requests.
export type Handlers = { readonly [method: string]: (request: any) => Promise<unknown> };

export interface ProgramServer {
  /** `host:port`. */
  readonly address: string;
  /** Ends every call and frees the port. */
  readonly close: () => void;
}

/** What Pulumi's runtime allows itself. */
export const largestMessage = 400 * 1024 * 1024;
/** A failure's text travels in a header, and one that is too long ends the connection. */
export const longestText = 8_192;

/** What answers the methods of each service. */
export type Services = readonly (readonly [grpc.ServiceDefinition, Handlers])[];

export const servicesOf = (monitor: Handlers, console: Handlers): Services => [
  [resource.ResourceMonitorService, monitor],
  [engine.EngineService, console],
];

/** Rejects when it cannot listen. */
export async function serve(services: Services): Promise<ProgramServer> {
  const server = new grpc.Server({
    "grpc.max_receive_message_length": largestMessage,
    "grpc.max_send_message_length": largestMessage,
  });
  for (const [definition, handlers] of services) server.addService(definition, answering(handlers));
  const port = await new Promise<number>((settle, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else settle(bound);
    });
  });
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
}

function answering(handlers: Handlers): grpc.UntypedServiceImplementation {
  return Object.fromEntries(
    Object.entries(handlers).map(([method, handler]) => {
      const answer: grpc.handleUnaryCall<unknown, unknown> = (call, callback) => {
        handler(call.request).then(
          (response) => callback(null, response),
          (error: unknown) =>
            callback({ code: grpc.status.UNKNOWN, details: messageOf(error).slice(0, longestText) }),
        );
      };
      return [method, answer];
    }),
  );
}
