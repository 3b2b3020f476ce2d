/** Objects as they are now: one read, with what is wrong told. Changes nothing. */

import { urnParts } from "../../core/engines/urn.ts";
import { type Provider, ResourceInitFailedError } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import { notesOf } from "../state/notes.ts";
import type { ResourceState } from "../state/state.ts";
import type { Run } from "./run.ts";

/** An object as it was read. */
export interface Live {
  readonly id: string;
  readonly inputs: ValueMap;
  readonly state: ValueMap;
  /** What is wrong with it, when it is there but not well. */
  readonly initErrors?: readonly string[];
}

/** The object as it is now; undefined: gone. Without a slot (an import) it is read by the id alone. An object that is not well is reported as a warning. */
export async function readObject(
  run: Run,
  provider: Provider,
  state: ResourceState,
  slot: number | undefined,
): Promise<Live | undefined> {
  run.throwIfCancelled();
  try {
    return await provider.read({
      urn: state.urn,
      type: state.type,
      name: urnParts(state.urn).name,
      id: state.id ?? "",
      log: run.logOf(state.urn),
      signal: run.signal,
      ...(slot === undefined
        ? {}
        : {
            inputs: state.inputs,
            state: state.outputs,
            // What a read finds out counts for the rest of a preview, too, whose ledger keeps it in memory.
            notes: notesOf({ ledger: run.ledger, preview: false }, slot),
          }),
    });
  } catch (error) {
    if (!(error instanceof ResourceInitFailedError)) throw error;
    for (const message of error.reasons) run.report({ severity: "warning", message, urn: state.urn });
    return {
      id: error.id,
      inputs: error.inputs ?? state.inputs,
      state: error.state,
      initErrors: error.reasons,
    };
  }
}
