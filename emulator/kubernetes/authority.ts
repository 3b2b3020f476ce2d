/** Makes self-signed X.509 certificates, as a cluster's authority is one. The same seed makes the same. It knows nothing of clusters. */

import { createPrivateKey, createPublicKey, sign } from "node:crypto";

export interface SelfSigned {
  /** 32 bytes as hex digits: the private key. */
  readonly seed: string;
  /** Common name. */
  readonly name: string;
  /** Host names that it is for. */
  readonly hosts?: readonly string[];
  readonly from: Date;
  readonly to: Date;
}

/** What stands before a bare Ed25519 key in PKCS 8. */
const keyHeader = Buffer.from("302e020100300506032b657004220420", "hex");

function field(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const digits = content.length.toString(16);
  const size = Buffer.from(digits.length % 2 ? `0${digits}` : digits, "hex");
  const length = content.length < 128 ? size : Buffer.concat([Buffer.from([0x80 + size.length]), size]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

const sequence = (...parts: readonly Buffer[]) => field(0x30, ...parts);
const object = (hex: string) => field(0x06, Buffer.from(hex, "hex"));
const signedBy = sequence(object("2b6570"));

function time(moment: Date): Buffer {
  const text = `${moment.toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`;
  // The short form has two digits of the year, for years before 2050.
  return moment.getUTCFullYear() < 2050
    ? field(0x17, Buffer.from(text.slice(2)))
    : field(0x18, Buffer.from(text));
}

/** Certificate and private key in PEM form. */
export function selfSigned({ seed, name, hosts = [], from, to }: SelfSigned): {
  certificate: string;
  privateKey: string;
} {
  const key = createPrivateKey({
    key: Buffer.concat([keyHeader, Buffer.from(seed, "hex")]),
    format: "der",
    type: "pkcs8",
  });
  const subject = sequence(field(0x31, sequence(object("550403"), field(0x0c, Buffer.from(name)))));
  const extension = (id: string, value: Buffer) => sequence(object(id), field(0x04, value));
  const extensions = [extension("551d13", sequence(field(0x01, Buffer.from([0xff]))))];
  if (hosts.length > 0)
    extensions.push(extension("551d11", sequence(...hosts.map((host) => field(0x82, Buffer.from(host))))));
  const content = sequence(
    field(0xa0, field(0x02, Buffer.from([2]))),
    field(0x02, Buffer.from(`01${seed.slice(0, 30)}`, "hex")),
    signedBy,
    subject,
    sequence(time(from), time(to)),
    subject,
    createPublicKey(key).export({ type: "spki", format: "der" }),
    field(0xa3, sequence(...extensions)),
  );
  const whole = sequence(content, signedBy, field(0x03, Buffer.from([0]), sign(null, content, key)));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    certificate: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    privateKey: key.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
