/** Property values on the wire: google.protobuf.Struct with Pulumi's sentinels to our values and back. It knows nothing of resources. */

import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { signatureKey, signatures, unknownString } from "../core/engines/signature.ts";
import type { Archive, Asset, ResourceReference, Secret, Value, ValueMap } from "../core/value.ts";
import {
  archive,
  asset,
  isArchive,
  isAsset,
  isResourceReference,
  isSecret,
  isUnknown,
  resourceReference,
  reveal,
  secret,
  unknown,
} from "../core/value.ts";

type WireStruct = struct.Struct;
type WireValue = struct.Value;

const unknownStrings = new Set([
  unknownString,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** The properties of a struct; an absent struct has none. */
export function decodeProperties(properties: WireStruct | undefined): ValueMap {
  if (properties === undefined) return {};
  return Object.fromEntries(decodeFields(properties));
}

function decodeFields(properties: WireStruct): [string, Value][] {
  const fields: [string, Value][] = [];
  properties.getFieldsMap().forEach((value, name) => {
    fields.push([name, decodeValue(value)]);
  });
  return fields;
}

/** One value; an unset one is null. */
export function decodeValue(value: WireValue): Value {
  switch (value.getKindCase()) {
    case struct.Value.KindCase.BOOL_VALUE:
      return value.getBoolValue();
    case struct.Value.KindCase.NUMBER_VALUE:
      return value.getNumberValue();
    case struct.Value.KindCase.STRING_VALUE: {
      const text = value.getStringValue();
      return unknownStrings.has(text) ? unknown : text;
    }
    case struct.Value.KindCase.LIST_VALUE:
      return value.getListValue()!.getValuesList().map(decodeValue);
    case struct.Value.KindCase.STRUCT_VALUE:
      return decodeObject(value.getStructValue()!);
    default:
      return null;
  }
}

function decodeObject(object: WireStruct): Value {
  const signature = object.getFieldsMap().get(signatureKey)?.getStringValue();
  if (signature === undefined) return Object.fromEntries(decodeFields(object));
  const fields: { [name: string]: Value | undefined } = Object.fromEntries(decodeFields(object));
  switch (signature) {
    case signatures.secret:
      return secret(fields["value"] ?? null);
    case signatures.asset:
      return asset(textFields(fields, ["text", "path", "uri", "hash"]));
    case signatures.archive: {
      const content = textFields(fields, ["path", "uri", "hash"]);
      const assets = fields["assets"] as { readonly [name: string]: Asset | Archive } | undefined;
      return archive(assets === undefined ? content : { ...content, assets });
    }
    case signatures.resource: {
      const id = fields["id"];
      const urn = String(fields["urn"] ?? "");
      if (id === undefined) return resourceReference(urn);
      return resourceReference(urn, typeof id === "string" && id !== "" ? id : unknown);
    }
    case signatures.output: {
      const value = reveal(fields["value"] === undefined ? unknown : fields["value"]);
      return fields["secret"] === true ? secret(value) : (fields["value"] ?? value);
    }
    default:
      throw new Error(`a value of an unknown kind (${signature}) came from the engine`);
  }
}

/** The named fields that are text; empty text means absent, but for an asset's `text`. */
function textFields(fields: { readonly [name: string]: Value | undefined }, names: readonly string[]) {
  return Object.fromEntries(
    names
      .map((name) => [name, fields[name]] as const)
      .filter(([name, value]) => typeof value === "string" && (value !== "" || name === "text")),
  ) as { text?: string; path?: string; uri?: string; hash?: string };
}

export interface EncodeOptions {
  /** False when the engine takes no secrets: their values go bare. Default true. */
  readonly keepSecrets?: boolean;
}

/** A struct of the properties; `undefined` members are left out. Throws on numbers that the wire cannot carry and on what is no value at all. */
export function encodeProperties(properties: ValueMap, options: EncodeOptions = {}): WireStruct {
  const encoded = new struct.Struct();
  const fields = encoded.getFieldsMap();
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined) fields.set(name, encodeValue(value, options));
  }
  return encoded;
}

/** One value; see `encodeProperties`. */
function encodeValue(value: Value, options: EncodeOptions = {}): WireValue {
  const encoded = new struct.Value();
  switch (typeof value) {
    case "string":
      encoded.setStringValue(value);
      return encoded;
    case "boolean":
      encoded.setBoolValue(value);
      return encoded;
    case "number":
      if (!Number.isFinite(value)) throw new Error(`${value} is no number that the engine can take`);
      encoded.setNumberValue(value);
      return encoded;
    case "object":
      break;
    default:
      throw new Error(`a ${typeof value} is no property value`);
  }
  if (value === null) {
    encoded.setNullValue(struct.NullValue.NULL_VALUE);
    return encoded;
  }
  if (Array.isArray(value)) {
    const list = new struct.ListValue();
    list.setValuesList(value.map((item) => encodeValue((item ?? null) as Value, options)));
    encoded.setListValue(list);
    return encoded;
  }
  if (isUnknown(value)) {
    encoded.setStringValue(unknownString);
    return encoded;
  }
  if (isSecret(value) && options.keepSecrets === false) return encodeValue(value.value, options);
  encoded.setStructValue(encodeProperties(fieldsOf(value as ObjectLike), options));
  return encoded;
}

type ObjectLike = ValueMap | Secret | Asset | Archive | ResourceReference;

/** The fields that stand on the wire for an object or a special value. */
function fieldsOf(value: ObjectLike): ValueMap {
  if (isSecret(value)) return { [signatureKey]: signatures.secret, value: value.value };
  if (isAsset(value)) return { [signatureKey]: signatures.asset, ...value };
  if (isArchive(value)) {
    return Object.fromEntries<Value>([[signatureKey, signatures.archive], ...Object.entries(value)]);
  }
  if (isResourceReference(value)) {
    const { urn, id } = value;
    const fields = { [signatureKey]: signatures.resource, urn };
    return id === undefined ? fields : { ...fields, id: isUnknown(id) ? "" : id };
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new Error(`a ${prototype?.constructor?.name ?? "strange object"} is no property value`);
  }
  return value as ValueMap;
}
