/** Where a watch finds the declaration. Types only. */

export interface Source {
  /** What it is called: a folder, or a repository and its ref. */
  readonly place: string;
  /** Milliseconds between two looks. */
  readonly poll: number;
  /**
   * Brings the declaration up to date, and resolves to what tells it from every other: the same text as long as nothing changed. Rejects when
   * that cannot be told now; what was there before is there still.
   */
  readonly look: () => Promise<string>;
  /** What differs between two of these texts, by name; absent: the place is all that can be named. */
  readonly changed?: (before: string, after: string) => readonly string[];
  /** Is run where the declaration is: words before those of the command. */
  readonly words: readonly string[];
}
