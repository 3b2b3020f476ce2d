/** Where states are kept, as the engine asks it of any store: every call happens as a whole or not at all. Types only; those that there are stand in `backends`. */

export interface StateBackend {
  /** What messages call it. */
  readonly place: string;
  /** The key of all its stacks, for secrets that no passphrase seals. */
  readonly key: KeyStore;
  /** What is kept of one stack. Throws EngineError `usage` for a name that cannot be kept. */
  readonly stack: (project: string, stack: string) => StackStore;
  /** Names of a project's stacks. */
  readonly stacks: (project: string) => Promise<readonly string[]>;
  /** Names of the projects that have stacks. */
  readonly projects: () => Promise<readonly string[]>;
  /** Where Pulumi keeps a stack of that name in this same place, as one address in a project file leads both here; undefined: it keeps none. */
  readonly pulumis: (project: string, stack: string) => Promise<string | undefined>;
  /** Lets go of what it holds open. */
  readonly close: () => Promise<void>;
}

export interface StackStore {
  readonly snapshot: SnapshotStore;
  readonly journal: JournalStore;
  /** A store that takes locks away by itself writes nothing more once its lock was lost: each write throws EngineError `locked` then. */
  readonly lock: LockStore;
  readonly history: HistoryStore;
  /** Needs the lock: removes what killed writes left. */
  readonly tidy: () => Promise<void>;
}

/** A text that is kept. */
interface TextStore {
  /** What messages call it. */
  readonly place: string;
  /** The whole text; undefined when there is none. */
  readonly read: () => Promise<string | undefined>;
  /** Keeps the text under another name, which ends with the mark, and returns where; undefined: there is none. */
  readonly putAside: (mark: string) => Promise<string | undefined>;
}

export interface SnapshotStore extends TextStore {
  /** Durable when it resolves: a reader sees the old text or the new one. With a change it is kept as a version, too. */
  readonly replace: (text: string, change?: Change) => Promise<void>;
}

/** What is noted of a version: who made it, when, by which operation, and how that ended. */
export interface Change {
  readonly user: string;
  readonly host: string;
  /** RFC 3339. */
  readonly at: string;
  readonly operation: string;
  readonly result: "succeeded" | "failed" | "cancelled" | "interrupted";
  /** Steps by kind; absent where there were none. */
  readonly counts?: { readonly [kind: string]: number };
}

/** The last versions of the snapshot. */
export interface HistoryStore {
  /** Oldest first. */
  readonly list: () => Promise<readonly Version[]>;
  /** Its snapshot; undefined: it is not kept. */
  readonly read: (version: number) => Promise<string | undefined>;
}

export interface Version extends Change {
  /** From 1. */
  readonly version: number;
}

/** What is not in the snapshot yet. */
export interface JournalStore extends TextStore {
  /**
   * Adds to the text, durable when it resolves and all before it did. As many calls as `together` may be under way at once; when one fails, those
   * after it count for nothing, whatever they say.
   */
  readonly add: (text: string) => Promise<void>;
  readonly together: number;
  /** Nothing happens when there is none. */
  readonly remove: () => Promise<void>;
}

export interface KeyStore {
  /** False: a key beside the data would protect nothing, so none is kept. */
  readonly isKept: boolean;
  /** What messages call it. */
  readonly place: string;
  readonly read: () => Promise<string | undefined>;
  /** Keeps the key unless there is one; false: there was. Throws PassphraseError where none is kept. */
  readonly claim: (key: string) => Promise<boolean>;
}

/** One writer at a time. */
export interface LockStore {
  /**
   * Throws EngineError `locked` naming the owner when another run holds it. A lock whose owner is seen to have died, or whose lease has ended, is
   * taken over.
   */
  readonly take: (operation: string) => Promise<Lock>;
  /** Who holds it now; undefined: nobody. */
  readonly owner: () => Promise<LockOwner | undefined>;
  /** True when it can be seen from here that the owner still runs. */
  readonly isSeenAlive: (owner: LockOwner) => Promise<boolean>;
  /** Takes it away from whoever holds it. */
  readonly clear: () => Promise<void>;
}

export interface Lock {
  readonly owner: LockOwner;
  /** The owner that was found dead, when the lock was taken over from one. */
  readonly takenOverFrom?: LockOwner;
  /** Aborted with an EngineError `locked` when the lock is lost; absent: only `clear` takes it away. */
  readonly lost?: AbortSignal;
  readonly release: () => Promise<void>;
}

/** Who holds a lock. */
export interface LockOwner {
  readonly user: string;
  readonly host: string;
  readonly pid: number;
  /** RFC 3339. */
  readonly since: string;
  /** The operation, for example `up`. */
  readonly operation: string;
  /** Tells two locks of one process apart. */
  readonly nonce: string;
  /** Tells processes of one number apart that are not of one system, as in two containers. Absent: the host says it. */
  readonly system?: string;
  /** Which installation's starts `system` counts. */
  readonly installation?: string;
  /** Name of the socket beside the lock that is answered as long as the owner runs. */
  readonly door?: string;
  /** Seconds after its last renewal, by the store's clock, from which on anybody may take the lock. Absent: never. */
  readonly lease?: number;
}
