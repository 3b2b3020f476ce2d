/** One request over a connection and its whole answer, in memory and within bounds. Knows nothing of what is asked, nor of what a failure means. */

import type { Dispatcher } from "undici";

/** An answer of which at least the head came. */
export interface Received {
  readonly status: number;
  /** By lower-case name; of one that came several times the values are joined by commas. */
  readonly headers: { readonly [name: string]: string };
  /** No encoding was asked for, so none is undone: nothing can swell. Undefined where it did not come whole. */
  readonly text: string | undefined;
  /** Why it did not. */
  readonly failure?: unknown;
}

export interface Bounds {
  /** Milliseconds that the answer may be silent, and those that all of it may take: a server that drips would hold a request for ever. */
  readonly silence: number;
  readonly whole: number;
  /** The most bytes of a body. */
  readonly bytes: number;
}

/** The answer goes over a bound; the message says which. */
export class TooMuch extends Error {}

/** Rejects with what went wrong before the head of an answer came. */
export function exchange(
  way: Dispatcher,
  asked: Pick<Dispatcher.DispatchOptions, "origin" | "method" | "path" | "headers" | "body">,
  bounds: Bounds,
): Promise<Received> {
  return new Promise((settle, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let late: TooMuch | undefined;
    let head: Pick<Received, "status" | "headers"> | undefined;
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => {
      late = new TooMuch(head ? "the answer took too long" : "no answer in time");
      controller?.abort(late);
    }, bounds.whole);
    const fail = (failure: unknown): void => {
      clearTimeout(timer);
      if (head) settle({ ...head, text: undefined, failure });
      else reject(failure);
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        // It waited for a connection until now.
        if (late) started.abort(late);
      },
      onResponseStart(_, status, headers) {
        // Something on the way may tell that the request is being dealt with.
        if (status >= 200) head = { status, headers: joined(headers) };
      },
      onResponseData(answering, chunk) {
        length += chunk.length;
        // The connection ends with it, so that the rest never arrives.
        if (length > bounds.bytes)
          answering.abort(new TooMuch(`the answer has more than ${bounds.bytes} bytes`));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        clearTimeout(timer);
        const [first = Buffer.alloc(0), ...more] = chunks;
        const body = more.length === 0 ? first : Buffer.concat(chunks, length);
        if (head) settle({ ...head, text: body.toString("utf8") });
      },
      onResponseError: (_, error) => fail(error),
    };
    try {
      const { silence } = bounds;
      way.dispatch({ ...asked, headersTimeout: silence, bodyTimeout: silence }, handler);
    } catch (error) {
      fail(error);
    }
  });
}

const joined = (headers: { readonly [name: string]: string | string[] | undefined }): Received["headers"] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
