/** The stack of ../Pulumi.yaml as a Pulumi program: every file of the folder `site` is stored and open to read, without a line for each. */

import { readdirSync } from "node:fs";
import { parse, resolve } from "node:path";
import { objectstorage } from "@plumbline/pulumi";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const cluster = config.get("cluster") ?? "us-east-1";
// Part of the page's host name, so it must be free in the cluster.
const label = config.get("label") ?? "plumbline-page";
const release = config.get("release") ?? "1.0.0";

const site = new objectstorage.Bucket("site", {
  cluster,
  label,
  corsEnabled: true,
  // The bucket may go although others have put objects there.
  forceDestroy: true,
});
const place = { cluster, bucket: site.label };

// Pulumi runs a program in the folder of its Pulumi.yaml.
const folder = resolve("..", "site");
const files = new Map(
  readdirSync(folder).map((name) => {
    const page = parse(name).name;
    const source = new pulumi.asset.FileAsset(resolve(folder, name));
    const file = new objectstorage.BucketObject(page, { ...place, name, source });
    new objectstorage.ObjectAcl(`${page}Readers`, { ...place, name: file.name, acl: "public-read" });
    return [page, file] as const;
  }),
);
const index = files.get("index");
if (index === undefined) throw new Error(`${folder} has no index.html`);

// A short content can stand here; it may be made of anything that the program knows.
new objectstorage.BucketObject("version", {
  ...place,
  name: "about/version.json",
  content: pulumi.jsonStringify({ page: index.etag, release }),
});

// Another grant is another key: the new one is made before the old one is revoked.
const deployment = new objectstorage.Key("deployment", {
  label: `${label}-deployment`,
  bucketAccess: [{ cluster, bucketName: site.label, permissions: "read_write" }],
});

export const address = pulumi.interpolate`https://${site.hostname}/${index.name}`;
export const accessKey = deployment.accessKey;
// Secret, as the SDK knows: `pulumi stack output --show-secrets` prints it.
export const secretKey = deployment.secretKey;
