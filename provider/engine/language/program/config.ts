/** Joins the config that a project declares with the values of its stack; finds what is missing or of the wrong type. */

import { didYouMean } from "../../../core/nearest.ts";
import type { Catalogue } from "../../../core/protocol.ts";
import { secret, type Value } from "../../../core/value.ts";
import type { ConfigEntry, Position } from "../../host.ts";
import { isNothing, readFlag, readRecord, readText } from "../syntax/record.ts";
import type { Report } from "../syntax/report.ts";
import { describeNode, type MapEntry, type Node } from "../syntax/yaml.ts";
import { configEntries } from "./config-entries.ts";
import {
  type ConfigType,
  configTypeNames,
  hasConfigType,
  literalOf,
  nameOfConfigType,
  parseConfigType,
  readConfigText,
  stored,
} from "./config-value.ts";
import type { StackSettings, StackValue } from "./stack-settings.ts";

/** Config that the program can refer to, and config of the provider. */
export interface Config {
  /** By name as a reference writes it: `key`, `project:key`, `plumbline:token`. Secrets are marked. */
  readonly values: ReadonlyMap<string, Value>;
  /** Names that the file declares, with their places; other names come from the stack alone. */
  readonly declared: ReadonlyMap<string, Position>;
  /** Everything that is declared or given, by full key (`project:key`, `plumbline:token`). */
  readonly entries: ReadonlyMap<string, ConfigEntry>;
  /** Config of the default provider by its own key, as the stack stores it; secrets are marked. */
  readonly provider: { readonly [key: string]: Value };
}

export interface ConfigOptions {
  readonly project: string;
  readonly stack: string;
  readonly settings: StackSettings;
  readonly settingsFile: string;
  readonly catalogue: Catalogue;
  /** True for a program, which reads text as it likes and has config of any package. Else the YAML runtime reads it. */
  readonly isProgram?: boolean;
}

interface Declaration {
  readonly at: Position;
  readonly type?: ConfigType;
  readonly isSecret: boolean;
  readonly isSecretAt?: Position;
  /** Default or value. */
  readonly given?: { readonly value: Value; readonly at: Position };
  /** False after an error in the declaration itself: no further error is made of its value. */
  readonly isSound: boolean;
}

const providerNamespace = "plumbline";

/** Reads the declarations under `config` (and the older `configuration`) and gives each its value. */
export function readConfig(
  report: Report,
  sections: readonly (MapEntry | undefined)[],
  options: ConfigOptions,
): Config {
  const declarations = new Map<string, Declaration>();
  const keys = new Map<string, Position>();
  for (const section of sections) {
    if (section === undefined) continue;
    if (section.value.kind !== "map") {
      report.error(
        section.value.at,
        `"${section.key.value}" must be an object, and this is ${describeNode(section.value)}`,
      );
      continue;
    }
    for (const entry of section.value.entries) {
      const key = entry.key.value.includes(":") ? entry.key.value : `${options.project}:${entry.key.value}`;
      if (declarations.has(key)) continue;
      declarations.set(key, readDeclaration(report, entry, key.startsWith(`${options.project}:`)));
      if (key.startsWith(`${options.project}:`))
        keys.set(key.slice(options.project.length + 1), entry.key.at);
    }
  }
  const values = new Map<string, Value>();
  const provider: { [key: string]: Value } = {};
  for (const [key, declaration] of declarations) {
    const found = valueFor(report, key, declaration, options);
    if (found !== undefined) place(report, key, found, options, values, provider);
  }
  for (const [key, setting] of options.settings) {
    if (!declarations.has(key)) place(report, key, setting, options, values, provider);
  }
  return { values, declared: keys, provider, entries: configEntries(declarations, values, options) };
}

