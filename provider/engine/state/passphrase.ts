/** Encrypts and decrypts secrets under a passphrase, in Pulumi's own format, so that either engine reads what the other wrote; knows no file and no state. */

import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const iterations = 1_000_000;
const keyBytes = 32;
const saltBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
/** What the salt text holds encrypted, so that a wrong passphrase is found before anything is decrypted. */
const proof = "pulumi";

/** Seals and opens texts with one key; the slow key derivation was done when it was made. */
export interface PassphraseCrypter {
  /** Salt text (`v1:<salt>:<encrypted proof>`), what `encryptionsalt` holds in a stack's config file. No secret. */
  readonly state: string;
  /** `v1:<nonce>:<ciphertext and tag>`, both in base64; never twice the same. */
  readonly encrypt: (text: string) => string;
  /** The text again. Throws PassphraseError when it was sealed under another key or is damaged. */
  readonly decrypt: (sealed: string) => string;
}

/** The passphrase is missing, is not the one that the salt was made with, or a sealed text is damaged. */
export class PassphraseError extends Error {
  override readonly name = "PassphraseError";
  readonly errorCode = "PLB-KEY";
}

/** A key of `keyBytes` bytes from a passphrase and a salt. Tests that open nothing of another process may give one that costs less. */
export type DeriveKey = (passphrase: string, salt: Buffer, keyBytes: number) => Promise<Buffer>;

const derive = promisify(pbkdf2);
const slowly: DeriveKey = (passphrase, salt, bytes) => derive(passphrase, salt, iterations, bytes, "sha256");

function seal(key: Buffer, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1:${nonce.toString("base64")}:${body.toString("base64")}`;
}

function open(key: Buffer, sealed: string): string {
  const [version, nonceText, bodyText, ...rest] = sealed.split(":");
  if (version !== "v1" || nonceText === undefined || bodyText === undefined || rest.length > 0) {
    throw new PassphraseError("an encrypted value must read v1:NONCE:CIPHERTEXT");
  }
  const nonce = Buffer.from(nonceText, "base64");
  const body = Buffer.from(bodyText, "base64");
  if (nonce.length !== nonceBytes || body.length < tagBytes) {
    throw new PassphraseError(
      "an encrypted value is damaged: its nonce or its ciphertext has the wrong length",
    );
  }
  const decipher = createDecipheriv("aes-256-gcm", key, nonce);
  decipher.setAuthTag(body.subarray(body.length - tagBytes));
  try {
    const text = Buffer.concat([decipher.update(body.subarray(0, body.length - tagBytes)), decipher.final()]);
    return text.toString("utf8");
  } catch (cause) {
    throw new PassphraseError("an encrypted value does not open with this passphrase", { cause });
  }
}

/**
 * Derives the key (about a second of one core, off the main thread) and returns what encrypts with it.
 * `salt` is the `state` of an earlier crypter; absent: a new random salt. Throws PassphraseError when the salt text is
 * not one, or when the passphrase is not the one it was made with.
 */
export async function createPassphraseCrypter(
  passphrase: string,
  salt?: string,
  deriveKey: DeriveKey = slowly,
): Promise<PassphraseCrypter> {
  if (salt === undefined) {
    const raw = randomBytes(saltBytes);
    const key = await deriveKey(passphrase, raw, keyBytes);
    return crypter(key, `v1:${raw.toString("base64")}:${seal(key, proof)}`);
  }
  const [version, saltText] = salt.split(":", 2);
  const sealedProof = salt.split(":").slice(2).join(":");
  if (version !== "v1" || !saltText || sealedProof === "") {
    throw new PassphraseError("the encryption salt must read v1:SALT:v1:NONCE:CIPHERTEXT");
  }
  const key = await deriveKey(passphrase, Buffer.from(saltText, "base64"), keyBytes);
  let found: string;
  try {
    found = open(key, sealedProof);
  } catch (cause) {
    throw new PassphraseError(
      "incorrect passphrase: PULUMI_CONFIG_PASSPHRASE (or the file in PULUMI_CONFIG_PASSPHRASE_FILE) is not the one that this stack's secrets were encrypted with",
      { cause },
    );
  }
  if (found !== proof)
    throw new PassphraseError("the encryption salt is not one: it does not hold the expected proof");
  return crypter(key, salt);
}

function crypter(key: Buffer, state: string): PassphraseCrypter {
  return { state, encrypt: (text) => seal(key, text), decrypt: (sealed) => open(key, sealed) };
}

/**
 * The passphrase of an environment: PULUMI_CONFIG_PASSPHRASE as it is (empty counts as given), else the trimmed text of
 * the file that PULUMI_CONFIG_PASSPHRASE_FILE names; undefined when neither is set. Throws PassphraseError when that file cannot be read.
 */
export async function passphraseOf(
  environment: { readonly [name: string]: string | undefined },
  read: (path: string) => Promise<string> = (path) => readFile(path, "utf8"),
): Promise<string | undefined> {
  const direct = environment.PULUMI_CONFIG_PASSPHRASE;
  if (direct !== undefined) return direct;
  const path = environment.PULUMI_CONFIG_PASSPHRASE_FILE;
  if (path === undefined || path === "") return undefined;
  try {
    return (await read(path)).trim();
  } catch (cause) {
    throw new PassphraseError(`cannot read the passphrase file ${path} (PULUMI_CONFIG_PASSPHRASE_FILE)`, {
      cause,
    });
  }
}
