/** The services of `server.ts` over a descriptor that the program's process has from its start: the same messages without HTTP/2, which costs several times what is done about them. */

import type { Duplex } from "node:stream";
import grpc from "@grpc/grpc-js";
import { messageOf } from "../failure.ts";
import { framesOver } from "./frames.js";
import { type Handlers, largestMessage, longestText, type Services } from "./server.ts";

/** Milliseconds between answers, where many are given. */
const pause = 5;
/** Calls of this service are made one after the other: each waits for the answer to the one before. */
const oneByOne = "/pulumirpc.Engine/";

/** A call is named by its path; the word of an answer is its status, and what it brings the response, or the text of the failure. */
export function answerOver(line: Duplex, services: Services): void {
  const methods = new Map(
    services.flatMap(([definition, handlers]) =>
      Object.entries(handlers).map(([name, handler]) => {
        const method = definition[name] as grpc.MethodDefinition<unknown, unknown>;
        return [method.path, { ...method, handler }] as const;
      }),
    ),
  );
  let open = 0;
  const frames = framesOver(
    line,
    (call, path, message) => {
      open += 1;
      const tell = (status: grpc.status, told: Uint8Array): void => {
        open -= 1;
        // With no other call under way, the program may be waiting for this one alone.
        frames.send(call, String(status), told, open > 0 && !path.startsWith(oneByOne));
      };
      const fail = (status: grpc.status, text: string): void =>
        tell(status, Buffer.from(text.slice(0, longestText)));
      const method = methods.get(path);
      if (method === undefined) return fail(grpc.status.UNIMPLEMENTED, `there is no method ${path}`);
      answer(method, message).then(
        (response) => {
          if (response.length <= largestMessage) tell(grpc.status.OK, response);
          else fail(grpc.status.RESOURCE_EXHAUSTED, `an answer of ${response.length} bytes is too long`);
        },
        (error: unknown) => fail(grpc.status.UNKNOWN, messageOf(error)),
      );
    },
    { pause },
  );
}

async function answer(
  method: grpc.MethodDefinition<unknown, unknown> & { readonly handler: Handlers[string] },
  message: Uint8Array,
): Promise<Uint8Array> {
  return method.responseSerialize(await method.handler(method.requestDeserialize(message as Buffer)));
}
