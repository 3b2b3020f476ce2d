/** A provider whose process ends in the middle of its work, at any of its writes. */

import type { Provider } from "../../provider/core/protocol.ts";
import { ApiError } from "../../provider/core/service-port.ts";
import { createProvider } from "../../provider/provider.ts";
import type { Service } from "../../provider/verbs/operation.ts";
import { connectHurried, environmentOf } from "../hurried.ts";
import type { Account } from "./deployment.ts";

/**
 * What happens at the write of that number, counted from 1: the process dies `before` it is sent, or `after` the service carried it out and
 * before anybody heard of it; or it is `refused`, and the process lives.
 */
export interface Trouble {
  readonly at: number;
  readonly what: "before" | "after" | "refused";
}

const refusal = () =>
  new ApiError({ method: "PUT", path: "/", status: 400, reasons: [{ reason: "refused" }], retryable: false });

export class Killed extends Error {}

export interface Mortal {
  readonly provider: Provider;
  readonly writes: () => number;
  readonly isDead: () => boolean;
}

/** Opens it, configured; the caller closes it. After its death nothing that it is asked for happens or answers. */
export async function openMortal(account: Account, trouble?: Trouble): Promise<Mortal> {
  let writes = 0;
  let isDead = false;
  const die = (): never => {
    isDead = true;
    throw new Killed("killed");
  };
  const alive =
    <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      if (isDead) die();
      const answer = await call(...args);
      return isDead ? die() : answer;
    };
  const write =
    <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      if (isDead) die();
      const what = ++writes === trouble?.at ? trouble.what : undefined;
      if (what === "refused") throw refusal();
      if (what === "before") die();
      const answer = await call(...args);
      return what === "after" || isDead ? die() : answer;
    };
  const connect = (target: Parameters<typeof connectHurried>[0]): Service => {
    const client = connectHurried(target);
    return {
      ...client,
      ...{ get: alive(client.get), getFresh: alive(client.getFresh), list: alive(client.list) },
      ...{ post: write(client.post), put: write(client.put), delete: write(client.delete) },
      ...{ sendSigned: write(client.sendSigned), waitFor: alive(client.waitFor) },
      serviceTime: () => client.serviceTime().replace(/Z?$/, "Z"),
    };
  };
  const provider = createProvider({ environment: environmentOf(account.emulator), connect });
  await provider.configure({});
  return { provider, writes: () => writes, isDead: () => isDead };
}
