/** Verbs that run because their trigger changed: once for each change, even where the run that began one was killed before its engine could save that. Pure. */

import type { Notes } from "../protocol.ts";
import type { Aspect, Verb, VerbContext } from "./action.ts";
import type { Fields } from "./field.ts";

/** The aspect that runs a verb when its trigger changes; none for a verb that is run by hand only. */
export function triggered(verb: Verb<Fields>): Aspect<Fields>[] {
  const { name, trigger, run, mayStart } = verb;
  if (trigger === undefined) return [];
  return [
    {
      name,
      fields: [trigger],
      ...(mayStart && { mayStart }),
      async sync(context) {
        const value = context.inputs[trigger];
        const mark = fingerprint(JSON.stringify(value));
        // A run that was killed while it waited for the end of this very one.
        if (context.notes.get(noteOf(trigger)) === mark) return undefined;
        await run({ ...context, args: verb.args ? (value as VerbContext<Fields>["args"]) : {} });
        await context.notes.set(noteOf(trigger), mark);
        return undefined;
      },
    },
  ];
}

/** Forgets which verbs ran, once everything is done: the engine saves the triggers now. */
export async function forgetRuns(verbs: readonly Verb<Fields>[], notes: Notes): Promise<void> {
  for (const { trigger } of verbs) {
    if (trigger !== undefined && notes.get(noteOf(trigger)) !== undefined)
      await notes.set(noteOf(trigger), undefined);
  }
}

const noteOf = (trigger: string) => `ran for ${trigger}`;

/** Tells values apart without telling them: a trigger may be a secret (FNV-1a, 32 bits). */
export function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return (hash >>> 0).toString(16);
}
