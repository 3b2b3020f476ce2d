import { createPrivateKey, X509Certificate } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { selfSigned } from "../../../../emulator/certificate.ts";
import type { Session } from "../../session.ts";
import { makeBucket, openPresent } from "./client.ts";

let on: Session;
afterEach(() => on.close());

const day = 86_400_000;
const host = "www.example.com";

/** A certificate and its key as an upload sends them; `seed` one hex digit. */
function pair(fields: { seed?: string; hosts?: string[]; name?: string; to?: Date } = {}) {
  const { seed = "1", hosts = [host], name = "test", to = new Date(Date.now() + day) } = fields;
  const from = new Date(Date.now() - day);
  const made = selfSigned({ seed: seed.repeat(64), name, hosts, from, to });
  return { certificate: made.certificate, private_key: made.privateKey };
}

describe("a certificate made here", () => {
  test("is one that others read", async () => {
    on = await openPresent();
    const { certificate, private_key } = pair({ name: "kubernetes", to: new Date("2061-05-06T07:08:09Z") });
    const read = new X509Certificate(certificate);
    expect(read.subject).toBe("CN=kubernetes");
    expect(read.ca).toBe(true);
    expect(new Date(read.validTo).toISOString()).toBe("2061-05-06T07:08:09.000Z");
    expect(read.verify(read.publicKey)).toBe(true);
    expect(read.checkPrivateKey(createPrivateKey(private_key))).toBe(true);
  });
});

describe("a bucket's certificate (contract sections 2.6 and 4.4)", () => {
  test("is uploaded, told, deleted and uploaded again", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, host);
    expect(await on.get(`${bucket}/ssl`)).toEqual({ ssl: false });
    await on.refused(404, "DELETE", `${bucket}/ssl`);
    expect(await on.post(`${bucket}/ssl`, pair())).toEqual({ ssl: true });
    expect(await on.get(`${bucket}/ssl`)).toEqual({ ssl: true });
    expect(await on.refused(400, "POST", `${bucket}/ssl`, pair({ seed: "2" }))).toEqual([
      { reason: "The bucket has a certificate: delete it before you upload another" },
    ]);
    expect(await on.remove(`${bucket}/ssl`)).toEqual({});
    expect(await on.get(`${bucket}/ssl`)).toEqual({ ssl: false });
    expect(await on.post(`${bucket}/ssl`, pair({ seed: "2" }))).toEqual({ ssl: true });
  });

  test("goes with its bucket, and its key is kept nowhere", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, host);
    const sent = pair();
    await on.post(`${bucket}/ssl`, sent);
    const kept = JSON.stringify(on.emulator.data());
    expect(kept).toContain(JSON.stringify(sent.certificate).slice(1, -1));
    expect(kept).not.toContain(sent.private_key.split("\n")[1]);
    await on.remove(bucket);
    await makeBucket(on, host);
    expect(await on.get(`${bucket}/ssl`)).toEqual({ ssl: false });
  });

  test("may have expired since it was uploaded, and is then replaced by deletion and upload", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, host);
    const short = pair({ to: new Date(Date.now() + 60_000) });
    await on.post(`${bucket}/ssl`, short);
    on.emulator.advance(61);
    expect(await on.get(`${bucket}/ssl`)).toEqual({ ssl: true });
    await on.remove(`${bucket}/ssl`);
    expect(await on.refused(400, "POST", `${bucket}/ssl`, short)).toEqual([
      { reason: "The certificate has expired", field: "certificate" },
    ]);
    expect(await on.post(`${bucket}/ssl`, pair())).toEqual({ ssl: true });
  });

  test.each([
    [["*.example.com"], "test"],
    [["other.example", host], "test"],
    [[], host],
  ])("may be for %j with the common name %s", async (hosts, name) => {
    on = await openPresent();
    const bucket = await makeBucket(on, host);
    expect(await on.post(`${bucket}/ssl`, pair({ hosts, name }))).toEqual({ ssl: true });
  });

  const certificate = (reason: string) => ({ reason, field: "certificate" });
  const key = (reason: string) => ({ reason, field: "private_key" });
  test.each([
    ["nothing", {}, [certificate("certificate is required"), key("private_key is required")]],
    ["text", { ...pair(), certificate: "hello" }, [certificate("Must be a certificate in PEM form")]],
    [
      "a key for a certificate",
      { ...pair(), certificate: pair().private_key },
      [certificate("Must be a certificate in PEM form")],
    ],
    [
      "a broken certificate",
      { ...pair(), certificate: pair().certificate.replace(/\n[^\n]{20}/, "\n") },
      [certificate("Must be a certificate in PEM form")],
    ],
    [
      "line breaks written twice over",
      { ...pair(), certificate: pair().certificate.replaceAll("\n", "\\n") },
      [certificate("Must be a certificate in PEM form")],
    ],
    [
      "no key",
      { ...pair(), private_key: "hello" },
      [key("Must be a private key in PEM form, without a passphrase")],
    ],
    [
      "a key with a passphrase",
      {
        ...pair(),
        private_key: createPrivateKey(pair().private_key).export({
          type: "pkcs8",
          format: "pem",
          cipher: "aes-256-cbc",
          passphrase: "secret",
        }),
      },
      [key("Must be a private key in PEM form, without a passphrase")],
    ],
    [
      "another's key",
      { ...pair(), private_key: pair({ seed: "3" }).private_key },
      [key("The private key is not that of the certificate")],
    ],
    [
      "another host's certificate",
      pair({ hosts: ["example.com"] }),
      [certificate(`The certificate is not for ${host}, the bucket's label`)],
    ],
    [
      "an expired certificate",
      pair({ to: new Date(Date.now() - 1000) }),
      [certificate("The certificate has expired")],
    ],
    [
      "a certificate without its key",
      { certificate: "hello" },
      [certificate("Must be a certificate in PEM form"), key("private_key is required")],
    ],
  ])("with %s is refused", async (_, body, reasons) => {
    on = await openPresent();
    const bucket = await makeBucket(on, host);
    const told = await on.refused(400, "POST", `${bucket}/ssl`, body);
    expect(told).toHaveLength(reasons.length);
    expect(told).toEqual(expect.arrayContaining(reasons));
    expect(await on.get(`${bucket}/ssl`)).toEqual({ ssl: false });
  });
});
