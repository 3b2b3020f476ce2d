/** The Provider, once, for every type: joins resource types, core and the service. Both engines call what it exports. */

import type { Catalogue, Provider } from "./core/protocol.ts";

export interface ProviderOptions {
  /** Where credentials and the target are looked up when config has none; default `process.env`. */
  readonly environment?: { readonly [name: string]: string | undefined };
}

/** A Provider for one operation of one configuration. Makes no request until it is configured and used. */
export function createProvider(_options: ProviderOptions = {}): Provider {
  throw new Error("not built yet");
}

/** Every type, function and config key, without asking the service. */
export const catalogue: Catalogue = {
  resources: new Map(),
  functions: new Map(),
  config: {},
  resolveResource: () => undefined,
  resolveFunction: () => undefined,
};

/** The Pulumi package schema (`schemas/pulumi.json`). */
export function packageSchema(): object {
  throw new Error("not built yet");
}

/** JSON Schema of stack files, for editors (`schemas/stack.json`). */
export function stackSchema(): object {
  throw new Error("not built yet");
}
