/** Requests to pre-signed URLs of objects (contract section 2.6), which lead beside the API. Sends no token; tells no URL, because its signature is a secret. */

import { AnswerLostError, ApiError, type SignedRequest } from "../../core/service-port.ts";
import type { Clock } from "../clock.ts";
import type { Ways } from "./proxy.ts";

export interface Storage {
  /** Sends it, repeated while storage is away or overloaded: both methods may run twice. A DELETE that finds nothing has succeeded. */
  send(request: SignedRequest, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const MOST_TRIES = 6;
const SECONDS_FOR_AN_ANSWER = 120;
const LONGEST_WAIT_SECONDS = 15;
const MOST_BYTES = 64 * 1024;
/** How storage says that there is no such object or bucket. */
const NOT_THERE = /<Code>\s*NoSuch(Key|Bucket|Upload)\s*<\/Code>/;
const PAGE = "a page that does not look like the storage";

/** Opens no connection before the first request. `send` throws ApiError for a refusal and AnswerLostError when no answer came in the end. */
export function createStorage(options: {
  readonly clock: Clock;
  readonly random: () => number;
  /** How connections are opened; the storage closes them. */
  readonly ways: Ways;
  /** Asked before each request; what it throws ends the call. Default: nothing stops it. */
  readonly admit?: (() => void) | undefined;
}): Storage {
  const { clock, random, ways, admit } = options;

  async function once({ method, url, what, contentType, body }: SignedRequest): Promise<void> {
    const { origin } = new URL(url);
    const answer = await ways
      .to(origin)
      .request({
        origin,
        method,
        // As it was signed: a URL's own path has no `.` and `..` any more, which names of objects may hold.
        path: url.replace(/^[a-z]+:\/\/[^/?#]*/i, "").replace(/#.*$/s, ""),
        headers: contentType === undefined ? {} : { "content-type": contentType },
        body: body ?? null,
        headersTimeout: SECONDS_FOR_AN_ANSWER * 1000,
        bodyTimeout: SECONDS_FOR_AN_ANSWER * 1000,
      })
      .catch((error: unknown) => {
        throw new AnswerLostError(method, what, `storage did not answer${ways.through(origin)}`, error);
      });
    // Read, or given up, so that the connection can be used again.
    const said = await beginningOf(answer.body).catch(() => "");
    const status = answer.statusCode;
    const isHtml = /html/i.test(String(answer.headers["content-type"]));
    const isPage = said !== "" && (isHtml || /^\s*<(!doctype\s+)?html/i.test(said));
    if (isPage || (status === 404 && !NOT_THERE.test(said)))
      throw new AnswerLostError(method, what, `${status} with ${PAGE}`, undefined, status);
    if (status < 300 || (method === "DELETE" && status === 404)) return;
    throw new ApiError({
      method,
      path: what,
      status,
      reasons: [{ reason: "storage refused the pre-signed request" }],
      retryable: status === 429 || status >= 500,
    });
  }

  return {
    async send(request, signal) {
      for (let attempt = 1; ; attempt++) {
        admit?.();
        try {
          return await once(request);
        } catch (error) {
          const isWorthIt = !(error instanceof ApiError) || error.retryable;
          if (!isWorthIt || attempt === MOST_TRIES) throw error;
          const full = Math.min(LONGEST_WAIT_SECONDS, 0.5 * 2 ** (attempt - 1));
          await clock.sleep(full * (0.5 + random() * 0.5) * 1000, signal);
        }
      }
    },
    close: () => ways.close(),
  };
}

/** As much of a body as an error of storage can have; the rest is not waited for. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_BYTES) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
