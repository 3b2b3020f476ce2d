/** Access keys for the S3-compatible interface (contract sections 2.6 and 6; notes, section 6): a secret is told once. */

import { type Call, type Handler, notFound, type Reason, refuseAll, type World } from "../../area.ts";
import { balanceReasons, enrol } from "./account.ts";
import { findStorageCluster } from "./clusters.ts";
import { type AccessKey, accessKeys, type BucketAccess, findBucket } from "./stored.ts";

const redacted = "[REDACTED]";
const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const letters = `${capitals}${capitals.slice(0, 26).toLowerCase()}`;

function randomText(world: World, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[world.integer(0, alphabet.length - 1)]).join("");
}

function showKey(key: AccessKey, secret = redacted) {
  const { id, label, access_key, bucket_access } = key;
  return { id, label, access_key, secret_key: secret, limited: bucket_access !== null, bucket_access };
}

function reachKey(call: Call): AccessKey {
  return accessKeys(call.world).get(call.id("keyId")) ?? notFound();
}

function tell(world: World, action: "create" | "update" | "delete", { id, label }: AccessKey): void {
  world.events.emit({
    action: `obj_access_key_${action}`,
    entity: { id, label, type: "obj_access_key", url: `/v4/object-storage/keys/${id}` },
  });
}

function accessReasons(world: World, wanted: readonly BucketAccess[]): Reason[] {
  return wanted.flatMap(({ cluster, bucket_name }, index): Reason[] => {
    const field = (name: string) => `bucket_access[${index}].${name}`;
    if (!findStorageCluster(cluster)) return [{ reason: "cluster is not valid", field: field("cluster") }];
    if (!findBucket(world, cluster, bucket_name))
      return [{ reason: `You have no bucket ${bucket_name} in ${cluster}`, field: field("bucket_name") }];
    return [];
  });
}

function createReasons({ world, body }: Call): Reason[] {
  return [...balanceReasons(world), ...accessReasons(world, body["bucket_access"] ?? [])];
}

function create(call: Call) {
  const { world, body } = call;
  refuseAll(createReasons(call));
  const key = accessKeys(world).insert({
    label: body["label"] ?? "",
    access_key: randomText(world, capitals, 20),
    bucket_access: body["bucket_access"] ?? null,
    _secret: randomText(world, letters, 40),
  });
  enrol(world);
  tell(world, "create", key);
  return showKey(key, key._secret);
}

function update(call: Call) {
  const key = reachKey(call);
  const changed = accessKeys(call.world).update(key.id, { label: call.body["label"] ?? key.label });
  tell(call.world, "update", changed);
  return showKey(changed);
}

function revoke(call: Call) {
  const key = reachKey(call);
  accessKeys(call.world).delete(key.id);
  tell(call.world, "delete", key);
  return {};
}

const base = "/object-storage/keys";

export const keyHandlers: { readonly [operation: string]: Handler } = {
  [`GET ${base}`]: ({ world }) =>
    accessKeys(world)
      .all()
      .map((key) => showKey(key)),
  [`POST ${base}`]: create,
  [`GET ${base}/{keyId}`]: (call) => showKey(reachKey(call)),
  [`PUT ${base}/{keyId}`]: update,
  [`DELETE ${base}/{keyId}`]: revoke,
};

export const keyJudges: { readonly [operation: string]: (call: Call) => readonly Reason[] } = {
  [`POST ${base}`]: createReasons,
  [`PUT ${base}/{keyId}`]: (call) => {
    reachKey(call);
    return [];
  },
};
