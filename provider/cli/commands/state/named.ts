/** The resources of a state that commands are about, and how a word names one. */

import { isDefaultProvider, isProviderType, nameOf, stackType } from "../../../core/engines/urn.ts";
import { didYouMean } from "../../../core/nearest.ts";
import { shortToken } from "../../../core/token.ts";
import type { Engine, ResourceState, Shown } from "../../../engine/engine.ts";
import { CommandError } from "../../exit.ts";

/** Without the stack's own entry and default providers. */
export async function resourcesOf(engine: Engine, how: Shown = {}): Promise<ResourceState[]> {
  const all = await engine.resources(how);
  return all.filter(
    ({ type, urn }) => type !== stackType && !(isProviderType(type) && isDefaultProvider(urn)),
  );
}

/** The resource that a URN or a name names. Throws CommandError where none has it, or several. */
export function named(resources: readonly ResourceState[], word: string): ResourceState {
  const found = resources.filter(({ urn }) => urn === word || nameOf(urn) === word);
  const [first, ...others] = found.filter((state) => !state.delete || found.every((each) => each.delete));
  if (first === undefined) {
    const near = didYouMean(
      word,
      resources.map(({ urn }) => nameOf(urn)),
    );
    throw new CommandError(`the stack has no resource ${word}${near || ": plumbline state list shows them"}`);
  }
  if (others.some(({ urn }) => urn !== first.urn))
    throw new CommandError(
      `several resources are called ${word}, give the URN of one:\n${[first, ...others].map(({ urn }) => `  ${urn}`).join("\n")}`,
    );
  return first;
}

/** `plumbline:dns:Record www (12/34)`. */
export const shownResource = ({ type, urn, id }: ResourceState): string =>
  `${shortToken(type)} ${nameOf(urn)}${id === undefined ? "" : ` (${id})`}`;
