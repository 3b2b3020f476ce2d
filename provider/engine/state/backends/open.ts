/** Opens the backend that an address names; what only one kind needs is loaded for that kind alone. */

import type { StateBackend } from "../backend.ts";
import { type Machine, thisMachine } from "../owner.ts";
import type { StateAddress } from "./address.ts";
import { createStateFolder } from "./folder/folder.ts";

export interface BackendOptions {
  readonly machine?: Machine;
  readonly now?: () => Date;
}

/** Resolves to what opens the backend, as often as asked; nothing is read or written yet. */
export async function backendOpener(
  address: StateAddress,
  { machine = thisMachine(), now = () => new Date() }: BackendOptions = {},
): Promise<() => StateBackend> {
  if (address.kind === "s3") {
    const { createS3Backend } = await import("./s3/index.ts");
    return () => createS3Backend({ address, machine, now });
  }
  if (address.kind === "postgres") {
    const { createPostgresBackend } = await import("./postgres/index.ts");
    return () => createPostgresBackend({ address, machine, now });
  }
  return () => createStateFolder({ ...address, machine, now });
}
