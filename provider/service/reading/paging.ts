/** Reads a whole list: the first page, then the others at once (contract sections 2.1 and 8). Knows no cache. */

import { ApiError, type WireObject } from "../../core/service-port.ts";
import { PAGE_SIZE } from "../belief.ts";
import { ListChangedError, UnreachableError } from "../errors.ts";
import { bare } from "../path.ts";
import type { Call } from "../retry.ts";

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

const MOST_READINGS = 5;
/** No list of an account is longer; one that says so would be read for ever. */
const MOST_ITEMS = 250_000;
const MOST_PAGES = 2500;

interface Page {
  readonly items: readonly WireObject[];
  readonly pages: number;
  readonly results: number;
}

/**
 * Every item of the list. One that lost items while its pages were read is read again (its later items moved up, one may have slipped
 * between two pages); one that only grew is read on to its new end. Throws whatever `call` throws, ListChangedError when it lost items at
 * each of five readings, and UnreachableError when the list contradicts itself: what is not shown must not pass for gone.
 */
export async function readList(call: Call, request: ListRequest): Promise<ListAnswer> {
  const name = `GET ${bare(request.path)}`;
  let sized = true;
  const readPage = async (page: number): Promise<Page> => {
    const query = `${sized ? `page_size=${PAGE_SIZE}&` : ""}page=${page}`;
    const path = `${request.path}${request.path.includes("?") ? "&" : "?"}${query}`;
    const options = { signal: request.signal, ...(request.once ? { once: true } : {}) };
    const read = toPage(await call({ method: "GET", path, filter: request.filter, list: true }, options));
    if (read.pages <= MOST_PAGES && read.results <= MOST_ITEMS) return read;
    throw new UnreachableError(
      `${name}: the list claims ${read.results} items on ${read.pages} pages, more than any account has; this does not look like the service`,
      { errorCode: "PLB-PROXY" },
    );
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

  let lacking: string | undefined;
  for (let reading = 1; reading <= MOST_READINGS; reading++) {
    const first = await readFirst();
    if (first.pages > 1 && request.goOn?.(first.pages) === false)
      return { items: unique(first.items), pages: first.pages, whole: false };
    const pages = await readOn(first, readPage);
    if (pages === undefined) continue;
    const items = unique(pages.flatMap((page) => page.items));
    const results = Math.max(...pages.map((page) => page.results));
    // Too few items for the count may be a move between two pages.
    if (items.length >= first.results) {
      return { items, pages: Math.max(1, lastPage(pages)), whole: true };
    }
    lacking = `it shows ${items.length} of the ${results} items that it counts`;
  }
  if (lacking === undefined)
    throw new ListChangedError(`${name}: the list lost items each of the ${MOST_READINGS} times it was read`);
  throw new UnreachableError(
    `${name}: the list contradicts itself: ${lacking}; this does not look like the service`,
    { errorCode: "PLB-PROXY" },
  );
}

/** The pages from the first to the end, also to one that moved on meanwhile; `undefined` when the list lost items. */
async function readOn(first: Page, readPage: (page: number) => Promise<Page>): Promise<Page[] | undefined> {
  const pages = [first];
  while (pages.length < lastPage(pages)) {
    const missing = Array.from({ length: lastPage(pages) - pages.length }, (_, at) => pages.length + 1 + at);
    const more = await Promise.all(missing.map(readPage));
    pages.push(...more);
    if (more.some((page) => page.results < first.results)) return undefined;
  }
  return pages;
}

function toPage(answer: WireObject): Page {
  // One list is a bare array (an instance's interfaces); what else may not be one was refused before.
  if (Array.isArray(answer)) return { items: answer as WireObject[], pages: 1, results: answer.length };
  const { data, pages, results } = answer as { data: WireObject[]; pages: number; results: number };
  return { items: data, pages, results };
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
