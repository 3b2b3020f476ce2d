/** How a volume comes to and from a compute instance (contract section 2.10). Knows no field of a volume but the attachment's own. */

import type { ActionContext } from "../../core/resource.ts";
import type { WireObject } from "../../core/service-port.ts";

interface Attachment {
  readonly computeId?: string;
  readonly configId?: string;
  readonly persistAcrossBoots?: boolean;
}

type Context = Pick<ActionContext<never>, "service" | "wait"> & {
  readonly path: string;
  readonly id: string;
};

const isDetached = (volume: WireObject | undefined) => volume === undefined || volume["compute_id"] == null;

/** Detaches the volume if it is attached, and waits until it is. */
export async function detach({ service, path, id, wait }: Context): Promise<void> {
  if (isDetached(await service.get(path))) return;
  await service.post(`${path}/detach`);
  await wait(path, `waiting for volume ${id} to be detached`, isDetached);
}

/** Detaches what is attached and attaches as declared; returns the volume as it is then, undefined when it must be read. */
export async function reattach(
  context: Context & { readonly inputs: Attachment },
): Promise<WireObject | undefined> {
  const { service, path, id, inputs, wait } = context;
  await detach(context);
  if (inputs.computeId === undefined) return undefined;
  const wanted = Number(inputs.computeId);
  await service.post(`${path}/attach`, {
    compute_id: wanted,
    config_id: inputs.configId && Number(inputs.configId),
    persist_across_boots: inputs.persistAcrossBoots ?? true,
  });
  const isAttached = (volume: WireObject | undefined) => volume?.["compute_id"] === wanted;
  return wait(path, `waiting for volume ${id} to be attached`, isAttached);
}
