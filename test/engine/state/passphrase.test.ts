import { pbkdf2Sync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { EngineError } from "../../../provider/engine/failure.ts";
import type { KeyStore } from "../../../provider/engine/state/backend.ts";
import {
  createPassphraseCrypter,
  PassphraseError,
  passphraseOf,
} from "../../../provider/engine/state/passphrase.ts";
import { createSealers } from "../../../provider/engine/state/sealer.ts";
import { cheapKey } from "../cheap-key.ts";

describe("the passphrase crypter", () => {
  test("opens what it sealed, again after the salt text was saved, and seals the same text differently each time", async () => {
    const first = await createPassphraseCrypter("correct horse");
    const sealed = first.encrypt("grüße: v1:x");
    expect(sealed).toMatch(/^v1:[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$/);
    expect(first.encrypt("grüße: v1:x")).not.toBe(sealed);
    const second = await createPassphraseCrypter("correct horse", first.state);
    expect(second.state).toBe(first.state);
    expect(second.decrypt(sealed)).toBe("grüße: v1:x");
    expect(second.decrypt(second.encrypt(""))).toBe("");
  });

  test("derives its key by a million rounds of PBKDF2-SHA256 over an 8-byte salt", async () => {
    const made = await createPassphraseCrypter("p");
    const salt = Buffer.from(made.state.split(":")[1]!, "base64");
    expect(salt.length).toBe(8);
    expect(pbkdf2Sync("p", salt, 1_000_000, 32, "sha256").length).toBe(32);
    expect(made.state.split(":").length).toBe(5);
  });

  test("a wrong passphrase is refused before anything is decrypted, without showing either passphrase", async () => {
    const made = await createPassphraseCrypter("right");
    const error = await createPassphraseCrypter("wrong-one", made.state).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(PassphraseError);
    expect(String(error)).toContain("PULUMI_CONFIG_PASSPHRASE");
    expect(String(error)).not.toContain("wrong-one");
  });

  test.each(["", "v1", "v1:abc", "v2:AAAA:v1:AAAA:AAAA", "v1::x"])(
    "a salt text %j is refused",
    async (salt) => {
      await expect(createPassphraseCrypter("p", salt)).rejects.toThrow(PassphraseError);
    },
  );

  test.each(["", "plain", "v1:AA:AA", "v2:a:b", "v1:a:b:c"])(
    "a sealed text %j is refused",
    async (sealed) => {
      const made = await createPassphraseCrypter("p");
      expect(() => made.decrypt(sealed)).toThrow(PassphraseError);
    },
  );

  test("a changed byte is found", async () => {
    const made = await createPassphraseCrypter("p");
    const [version, nonce, body] = made.encrypt("secret").split(":");
    const bytes = Buffer.from(body!, "base64");
    bytes[0] = bytes[0]! ^ 1;
    expect(() => made.decrypt(`${version}:${nonce}:${bytes.toString("base64")}`)).toThrow(/does not open/);
  });
});

describe("the passphrase of an environment", () => {
  test("is the variable before the file, may be empty, and a file's text is trimmed", async () => {
    const read = async () => " from file \n";
    expect(await passphraseOf({}, read)).toBeUndefined();
    expect(await passphraseOf({ PULUMI_CONFIG_PASSPHRASE: "" }, read)).toBe("");
    expect(
      await passphraseOf({ PULUMI_CONFIG_PASSPHRASE: " a ", PULUMI_CONFIG_PASSPHRASE_FILE: "f" }, read),
    ).toBe(" a ");
    expect(await passphraseOf({ PULUMI_CONFIG_PASSPHRASE_FILE: "f" }, read)).toBe("from file");
  });

  test("a passphrase file that cannot be read is named", async () => {
    await expect(passphraseOf({ PULUMI_CONFIG_PASSPHRASE_FILE: "/no/such/file" })).rejects.toThrow(
      "/no/such/file",
    );
  });
});

describe("a key file that this user may not read", () => {
  const refused = async (): Promise<string | undefined> => {
    throw new EngineError("state", "The state cannot be kept: key: permission denied.");
  };
  const key: KeyStore = { isKept: true, place: "key", read: refused, claim: async () => false };
  const sealersWith = (environment: { [name: string]: string }) =>
    createSealers({ environment, key, notice: () => {}, deriveKey: cheapKey });

  test("is not missed where a passphrase is given", async () => {
    const sealers = sealersWith({ PLUMBLINE_PASSPHRASE: "correct horse" });
    const first = sealers(undefined);
    await first.ready();
    const again = sealers(first.salt());
    await again.ready();
    expect([again.open(first.seal("text")), again.keyFile()]).toEqual(["text", undefined]);
  });

  test("is told where the given passphrase opens nothing", async () => {
    const first = sealersWith({ PLUMBLINE_PASSPHRASE: "correct horse" })(undefined);
    await first.ready();
    await expect(sealersWith({ PLUMBLINE_PASSPHRASE: "wrong" })(first.salt()).ready()).rejects.toThrow(
      /None of those at hand opens them: .*, or see to the key file, which cannot be read \(.*permission denied/,
    );
  });

  test("is told where nothing else is at hand", async () => {
    await expect(sealersWith({})(undefined).ready()).rejects.toThrow("permission denied");
  });
});
