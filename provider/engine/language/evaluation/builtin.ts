/** What the built-in functions compute from known arguments; knows neither expressions nor places. Reads files only through what it is given. */

import { createHash } from "node:crypto";
import { isAbsolute, relative, resolve } from "node:path";
import { type Archive, type Asset, archive, asset, isValueMap, type Value } from "../../../core/value.ts";
import { fileFault } from "../../../core/wording.ts";
import type { BuiltinName } from "../syntax/builtin-name.ts";
import { writeJson } from "./written.ts";

/** The project's files, as built-ins may use them. */
export interface ProjectFiles {
  /** Absolute folder of the stack file; relative paths start there. */
  readonly folder: string;
  /** Rejects when there is no such file. `path` is absolute. */
  readonly read: (path: string) => Promise<Uint8Array>;
  /** What is there: a file, a folder or nothing; rejects for what may not be used. `path` is absolute. */
  readonly kindOf: (path: string) => Promise<"file" | "folder" | "nothing">;
  /** What is at an address. Absent: nobody looks, so a change there is not seen. */
  readonly fetch?: (address: string) => Promise<Uint8Array>;
}

/** An argument that the function cannot take; `argument` counts from 0. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
  readonly argument: number;
  constructor(argument: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.argument = argument;
  }
}

/** Built-ins whose result follows from their arguments (and files) alone; `secret` and `stackReference` need more. */
export type ComputedBuiltin = Exclude<BuiltinName, "secret" | "stackReference">;

/** Computes a built-in. Arguments hold no unknowns and no secret marks. Throws ArgumentError. */
export async function computeBuiltin(
  name: ComputedBuiltin,
  args: readonly Value[],
  files: ProjectFiles,
): Promise<Value> {
  const [first = null, second = null] = args;
  switch (name) {
    case "join":
      return join(first, second);
    case "split":
      return textOf(name, second, 1).split(textOf(name, first, 0));
    case "select":
      return select(first, second);
    case "toJSON": {
      const json = writeJson(first);
      if (json === undefined)
        throw new ArgumentError(
          0,
          "fn::toJSON cannot write an asset or a whole resource: name the properties that you want",
        );
      return json;
    }
    case "toBase64":
      return Buffer.from(textOf(name, first, 0), "utf8").toString("base64");
    case "fromBase64":
      return fromBase64(textOf(name, first, 0));
    case "readFile":
      return readText(textOf(name, first, 0), files);
    case "stringAsset": {
      const text = textOf(name, first, 0);
      return asset({ text, hash: hashOf(text) });
    }
    case "fileAsset":
      return fileAsset(textOf(name, first, 0), files);
    case "remoteAsset":
      return remoteAsset(addressOf(name, first), files);
    case "remoteArchive":
      return archive({ uri: addressOf(name, first) });
    case "fileArchive":
      return fileArchive(textOf(name, first, 0), files);
    case "assetArchive":
      if (!isValueMap(first)) throw new ArgumentError(0, "fn::assetArchive takes an object");
      return archive({ assets: first as { readonly [path: string]: Asset | Archive } });
  }
}

function describe(value: Value): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (isValueMap(value)) return "an object";
  return typeof value === "object" ? "an asset or a resource" : `a ${typeof value}`;
}

function textOf(name: string, value: Value, argument: number): string {
  if (typeof value === "string") return value;
  throw new ArgumentError(argument, `fn::${name} takes text here, and this is ${describe(value)}`);
}

function join(separator: Value, list: Value): string {
  const between = separator === null ? "" : textOf("join", separator, 0);
  if (!Array.isArray(list))
    throw new ArgumentError(1, `fn::join takes a list to join, and this is ${describe(list)}`);
  const wrong = list.findIndex((item) => typeof item !== "string");
  if (wrong !== -1) {
    const hint = typeof list[wrong] === "object" ? "" : ': write it in quotes, or within text like "${name}"';
    throw new ArgumentError(
      1,
      `fn::join takes a list of texts, and item ${wrong} is ${describe(list[wrong] as Value)}${hint}`,
    );
  }
  return list.join(between);
}

