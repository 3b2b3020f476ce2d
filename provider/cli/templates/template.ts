/** What a first stack file is made of. Types only. */

export interface Template {
  /** The word that it is asked for by. */
  readonly name: string;
  /** In a line: what is made of it. */
  readonly about: string;
  /** The stack file after its name, runtime and description. */
  readonly body: string;
}
