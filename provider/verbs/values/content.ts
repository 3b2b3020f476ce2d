/** The bytes of an asset, read where it says they are, and held against its hash. The one place where the provider reads what resources hold. */

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Asset } from "../../core/value.ts";
import { readRegularFile, refuseLinkOut } from "../../machine/regular-file.ts";
import { download } from "../../service/http/download.ts";

const LARGEST = 1024 * 1024 * 1024;

/** The hash under which contents are compared: SHA-256, hexadecimal. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * The bytes of an asset. Relative paths start at the folder in which the process runs, which both engines make that of the project.
 * Throws when the content cannot be read, and when it is not any more what its hash says, so that nothing is stored that no plan showed.
 */
export async function bytesOf(asset: Asset, signal?: AbortSignal): Promise<Uint8Array> {
  const { bytes, from } = await read(asset, signal);
  if (asset.hash !== undefined && hashOf(bytes) !== asset.hash) {
    throw new Error(
      `the content of ${from} has changed since it was looked at: run again, to see the change`,
    );
  }
  return bytes;
}

async function read({ text, path, uri }: Asset, signal: AbortSignal | undefined) {
  if (path !== undefined) return { bytes: await readPath(path, path), from: path };
  if (uri !== undefined) return { bytes: await readAddress(uri, signal), from: uri };
  if (text !== undefined) return { bytes: new TextEncoder().encode(text), from: "the text" };
  throw new Error("the asset has no content: give its text, its path or its address");
}

function readAddress(uri: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const protocol = URL.canParse(uri) ? new URL(uri).protocol : "";
  if (protocol === "file:") return readPath(fileURLToPath(uri), uri);
  if (protocol === "data:")
    return fetch(uri).then(async (answer) => new Uint8Array(await answer.arrayBuffer()));
  if (protocol === "http:" || protocol === "https:") return download(uri, signal);
  throw new Error(
    `${uri} cannot be read: an asset's address starts with https://, http://, file:// or data:`,
  );
}

async function readPath(path: string, name: string): Promise<Uint8Array> {
  const absolute = resolve(path);
  try {
    await refuseLinkOut(process.cwd(), absolute);
    return await readRegularFile(absolute, LARGEST);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const reason = code === "ENOENT" ? `there is no such file (looked for ${absolute})` : message;
    throw new Error(`${name} cannot be read: ${reason}`, { cause: error });
  }
}
