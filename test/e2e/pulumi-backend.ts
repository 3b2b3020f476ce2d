/** Pulumi's file backend without Pulumi: a new stack, its state with secrets in the clear, its lock. Each would otherwise be a command that takes a second. */

import { createDecipheriv, pbkdf2Sync } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const passphrase = "correct horse battery staple";

/** What `pulumi stack init` made of the passphrase, once: a salt, and a word sealed with it by which the passphrase is known again. */
const salt = "v1:peU+Ej4HHnY=:v1:Mk/wzBkbeY/HB1p1:c33Y3v0ztAz+H5xkrp+nJTo74awIyA==";
const signature = "4dabf18193072939515e22adb298388d";

const sealingKeys = new Map<string, Buffer>();

/** A state of one stack, as the backend keeps it. */
interface Checkpoint {
  readonly checkpoint: {
    readonly latest?: {
      readonly secrets_providers?: { readonly state?: { readonly salt?: string } };
      readonly resources?: readonly object[];
    };
  };
}

/** One stack of a backend in a folder. */
export function stackIn(backend: string, stack: string) {
  const fileOf = (project: string) => join(backend, ".pulumi", "stacks", project, `${stack}.json`);
  return {
    /** Makes the stack; `folder` is the project's. */
    create(project: string, folder: string): void {
      mkdirSync(join(backend, ".pulumi", "stacks", project), { recursive: true });
      writeFileSync(join(backend, ".pulumi", "meta.yaml"), "version: 1\n");
      const latest = {
        manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" },
        secrets_providers: { type: "passphrase", state: { salt } },
        metadata: {},
      };
      const checkpoint = { stack: `organization/${project}/${stack}`, latest };
      writeFileSync(fileOf(project), JSON.stringify({ version: 3, checkpoint }));
      writeFileSync(join(folder, `Pulumi.${stack}.yaml`), `encryptionsalt: ${salt}\n`);
    },
    /** The text of the state file. */
    text: (project: string) => readFileSync(fileOf(project), "utf8"),
    /** All resources, providers and the stack itself included, as `stack export --show-secrets` has them. */
    resources(project: string): readonly unknown[] {
      const { latest } = (JSON.parse(readFileSync(fileOf(project), "utf8")) as Checkpoint).checkpoint;
      return opened(latest?.resources ?? [], latest?.secrets_providers?.state?.salt ?? salt) as unknown[];
    },
    /** Lets go of the lock of an engine that was killed. */
    unlock: async () => rmSync(join(backend, ".pulumi", "locks"), { recursive: true, force: true }),
  };
}

/** Secrets with their plain text in place of the sealed one. */
function opened(value: unknown, salt: string): unknown {
  if (Array.isArray(value)) return value.map((item) => opened(item, salt));
  if (typeof value !== "object" || value === null) return value;
  const { ciphertext, ...rest } = value as { readonly ciphertext?: unknown };
  if (signature in value && typeof ciphertext === "string") {
    return { ...rest, plaintext: decrypted(ciphertext, salt) };
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, opened(item, salt)]));
}

function decrypted(text: string, salt: string): string {
  const key =
    sealingKeys.get(salt) ?? pbkdf2Sync(passphrase, bytes(salt.split(":")[1]), 1_000_000, 32, "sha256");
  sealingKeys.set(salt, key);
  const [, nonce, sealed] = text.split(":");
  const content = bytes(sealed);
  const decipher = createDecipheriv("aes-256-gcm", key, bytes(nonce));
  decipher.setAuthTag(content.subarray(-16));
  return Buffer.concat([decipher.update(content.subarray(0, -16)), decipher.final()]).toString("utf8");
}

const bytes = (base64 = "") => Buffer.from(base64, "base64");
