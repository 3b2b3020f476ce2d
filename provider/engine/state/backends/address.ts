/** Where states are, as a user writes it: the path of a folder, or a URL whose scheme says what keeps them. Opens nothing. */

import { homedir } from "node:os";
import { resolve } from "node:path";
import { EngineError } from "../../failure.ts";

/** A place that was told apart from every other, with what its kind needs. */
export type StateAddress = FolderAddress;

export interface FolderAddress {
  readonly kind: "folder";
  /** Absolute. */
  readonly folder: string;
}

/** By scheme. Each gets what stands behind `://`. */
const schemes: { readonly [scheme: string]: (rest: string, base: string) => StateAddress } = {
  file: (rest, base) => ({ kind: "folder", folder: folderOf(rest, base) }),
};

const known = Object.keys(schemes)
  .map((scheme) => `${scheme}://`)
  .join(", ");

/** Reads an address; paths are relative to the folder `base`. Throws EngineError `usage`, without any secret of the text. */
export function parseAddress(text: string, base: string): StateAddress {
  const [, scheme, rest] = /^([A-Za-z][A-Za-z0-9+.-]+):\/\/(.*)$/s.exec(text) ?? [];
  if (scheme === undefined || rest === undefined) return { kind: "folder", folder: resolve(base, text) };
  const parse = schemes[scheme.toLowerCase()];
  if (parse !== undefined) return parse(rest, base);
  throw new EngineError(
    "usage",
    `no states can be kept in "${scheme}://": give an address that begins with ${known}, or the path of a folder`,
  );
}

/** As Pulumi reads it: `~` is the home folder, and what does not begin with `/` is relative. */
function folderOf(rest: string, base: string): string {
  const path = rest.replace(/^~(?=\/|$)/, () => homedir());
  return resolve(base, path);
}
