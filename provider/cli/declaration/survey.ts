/** The blocks of a survey: of what is found, and of what the stack has but no file declares any more. Knows no language. */

import { isDefaultProvider, referencedProvider, urnParts } from "../../core/engines/urn.ts";
import type { ResourceInfo } from "../../core/protocol.ts";
import { containsSecret } from "../../core/value.ts";
import type { Managed, Survey } from "../../engine/engine.ts";
import type { Program } from "../../engine/host.ts";
import { nameAll } from "../../engine/operations/account/naming.ts";
import { catalogue } from "../../provider.ts";
import { CommandError } from "../exit.ts";
import { type Block, blockOf } from "./block.ts";

export interface SurveyBlocks {
  /** Keys of the resources that the file declares, by type and name (`TYPE NAME`). */
  readonly keys: ReadonlyMap<string, string>;
  readonly protect?: true;
  /** Secrets of what is found are written as they are. */
  readonly showsSecrets?: boolean;
}

/** Blocks to write, each after those that it refers to. Throws CommandError for what no block can declare. */
export function blocksOf({ found, managed }: Survey, { keys, protect, showsSecrets }: SurveyBlocks): Block[] {
  const lost = managed.filter(({ state }) => !keys.has(typeAndName(state.urn)));
  refuseUnwritable(lost);
  refuseSecrets(lost);
  const lostKeys = keysOf(lost, new Set([...keys.values(), ...found.map(({ name }) => name)]));
  const foundKeys = new Map<string, string>(found.map(({ urn, name }) => [urn, name]));
  const keyOf = (urn: string) => foundKeys.get(urn) ?? lostKeys.get(urn) ?? keys.get(typeAndName(urn));
  return [
    ...lost.map((one) => blockOfManaged(one, lostKeys.get(one.state.urn)!, keyOf)),
    ...found.map(({ name, type, inputs, references, options }) =>
      blockOf(
        {
          ...{ key: name, name, inputs, references, showsSecrets: showsSecrets === true },
          options: { ...options, ...(protect && { protect }) },
        },
        info(type),
        keyOf,
      ),
    ),
  ];
}

/** The block of a resource that the stack has, under the key that the file has for it, or a new one. `keys` as for a survey. */
export function blockOfOne(one: Managed, keys: SurveyBlocks["keys"]): Block {
  const { urn } = one.state;
  const key = keys.get(typeAndName(urn)) ?? keysOf([one], new Set(keys.values())).get(urn)!;
  return blockOfManaged(one, key, (other) => keys.get(typeAndName(other)));
}

function blockOfManaged(
  { state, references }: Managed,
  key: string,
  keyOf: (urn: string) => string | undefined,
): Block {
  const { type, urn, inputs } = state;
  return blockOf({ key, name: nameOf(urn), inputs, references, options: state }, info(type), keyOf);
}

/** Keys of the resources that the file declares, by type and name. */
export function keysIn(program: Program): ReadonlyMap<string, string> {
  return new Map(
    (program.graph ?? []).map(({ type, name, key }) => [
      `${catalogue.resolveResource(type) ?? type} ${name}`,
      key,
    ]),
  );
}

const info = (type: string) => catalogue.resources.get(type) as ResourceInfo;

/** As the keys of a file are known by. */
const typeAndName = (urn: string) => `${urnParts(urn).type} ${nameOf(urn)}`;

/** The resource's own name, out of its URN. */
export const nameOf = (urn: string): string => urnParts(urn).name;

/** Keys for resources that have names: the names themselves where a file can have them. */
function keysOf(lost: readonly Managed[], taken: ReadonlySet<string>): ReadonlyMap<string, string> {
  const used = new Set(taken);
  return new Map(
    lost.map(({ state: { urn, type } }) => {
      const name = nameOf(urn);
      const isGood = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) && name !== "pulumi" && !used.has(name);
      const key = isGood ? name : nameAll([{ type, id: "", proposed: name }], used)[0]!;
      used.add(key);
      return [urn, key];
    }),
  );
}

/** A block without its parent or its provider would be another resource, and the one that the stack has would be deleted. */
function refuseUnwritable(lost: readonly Managed[]): void {
  const bad = lost.filter(({ state: { urn, provider } }) => {
    const { qualifiedType, type } = urnParts(urn);
    return (
      qualifiedType !== type ||
      (provider !== undefined && !isDefaultProvider(referencedProvider(provider).urn))
    );
  });
  if (bad.length === 0) return;
  const names = bad.map(({ state }) => nameOf(state.urn)).join(", ");
  throw new CommandError(
    `the stack has resources with a parent or a provider of their own, which the file does not declare: ${names}. Declare them again, or take them out by plumbline up, then import`,
  );
}

/** A block without its secrets would have the next run take them back, and the state forget what may be their only copy. */
function refuseSecrets(lost: readonly Managed[]): void {
  const names = lost.flatMap(({ state: { urn, inputs } }) =>
    Object.keys(inputs).flatMap((name) => (containsSecret(inputs[name]!) ? [`${nameOf(urn)}.${name}`] : [])),
  );
  if (names.length === 0) return;
  throw new CommandError(
    `the stack has secrets that the file does not declare, and none is written in the clear: ${names.join(", ")}. Declare these resources again, with fn::secret or a secret config value (plumbline state show NAME --show-secrets tells what it is), then import`,
  );
}
