/** Files that a program hands over: their paths as this process finds them, and the hash by which the engine knows them again. */

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import {
  type Asset,
  archive,
  asset,
  isArchive,
  isAsset,
  mapValue,
  type Value,
  type ValueMap,
} from "../../core/value.ts";
import { readRegularFile } from "../../machine/regular-file.ts";

/** Bytes of a file. */
const largest = 1024 * 1024 * 1024;

export interface ContentOptions {
  /** Folder that the program runs in. */
  readonly folder: string;
  /** Reads an address; absent: it is read when it is needed. */
  readonly fetch?: (address: string) => Promise<Uint8Array>;
}

/** The inputs with every asset hashed. Rejects for a file that cannot be read. */
export async function withContents(inputs: ValueMap, options: ContentOptions): Promise<ValueMap> {
  const known = new Map<Asset, Asset>();
  const found: Asset[] = [];
  const seek = (value: Value): Value => {
    if (isAsset(value)) found.push(value);
    if (isArchive(value)) for (const each of Object.values(value.assets ?? {})) seek(each);
    return value;
  };
  mapValue(inputs, seek);
  await Promise.all(found.map(async (each) => known.set(each, await hashed(each, options))));
  const replace = (value: Value): Value => {
    if (isAsset(value)) return known.get(value) ?? value;
    if (!isArchive(value)) return value;
    const { assets } = value;
    if (value.path !== undefined) return archive({ ...value, path: placed(value.path, options) });
    if (assets === undefined) return value;
    const members = Object.entries(assets).map(([name, each]) => [name, replace(each)]);
    return archive({ assets: Object.fromEntries(members) as NonNullable<typeof assets> });
  };
  return mapValue(inputs, replace) as ValueMap;
}

/** As written where this process stands in the program's folder, else absolute. */
const placed = (path: string, { folder }: ContentOptions): string =>
  folder === process.cwd() ? path : resolve(folder, path);

async function hashed(value: Asset, options: ContentOptions): Promise<Asset> {
  const { text, path, uri } = value;
  if (text !== undefined) return asset({ text, hash: hashOf(text) });
  if (path !== undefined) {
    const content = await readRegularFile(resolve(options.folder, path), largest).catch((cause: unknown) => {
      const isMissing = (cause as { code?: unknown }).code === "ENOENT";
      const reason = isMissing ? "there is no such file" : (cause as Error).message;
      throw new Error(`cannot read ${path}: ${reason}`, { cause });
    });
    return asset({ path: placed(path, options), hash: hashOf(content) });
  }
  if (uri === undefined || options.fetch === undefined) return value;
  return asset({ uri, hash: hashOf(await options.fetch(uri)) });
}

const hashOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
