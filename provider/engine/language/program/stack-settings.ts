/** Reads `Pulumi.<stack>.yaml`: the values a stack gives to config, decrypted. Knows nothing of which keys a project declares. */

import { errorCodeOf } from "../../../core/error-code.ts";
import { unknown, type Value, type ValueMap } from "../../../core/value.ts";
import type { Position } from "../../host.ts";
import { createPassphraseCrypter, type PassphraseCrypter, passphraseOf } from "../../state/passphrase.ts";
import { isNothing, readRecord, readText } from "../syntax/record.ts";
import { messageOf, type Report } from "../syntax/report.ts";
import type { MapEntry, Node, TextNode } from "../syntax/yaml.ts";
import { literalOf, sealedText } from "./config-value.ts";

/** One config value of a stack. */
export interface StackValue {
  /** Decrypted. Scalars keep the type that the file gives them. */
  readonly value: Value;
  /** True when it, or a part of it, is stored encrypted. */
  readonly isSecret: boolean;
  readonly at: Position;
}

/** Values by full key (`project:key`, `plumbline:token`). */
export type StackSettings = ReadonlyMap<string, StackValue>;

export interface StackSettingsOptions {
  readonly project: string;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly readPassphraseFile: (path: string) => Promise<string>;
  /** Opens what the salt was made for; rejects when it cannot. Absent: by the passphrase of the environment. */
  readonly opener?: OpenSettings | undefined;
  /** True: a value that nothing at hand opens is unknown, which is warned of. */
  readonly mayStayShut?: boolean;
}

/** Derives, for an `encryptionsalt`, what opens the values that were sealed with it. */
export type OpenSettings = (salt: string) => Promise<Pick<PassphraseCrypter, "decrypt">>;

/** Reads the settings; what is wrong is reported and left out. Derives the key only when something is encrypted. */
export async function readStackSettings(
  report: Report,
  root: Node,
  options: StackSettingsOptions,
): Promise<StackSettings> {
  const names = ["config", "encryptionsalt", "secretsprovider", "encryptedkey", "environment"];
  const fields = readRecord(report, root, "the stack's settings file", names);
  const environment = fields.get("environment");
  if (environment !== undefined) {
    report.error(
      environment.key.at,
      '"environment" takes config from Pulumi\'s cloud, which this engine cannot reach: write the values under "config"',
    );
  }
  const config = fields.get("config");
  const settings = new Map<string, StackValue>();
  if (config === undefined) return settings;
  if (config.value.kind !== "map") {
    report.error(config.value.at, '"config" must be an object of values by key');
    return settings;
  }
  const sealed = config.value.entries.flatMap((entry) => [...sealedIn(entry.value)]);
  const opened =
    sealed.length === 0 ? new Map<TextNode, Value>() : await openAll(report, sealed, fields, options);
  for (const entry of config.value.entries) {
    const key = fullKey(report, entry, options.project);
    if (key === undefined) continue;
    if (settings.has(key)) {
      report.error(
        entry.key.at,
        `the value of ${JSON.stringify(key)} is given twice, with and without the project's name`,
      );
      continue;
    }
    const value = reveal(entry.value, opened);
    if (value !== undefined)
      settings.set(key, { value, isSecret: !sealedIn(entry.value).next().done, at: entry.value.at });
  }
  return settings;
}

function fullKey(report: Report, entry: MapEntry, project: string): string | undefined {
  const parts = entry.key.value.split(":");
  // `project:config:key` is an old spelling that Pulumi still reads.
  if (parts.length === 3 && parts[1] === "config") return `${parts[0]}:${parts[2]}`;
  if (parts.length === 1 && parts[0] !== "") return `${project}:${parts[0]}`;
  if (parts.length === 2 && parts.every((part) => part !== "")) return entry.key.value;
  report.error(
    entry.key.at,
    `${JSON.stringify(entry.key.value)} is no config key: write key, or namespace:key`,
  );
  return undefined;
}

function* sealedIn(node: Node): Generator<TextNode> {
  const sealed = sealedText(node);
  if (sealed !== undefined) yield sealed;
  else if (node.kind === "list") for (const item of node.items) yield* sealedIn(item);
  else if (node.kind === "map") for (const entry of node.entries) yield* sealedIn(entry.value);
}

async function openAll(
  report: Report,
  sealed: readonly TextNode[],
  fields: ReadonlyMap<string, MapEntry>,
  options: StackSettingsOptions,
): Promise<ReadonlyMap<TextNode, Value>> {
  const opened = new Map<TextNode, Value>();
  const crypter = await crypterOf(report, sealed[0]!, fields, options);
  if (crypter === "shut") return new Map(sealed.map((text) => [text, unknown]));
  if (crypter === undefined) return opened;
  for (const text of sealed) {
    try {
      opened.set(text, crypter.decrypt(text.value));
    } catch (error) {
      report.error(text.at, messageOf(error));
    }
  }
  return opened;
}

async function crypterOf(
  report: Report,
  first: TextNode,
  fields: ReadonlyMap<string, MapEntry>,
  options: StackSettingsOptions,
): Promise<Pick<PassphraseCrypter, "decrypt"> | "shut" | undefined> {
  const by = readText(report, fields.get("secretsprovider"), '"secretsprovider"');
  if (by !== undefined && by.value !== "" && by.value !== "passphrase") {
    report.error(
      by.at,
      `the stack's secrets are kept by ${by.value.split(":")[0]}, and this engine opens those of a passphrase only`,
    );
    return undefined;
  }
  const salt = readText(report, fields.get("encryptionsalt"), '"encryptionsalt"');
  if (salt === undefined) {
    if (!fields.has("encryptionsalt"))
      report.error(first.at, 'this value is encrypted, and the file has no "encryptionsalt" to open it with');
    return undefined;
  }
  try {
    if (options.opener) return await options.opener(salt.value);
    const passphrase = await passphraseOf(options.environment, options.readPassphraseFile);
    if (passphrase === undefined) {
      report.error(
        first.at,
        "this value is encrypted: set PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE, to the stack's passphrase",
        { code: "PLB-KEY" },
      );
      return undefined;
    }
    return await createPassphraseCrypter(passphrase, salt.value);
  } catch (error) {
    const code = errorCodeOf(error);
    if (options.mayStayShut && code === "PLB-KEY") {
      report.warning(salt.at, `${messageOf(error)} Until then what is sealed here is not checked.`, { code });
      return "shut";
    }
    report.error(salt.at, messageOf(error), code && { code });
    return undefined;
  }
}

/** The value with every sealed text opened; undefined when one could not be, or when there is none. */
function reveal(node: Node, opened: ReadonlyMap<TextNode, Value>): Value | undefined {
  const sealed = sealedText(node);
  if (sealed !== undefined) return opened.get(sealed);
  if (isNothing(node)) return undefined;
  if (node.kind === "list") {
    const items = node.items.map((item) => (isNothing(item) ? null : reveal(item, opened)));
    return items.includes(undefined) ? undefined : (items as Value[]);
  }
  if (node.kind === "map") {
    const pairs = node.entries.map(
      (entry) => [entry.key.value, isNothing(entry.value) ? null : reveal(entry.value, opened)] as const,
    );
    return pairs.some(([, value]) => value === undefined)
      ? undefined
      : (Object.fromEntries(pairs) as ValueMap);
  }
  return literalOf(node);
}
