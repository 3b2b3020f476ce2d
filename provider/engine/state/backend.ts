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
  /** Lets go of what it holds open. */
  readonly close: () => Promise<void>;
}

export interface StackStore {
  readonly snapshot: SnapshotStore;
  readonly journal: JournalStore;
  readonly lock: LockStore;
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
  /** Durable when it resolves: a reader sees the old text or the new one. */
  readonly replace: (text: string) => Promise<void>;
}

/** What is not in the snapshot yet. */
export interface JournalStore extends TextStore {
  /** Adds to the text, durable when it resolves. The next call comes after that. */
  readonly add: (text: string) => Promise<void>;
  /** Nothing happens when there is none. */
  readonly remove: () => Promise<void>;
}

export interface KeyStore {
  /** What messages call it. */
  readonly place: string;
  readonly read: () => Promise<string | undefined>;
  /** Keeps the key unless there is one; false: there was. */
  readonly claim: (key: string) => Promise<boolean>;
}

/** One writer at a time. */
export interface LockStore {
  /** Throws EngineError `locked` naming the owner when another run holds it. A lock whose owner is seen to have died is taken over. */
  readonly take: (operation: string) => Promise<Lock>;
  /** Who holds it now; undefined: nobody. */
  readonly owner: () => Promise<LockOwner | undefined>;
  /** True when it can be seen from here that the owner still runs. */
  readonly isSeenAlive: (owner: LockOwner) => boolean;
  /** Takes it away from whoever holds it. */
  readonly clear: () => Promise<void>;
}

export interface Lock {
  readonly owner: LockOwner;
  /** The owner that was found dead, when the lock was taken over from one. */
  readonly takenOverFrom?: LockOwner;
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
}
