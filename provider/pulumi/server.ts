/** The gRPC server of the plugin: binds the verbs to the protocol's service. It knows neither process nor signals. */

import { randomUUID } from "node:crypto";
import grpc from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { configuration } from "./configuration.ts";
import { creation } from "./creation.ts";
import { sendTo } from "./engine-log.ts";
import { introduction } from "./introduction.ts";
import { invocation } from "./invocation.ts";
import { lifecycle } from "./lifecycle.ts";
import { createSession, type Parts, type Session } from "./session.ts";
import { failureOf } from "./wire/failure.ts";

export interface PluginOptions {
  /** Loads the provider; called once, by the first call that needs it. */
  readonly load: () => Promise<Parts>;
  /** Folder of the create logs. */
  readonly createsFolder: string;
  /** The engine's own service, `host:port`, as far as it is known at the start; Handshake and Attach tell it again. */
  readonly engineAddress?: string;
  /** Names the run of the engine, the same for all its plugins; absent: this plugin is the only one. */
  readonly run?: string;
}

export interface PluginServer {
  readonly port: number;
  readonly session: Session;
  /** Ends every call and frees the port. */
  close(): Promise<void>;
}

/** What the engine allows itself. */
const largestMessage = 400 * 1024 * 1024;

type Handler<Request, Response> = (request: Request) => Promise<Response>;

/** Serves the protocol on a free port of the loopback. Rejects when it cannot listen. */
export async function servePlugin(options: PluginOptions): Promise<PluginServer> {
  const session = createSession({ run: randomUUID(), ...options });
  if (options.engineAddress !== undefined) session.connect(sendTo(options.engineAddress));

  /** Answers by the handler, and by a status whatever goes wrong in it. */
  function answer<Request, Response>(
    handler: Handler<Request, Response>,
  ): grpc.handleUnaryCall<Request, Response> {
    return (call, callback) => {
      handler(call.request).then(
        (response) => callback(null, response),
        (error: unknown) => callback(failureOf(error, session.hide)),
      );
    };
  }

  const { handshake, attach, getSchema, getPluginInfo, getMapping, getMappings, cancel } =
    introduction(session);
  const { checkConfig, diffConfig, configure } = configuration(session);
  const { create } = creation(session);
  const { check, diff, read, update, delete: remove } = lifecycle(session);
  const { invoke } = invocation(session);

  const server = new grpc.Server({
    "grpc.max_receive_message_length": largestMessage,
    "grpc.max_send_message_length": largestMessage,
  });
  // Parameterize, Call and Construct are left out: the library answers UNIMPLEMENTED for what has no handler.
  server.addService(services.ResourceProviderService, {
    handshake: answer(handshake),
    attach: answer(attach),
    getSchema: answer(getSchema),
    getPluginInfo: answer(getPluginInfo),
    getMapping: answer(getMapping),
    getMappings: answer(getMappings),
    cancel: answer(cancel),
    checkConfig: answer(checkConfig),
    diffConfig: answer(diffConfig),
    configure: answer(configure),
    check: answer(check),
    diff: answer(diff),
    create: answer(create),
    read: answer(read),
    update: answer(update),
    delete: answer(remove),
    invoke: answer(invoke),
  });

  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  return {
    port,
    session,
    close: async () => {
      server.forceShutdown();
      await session.close();
    },
  };
}
