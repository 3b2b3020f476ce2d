/** Judges an uploaded certificate and its private key (contract section 2.6; notes, section 6). */

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { Reason } from "../../area.ts";

function readCertificate(pem: string): X509Certificate | undefined {
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) return undefined;
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** Why the pair cannot serve the bucket of that label now. An absent part is told elsewhere. */
export function certificateReasons(
  label: string,
  now: Date,
  pair: { certificate?: string; private_key?: string },
): Reason[] {
  const reasons: Reason[] = [];
  const certificate = pair.certificate === undefined ? undefined : readCertificate(pair.certificate);
  const key = pair.private_key === undefined ? undefined : readKey(pair.private_key);
  if (certificate) {
    if (Date.parse(certificate.validTo) <= now.getTime())
      reasons.push({ reason: "The certificate has expired", field: "certificate" });
    if (certificate.checkHost(label) === undefined)
      reasons.push({
        reason: `The certificate is not for ${label}, the bucket's label`,
        field: "certificate",
      });
  } else if (pair.certificate !== undefined) {
    reasons.push({ reason: "Must be a certificate in PEM form", field: "certificate" });
  }
  if (pair.private_key !== undefined && !key)
    reasons.push({ reason: "Must be a private key in PEM form, without a passphrase", field: "private_key" });
  if (certificate && key && !certificate.checkPrivateKey(key))
    reasons.push({ reason: "The private key is not that of the certificate", field: "private_key" });
  return reasons;
}
