/** The real client with pauses that are a small part of what they are: for what waits and repeats, where nothing is about how long. */

import type { Provider } from "../provider/core/protocol.ts";
import { createProvider } from "../provider/provider.ts";
import { type Service as Client, createService, type ServiceOptions } from "../provider/service/client.ts";
import { type Clock, systemClock } from "../provider/service/clock.ts";

/** Tells the time as it is, and sleeps a twentieth. */
const hurriedClock: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
};

/** For `createProvider`: the client of a target, in a hurry. */
export const connectHurried = (target: ServiceOptions): Client =>
  createService({ ...target, clock: hurriedClock });

/** Where a provider finds a service, as its environment says it. */
export const environmentOf = ({ baseUrl, token }: { readonly baseUrl: string; readonly token: string }) => ({
  PLUMBLINE_BASE_URL: baseUrl,
  PLUMBLINE_TOKEN: token,
});

/** A provider of that service, in a hurry; not configured yet. */
export const hurriedProvider = (service: { readonly baseUrl: string; readonly token: string }): Provider =>
  createProvider({ environment: environmentOf(service), connect: connectHurried });
