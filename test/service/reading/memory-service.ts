/** A service in memory for one or more lists, as a `Call`: what it keeps, and what it was asked. */

import { ApiError } from "../../../provider/core/service-port.ts";
import type { Call } from "../../../provider/service/retry.ts";

export interface Stored {
  readonly [name: string]: unknown;
  readonly id: number;
}

export interface MemoryService {
  readonly call: Call;
  /** Lists by path, items in order of id. */
  readonly lists: Map<string, Stored[]>;
  /** `GET /domains/1/records?page=1` (without the page size), in order. */
  readonly asked: string[];
  /** Answers by path (of an item or a list) that replace the usual ones. */
  readonly refusals: Map<string, number>;
}

/** `pause` is awaited before a request takes effect and again before its answer goes out. */
export function createMemoryService(
  options: { pageSize?: number; pause?: (what: string) => Promise<unknown> } = {},
): MemoryService {
  const lists = new Map<string, Stored[]>();
  const asked: string[] = [];
  const refusals = new Map<string, number>();
  const pause = options.pause ?? (() => Promise.resolve());
  let version = 0;
  let lastId = 1000;

  function refuse(method: string, path: string, status: number): never {
    throw new ApiError({
      method,
      path,
      status,
      reasons: [{ reason: status === 404 ? "Not found" : "No" }],
      retryable: status >= 500,
    });
  }

  const act: Call = async ({ method, path, body }) => {
    const [bare = "", query] = path.split("?");
    const refusal = refusals.get(bare);
    if (refusal !== undefined) refuse(method, bare, refusal);
    const list = lists.get(bare);
    if (list !== undefined && method === "POST") {
      const made = { ...body, id: ++lastId, version: ++version };
      list.push(made);
      return made;
    }
    if (list !== undefined) {
      const page = Number(new URLSearchParams(query).get("page"));
      const size = options.pageSize ?? 500;
      return {
        data: list.slice((page - 1) * size, page * size),
        page,
        pages: Math.max(1, Math.ceil(list.length / size)),
        results: list.length,
      };
    }
    const cut = bare.lastIndexOf("/");
    const items = lists.get(bare.slice(0, cut));
    const at = items?.findIndex(({ id }) => String(id) === bare.slice(cut + 1)) ?? -1;
    const found = items?.[at];
    if (items === undefined || found === undefined) return refuse(method, bare, 404);
    if (method === "DELETE") {
      items.splice(at, 1);
      return {};
    }
    if (method === "PUT") items[at] = { ...found, ...body, version: ++version };
    return items[at] ?? {};
  };

  return {
    lists,
    asked,
    refusals,
    async call(request, callOptions) {
      const shown = `${request.method} ${request.path.replace("page_size=500&", "")}`;
      asked.push(shown);
      await pause(`${shown} arrives`);
      const outcome = await act(request, callOptions).then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error;
        },
      );
      await pause(`${shown} is answered`);
      return outcome();
    },
  };
}

/** Items 1 to `count`. */
export function numbered(count: number): Stored[] {
  return Array.from({ length: count }, (_, at) => ({ id: at + 1, version: 0 }));
}
