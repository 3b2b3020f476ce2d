/** Makes the self-signed certificate of a database's authority (RFC 5280, RFC 8410); knows no databases. */

import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";

/** Years that a certificate is good for. */
const years = 10;

export interface Authority {
  /** The common name of subject and issuer. */
  readonly name: string;
  readonly from: Date;
  /** 64 hex digits: the same ones make the same certificate. */
  readonly key: string;
}

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, Math.floor(size / 256), size % 256];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const bytes = (hex: string) => Buffer.from(hex, "hex");
const sequence = (...parts: Buffer[]) => element(0x30, ...parts);
const set = (...parts: Buffer[]) => element(0x31, ...parts);
const identifier = (hex: string) => element(0x06, bytes(hex));
const octets = (content: Buffer) => element(0x04, content);
const bits = (content: Buffer, unused = 0) => element(0x03, Buffer.from([unused]), content);
const truth = element(0x01, Buffer.from([0xff]));

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

/** The certificate in PEM form. */
export function selfSigned({ name, from, key }: Authority): string {
  const seed = bytes(key);
  const privateKey = createPrivateKey({
    key: sequence(element(0x02, Buffer.from([0])), sequence(identifier("2b6570")), octets(octets(seed))),
    format: "der",
    type: "pkcs8",
  });
  const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  const keyIdentifier = createHash("sha1").update(publicKey.subarray(-32)).digest();
  const algorithm = sequence(identifier("2b6570"));
  const until = new Date(from);
  until.setUTCFullYear(from.getUTCFullYear() + years);
  const extensions = sequence(
    // Basic constraints: an authority. Key usage: signs certificates and revocation lists.
    sequence(identifier("551d13"), truth, octets(sequence(truth))),
    sequence(identifier("551d0f"), truth, octets(bits(Buffer.from([0x06]), 1))),
    sequence(identifier("551d0e"), octets(octets(keyIdentifier))),
  );
  const content = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    serialOf(publicKey),
    algorithm,
    commonName(name),
    sequence(moment(from), moment(until)),
    commonName(name),
    publicKey,
    element(0xa3, extensions),
  );
  const certificate = sequence(content, algorithm, bits(sign(null, content, privateKey)));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
