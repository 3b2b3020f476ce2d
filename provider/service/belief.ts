/**
 * Whether an answer is to be believed: it must have the shape that was asked for and speak of the object that was asked for, or it came
 * from something else than the service (a proxy, a cache, a captive portal). Knows shapes and ids, no statuses.
 */

import type { WireObject } from "../core/service-port.ts";
import type { Request } from "./http/transport.ts";
import type { Lists } from "./lists.ts";
import { bare } from "./path.ts";

/** The most that the contract allows (section 8). */
export const PAGE_SIZE = 500;
/** Writes that only start something: the contract answers them with an empty object. */
const STARTS =
  /\/(backups|restore|reset|patch|recycle|regenerate|update|revoke|cancel|detach|boot|reboot|shutdown|order|seen|read|access|object-acl)$/;
/** The one list outside the contract's envelope (an instance's interfaces). */
const BARE_LIST = /^\/compute\/instances\/\d+\/configs\/\d+\/interfaces$/;

/** What is wrong with the body of a success, for a message without anything of it; `undefined`: it may be believed. */
export function doubtOf(request: Request, json: unknown, lists: Lists): string | undefined {
  const path = bare(request.path);
  if (typeof json !== "object" || json === null) return "it is not JSON, or was cut off";
  if (request.list === true) return doubtOfList(path, request, json);
  if (Array.isArray(json)) return "it is a list, which was not asked for";
  const object = json as WireObject;
  if (Array.isArray(object["errors"]) && object["id"] === undefined) return "it is a list of errors";
  const isEmpty = Object.keys(object).length === 0;
  if (request.method === "DELETE") return isEmpty ? undefined : "it is not the empty object of a deletion";
  if (request.method !== "GET" && STARTS.test(path)) return undefined;
  if (isEmpty) return "it is empty";
  return request.method === "POST" ? doubtOfPosted(path, object, lists) : doubtOfItem(path, object, lists);
}

/** What was asked for, or changed, must be what is shown. */
function doubtOfItem(path: string, object: WireObject, { itemOf, traitsOf }: Lists): string | undefined {
  const item = itemOf(path);
  if (item === undefined) return undefined;
  const { field } = traitsOf(item.collection);
  const id = object[field];
  if (!isId(id)) return `it has no ${field}`;
  return String(id) === item.key ? undefined : `its ${field} is another than what was asked for`;
}

/** What was made has an id of its own; an action on an object shows that one. */
function doubtOfPosted(path: string, object: WireObject, lists: Lists): string | undefined {
  const field = lists.fieldOfMade(path);
  const makes = lists.isCollection(path) || /\/(import|clone)$/.test(path);
  if (makes) return isId(object[field]) ? undefined : `it has no ${field} of what was made`;
  const above = path.slice(0, path.lastIndexOf("/"));
  return object["id"] === undefined ? undefined : doubtOfItem(above, object, lists);
}

function doubtOfList(path: string, { path: asked }: Request, json: object): string | undefined {
  if (Array.isArray(json)) {
    return BARE_LIST.test(path) && json.every(isObject) ? undefined : "it is not a page of a list";
  }
  const { data, page, pages, results } = json as WireObject;
  if (!Array.isArray(data) || !isCount(page) || !isCount(pages) || !isCount(results) || !data.every(isObject))
    return "it is not a page of a list";
  const query = new URLSearchParams(asked.slice(path.length));
  const wanted = Number(query.get("page") ?? 1);
  if (page !== wanted) return "it is another page than the one asked for";
  if (data.length > Number(query.get("page_size") ?? PAGE_SIZE))
    return "the page has more items than asked for";
  if (data.length > results) return "the page has more items than the whole list";
  if (data.length === 0 && (page < pages || (results > 0 && page === 1))) return "the page lacks its items";
  return undefined;
}

/** What a path may be made of: a positive whole number, or a short text. */
function isId(id: unknown): boolean {
  return typeof id === "number" ? Number.isSafeInteger(id) && id > 0 : isShortText(id);
}

function isShortText(id: unknown): boolean {
  return typeof id === "string" && /^[^\p{Cc}]{1,500}$/u.test(id);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
