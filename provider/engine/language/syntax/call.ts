/** Reads calls (`fn::…`) out of YAML: which function, with which arguments; evaluates nothing. */

import { didYouMeanOrOneOf } from "../../../core/nearest.ts";
import type { Position } from "../../host.ts";
import { type BuiltinName, builtinNames, builtinOf, builtins } from "./builtin-name.ts";
import type { Expression, InvokeOptions } from "./expression.ts";
import { isNothing, readLiteral, readRecord } from "./record.ts";
import type { Report } from "./report.ts";
import { describeNode, type MapEntry, type Node } from "./yaml.ts";

const pairs: { readonly [name: string]: string } = {
  join: "[separator, list]",
  split: "[separator, text]",
  select: "[index, list]",
  stackReference: "[stack name, output name]",
};
const assetMakers: readonly string[] = [
  "stringAsset",
  "fileAsset",
  "remoteAsset",
  "assetArchive",
  "fileArchive",
  "remoteArchive",
];

/** Reads the call that `entry`, the only entry of an object at `at`, makes. `parse` reads its arguments. */
export function parseCall(
  report: Report,
  entry: MapEntry,
  at: Position,
  parse: (node: Node) => Expression,
): Expression {
  const key = entry.key.value;
  const name = builtinOf(key);
  if (name !== undefined) {
    spelled(report, entry, `fn::${name}`);
    return parseBuiltin(report, name, entry, at, parse);
  }
  if (key.toLowerCase() === "fn::invoke") {
    spelled(report, entry, "fn::invoke");
    return parseInvoke(report, entry.value, at, parse);
  }
  const token = /^fn::([^:]+:[^:]+(?::[^:]+)?)$/i.exec(key)?.[1];
  if (token !== undefined) {
    const args = parseArguments(report, entry.value, parse);
    return args === undefined
      ? { kind: "invalid", at }
      : { kind: "invoke", token, tokenAt: entry.key.at, args, options: {}, at };
  }
  const names = ["fn::invoke", ...builtinNames.map((n) => `fn::${n}`)];
  report.error(entry.key.at, `there is no function ${key}${didYouMeanOrOneOf(key, names)}`);
  return { kind: "invalid", at };
}

function spelled(report: Report, entry: MapEntry, name: string): void {
  if (entry.key.value !== name)
    report.warning(entry.key.at, `write ${JSON.stringify(name)}, not ${JSON.stringify(entry.key.value)}`);
}

function parseBuiltin(
  report: Report,
  name: BuiltinName,
  entry: MapEntry,
  at: Position,
  parse: (node: Node) => Expression,
): Expression {
  const node = entry.value;
  if (builtins[name] === 2) {
    if (node.kind !== "list" || node.items.length !== 2) {
      const found = node.kind === "list" ? `a list of ${node.items.length}` : describeNode(node);
      report.error(node.at, `fn::${name} takes two arguments, ${pairs[name]}, and this is ${found}`);
      return { kind: "invalid", at };
    }
    if (name === "stackReference" && node.items[0]!.kind !== "text") {
      report.error(node.items[0]!.at, "the stack that fn::stackReference names must be plain text");
      return { kind: "invalid", at };
    }
    return { kind: "call", name, args: node.items.map(parse), at };
  }
  const argument = parse(node);
  if (argument.kind === "invalid") return { kind: "invalid", at };
  if (name === "assetArchive" && !isAssetTree(report, argument)) return { kind: "invalid", at };
  const takesText = name !== "toJSON" && name !== "secret" && name !== "assetArchive";
  const isWrong =
    argument.kind === "list" ||
    argument.kind === "object" ||
    (argument.kind === "literal" && typeof argument.value !== "string");
  if (takesText && isWrong) {
    report.error(argument.at, `fn::${name} takes text, and this is ${describeNode(node)}`);
    return { kind: "invalid", at };
  }
  return { kind: "call", name, args: [argument], at };
}

function isAssetTree(report: Report, argument: Expression): boolean {
  if (argument.kind !== "object") {
    report.error(argument.at, "fn::assetArchive takes an object of assets and archives by their paths");
    return false;
  }
  let isGood = true;
  for (const entry of argument.entries) {
    if (entry.key.kind !== "literal") {
      report.error(entry.at, "a path in fn::assetArchive must be plain text, without references");
      isGood = false;
    }
    const value = entry.value;
    if (value.kind !== "invalid" && !(value.kind === "call" && assetMakers.includes(value.name))) {
      report.error(
        value.at,
        "each entry of fn::assetArchive must be a call of fn::stringAsset, fileAsset, remoteAsset, assetArchive, fileArchive or remoteArchive",
      );
      isGood = false;
    }
  }
  return isGood;
}

function parseArguments(
  report: Report,
  node: Node,
  parse: (node: Node) => Expression,
): (Expression & { kind: "object" }) | undefined {
  if (isNothing(node)) return { kind: "object", entries: [], at: node.at };
  if (node.kind !== "map") {
    report.error(node.at, `the arguments of a function must be an object, and this is ${describeNode(node)}`);
    return undefined;
  }
  const args = parse(node);
  if (args.kind === "invalid") return undefined;
  if (args.kind === "object") return args;
  report.error(node.at, "the arguments of a function must be an object, not the result of another function");
  return undefined;
}

function parseInvoke(
  report: Report,
  node: Node,
  at: Position,
  parse: (node: Node) => Expression,
): Expression {
  const fields = readRecord(report, node, "fn::invoke", ["function", "arguments", "options", "return"]);
  const token = readLiteral(report, fields.get("function"), "the function of fn::invoke");
  if (!fields.has("function"))
    report.error(node.at, 'fn::invoke needs the key "function", for example plumbline:dns:getRecords');
  const argsEntry = fields.get("arguments");
  const args = argsEntry
    ? parseArguments(report, argsEntry.value, parse)
    : ({ kind: "object", entries: [], at: node.at } as const);
  const returns = readLiteral(report, fields.get("return"), "the return of fn::invoke");
  const options = parseOptions(report, fields.get("options"), parse);
  if (token === undefined || args === undefined) return { kind: "invalid", at };
  return {
    kind: "invoke",
    token: token.value,
    tokenAt: token.at,
    args,
    options,
    ...(returns === undefined ? {} : { returns: { name: returns.value, at: returns.at } }),
    at,
  };
}

function parseOptions(
  report: Report,
  entry: MapEntry | undefined,
  parse: (node: Node) => Expression,
): InvokeOptions {
  if (entry === undefined) return {};
  const names = ["parent", "provider", "dependsOn", "version", "pluginDownloadURL"];
  const fields = readRecord(report, entry.value, "the options of fn::invoke", names);
  const expression = (name: string) => {
    const found = fields.get(name);
    return found === undefined ? {} : { [name]: parse(found.value) };
  };
  const text = (name: string) => {
    const found = readLiteral(report, fields.get(name), JSON.stringify(name));
    return found === undefined ? {} : { [name]: found };
  };
  return {
    ...expression("parent"),
    ...expression("provider"),
    ...expression("dependsOn"),
    ...text("version"),
    ...text("pluginDownloadURL"),
  };
}
