/** Reads a whole list: the first page, then the others at once (contract sections 2.1 and 8). Knows no cache. */

import type { WireObject } from "./answer.ts";
import { ApiError, ListChangedError } from "./errors.ts";
import { bare } from "./path.ts";
import type { Call } from "./retry.ts";

export interface ListRequest {
  /** Path of the list; may have a query of its own. */
  readonly path: string;
  readonly filter?: WireObject | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Every request is tried once only. */
  readonly once?: boolean;
  /** Asked after the first page of several; `false` stops there. */
  readonly goOn?: ((pages: number) => boolean) | undefined;
}

export interface ListAnswer {
  /** In the service's order, each id once. */
  readonly items: readonly WireObject[];
  readonly pages: number;
  /** False only when `goOn` stopped the reading. */
  readonly whole: boolean;
}

/** The most that the contract allows (section 8). */
const PAGE_SIZE = 500;
const MOST_READINGS = 5;

interface Page {
  readonly items: readonly WireObject[];
  readonly pages: number;
  readonly results: number;
}

/**
 * Every item of the list, or `undefined` when what is at the path is no list. A list that lost items while its pages were read is read
 * again (its later items moved up, one may have slipped between two pages); one that only grew is read on to its new end.
 * Throws ApiError and whatever `call` throws, and ListChangedError when it lost items at each of five readings.
 */
export async function readList(call: Call, request: ListRequest): Promise<ListAnswer | undefined> {
  let sized = true;
  const readPage = async (page: number): Promise<Page | undefined> => {
    const query = `${sized ? `page_size=${PAGE_SIZE}&` : ""}page=${page}`;
    const path = `${request.path}${request.path.includes("?") ? "&" : "?"}${query}`;
    const options = { signal: request.signal, ...(request.once ? { once: true } : {}) };
    return toPage(await call({ method: "GET", path, filter: request.filter, list: true }, options));
  };
  const readFirst = async () => {
    try {
      return await readPage(1);
    } catch (error) {
      if (!sized || !refusesPageSize(error)) throw error;
      sized = false;
      return readPage(1);
    }
  };

  let unequal = false;
  for (let reading = 1; reading <= MOST_READINGS; reading++) {
    const first = await readFirst();
    if (first === undefined) return undefined;
    if (first.pages <= 1) return { items: unique(first.items), pages: 1, whole: true };
    if (request.goOn?.(first.pages) === false)
      return { items: unique(first.items), pages: first.pages, whole: false };
    const pages = [first];
    let shrank = false;
    while (pages.length < lastPage(pages) && !shrank) {
      const missing = Array.from(
        { length: lastPage(pages) - pages.length },
        (_, at) => pages.length + 1 + at,
      );
      const more = await Promise.all(missing.map(readPage));
      for (const page of more) if (page !== undefined) pages.push(page);
      shrank = more.some((page) => page === undefined || page.results < first.results);
    }
    if (shrank) continue;
    const items = unique(pages.flatMap((page) => page.items));
    const results = Math.max(...pages.map((page) => page.results));
    // Too few items for the count: a move between pages, or a service that counts what it does not show. The second time is believed.
    if (items.length >= first.results || items.length >= results || unequal) {
      return { items, pages: lastPage(pages), whole: true };
    }
    unequal = true;
  }
  throw new ListChangedError(
    `GET ${bare(request.path)}: the list lost items each of the ${MOST_READINGS} times it was read`,
  );
}

function toPage(answer: WireObject): Page | undefined {
  // A few lists outside the contract are bare arrays (a profile's interfaces).
  if (Array.isArray(answer)) return { items: answer as WireObject[], pages: 1, results: answer.length };
  const { data, pages, results } = answer;
  if (!Array.isArray(data) || typeof pages !== "number") return undefined;
  return { items: data as WireObject[], pages, results: typeof results === "number" ? results : data.length };
}

function lastPage(pages: readonly Page[]): number {
  return Math.max(...pages.map((page) => page.pages));
}

function unique(items: readonly WireObject[]): readonly WireObject[] {
  const seen = new Set<unknown>();
  return items.filter(({ id }) => {
    if (id === undefined || id === null) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

function refusesPageSize(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 400 &&
    error.reasons.every(({ field }) => field === "page_size" || field === "page")
  );
}
