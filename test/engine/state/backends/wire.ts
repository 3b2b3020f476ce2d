/** A way to a server that a test can slow, hold and cut. Knows no protocol. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface Wire {
  readonly port: number;
  /** Milliseconds that each piece takes, either way. */
  delay: number;
  /** Called before each piece goes on; it may hold this one, too. */
  watch: ((way: "there" | "back") => void) | undefined;
  /** Nothing goes through, and nobody is told, until `restore`. */
  readonly hold: () => void;
  /** Every connection breaks, and no other is made, until `restore`. */
  readonly cut: () => void;
  readonly restore: () => void;
  readonly close: () => Promise<void>;
}

export async function openWire(target: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  let held: (() => void)[] | undefined;
  let isCut = false;

  function pipe(from: Socket, to: Socket, way: "there" | "back"): void {
    sockets.add(from);
    const pass = (act: () => void): void => {
      if (held) held.push(act);
      else if (wire.delay > 0) setTimeout(act, wire.delay);
      else act();
    };
    from.on("data", (data) => {
      wire.watch?.(way);
      pass(() => to.write(data));
    });
    from.on("end", () => pass(() => to.end()));
    from.on("error", () => to.destroy());
    from.on("close", () => sockets.delete(from));
  }

  const server = createServer((from) => {
    if (isCut) return void from.destroy();
    const to = connect(target, "127.0.0.1");
    pipe(from, to, "there");
    pipe(to, from, "back");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const wire: Wire = {
    port: (server.address() as AddressInfo).port,
    delay: 0,
    watch: undefined,
    hold: () => {
      held ??= [];
    },
    cut: () => {
      isCut = true;
      breakAll();
    },
    restore: () => {
      isCut = false;
      const late = held ?? [];
      held = undefined;
      for (const act of late) act();
    },
    close: () => {
      breakAll();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
  return wire;
}
