/** Properties on the wire as plain JSON, with outputs written out: a program that is handed them has an Output for what is secret, unknown, or comes from other resources. */

import struct, { type JavaScriptValue, type Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { signatureKey, signatures, unknownString } from "../../../core/engines/signature.ts";
import type { Urn } from "../../../core/protocol.ts";

type Json = JavaScriptValue;
type JsonObject = { [name: string]: Json };
type DependenciesByProperty = ReadonlyMap<string, readonly Urn[]>;

/** The properties with outputs for what is secret or unknown, and for those that have dependencies here. */
export function withOutputs(properties: Struct, dependencies: DependenciesByProperty): Struct {
  const written = Object.entries(properties.toJavaScript()).map(([name, value]): [string, Json] => {
    const output = upgraded(value);
    const own = dependencies.get(name) ?? [];
    return [name, own.length === 0 ? output : dependingOn(output, own)];
  });
  return struct.Struct.fromJavaScript(Object.fromEntries(written));
}

/** By property: the resources that outputs anywhere in it depend on. */
export function outputDependencies(properties: Struct): Map<string, Urn[]> {
  return new Map(
    Object.entries(properties.toJavaScript()).map(([name, value]) => [name, [...dependenciesIn(value)]]),
  );
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isOutput = (value: Json): value is JsonObject =>
  isObject(value) && value[signatureKey] === signatures.output;

function upgraded(value: Json): Json {
  if (value === unknownString) return { [signatureKey]: signatures.output };
  if (Array.isArray(value)) return value.map(upgraded);
  if (!isObject(value)) return value;
  if (value[signatureKey] === signatures.secret) {
    const inner = upgraded(value["value"] ?? null);
    const output = isOutput(inner) ? inner : { [signatureKey]: signatures.output, value: inner };
    return { ...output, secret: true };
  }
  if (value[signatureKey] !== undefined) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, upgraded(part)]));
}

function dependingOn(value: Json, urns: readonly Urn[]): Json {
  const output = isOutput(value) ? value : { [signatureKey]: signatures.output, value };
  return { ...output, dependencies: [...new Set([...dependenciesIn(output), ...urns])] };
}

function dependenciesIn(value: Json): Set<Urn> {
  if (Array.isArray(value)) return new Set(value.flatMap((part) => [...dependenciesIn(part)]));
  if (!isObject(value)) return new Set();
  const { dependencies, ...parts } = value;
  const found = Object.values(isOutput(value) ? parts : value).flatMap((part) => [...dependenciesIn(part)]);
  return new Set(isOutput(value) ? [...((dependencies ?? []) as Urn[]), ...found] : found);
}
