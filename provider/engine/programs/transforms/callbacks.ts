/** The Callbacks service of a program: functions of its own that it registered, called by the engine. It knows nothing of what they do. */

import { stripVTControlCharacters } from "node:util";
import grpc from "@grpc/grpc-js";
import { CallbacksClient } from "@pulumi/pulumi/proto/callback_grpc_pb.js";
import callback, { type Callback } from "@pulumi/pulumi/proto/callback_pb.js";
import { largestMessage } from "../server.ts";

export interface Callbacks {
  /** Resolves to the message that the function answers. Rejects with what it threw, and when its program has ended. */
  readonly call: (of: Callback, message: Uint8Array) => Promise<Uint8Array>;
  /** No function is called any more. */
  readonly close: () => void;
}

const settings = {
  "grpc.max_receive_message_length": largestMessage,
  "grpc.max_send_message_length": largestMessage,
  // It is on this machine, whatever proxy the environment names.
  "grpc.enable_http_proxy": 0,
};

/** Connects to nothing yet. */
export function createCallbacks(): Callbacks {
  const clients = new Map<string, CallbacksClient>();
  const clientOf = (target: string): CallbacksClient => {
    const known = clients.get(target);
    if (known !== undefined) return known;
    const client = new CallbacksClient(target, grpc.credentials.createInsecure(), settings);
    clients.set(target, client);
    return client;
  };
  return {
    call(of, message) {
      const request = new callback.CallbackInvokeRequest();
      request.setToken(of.getToken());
      request.setRequest(message);
      return new Promise((settle, reject) => {
        clientOf(of.getTarget()).invoke(request, (error, response) => {
          if (error) reject(new Error(reasonOf(error, of), { cause: error }));
          else settle(response.getResponse_asU8());
        });
      });
    },
    close() {
      for (const client of clients.values()) client.close();
    },
  };
}

function reasonOf({ code, details }: grpc.ServiceError, of: Callback): string {
  if (code === grpc.status.UNAVAILABLE || code === grpc.status.CANCELLED)
    return "the program ended before a function of its own, which it had asked to be called, had answered";
  // Python's runtime puts the function's token before what it threw.
  return stripVTControlCharacters(details).replace(`Invoke callback ${of.getToken()} error: `, "").trimEnd();
}
