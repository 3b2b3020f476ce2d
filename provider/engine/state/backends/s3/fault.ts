/** What an S3 store answers when it does not do what it was asked, and what to do about it. Pure. */

import { EngineError } from "../../../failure.ts";

export interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly text: string;
}

export interface Fault {
  /** As the store names it; empty: it did not answer. */
  readonly code: string;
  readonly message: string;
  /** True: it may go well the next time. */
  readonly passes: boolean;
  readonly cause?: unknown;
}

/** 412 answers a condition, as 404 does for an object that is not there. */
const answers: ReadonlySet<number> = new Set([200, 204, 412]);

/** What is wrong with an answer; undefined: nothing. A condition that was lost to another write at the same moment (409) is to be tried again. */
export function faultOf({ status, text }: Answer): Fault | undefined {
  if (answers.has(status)) return undefined;
  const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? "";
  if (status === 404 && code === "NoSuchKey") return undefined;
  const said = /<Message>([^<]*)<\/Message>/.exec(text)?.[1];
  return {
    code,
    message: `${status}${code === "" ? "" : ` ${code}`}${said === undefined ? "" : `: ${said}`}`,
    passes: status >= 500 || [408, 409, 429].includes(status) || code === "RequestTimeTooSkewed",
  };
}

const rights =
  "Give these credentials the right to list the bucket, and to read, write and delete objects in it.";

/** By the store's code. */
const wayOut: { readonly [code: string]: string } = {
  NoSuchBucket: "Make the bucket, or name another one.",
  AccessDenied: rights,
  InvalidAccessKeyId: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key of this store.",
  SignatureDoesNotMatch:
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key of this store, and `region` to its own.",
  AuthorizationHeaderMalformed: "Give the bucket's own region: `?region=…` or AWS_REGION.",
  PermanentRedirect: "Give the bucket's own region: `?region=…` or AWS_REGION.",
  ExpiredToken: "Get new credentials, and run this again: it goes on from what is saved.",
  RequestTimeTooSkewed: "Set this machine's clock right.",
  "": "See whether the address is right and can be reached from here, and run this again.",
};

export function stateError(place: string, { code, message, cause }: Fault): EngineError {
  const advice = wayOut[code] ?? "See to it, and run this again.";
  return new EngineError("state", `The state cannot be kept: ${place}: ${message}. ${advice}`, { cause });
}
