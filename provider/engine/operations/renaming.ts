/**
 * A stack gets another name: its state and the versions of it move, with every URN in them. Whenever it is cut off, one name at most can be used,
 * and the same command goes on: what is written under the new name is nobody's until the old name has nothing any more.
 */

import { EngineError } from "../failure.ts";
import type { StackStore } from "../state/backend.ts";
import { parseSnapshot, type SnapshotFile } from "../state/snapshot.ts";
import type { States } from "../state/states.ts";
import { renamed } from "../state/transfer.ts";

interface Naming {
  readonly project: string;
  readonly stack: string;
  readonly states: States;
  /** What the old state is called from then on ends with it. */
  readonly mark: string;
  /** True: it may have moved already. */
  readonly again?: boolean;
}

/** Needs the lock of the stack, and takes that of the new name. False: there is no state to rename. Throws EngineError. */
export async function renameState(
  { project, stack, states, mark, again = false }: Naming,
  name: string,
): Promise<boolean> {
  const other = states.storeOf(name);
  const own = await currentOf(states);
  const lock = await other.lock.take("state");
  try {
    const there = await textOf(other.snapshot);
    if (there === undefined && (await other.journal.read()) !== undefined) throw taken(name);
    if (again && own === undefined && there !== undefined && there.plumbline.renaming === undefined)
      return true;
    if (there !== undefined && there.plumbline.renaming !== stack) throw taken(name);
    if (own === undefined && there === undefined) return false;
    const named = (file: SnapshotFile): SnapshotFile => renamed(file, project, name);
    if (own !== undefined) {
      const { store } = states;
      const arriving = (file: SnapshotFile): string =>
        textFor({ ...named(file), plumbline: { ...named(file).plumbline, renaming: stack } });
      for (const { version, ...change } of there === undefined ? await store.history.list() : []) {
        const text = await store.history.read(version);
        if (text !== undefined)
          await other.snapshot.replace(arriving(parseSnapshot(text, store.snapshot.place)), change);
      }
      await other.snapshot.replace(
        arriving(own),
        states.changeOf({ operation: "rename", result: "succeeded" }),
      );
      await store.journal.remove();
      await store.snapshot.putAside(mark);
    }
    const { plumbline, ...arrived } = (await textOf(other.snapshot))!;
    const { renaming: _, ...rest } = plumbline;
    await other.snapshot.replace(textFor({ ...arrived, plumbline: rest }));
    return true;
  } finally {
    await lock.release();
  }
}

/** With what a killed run left in its journal folded in. */
async function currentOf({ open }: States): Promise<SnapshotFile | undefined> {
  const ledger = await open({ write: true, withoutKey: true });
  return ledger.isNew ? undefined : ledger.file();
}

async function textOf({ read, place }: StackStore["snapshot"]): Promise<SnapshotFile | undefined> {
  const text = await read();
  return text === undefined ? undefined : parseSnapshot(text, place);
}

const textFor = (file: SnapshotFile): string => `${JSON.stringify(file)}\n`;

const taken = (name: string): EngineError => new EngineError("usage", `there is a stack ${name} already`);