function readDeclaration(report: Report, entry: MapEntry, isOwn: boolean): Declaration {
  const at = entry.key.at;
  const name = JSON.stringify(entry.key.value);
  const node = entry.value;
  if (isNothing(node)) {
    report.error(at, `config ${name} declares nothing: give it a type, or a default value`);
    return { at, isSecret: false, isSound: false };
  }
  if (node.kind !== "map") {
    if (node.kind === "scalar" && typeof node.value === "number" && !Number.isInteger(node.value)) {
      report.warning(
        node.at,
        `Pulumi's own command refuses a bare fraction: write config ${name} as {default: ${node.text}}`,
      );
    }
    return { at, isSecret: false, isSound: true, given: { value: plain(report, node), at: node.at } };
  }
  const fields = readRecord(report, node, `config ${name}`, [
    "type",
    "description",
    "items",
    "default",
    "value",
    "secret",
  ]);
  const type = readType(report, fields.get("type"), fields.get("items"), name);
  const isSecret = readFlag(report, fields.get("secret"), `"secret" of config ${name}`) ?? false;
  const [byDefault, byValue] = [fields.get("default"), fields.get("value")];
  let isSound = type !== "wrong";
  const fault = (place: Position, message: string) => {
    report.error(place, message);
    isSound = false;
  };
  if (byDefault && byValue) fault(byValue.key.at, `config ${name} has both a default and a value: keep one`);
  if (!isOwn) {
    const typeEntry = fields.get("type");
    if (typeEntry)
      fault(
        typeEntry.key.at,
        `config ${name} belongs to a package, which gives it its type: leave "type" out`,
      );
    if (byDefault)
      fault(byDefault.key.at, `config ${name} belongs to a package: write "value" instead of "default"`);
    if (!byDefault && !byValue) fault(at, `config ${name} belongs to a package and needs a "value"`);
  }
  const given = byValue ?? byDefault;
  const value = given && { value: plain(report, given.value), at: given.value.at };
  if (value && type !== undefined && type !== "wrong" && !hasConfigType(value.value, type)) {
    const shown = isSecret ? "" : `, and this is ${describeNode(given.value)}`;
    fault(value.at, `the default of config ${name} must be of type ${nameOfConfigType(type)}${shown}`);
  }
  return {
    at,
    isSecret,
    isSound,
    ...(fields.has("secret") ? { isSecretAt: fields.get("secret")!.key.at } : {}),
    ...(type === undefined || type === "wrong" ? {} : { type }),
    ...(value === undefined ? {} : { given: value }),
  };
}

/** A literal; references are no part of config, so one that looks like it is pointed at. */
function plain(report: Report, node: Node): Value {
  if (node.kind === "text" && node.value.includes("${")) {
    report.warning(
      node.at,
      'config values are taken as they are written, references included: put computed values under "variables"',
    );
  }
  return literalOf(node);
}

function readType(
  report: Report,
  entry: MapEntry | undefined,
  items: MapEntry | undefined,
  name: string,
): ConfigType | "wrong" | undefined {
  if (entry === undefined) {
    if (items) report.error(items.key.at, `config ${name} has "items" and no "type": write type: array`);
    return items ? "wrong" : undefined;
  }
  const text = readText(report, entry, `the type of config ${name}`);
  if (text === undefined) return "wrong";
  const found = parseConfigType(text.value);
  if (found === undefined) {
    report.error(
      text.at,
      `there is no config type ${JSON.stringify(text.value)}${didYouMean(text.value, configTypeNames) || ` - there is ${configTypeNames.join(", ")}`}`,
    );
    return "wrong";
  }
  if (!found.isPortable) {
    report.warning(
      text.at,
      `Pulumi's own command does not know the config type ${JSON.stringify(text.value)}: it knows ${configTypeNames.join(", ")} (an array with "items")`,
    );
  }
  if (found.type.kind !== "array" || found.type.items !== undefined) return found.type;
  if (items === undefined) {
    report.error(text.at, `config ${name} is an array: say of what, with items: {type: string}`);
    return "wrong";
  }
  const inner = readRecord(report, items.value, `"items" of config ${name}`, ["type", "items"]);
  if (!inner.has("type")) {
    report.error(items.value.at, `"items" of config ${name} needs a "type"`);
    return "wrong";
  }
  const type = readType(report, inner.get("type"), inner.get("items"), name);
  return type === "wrong" || type === undefined ? "wrong" : { kind: "array", items: type };
}