function select(index: Value, list: Value): Value {
  if (typeof index !== "number")
    throw new ArgumentError(0, `the index of fn::select must be a number, and this is ${describe(index)}`);
  if (!Number.isInteger(index) || index < 0)
    throw new ArgumentError(0, `the index of fn::select counts from 0, and this is ${index}`);
  if (!Array.isArray(list))
    throw new ArgumentError(1, `fn::select takes a list to select from, and this is ${describe(list)}`);
  if (index >= list.length) {
    throw new ArgumentError(
      0,
      `index ${index} is outside the list: it has ${list.length} ${list.length === 1 ? "item" : "items"}`,
    );
  }
  return list[index] as Value;
}

function fromBase64(text: string): string {
  const packed = text.replace(/[\r\n]/g, "");
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(packed)) {
    throw new ArgumentError(
      0,
      "this is not Base64: it is written in groups of four of A-Z, a-z, 0-9, + and /, filled up with =",
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(packed, "base64"));
  } catch (cause) {
    throw new ArgumentError(0, "what this Base64 holds is not UTF-8 text", { cause });
  }
}

function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function addressOf(name: string, value: Value): string {
  const address = textOf(name, value, 0);
  if (!/^(https?|file):\/\//.test(address))
    throw new ArgumentError(0, `fn::${name} takes an address that starts with https://, http:// or file://`);
  return address;
}

/** Path as an asset keeps it: as written when the process stands in the project's folder, else absolute. */
function assetPath(path: string, files: ProjectFiles): { readonly kept: string; readonly absolute: string } {
  const absolute = resolve(files.folder, path);
  return { kept: files.folder === process.cwd() ? path : absolute, absolute };
}

async function fileAsset(path: string, files: ProjectFiles): Promise<Value> {
  const { kept, absolute } = assetPath(path, files);
  const kind = await kindOf(absolute, path, files);
  if (kind === "folder") throw new ArgumentError(0, `${path} is a folder: use fn::fileArchive for it`);
  const content = kind === "nothing" ? undefined : await readBytes(absolute, path, files);
  if (content === undefined) throw new ArgumentError(0, `there is no file ${path} (looked for ${absolute})`);
  return asset({ path: kept, hash: hashOf(content) });
}

async function remoteAsset(uri: string, files: ProjectFiles): Promise<Value> {
  if (files.fetch === undefined) return asset({ uri });
  const content = await files.fetch(uri).catch((cause: unknown) => {
    throw new ArgumentError(0, cause instanceof Error ? cause.message : String(cause), { cause });
  });
  return asset({ uri, hash: hashOf(content) });
}

async function fileArchive(path: string, files: ProjectFiles): Promise<Value> {
  const { kept, absolute } = assetPath(path, files);
  if ((await kindOf(absolute, path, files)) === "nothing")
    throw new ArgumentError(0, `there is no file or folder ${path} (looked for ${absolute})`);
  return archive({ path: kept });
}

async function kindOf(
  absolute: string,
  path: string,
  files: ProjectFiles,
): ReturnType<ProjectFiles["kindOf"]> {
  try {
    return await files.kindOf(absolute);
  } catch (cause) {
    throw new ArgumentError(0, `cannot read ${path}: ${fileFault(cause)}`, { cause });
  }
}

async function readText(path: string, files: ProjectFiles): Promise<string> {
  const absolute = resolve(files.folder, path);
  const fromFolder = relative(files.folder, absolute);
  if (!isAbsolute(path) && (fromFolder === ".." || /^\.\.[/\\]/.test(fromFolder) || isAbsolute(fromFolder))) {
    throw new ArgumentError(
      0,
      `${path} is outside the project's folder: give its absolute path, for example \${pulumi.cwd}/${path}`,
    );
  }
  return new TextDecoder().decode(await readBytes(absolute, path, files));
}

async function readBytes(absolute: string, path: string, files: ProjectFiles): Promise<Uint8Array> {
  try {
    return await files.read(absolute);
  } catch (cause) {
    throw new ArgumentError(0, `cannot read ${path}: ${fileFault(cause)}`, { cause });
  }
}
