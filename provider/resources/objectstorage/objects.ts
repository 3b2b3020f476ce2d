/** The objects of a bucket: listed page by page, and reached by pre-signed URLs (contract section 2.6). Knows no type. */

import { isAnswerLost, type ServicePort, type WireObject } from "../../core/service-port.ts";

/** The most that the contract allows on one page (section 8). */
const pageSize = 500;

/** Which objects of a bucket to list, and how their names are cut. */
export interface Selection {
  readonly prefix?: string | undefined;
  readonly delimiter?: string | undefined;
}

/** The pages of a bucket's list, each asked for when the one before was used. What is deleted meanwhile shifts nothing: markers are names. */
export async function* pagesOf(service: ServicePort, bucket: string, selection: Selection = {}) {
  let marker: string | undefined;
  do {
    const query = Object.entries({ page_size: pageSize, ...selection, marker })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
    const page = await service.getFresh(`${bucket}/object-list?${query.join("&")}`);
    yield page["data"] as readonly WireObject[];
    const next = page["next_marker"] as string | null;
    if (next !== null && next === marker)
      throw new Error("the list of objects does not end: a page names itself as the next one");
    marker = next ?? undefined;
  } while (marker !== undefined);
}

/** How often a URL is asked for whose answer is lost each time; making one changes nothing. */
const attempts = 3;

/** A pre-signed URL and whether its object exists. `request` is the body of the contract's. */
export async function signed(service: ServicePort, bucket: string, request: WireObject): Promise<WireObject> {
  for (let round = 1; ; round++) {
    try {
      return await service.post(`${bucket}/object-url`, request);
    } catch (error) {
      if (!isAnswerLost(error) || round === attempts) throw error;
    }
  }
}

/** Stores one object, over what is there; its access list is private then. */
export async function uploadObject(
  service: ServicePort,
  bucket: string,
  object: { readonly name: string; readonly contentType: string; readonly body: Uint8Array },
): Promise<void> {
  const { name, contentType, body } = object;
  const { url } = await signed(service, bucket, { name, method: "PUT", content_type: contentType });
  const what = `object "${name}" of ${bucket}`;
  await service.sendSigned({ method: "PUT", url: String(url), what, contentType, body });
}

/** Deletes one object; one that is gone already counts as deleted. */
export async function deleteObject(service: ServicePort, bucket: string, name: string): Promise<void> {
  const { url } = await signed(service, bucket, { name, method: "DELETE" });
  await service.sendSigned({ method: "DELETE", url: String(url), what: `object "${name}" of ${bucket}` });
}

/** Deletes every object that the bucket lists; returns how many. When some cannot be deleted, the others are, then the first failure is thrown. */
export async function empty(
  service: ServicePort,
  bucket: string,
  onProgress: (deleted: number) => void,
): Promise<number> {
  let deleted = 0;
  for await (const page of pagesOf(service, bucket)) {
    const ends = await Promise.allSettled(
      page.map(({ name }) => deleteObject(service, bucket, String(name))),
    );
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    deleted += page.length;
    onProgress(deleted);
  }
  return deleted;
}