function valueFor(
  report: Report,
  key: string,
  declaration: Declaration,
  options: ConfigOptions,
): StackValue | undefined {
  const setting = options.settings.get(key);
  const short = shortened(key, options);
  if (setting !== undefined) {
    const isRight = declaration.type === undefined || hasConfigType(stored(setting.value), declaration.type);
    if (!isRight) {
      // Not what it is: a secret may stand under a wrong name, or where nobody declared it one.
      report.error(
        setting.at,
        `config ${JSON.stringify(short)} must be of type ${nameOfConfigType(declaration.type!)}`,
      );
      return undefined;
    }
    if (declaration.isSecret && !setting.isSecret) warnOfPlainSecret(report, setting.at, short, options);
    return { ...setting, isSecret: setting.isSecret || declaration.isSecret };
  }
  if (declaration.given !== undefined) {
    if (declaration.isSecret) warnOfPlainSecret(report, declaration.given.at, short, options);
    return { ...declaration.given, isSecret: declaration.isSecret };
  }
  if (declaration.isSound) {
    report.error(
      declaration.at,
      `config ${JSON.stringify(short)} has no value: run "plumbline config set ${short} VALUE${declaration.isSecret ? " --secret" : ""} --stack ${options.stack}", or write ${options.project === "" ? short : key}: VALUE under "config" in ${options.settingsFile}`,
      { property: short },
    );
  }
  return undefined;
}

function warnOfPlainSecret(report: Report, at: Position, name: string, options: ConfigOptions): void {
  report.warning(
    at,
    `config ${JSON.stringify(name)} is declared secret and stands here unencrypted, which Pulumi's engine refuses: run "plumbline config set --secret ${name} --stack ${options.stack}"`,
  );
}

/** The key as the file of the project may write it. */
const shortened = (key: string, { project }: ConfigOptions): string =>
  project !== "" && key.startsWith(`${project}:`) ? key.slice(project.length + 1) : key;

function place(
  report: Report,
  key: string,
  found: StackValue,
  options: ConfigOptions,
  values: Map<string, Value>,
  provider: { [key: string]: Value },
): void {
  const text = stored(found.value);
  const read = typeof text === "string" && !options.isProgram ? readConfigText(text) : text;
  const value = found.isSecret ? secret(read) : read;
  if (typeof text === "string" && typeof read !== "string" && String(read) !== text && !found.isSecret) {
    const kind = read === null ? "nothing" : typeof read === "object" ? "JSON" : `a ${typeof read}`;
    // The value stays unsaid: a token may be among what nobody called secret.
    report.warning(
      found.at,
      `Pulumi's YAML reads the text of config ${JSON.stringify(shortened(key, options))} as ${kind} and does not keep it as it is written, whatever type is declared, and so does this engine`,
    );
  }
  values.set(key, value);
  const [namespace, name] = [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)];
  if (namespace === options.project) values.set(name, value);
  if (namespace === providerNamespace) {
    const info = options.catalogue.config[name];
    if (info === undefined && namespace !== options.project) {
      report.error(
        found.at,
        `the provider has no config key ${JSON.stringify(key)}${didYouMean(name, Object.keys(options.catalogue.config))}`,
      );
    } else if (info !== undefined) {
      provider[name] = found.isSecret || info.secret ? secret(text) : text;
      if (info.secret) values.set(key, secret(read));
    }
  } else if (namespace !== options.project && !options.isProgram) {
    report.warning(
      found.at,
      `config ${JSON.stringify(key)} has no effect: this engine runs resources of ${providerNamespace} only`,
    );
  }
}
