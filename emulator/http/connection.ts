/** Puts answers on the wire, whole or the way a fault rule wants them broken; knows sockets, nothing of operations. */

import type { ServerResponse } from "node:http";
import type { Disturbance, FaultRule } from "../face.ts";
import type { Answer } from "./service.ts";

/** What the client sees of an answer: its status, and how many bytes of its body. */
export interface Sent {
  readonly status: number | null;
  readonly sent: number;
}

export interface Connections {
  send(response: ServerResponse, answer: Answer): Sent;
  /** Plays a fault on an answer that the service gave. */
  sendBroken(response: ServerResponse, answer: Answer, rule: FaultRule): Promise<Sent>;
  /** Plays what a watcher of this request wants; `answer` is there once the service acted. */
  disturb(response: ServerResponse, how: Exclude<Disturbance, undefined>, answer?: Answer): Promise<Sent>;
  /** Cuts the connection with a reset. */
  reset(response: ServerResponse): Sent;
  /** Ends every wait of a fault. */
  close(): void;
}

const nothing: Sent = { status: null, sent: 0 };

/** Seconds that a connection without an answer stays open. */
const silence = 30;

export function createConnections(): Connections {
  const waits = new Map<NodeJS.Timeout, () => void>();

  function wait(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        waits.delete(timer);
        resolve();
      }, seconds * 1000);
      waits.set(timer, resolve);
    });
  }

  function send(response: ServerResponse, { status, headers, body }: Answer): Sent {
    const bare = status === 204 || status === 304;
    const size = Buffer.byteLength(body);
    const { "Content-Type": type, ...others } = headers;
    response.writeHead(status, {
      ...others,
      ...(!bare && { "Content-Type": type, "Content-Length": size }),
    });
    response.end(bare ? undefined : body);
    return { status, sent: bare || response.req.method === "HEAD" ? 0 : size };
  }

  function reset(response: ServerResponse): Sent {
    response.socket?.resetAndDestroy();
    return nothing;
  }

  const connections: Connections = {
    send,
    reset,
    disturb: async (response, how, answer) => {
      if (typeof how !== "string") return send(response, how);
      if (how === "cut" || answer === undefined) return reset(response);
      return connections.sendBroken(response, answer, { method: "*", path: "*", do: how });
    },
    sendBroken: async (response, answer, rule) => {
      switch (rule.do) {
        case "reset-after":
          return reset(response);
        case "drop-after":
          await wait(rule.seconds ?? silence);
          response.socket?.destroy();
          return nothing;
        case "delay":
          await wait(rule.seconds ?? 0);
          return send(response, answer);
        case "truncate": {
          const whole = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
          response.writeHead(answer.status, { ...answer.headers, "Content-Length": whole.length });
          const half = whole.subarray(0, Math.floor(whole.length / 2));
          response.write(half, () => response.socket?.destroy());
          return { status: answer.status, sent: half.length };
        }
        case "garbage":
          return send(response, { ...answer, status: 200, body: '{"data": [{"id": 1, "la\u0000<<not JSON' });
        default:
          return send(response, answer);
      }
    },
    close: () => {
      for (const [timer, resolve] of waits) {
        clearTimeout(timer);
        resolve();
      }
      waits.clear();
    },
  };
  return connections;
}
