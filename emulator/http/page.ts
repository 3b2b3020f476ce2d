/** Cuts lists into pages (contract sections 2.1 and 8; notes, section 1.5). */

import { type Reason, refuseAll } from "../area.ts";
import { range } from "../contract/validate.ts";

export interface Page {
  readonly page: number;
  readonly size: number;
}

export interface Envelope {
  readonly data: readonly unknown[];
  readonly page: number;
  readonly pages: number;
  readonly results: number;
}

const smallestPage = 25;
export const largestPage = 500;
const defaultSize = 100;

/** Reads `page` and `page_size`; refuses what is out of bounds. */
export function readPage(query: URLSearchParams): Page {
  const reasons: Reason[] = [];
  const read = (field: string, fallback: number, low: number, high: number | undefined): number => {
    const text = query.get(field);
    if (text === null || text === "") return fallback;
    const value = Number(text);
    if (!/^-?\d+$/.test(text)) reasons.push({ reason: "Must be of type Integer", field });
    else if (value < low || value > (high ?? Infinity)) reasons.push({ reason: range(low, high), field });
    return value;
  };
  const page = read("page", 1, 1, undefined);
  const size = read("page_size", defaultSize, smallestPage, largestPage);
  refuseAll(reasons);
  return { page, size };
}

/** The asked page. Past the end it is empty, except that a page number beyond 2^64 items is the last page. */
export function cut(items: readonly unknown[], { page, size }: Page): Envelope {
  const pages = Math.max(1, Math.ceil(items.length / size));
  const told = page > 2 ** 64 / size ? pages : page;
  return { data: items.slice((told - 1) * size, told * size), page: told, pages, results: items.length };
}
