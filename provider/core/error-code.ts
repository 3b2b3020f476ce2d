/**
 * The short codes of what stops people, each with a section of the same name in docs/guides/troubleshooting.md; a test holds the two to each other.
 * An error carries its code, and every face shows it: the command line and the plugin behind the message's first line, JSON as `code`. Pure.
 */

/** What a code stands for. */
export interface Explanation {
  readonly title: string;
  /** What it means and what to do, in a few sentences; the section says the same and more. */
  readonly advice: string;
}

export const errorCodes = {
  "PLB-LOCK": {
    title: "Another run holds the stack",
    advice:
      "One run at a time may change a stack. Wait until the one that the message names has ended. A lock whose process is gone on the same host is taken over by itself; one that was left on another host is removed with `plumbline stack unlock`.",
  },
  "PLB-LEASE": {
    title: "The run lost its hold on the stack",
    advice:
      "It could not reach the backend of the states for longer than its lease, or another run took the stack over meanwhile (`plumbline stack unlock` lets it). It stopped before anything else was changed. Run the same again: it continues from what was saved, and finds out what became of the rest.",
  },
  "PLB-TARGET": {
    title: "The stack's objects are on another address or account",
    advice:
      "A state remembers the address and the account that its objects are on, and this run would be about others. Set address and token to the stack's own, or choose another stack. Only where the objects themselves have moved: `plumbline stack retarget`, and under Pulumi `PLUMBLINE_RETARGET=ADDRESS pulumi up`.",
  },
  "PLB-STACK": {
    title: "The state file is of another stack",
    advice:
      "The file was copied or renamed by hand, and its resources are another stack's. Move it back; or make it this stack's on purpose with `plumbline stack import --rename FILE`, after which the other stack must not use it any more.",
  },
  "PLB-PLAN": {
    title: "The run would not do what its plan shows",
    advice:
      "Something has changed since the plan was made, or a deletion is not in it. Nothing of that was done. Make a new plan, look at it, and apply that one.",
  },
  "PLB-PROTECT": {
    title: "A protected resource would be deleted",
    advice:
      "A resource with `protect: true` is never deleted or replaced. To let it go, set `protect: false` in its options, run `plumbline up`, and then do the same again.",
  },
  "PLB-GONE": {
    title: "Every object of the stack reads as gone at once",
    advice:
      "That is rarely true and mostly means another account or a token that may not look. Nothing was forgotten. Check address and token; where everything really is gone, give `--allow-gone`.",
  },
  "PLB-MASS": {
    title: "A change would remove much of a zone at once",
    advice:
      "More than 30 % of the records of a Zone would go. Where that is meant, set `allowMassChange: true` on the Zone for this change; else put what is to stay into `records` or `ignore`.",
  },
  "PLB-POLICY": {
    title: "A policy has something against it",
    advice:
      "A rule of the project, or of those who run the pipeline, does not let this pass; an advisory one only warns. Nothing was done. Change the declaration as the message says. `plumbline policy ls` tells which rules there are and who set them; one that may be let pass names its flag, `--allow NAME`.",
  },
  "PLB-NAME": {
    title: "The name is taken",
    advice:
      "An object with this name is there already, and names of this kind are unique. Choose another name, or take the object over: `plumbline import TYPE NAME ID`, with the words that the message gives, or `plumbline up --adopt` for all that is declared.",
  },
  "PLB-SWAP": {
    title: "Names change places",
    advice:
      "Two resources cannot take each other's unique name in one run, for each would need the other's first. Give one of them a third name, run `plumbline up`, and exchange the names in the next run.",
  },
  "PLB-KEY": {
    title: "Secrets cannot be opened",
    advice:
      "They are sealed under a passphrase or a key file that is not the one at hand. Set `PLUMBLINE_PASSPHRASE` to the one that they were sealed with, or bring the key file back. Where it is lost for good, the objects are not: begin with an empty state and `plumbline up --adopt`.",
  },
  "PLB-STATE": {
    title: "The state cannot be used as it is",
    advice:
      "A file of the state is damaged, or its folder cannot be read or written. Nothing was overwritten. The message names the file and the way out; where no copy is left, `plumbline up --adopt` finds the objects again.",
  },
  "PLB-NEWER": {
    title: "The state was made by a newer version",
    advice:
      "This version cannot read it and leaves it as it is. Run the version that wrote it, or a newer one: `plumbline --version` tells which this is.",
  },
  "PLB-NOFILE": {
    title: "There is no stack file",
    advice:
      "The command looks for `Pulumi.yaml` in the folder where it is started. Make one with `plumbline new` or `plumbline import --all`, or say where it is with `-C FOLDER` or `-f FILE`.",
  },
  "PLB-SETTING": {
    title: "A setting is missing or cannot work",
    advice:
      "The address must end with `/v4`, and the token must be given. Set `PLUMBLINE_BASE_URL` and `PLUMBLINE_TOKEN`, or the config keys `plumbline:baseUrl` and `plumbline:token`; or try it without an account, with `--emulator`.",
  },
  "PLB-TOKEN": {
    title: "The service does not take the token",
    advice:
      "It answered 401: the token is unknown there, has expired, or lacks a scope, which the message then names. Make a token with that scope and set `PLUMBLINE_TOKEN` or `plumbline:token`; see that it belongs to the address.",
  },
  "PLB-GRANT": {
    title: "The user may not do this",
    advice:
      "The service answered 403: the token is known, and its user has no grant for this object or kind of objects. Have an owner of the account give the grant, or use the token of a user who has it.",
  },
  "PLB-LIMIT": {
    title: "The service allows no more requests now",
    advice:
      "It answered 429 until waiting made no sense any more; shorter pauses are waited for by themselves. Run the same again later: it goes on from where it ended. Fewer at once: `--parallel 4`.",
  },
  "PLB-REACH": {
    title: "The service cannot be reached",
    advice:
      "No connection came about, or none gave an answer. Check `PLUMBLINE_BASE_URL` or `plumbline:baseUrl`, the network, and what `HTTPS_PROXY` and `NO_PROXY` say. Nothing was changed by that request.",
  },
  "PLB-PROXY": {
    title: "Something else answers in the service's place",
    advice:
      "The answer is not in the service's form: a proxy, a login page, a gateway or a redirect gave it. Check the address and `HTTPS_PROXY`; name the service's host in `NO_PROXY` where no proxy should stand between.",
  },
  "PLB-LOST": {
    title: "The answer to a write was lost",
    advice:
      "Nobody knows whether the request ran. Run the same again: what it made is looked for first, and is neither lost nor made twice. Where the message names several objects, delete or import those that it asks about.",
  },
  "PLB-WAIT": {
    title: "A wait took too long",
    advice:
      "The object was not ready in time; it is there, and the service goes on with it. Run the same again to go on waiting. Where it needs longer each time, give `customTimeouts` in the resource's options.",
  },
  "PLB-PENDING": {
    title: "A run before left something open",
    advice:
      "It was killed or failed before it saved what it did. Run `plumbline up` (or `pulumi refresh`, then `pulumi up`): it looks for what is there and goes on with it. What nothing declares any more is yours to import or to delete.",
  },
} as const satisfies { readonly [code: `PLB-${string}`]: Explanation };

export type ErrorCode = keyof typeof errorCodes;

/** An error that says nothing to programs but its code. */
export class CodedError extends Error {
  readonly errorCode: ErrorCode;
  constructor(errorCode: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.errorCode = errorCode;
  }
}

/** The code of an error: its own, else that of the nearest of its causes that has one. */
export function errorCodeOf(error: unknown): ErrorCode | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 16; at = at.cause, depth += 1) {
    const { errorCode } = at as { errorCode?: ErrorCode };
    if (errorCode !== undefined) return errorCode;
  }
  return undefined;
}

/** The text with the code in brackets at the end of its first line. */
export function withErrorCode(text: string, code: ErrorCode | undefined): string {
  return code === undefined ? text : text.replace(/$/m, () => ` [${code}]`);
}
