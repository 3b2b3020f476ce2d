/** Reads certificates and private keys for the checks of types. Makes no request and shows nothing of a key. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import type { CertificatePort } from "../../core/certificate-port.ts";

export const certificates: CertificatePort = {
  read(pem) {
    const certificate = pem.includes("-----BEGIN CERTIFICATE-----")
      ? attempt(() => new X509Certificate(pem))
      : undefined;
    if (!certificate) return undefined;
    const { subject, subjectAltName, validTo } = certificate;
    const alternatives = [...(subjectAltName ?? "").matchAll(/DNS:([^,\s"]+)/g)].map((match) => match[1]!);
    const common = /^CN=(.+)$/m.exec(subject ?? "")?.[1];
    return {
      validTo: new Date(validTo),
      names: alternatives.length > 0 || common === undefined ? alternatives : [common],
      covers: (host) => certificate.checkHost(host) !== undefined,
      belongsTo: (privateKey) => {
        const key = attempt(() => createPrivateKey(privateKey));
        return key !== undefined && certificate.checkPrivateKey(key);
      },
    };
  },
  isPrivateKey: (pem) => attempt(() => createPrivateKey(pem)) !== undefined,
};

/** What cannot be read is not what it should be; why, only the user's own tools should show. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
