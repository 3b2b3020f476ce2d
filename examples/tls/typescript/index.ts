/** The stack of ../Pulumi.yaml as a Pulumi program. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { objectstorage } from "@plumbline/pulumi";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const cluster = config.get("cluster") ?? "us-east-1";

// The label is the name that it is served under; a CNAME record leads there.
const files = new objectstorage.Bucket("files", { cluster, label: "files.certificate.example" });

// Both parts are uploaded together. These two are signed by nobody and only for trying it out: take your own, the key from where secrets are.
const part = (name: string) => readFileSync(resolve("..", "tls", name), "utf8");
const tls = new objectstorage.BucketCertificate("tls", {
  cluster,
  bucket: files.label,
  certificate: part("certificate.pem"),
  privateKey: pulumi.secret(part("key.pem")),
});

export const hostname = files.hostname;
export const encrypted = tls.ssl;
