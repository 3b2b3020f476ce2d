/** Seals a stack's secrets under the user's passphrase, or under a key file beside the state when there is none; nothing secret is ever plain. */

import { randomBytes } from "node:crypto";
import { messageOf } from "../failure.ts";
import type { KeyStore } from "./backend.ts";
import type { Sealing } from "./encoding.ts";
import {
  createPassphraseCrypter,
  type DeriveKey,
  type PassphraseCrypter,
  PassphraseError,
  passphraseOf,
} from "./passphrase.ts";

export interface Sealer extends Sealing {
  /** Derives the key (about a second) unless that was done. Throws PassphraseError when no passphrase at hand opens what the stack holds. */
  readonly ready: () => Promise<void>;
  /** Where the key file is that the secrets are sealed under; undefined: a passphrase of the user's does it. Known once `ready`. */
  readonly keyFile: () => string | undefined;
  /** The salt text to keep with the state; undefined before the first `ready` of a stack that has none. No secret. */
  readonly salt: () => string | undefined;
}

export interface KeySource {
  readonly environment: { readonly [name: string]: string | undefined };
  /** Where a key is kept when the environment has no passphrase. */
  readonly key: KeyStore;
  readonly notice: (message: string) => void;
  /** Default: the slow one that Pulumi shares. */
  readonly deriveKey?: DeriveKey | undefined;
  /** Told each text that is opened. */
  readonly onSecret?: ((text: string) => void) | undefined;
}

/** Keys that were derived once in this process, by passphrase and salt: each costs about a second. */
const derived = new Map<string, Promise<PassphraseCrypter>>();
/** Those whose passphrase was read from a key file. */
const byKeyFile = new WeakSet<PassphraseCrypter>();

/** What to try, best first. An empty passphrase protects nothing, so it counts as none. */
async function passphrasesOf({ environment, key }: KeySource): Promise<string[]> {
  const fromPulumi = await passphraseOf(environment);
  const isGiven = (text: string | undefined): text is string => text !== undefined && text !== "";
  const given = [environment.PLUMBLINE_PASSPHRASE, fromPulumi, environment.PLUMBLINE_KEY?.trim()].filter(
    isGiven,
  );
  const fromFile = await keyIn(key, given.length > 0);
  return [...given, fromFile].filter(isGiven);
}

/** With `isSpare` a key file that this user may not read is as if it were not there. */
async function keyIn(key: KeyStore, isSpare: boolean): Promise<string | undefined> {
  try {
    return (await key.read())?.trim();
  } catch (error) {
    if (isSpare) return undefined;
    throw error;
  }
}

/** Throws PassphraseError where a new secret could not be sealed, because nothing seals it and no key is kept. */
export async function refuseKeyless(source: KeySource): Promise<void> {
  if (!source.key.isKept && (await passphrasesOf(source)).length === 0) await source.key.claim("");
}

/** Makes sealers; those of one process share the keys that were derived. */
export function createSealers(source: KeySource): (salt: string | undefined) => Sealer {
  function derive(passphrase: string, salt: string): Promise<PassphraseCrypter> {
    const name = JSON.stringify([passphrase, salt]);
    const known = derived.get(name) ?? createPassphraseCrypter(passphrase, salt, source.deriveKey);
    derived.set(name, known);
    return known;
  }

  async function open(salt: string): Promise<PassphraseCrypter> {
    const given = await passphrasesOf(source);
    // Pulumi seals under an empty one, too.
    const candidates = source.environment.PULUMI_CONFIG_PASSPHRASE === "" ? [...given, ""] : given;
    for (const passphrase of candidates) {
      try {
        return marked(passphrase, await derive(passphrase, salt));
      } catch (error) {
        if (!(error instanceof PassphraseError)) throw error;
      }
    }
    const fault = await source.key.read().then(() => undefined, messageOf);
    const ofFile =
      fault === undefined
        ? `bring back the key file ${source.key.place}`
        : `see to the key file, which cannot be read (${fault})`;
    const tried = candidates.length === 0 ? "There is none" : "None of those at hand opens them";
    throw new PassphraseError(
      `This stack's secrets are encrypted under a passphrase. ${tried}: set PLUMBLINE_PASSPHRASE (or PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE), or ${source.key.isKept ? ofFile : "PLUMBLINE_KEY to the text of the key file that did it"}.`,
    );
  }

  async function make(): Promise<PassphraseCrypter> {
    const [passphrase] = await passphrasesOf(source);
    if (passphrase !== undefined)
      return marked(
        passphrase,
        remember(passphrase, await createPassphraseCrypter(passphrase, undefined, source.deriveKey)),
      );
    const key = randomBytes(32).toString("base64");
    if (!(await source.key.claim(`${key}\n`))) return make();
    source.notice(
      `Secrets in the state are encrypted with the new key file ${source.key.place}: keep it, and keep it out of version control. Set PLUMBLINE_PASSPHRASE before the first run to use a passphrase instead.`,
    );
    return marked(key, remember(key, await createPassphraseCrypter(key, undefined, source.deriveKey)));
  }

  async function marked(passphrase: string, crypter: PassphraseCrypter): Promise<PassphraseCrypter> {
    if (passphrase === (await keyIn(source.key, true))) byKeyFile.add(crypter);
    return crypter;
  }

  function remember(passphrase: string, crypter: PassphraseCrypter): PassphraseCrypter {
    derived.set(JSON.stringify([passphrase, crypter.state]), Promise.resolve(crypter));
    return crypter;
  }

  return (salt) => {
    let crypter: PassphraseCrypter | undefined;
    let deriving: Promise<void> | undefined;
    const need = (): PassphraseCrypter => {
      if (crypter === undefined) throw new Error("the key of the stack's secrets is not derived yet");
      return crypter;
    };
    return {
      ready() {
        deriving ??= (salt === undefined ? make() : open(salt)).then((made) => {
          crypter = made;
        });
        return deriving;
      },
      keyFile: () => (crypter && byKeyFile.has(crypter) ? source.key.place : undefined),
      salt: () => crypter?.state ?? salt,
      seal: (text) => need().encrypt(text),
      open(sealed) {
        const text = need().decrypt(sealed);
        source.onSecret?.(text);
        return text;
      },
    };
  };
}
