/** A way to a server that can be cut, or fall silent. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Relay {
  readonly port: number;
  /** Ends every connection, and takes none until `mend`. */
  readonly cut: () => void;
  readonly mend: () => void;
  /** What is connected hears nothing any more, and is not ended; new connections are as usual. */
  readonly hush: () => void;
  readonly close: () => void;
}

export async function openRelay(port: number): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(port, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      for (const each of pair) each.destroy();
    };
    for (const each of pair) each.on("error", end).on("close", end);
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    isCut = true;
    for (const [near] of pairs) near.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend() {
      isCut = false;
    },
    hush() {
      for (const [near, far] of pairs) {
        far.unpipe(near);
        far.resume();
        near.unpipe(far);
      }
    },
    close() {
      cut();
      server.close();
    },
  };
}
