/** The blocks of a survey: of what is found, and of what the stack has but no file declares any more. Knows no language. */

import { isDefaultProvider, referencedProvider, urnParts } from "../../core/engines/urn.ts";
import type { ResourceInfo } from "../../core/protocol.ts";
import type { Managed, ResourceState, Survey } from "../../engine/engine.ts";
import { nameAll } from "../../engine/operations/account/naming.ts";
import { catalogue } from "../../provider.ts";
import { CommandError } from "../exit.ts";
import { type Block, blockOf } from "./block.ts";

export interface SurveyBlocks {
  /** Keys of the resources that the file declares, by type and name (`TYPE NAME`). */
  readonly keys: ReadonlyMap<string, string>;
  readonly protect?: true;
}

/** Blocks to write, each after those that it refers to. Throws CommandError for what no block can declare. */
export function blocksOf({ found, managed }: Survey, { keys, protect }: SurveyBlocks): Block[] {
  const lost = managed.filter(({ state }) => !keys.has(`${state.type} ${nameOf(state.urn)}`));
  refuseUnwritable(lost.map(({ state }) => state));
  const lostKeys = keysOf(lost, new Set([...keys.values(), ...found.map(({ name }) => name)]));
  const keyByUrn = new Map<string, string>([
    ...managed.map(
      ({ state: { urn, type } }) => [urn, keys.get(`${type} ${nameOf(urn)}`) ?? lostKeys.get(urn)!] as const,
    ),
    ...found.map(({ urn, name }) => [urn, name] as const),
  ]);
  const info = (type: string) => catalogue.resources.get(type) as ResourceInfo;
  const keyOf = (urn: string) => keyByUrn.get(urn);
  return [
    ...lost.map(({ state, references }) => {
      const { type, urn, inputs } = state;
      return blockOf(
        { key: lostKeys.get(urn)!, name: nameOf(urn), inputs, references, options: state },
        info(type),
        keyOf,
      );
    }),
    ...found.map(({ name, type, inputs, references }) =>
      blockOf(
        { key: name, name, inputs, references, options: protect ? { protect } : {} },
        info(type),
        keyOf,
      ),
    ),
  ];
}

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
function refuseUnwritable(lost: readonly ResourceState[]): void {
  const bad = lost.filter(({ urn, provider }) => {
    const { qualifiedType, type } = urnParts(urn);
    return (
      qualifiedType !== type ||
      (provider !== undefined && !isDefaultProvider(referencedProvider(provider).urn))
    );
  });
  if (bad.length === 0) return;
  const names = bad.map(({ urn }) => nameOf(urn)).join(", ");
  throw new CommandError(
    `the stack has resources with a parent or a provider of their own, which the file does not declare: ${names}. Declare them again, or take them out by plumbline up, then import`,
  );
}
