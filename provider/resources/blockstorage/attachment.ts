/** How a volume comes to and from a compute instance (contract section 2.10). Knows no field of a volume but the attachment's own. */

import { isAnswerLost, isApiError, type WireObject } from "../../core/service-port.ts";
import type { ActionContext } from "../../core/type/resource.ts";

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

/** How often a verb is sent whose answer is lost each time and which surely did nothing. */
const attempts = 3;

/** Posts a verb of the volume. When its answer is lost, what became of the volume tells whether it ran; it is sent again only when it did not. */
async function post(
  { service, path }: Context,
  verb: string,
  body: WireObject | undefined,
  hasRun: (volume: WireObject) => boolean,
): Promise<void> {
  for (let round = 1; ; round++) {
    try {
      await service.post(`${path}/${verb}`, body);
      return;
    } catch (error) {
      // A repeat may be refused because the first one ran after all, only later than it was looked for.
      const isOpen = isAnswerLost(error) || (round > 1 && isApiError(error, 400));
      if (!isOpen) throw error;
      if (hasRun(await service.getFresh(path))) return;
      if (!isAnswerLost(error) || round === attempts) throw error;
    }
  }
}

/** Detaches the volume if it is attached, and waits until it is. */
export async function detach(context: Context): Promise<void> {
  const { service, path, id, wait } = context;
  if (isDetached(await service.get(path))) return;
  await post(context, "detach", undefined, isDetached);
  await wait(path, `waiting for volume ${id} to be detached`, isDetached);
}

/** Detaches what is attached and attaches as declared; returns the volume as it is then, undefined when it must be read. */
export async function reattach(
  context: Context & { readonly inputs: Attachment },
): Promise<WireObject | undefined> {
  const { path, id, inputs, wait } = context;
  await detach(context);
  if (inputs.computeId === undefined) return undefined;
  const wanted = Number(inputs.computeId);
  const body = {
    compute_id: wanted,
    config_id: inputs.configId && Number(inputs.configId),
    persist_across_boots: inputs.persistAcrossBoots ?? true,
  };
  const isAttached = (volume: WireObject | undefined) => volume?.["compute_id"] === wanted;
  await post(context, "attach", body, isAttached);
  return wait(path, `waiting for volume ${id} to be attached`, isAttached);
}
