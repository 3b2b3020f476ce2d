/** Requests to a forge: which answers are errors, what to do about them, and when to try again. */

import { setTimeout } from "node:timers/promises";

const timeout = 30_000;
const attempts = 5;

/** An answer that is none, or a refusal; `isPassing`: it may be otherwise the next time. */
class ForgeError extends Error {
  constructor(message, isPassing, seconds, options) {
    super(message, options);
    Object.assign(this, { isPassing, seconds });
  }
}

/** Asks a forge at `base`. `advice`: what to do when it refuses. */
export function createAsk(base, headers, advice) {
  return async (method, path, { body, raw = false } = {}) => {
    const what = `${method} ${path.replace(/\?.*/, "")}`;
    let answer;
    try {
      answer = await fetch(base + path, {
        method,
        headers: { ...headers, ...(body && { "content-type": "application/json" }) },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(timeout),
      });
    } catch (cause) {
      throw new ForgeError(`${what}: ${cause.cause?.message ?? cause.message}`, true, undefined, { cause });
    }
    const text = await answer.text();
    if (answer.ok) return raw ? text : text && JSON.parse(text);
    // GitHub says that too many requests were made by 403 as well.
    const after = answer.headers.get("retry-after");
    const isPassing =
      answer.status === 429 || answer.status >= 500 || (answer.status === 403 && after !== null);
    const why = text.slice(0, 300).replace(/\s+/g, " ");
    const hint = !isPassing && [401, 403, 404].includes(answer.status) ? `. ${advice}` : "";
    throw new ForgeError(`${what}: ${answer.status} ${why}${hint}`, isPassing, after && Number(after));
  };
}

/** Does the whole work again when a forge fails for the moment: what was done by then is found, so that nothing is made twice. */
export async function patiently(work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!error.isPassing || attempt === attempts) throw error;
      const wait = Math.min(error.seconds || 2 ** (attempt - 1) / 2, 60);
      console.error(`${error.message}; again in ${wait} s`);
      await setTimeout(wait * 1000);
    }
  }
}

/** Everything of a list, page by page; `path` ends with a query. */
export async function pages(ask, path) {
  const all = [];
  for (let page = 1; ; page++) {
    const found = await ask("GET", `${path}&per_page=100&page=${page}`);
    all.push(...found);
    if (found.length < 100) return all;
  }
}
