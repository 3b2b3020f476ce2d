/** Stores and reads objects through pre-signed URLs, for the tests of Object Storage. */

import { type Answer, openSession, type Session } from "../../session.ts";

export const base = "/object-storage";

/** A session in the machine's own time, by which these tests sign requests and make certificates. */
export const openPresent = () => openSession({ startTime: new Date() });

/** A bucket's path. */
export const pathOf = (label: string, cluster = "us-east-1") => `${base}/buckets/${cluster}/${label}`;

export async function makeBucket(on: Session, label: string, fields: object = {}): Promise<string> {
  await on.post(`${base}/buckets`, { label, cluster: "us-east-1", ...fields });
  return pathOf(label);
}

export async function urlOf(on: Session, bucket: string, name: string, fields: object = {}): Promise<string> {
  return (await on.post(`${bucket}/object-url`, { name, ...fields })).url;
}

/** Uploads through a pre-signed URL. */
export async function upload(
  on: Session,
  bucket: string,
  name: string,
  body: string | Uint8Array,
  type = "text/plain",
): Promise<Response> {
  const url = await urlOf(on, bucket, name, { method: "PUT", content_type: type });
  return fetch(url, { method: "PUT", headers: { "content-type": type }, body });
}

export async function download(on: Session, bucket: string, name: string): Promise<Response> {
  return fetch(await urlOf(on, bucket, name));
}

export async function erase(on: Session, bucket: string, name: string): Promise<Response> {
  return fetch(await urlOf(on, bucket, name, { method: "DELETE" }), { method: "DELETE" });
}

/** The code of storage's own error answers. */
export async function codeOf(response: Response): Promise<string> {
  return /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1] ?? "";
}

/** Every object of a bucket, page by page. */
export async function allObjects(on: Session, bucket: string, query = "page_size=500"): Promise<Answer[]> {
  const found: Answer[] = [];
  let marker = "";
  do {
    const page = await on.get(`${bucket}/object-list?${query}&marker=${encodeURIComponent(marker)}`);
    found.push(...page.data);
    marker = page.next_marker ?? "";
  } while (marker !== "");
  return found;
}
