/** Object Storage: clusters, buckets, their access, objects and certificates (contract sections 2.6, 3, 4.4 and 7; notes, section 6). */

import { type Area, type Call, notFound, type Reason, refuse, refuseAll, type World } from "../../area.ts";
import { endEnrolment } from "./account.ts";
import { aclXml, corsXml } from "./acl.ts";
import { bucketReasons, makeBucket } from "./buckets.ts";
import { certificateReasons } from "./certificate.ts";
import { findStorageCluster, type StorageCluster, showStorageCluster, storageClusters } from "./clusters.ts";
import { keyHandlers, keyJudges } from "./keys.ts";
import { listObjects } from "./listing.ts";
import { nameProblem } from "./names.ts";
import { serveObject, transferUsed } from "./serve.ts";
import { objectTemplate, presignedUrl, serviceSigner } from "./signature.ts";
import {
  accessKeys,
  type Bucket,
  buckets,
  findBucket,
  findObject,
  objects,
  objectsOf,
  type StoredObject,
  showBucket,
  storageOwner,
} from "./stored.ts";

const defaultPage = 100;
const defaultExpiry = 3600;

function reachCluster(call: Call): StorageCluster {
  return findStorageCluster(call.params["clusterId"] ?? "") ?? notFound();
}

function reachBucket(call: Call): Bucket {
  return findBucket(call.world, reachCluster(call).id, call.params["bucket"] ?? "") ?? notFound();
}

function reachObject(call: Call, name: string): StoredObject {
  return findObject(call.world, reachBucket(call), name) ?? notFound();
}

const createReasons = ({ world, body }: Call): Reason[] =>
  bucketReasons(world, body["cluster"], body["label"]);

function create(call: Call) {
  const { world, body } = call;
  refuseAll(createReasons(call));
  const { cluster, label, acl = "private", cors_enabled = false } = body;
  return showBucket(world, makeBucket(world, cluster, label, { acl, cors_enabled }));
}

function remove(call: Call) {
  const bucket = reachBucket(call);
  const held = objectsOf(call.world, bucket).length;
  if (held > 0) refuse(`The bucket holds ${held} object${held === 1 ? "" : "s"}: remove what it holds first`);
  buckets(call.world).delete(bucket.id);
  return {};
}

function showAccess(call: Call) {
  const { acl, cors_enabled } = reachBucket(call);
  return {
    acl,
    acl_xml: aclXml(acl, storageOwner(call.world)),
    cors_enabled,
    cors_xml: corsXml(cors_enabled),
  };
}

/** POST changes the given fields, PUT puts absent ones back to their defaults (readings, section 2.6). */
function setAccess(call: Call, absent: (bucket: Bucket) => Pick<Bucket, "acl" | "cors_enabled">) {
  const bucket = reachBucket(call);
  const { acl, cors_enabled } = { ...absent(bucket), ...call.body };
  buckets(call.world).update(bucket.id, { acl, cors_enabled });
  return {};
}

function list(call: Call) {
  const { world, query } = call;
  const bucket = reachBucket(call);
  return listObjects(objectsOf(world, bucket), storageOwner(world), {
    prefix: query.get("prefix") ?? "",
    delimiter: query.get("delimiter") ?? "",
    marker: query.get("marker") ?? "",
    size: Number(query.get("page_size") || defaultPage),
  });
}

function showObjectAcl(world: World, { acl }: StoredObject) {
  return { acl, acl_xml: aclXml(acl, storageOwner(world)) };
}

function setObjectAcl(call: Call) {
  const object = reachObject(call, call.body["name"]);
  return showObjectAcl(call.world, objects(call.world).update(object.id, { acl: call.body["acl"] }));
}

function urlReasons({ body }: Call): Reason[] {
  const reasons: Reason[] = [];
  const problem = nameProblem(body["name"] ?? "");
  if (problem) reasons.push({ reason: problem, field: "name" });
  if (!["GET", "DELETE"].includes(body["method"] ?? "GET") && !body["content_type"])
    reasons.push({ reason: "content_type is required", field: "content_type" });
  return reasons;
}

