/** Edits the text of a stack's settings (`Pulumi.<stack>.yaml`): values come and go, comments and all else stay. Knows no secret and no file. */

import { isCollection, isMap, isNode, isScalar, parseDocument } from "yaml";
import type { PropertyPath } from "../../core/property-path.ts";
import { UnwritableError } from "./stack-file.ts";

export interface SettingsText {
  /** The `encryptionsalt`; absent: nothing is sealed. */
  readonly salt: string | undefined;
  /** The first step of a path is a full key (`project:key`). */
  readonly set: (path: PropertyPath, value: unknown) => void;
  /** False: there was none. */
  readonly remove: (path: PropertyPath) => boolean;
  readonly setSalt: (salt: string) => void;
  readonly text: () => string;
}

/** Throws UnwritableError for what is no settings file. */
export function openSettingsText(text: string, project: string): SettingsText {
  const document = parseDocument(text, { logLevel: "silent" });
  const isOdd = document.contents !== null && !isMap(document.contents);
  if (document.errors.length > 0 || isOdd)
    throw new UnwritableError(document.errors[0]?.message ?? "it is no object with a config");
  const config = document.get("config", true);
  if (config !== undefined && !isCollection(config)) document.delete("config");

  /** The path as the file spells its key: the project's name may be left out, or stand as in old files. */
  const spelled = ([key, ...rest]: PropertyPath): PropertyPath => {
    const present = document.get("config", true);
    const keys = isMap(present) ? present.items.map((pair) => isScalar(pair.key) && pair.key.value) : [];
    const own = keys.find((each) => typeof each === "string" && fullKey(each, project) === key);
    return ["config", typeof own === "string" ? own : key!, ...rest];
  };

  return {
    salt: document.get("encryptionsalt") as string | undefined,
    set(path, value) {
      const place = spelled(path);
      for (let length = 2; length < place.length; length++) {
        const above = place.slice(0, length);
        if (document.hasIn(above) && !isCollection(document.getIn(above, true))) document.deleteIn(above);
      }
      const [before, node] = [document.getIn(place, true), document.createNode(value)];
      if (isNode(before)) for (const part of ["commentBefore", "comment"] as const) node[part] = before[part];
      document.setIn(place, node);
    },
    remove: (path) => document.deleteIn(spelled(path)),
    setSalt: (salt) => document.set("encryptionsalt", salt),
    text: () => document.toString({ lineWidth: 0 }),
  };
}

/** A config key with its namespace. */
export function fullKey(key: string, project: string): string {
  const parts = key.split(":");
  if (parts.length === 3 && parts[1] === "config") return `${parts[0]}:${parts[2]}`;
  return parts.length === 1 ? `${project}:${key}` : key;
}
