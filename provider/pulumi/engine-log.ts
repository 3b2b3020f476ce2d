/** Tells the engine's user what happens, in order and never too often. A message that cannot be sent is dropped: it fails no verb. */

import type { Log, Severity } from "../core/protocol.ts";

export interface Message {
  readonly severity: "debug" | "info" | "warning";
  readonly text: string;
  readonly urn: string;
  /** A status line, not kept. */
  readonly ephemeral: boolean;
}

/** Sends one message; may reject. */
export type Send = (message: Message) => Promise<void>;

export interface EngineLog {
  /** Where messages go from now on; undefined drops them. */
  connect(send: Send | undefined): void;
  /** The log of one verb on one resource (an empty URN is the whole run). `end` drops a status still held back and resolves when the rest is sent, or after two seconds. */
  open(urn: string): { readonly log: Log; readonly end: () => Promise<void> };
}

/** Status lines of one verb are at least this far apart. */
const statusIntervalMs = 1_000;
/** A verb's answer waits no longer than this for its messages. */
const drainMs = 2_000;

/** The engine takes an error message as the failure of the whole run, so errors go as warnings: what is fatal is the verb's own failure. */
function severityOf(severity: Severity): Message["severity"] {
  return severity === "error" ? "warning" : severity;
}

/** `hide` takes secrets out of a text. */
export function createEngineLog(hide: (text: string) => string = (text) => text): EngineLog {
  let send: Send | undefined;
  let tail: Promise<void> = Promise.resolve();

  function push(message: Message): void {
    const to = send;
    if (to === undefined) return;
    tail = tail
      .then(() => to(message))
      .catch((error: unknown) => {
        console.error(`the engine did not take a message: ${error instanceof Error ? error.message : error}`);
      });
  }

  return {
    connect: (to) => {
      send = to;
    },
    open: (urn) => {
      let held: Message | undefined;
      let timer: NodeJS.Timeout | undefined;
      let isOver = false;

      function release(): void {
        timer = undefined;
        if (held === undefined) return;
        push(held);
        held = undefined;
        hold();
      }
      function hold(): void {
        timer = setTimeout(release, statusIntervalMs);
        timer.unref();
      }

      return {
        log: (severity, text, options) => {
          if (isOver) return;
          const message = {
            severity: severityOf(severity),
            text: hide(text),
            urn,
            ephemeral: options?.ephemeral ?? false,
          };
          if (!message.ephemeral) {
            push(message);
          } else if (timer === undefined) {
            push(message);
            hold();
          } else {
            held = message;
          }
        },
        end: async () => {
          isOver = true;
          clearTimeout(timer);
          await within(tail, drainMs);
        },
      };
    },
  };
}

async function within(promise: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, limit]);
  clearTimeout(timer);
}

/** Sends over the engine's own gRPC service at `host:port`. The connection is made by the first message. */
export function sendTo(address: string): Send {
  let connection: Promise<Send> | undefined;
  return async (message) => {
    connection ??= connect(address);
    await (await connection)(message);
  };
}

async function connect(address: string): Promise<Send> {
  const [{ default: grpc }, { default: services }, { default: messages }] = await Promise.all([
    import("@grpc/grpc-js"),
    import("@pulumi/pulumi/proto/engine_grpc_pb.js"),
    import("@pulumi/pulumi/proto/engine_pb.js"),
  ]);
  const client = new services.EngineClient(address, grpc.credentials.createInsecure());
  const severities = { debug: 0, info: 1, warning: 2 } as const;
  return ({ severity, text, urn, ephemeral }) =>
    new Promise((resolve, reject) => {
      const request = new messages.LogRequest();
      request.setSeverity(severities[severity]);
      request.setMessage(text);
      request.setUrn(urn);
      request.setEphemeral(ephemeral);
      client.log(request, new grpc.Metadata(), { deadline: Date.now() + 5_000 }, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
}