/** The URL leads to the emulator itself, which serves the object there. */
function createUrl(call: Call) {
  const { world, body, origin } = call;
  const bucket = reachBucket(call);
  refuseAll(urlReasons(call));
  const now = Math.floor(world.clock.now().getTime() / 1000);
  const url = presignedUrl(serviceSigner(world), origin, bucket, {
    method: body["method"] ?? "GET",
    name: body["name"],
    contentType: body["content_type"] ?? "",
    expires: now + (body["expires_in"] ?? defaultExpiry),
  });
  return { url, exists: findObject(world, bucket, body["name"]) !== undefined };
}

const showCertificate = (bucket: Bucket) => ({ ssl: bucket._certificate !== null });

function uploadReasons(call: Call): Reason[] {
  const bucket = reachBucket(call);
  const reasons = certificateReasons(bucket.label, call.world.clock.now(), call.body);
  if (bucket._certificate !== null)
    reasons.push({ reason: "The bucket has a certificate: delete it before you upload another" });
  return reasons;
}

function upload(call: Call) {
  refuseAll(uploadReasons(call));
  const bucket = reachBucket(call);
  return showCertificate(buckets(call.world).update(bucket.id, { _certificate: call.body["certificate"] }));
}

function removeCertificate(call: Call) {
  const bucket = reachBucket(call);
  if (bucket._certificate === null) notFound();
  buckets(call.world).update(bucket.id, { _certificate: null });
  return {};
}

/** Everything goes irretrievably: objects, buckets, keys, and the enrolment. */
function cancel({ world }: Call) {
  for (const collection of [objects(world), buckets(world), accessKeys(world)])
    for (const { id } of collection.all()) collection.delete(id);
  endEnrolment(world);
  return {};
}

const base = "/object-storage";
const one = `${base}/buckets/{clusterId}/{bucket}`;
const bucketExists = (call: Call): Reason[] => {
  reachBucket(call);
  return [];
};

export const objectStorageArea: Area = {
  name: "objectstorage",
  handlers: {
    [`GET ${base}/clusters`]: ({ world }) =>
      storageClusters.map((cluster) => showStorageCluster(world, cluster)),
    [`GET ${base}/clusters/{clusterId}`]: (call) => showStorageCluster(call.world, reachCluster(call)),
    [`GET ${base}/buckets`]: ({ world }) =>
      buckets(world)
        .all()
        .map((bucket) => showBucket(world, bucket)),
    [`POST ${base}/buckets`]: create,
    [`GET ${base}/buckets/{clusterId}`]: (call) => {
      const { id } = reachCluster(call);
      return buckets(call.world)
        .by("cluster", id)
        .map((bucket) => showBucket(call.world, bucket));
    },
    [`GET ${one}`]: (call) => showBucket(call.world, reachBucket(call)),
    [`DELETE ${one}`]: remove,
    [`GET ${one}/access`]: showAccess,
    [`POST ${one}/access`]: (call) => setAccess(call, ({ acl, cors_enabled }) => ({ acl, cors_enabled })),
    [`PUT ${one}/access`]: (call) => setAccess(call, () => ({ acl: "private", cors_enabled: false })),
    [`GET ${one}/object-list`]: list,
    [`GET ${one}/object-acl`]: (call) =>
      showObjectAcl(call.world, reachObject(call, call.query.get("name") ?? "")),
    [`PUT ${one}/object-acl`]: setObjectAcl,
    [`POST ${one}/object-url`]: createUrl,
    [`GET ${one}/ssl`]: (call) => showCertificate(reachBucket(call)),
    [`POST ${one}/ssl`]: upload,
    [`DELETE ${one}/ssl`]: removeCertificate,
    [`POST ${base}/cancel`]: cancel,
    [`GET ${base}/transfer`]: ({ world }) => ({ used: transferUsed(world) }),
    ...keyHandlers,
  },
  judges: {
    [`POST ${base}/buckets`]: createReasons,
    [`POST ${one}/access`]: bucketExists,
    [`PUT ${one}/access`]: bucketExists,
    [`GET ${one}/object-list`]: bucketExists,
    [`GET ${one}/object-acl`]: bucketExists,
    [`PUT ${one}/object-acl`]: bucketExists,
    [`POST ${one}/object-url`]: (call) => [...bucketExists(call), ...urlReasons(call)],
    [`POST ${one}/ssl`]: uploadReasons,
    ...keyJudges,
  },
  beside: { [objectTemplate]: serveObject },
};
