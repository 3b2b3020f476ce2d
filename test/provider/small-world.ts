/** A service in memory for small types of a test's own: it answers what a table says, keeps what it was asked, and loses the answers that it is told to lose. */

import { newPlan } from "../../provider/core/judgement/plan.ts";
import { AnswerLostError, notThere, type WireObject } from "../../provider/core/service-port.ts";
import type { ResourceType } from "../../provider/core/type/resource.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import { createResource } from "../../provider/verbs/create.ts";
import { keyedQueue, type Operation, type Service } from "../../provider/verbs/operation.ts";
import { markerWith } from "../../provider/verbs/values/marker.ts";

export const words = { description: "" };
export const gone = () => notThere("/");
export const lost = () => new AnswerLostError("POST", "/", "no answer", undefined);

export type Handler = (body: WireObject) => WireObject;

/** A service that answers what the table says, keeps what it was asked, and loses the answers named in `losing`. */
export function service(table: { readonly [request: string]: Handler }, losing: string[] = []) {
  const log: string[] = [];
  const send =
    (method: string) =>
    async (path: string, body: WireObject = {}) => {
      const request = `${method} ${path}`;
      const shown = Object.keys(body).length > 0 ? ` ${JSON.stringify(body)}` : "";
      if (method !== "GET") log.push(`${request}${shown}`);
      const handler = table[request];
      if (!handler) throw gone();
      const answer = handler(body);
      if (losing.includes(request)) {
        losing.splice(losing.indexOf(request), 1);
        throw lost();
      }
      return answer;
    };
  const get = send("GET");
  const port: Service = {
    get: (path) => get(path),
    getFresh: (path) => get(path),
    list: async (path) => (await get(path))["data"] as WireObject[],
    post: send("POST"),
    put: send("PUT"),
    delete: async (path) => void (await send("DELETE")(path)),
    sendSigned: async () => {
      throw new Error("nothing is stored here");
    },
    waitFor: async (path, isDone) => {
      log.push(`wait ${path}`);
      for (let looks = 0; looks < 5; looks++) {
        const object = await get(path);
        if (isDone(object)) return object;
      }
      throw new Error("it never ends");
    },
    requests: () => ({}),
    identify: async () => undefined,
    serviceTime: () => "2030-01-01T00:00:10Z",
    close: async () => {},
  };
  return { port, asked: () => log.splice(0) };
}

export function operationOf(port: Service, ...types: ResourceType[]): Operation {
  return {
    types: new Map(types.map((type) => [type.key, type])),
    plan: newPlan(),
    service: () => port,
    cancelled: new AbortController().signal,
    lists: new Map(),
    exclusive: keyedQueue(),
    marker: markerWith(() => "key"),
  };
}

export const named = (type: ResourceType, name = "r") => ({ urn: `u::${name}`, type: type.token, name });
export const make = (
  operation: Operation,
  type: ResourceType,
  inputs: ValueMap,
  more: object = {},
  name = "r",
) => createResource(operation, type, { ...named(type, name), inputs, preview: false, ...more });
