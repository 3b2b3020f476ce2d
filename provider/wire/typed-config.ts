/** The provider's configuration as stack config and SDKs send it, in the types that it has. */

import struct from "google-protobuf/google/protobuf/struct_pb.js";
import type { Catalogue, ValueMap } from "../core/protocol.ts";
import { isSecret, reveal, secret, type Value } from "../core/value.ts";
import { decodeValue } from "./struct.ts";

/** Values in the types that the catalogue declares: stack config and SDKs send everything that is not text as JSON text. */
export function typedConfig(values: ValueMap, config: Catalogue["config"]): ValueMap {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const type = config[name]?.schema["type"];
      const text = reveal(value);
      if (typeof type !== "string" || type === "string" || typeof text !== "string") return [name, value];
      const typed = parsed(text);
      return [name, isSecret(value) ? secret(typed) : typed];
    }),
  );
}

/** The value that the JSON text holds, secrets in it included; text that is no JSON stays, for the check to refuse it. */
function parsed(text: string): Value {
  try {
    return decodeValue(struct.Value.fromJavaScript(JSON.parse(text)));
  } catch {
    return text;
  }
}
