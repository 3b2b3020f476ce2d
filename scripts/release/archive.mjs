/** Archives that are the same bytes for the same files: one time for all, and nothing of whoever packs them. */

import { create } from "tar";

/** Writes files of a folder as a `.tar.gz`; with a prefix they are in a folder of that name. */
export function packed(file, folder, files, { prefix } = {}) {
  const same = { portable: true, mtime: new Date(0), gzip: { level: 9, portable: true } };
  return create({ ...same, cwd: folder, file, ...(prefix && { prefix }) }, files);
}
