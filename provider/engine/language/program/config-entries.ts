/** Everything that a stack's config can hold, with what it comes to: for commands that show and set it. Pure. */

import type { Catalogue } from "../../../core/protocol.ts";
import type { Value } from "../../../core/value.ts";
import type { ConfigEntry } from "../../host.ts";
import type { ConfigType } from "./config-value.ts";

interface Declared {
  readonly type?: ConfigType;
  readonly isSecret: boolean;
}

/** By full key: what is declared, what has a value, and what the provider knows. `values` are by key with and without the namespace. */
export function configEntries(
  declarations: ReadonlyMap<string, Declared>,
  values: ReadonlyMap<string, Value>,
  { project, catalogue }: { readonly project: string; readonly catalogue: Catalogue },
): Map<string, ConfigEntry> {
  const given = [...values.keys()].filter((name) => name.includes(":"));
  const ofProvider = project === "plumbline" ? {} : catalogue.config;
  const known = Object.keys(ofProvider).map((name) => `plumbline:${name}`);
  return new Map(
    [...new Set([...declarations.keys(), ...given, ...known])].map((key) => {
      const declaration = declarations.get(key);
      const value = values.get(key);
      const info = key.startsWith("plumbline:") ? ofProvider[key.slice("plumbline:".length)] : undefined;
      const kind = declaration?.type?.kind;
      const entry: ConfigEntry = {
        isSecret: declaration?.isSecret === true || info?.secret === true,
        isStructured: kind === "array" || kind === "object",
        ...(value === undefined ? {} : { value }),
      };
      return [key, entry];
    }),
  );
}
