/** BucketCertificate: the TLS certificate of a bucket whose label is a domain (contract section 2.6). */

import { isGone } from "../../core/service-port.ts";
import { flag, optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";
import { bucketPath } from "./paths.ts";
import { bucket, cluster } from "./place.ts";

/** Noted before the old certificate goes, so that a new one that does not come is not taken for one that somebody removed. */
const uploading = "uploading";

const parts = ["certificate", "privateKey"] as const;
const together = "is required: both parts are uploaded together";

export const BucketCertificate = resource({
  area: "objectstorage",
  name: "BucketCertificate",
  description:
    "The TLS certificate of a bucket whose label is its domain. The service never answers what it holds, only whether there is one: one that was removed from outside is uploaded again. A change deletes the old one and uploads the new one. Import by `CLUSTER/BUCKET`.",
  path: "/object-storage/buckets/{cluster}/{bucket}/ssl",
  parents: ["objectstorage/bucket"],
  phrase: ["of {bucket}"],
  nameFormat: "CLUSTER/BUCKET",
  inputs: {
    cluster,
    bucket,
    certificate: optional(
      text({
        description:
          "The certificate in PEM form, for the bucket's label. Required for a new one; left out of an imported one, or taken out later, it stays as it is.",
        minLength: 1,
        writeOnly: true,
        large: true,
        computed: true,
        witness: "ssl",
        normal: "line-endings",
      }),
    ),
    privateKey: optional(
      text({
        description:
          "Its private key in PEM form, without a passphrase. It goes together with the certificate.",
        minLength: 1,
        writeOnly: true,
        secret: true,
        computed: true,
        witness: "ssl",
        normal: "line-endings",
      }),
    ),
  },
  outputs: { ssl: flag({ description: "True: the bucket has it." }) },
  demands: [
    { when: { privateKey: "given" }, input: "certificate", is: "given", says: together },
    { when: { certificate: "given" }, input: "privateKey", is: "given", says: together },
  ],
  check({ values, declares, isNew, refuse, certificates, now }) {
    if (isNew && !parts.some(declares)) for (const name of parts) refuse(name, "is required for a new one");
    const { certificate: pem, privateKey: key, bucket } = values;
    const certificate = pem === undefined ? undefined : certificates.read(pem);
    if (pem !== undefined && !certificate) refuse("certificate", "must be a certificate in PEM form");
    const isKey = key !== undefined && certificates.isPrivateKey(key);
    if (key !== undefined && !isKey)
      refuse("privateKey", "must be a private key in PEM form, without a passphrase");
    if (!certificate) return;
    const { validTo, names } = certificate;
    if (validTo <= now())
      refuse("certificate", `expired on ${validTo.toISOString()}; give one that is still good`);
    if (bucket !== undefined && !certificate.covers(bucket)) {
      const those = names.length === 0 ? "no name at all" : names.join(", ");
      refuse("certificate", `is for ${those}, and must be for ${bucket}, the bucket's label`);
    }
    if (isKey && !certificate.belongsTo(key)) refuse("privateKey", "is not the key of the certificate");
  },
  async fetch({ path, get, notes }) {
    const found = await get(path);
    return found["ssl"] === true || notes.get(uploading) === true ? found : undefined;
  },
  createRequest: ({ cluster, bucket, certificate, privateKey }) => ({
    path: `${bucketPath(cluster, bucket)}/ssl`,
    body: { certificate, private_key: privateKey },
    fields: ["cluster", "bucket", "certificate", "privateKey"],
  }),
  aspects: [
    {
      name: "certificate",
      fields: ["certificate", "privateKey"],
      async sync({ service, path, inputs, notes, id }) {
        const { certificate, privateKey } = inputs;
        if (certificate === undefined || privateKey === undefined) return undefined;
        await notes.set(uploading, true);
        await service.delete(path).catch((error: unknown) => {
          if (!isGone(error)) throw error;
        });
        try {
          await service.post(path, { certificate, private_key: privateKey });
          await notes.set(uploading, undefined);
          return undefined;
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          throw new Error(
            `the old certificate of bucket ${id} is deleted and the new one could not be uploaded, so the bucket has none; the next run uploads it: ${why}`,
            { cause: error },
          );
        }
      },
    },
  ],
});
