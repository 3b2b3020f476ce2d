/** Makes self-signed X.509 certificates (RFC 5280, RFC 8410): of a database's or a cluster's authority, of a bucket's host. Knows none of them. */

import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";

export interface SelfSigned {
  /** 32 bytes as hex digits, the private key: the same ones make the same certificate. */
  readonly seed: string;
  /** The common name of subject and issuer. */
  readonly name: string;
  /** Host names that it is for; without any it is an authority's. */
  readonly hosts?: readonly string[];
  readonly from: Date;
  /** Ten years after `from` when left out. */
  readonly to?: Date;
}

function tenYearsAfter(from: Date): Date {
  const until = new Date(from);
  until.setUTCFullYear(from.getUTCFullYear() + 10);
  return until;
}

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, Math.floor(size / 256), size % 256];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const bytes = (hex: string) => Buffer.from(hex, "hex");
const sequence = (...parts: readonly Buffer[]) => element(0x30, ...parts);
const set = (...parts: readonly Buffer[]) => element(0x31, ...parts);
const identifier = (hex: string) => element(0x06, bytes(hex));
const octets = (content: Buffer) => element(0x04, content);
const bits = (content: Buffer, unused = 0) => element(0x03, Buffer.from([unused]), content);
const truth = element(0x01, Buffer.from([0xff]));
const algorithm = sequence(identifier("2b6570"));

/** The first byte keeps the number above zero, the rest makes it the key's own. */
const serialOf = (key: Buffer) =>
  element(0x02, Buffer.from([0x4a]), createHash("sha256").update(key).digest().subarray(0, 15));

const commonName = (name: string) =>
  sequence(set(sequence(identifier("550403"), element(0x0c, Buffer.from(name, "utf8")))));

/** Until 2049 years have two digits. */
function moment(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits));
}

/** Basic constraints, the key's identifier, and what the certificate is for: signing others, or its hosts. */
function extensionsOf(publicKey: Buffer, hosts: readonly string[]): Buffer {
  const keyIdentifier = createHash("sha1").update(publicKey.subarray(-32)).digest();
  const names = hosts.map((host) => element(0x82, Buffer.from(host)));
  return sequence(
    sequence(identifier("551d13"), truth, octets(sequence(truth))),
    sequence(identifier("551d0e"), octets(octets(keyIdentifier))),
    hosts.length > 0
      ? sequence(identifier("551d11"), octets(sequence(...names)))
      : sequence(identifier("551d0f"), truth, octets(bits(Buffer.from([0x06]), 1))),
  );
}

/** Certificate and private key in PEM form. */
export function selfSigned({ seed, name, hosts = [], from, to = tenYearsAfter(from) }: SelfSigned): {
  readonly certificate: string;
  readonly privateKey: string;
} {
  const key = createPrivateKey({
    key: sequence(element(0x02, Buffer.from([0])), algorithm, octets(octets(bytes(seed)))),
    format: "der",
    type: "pkcs8",
  });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" });
  const content = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    serialOf(publicKey),
    algorithm,
    commonName(name),
    sequence(moment(from), moment(to)),
    commonName(name),
    publicKey,
    element(0xa3, extensionsOf(publicKey, hosts)),
  );
  const whole = sequence(content, algorithm, bits(sign(null, content, key)));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    certificate: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    privateKey: key.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
