/** What a type may ask of the verbs beyond today's five types, shown on a type made for it and a service in memory. */

import { describe, expect, test } from "vitest";
import { newPlan } from "../../provider/core/judgement/plan.ts";
import { AnswerLostError, ApiError, notThere, type WireObject } from "../../provider/core/service-port.ts";
import { anything, flag, group, integer, optional, text } from "../../provider/core/type/field.ts";
import { resource } from "../../provider/core/type/resource.ts";
import { isSecret, reveal, secret, type ValueMap } from "../../provider/core/value.ts";
import { createResource } from "../../provider/verbs/create.ts";
import { deleteResource } from "../../provider/verbs/delete.ts";
import { keyedQueue, type Operation, type Service } from "../../provider/verbs/operation.ts";
import { readResource } from "../../provider/verbs/read.ts";
import { updateResource } from "../../provider/verbs/update.ts";
import { markerWith } from "../../provider/verbs/values/marker.ts";

const words = { description: "" };
const Engine = resource({
  area: "test",
  name: "Engine",
  description: "",
  path: "/engines/{engineNumber}",
  nameFormat: "LABEL",
  inputs: {
    label: text({ ...words, unique: true, adoptKey: true }),
    type: text({ ...words }),
    allow: optional(text({ ...words, default: "" })),
    window: optional(group({ day: integer(words) }, { ...words, updateOnly: true, computed: true })),
    password: optional(text({ ...words, secret: true, writeOnly: true, default: null })),
    enabled: optional(flag({ ...words, local: true, default: true })),
    resetTrigger: optional(anything({ ...words, trigger: true })),
    keepOnDelete: optional(flag({ ...words, local: true, default: false })),
  },
  outputs: {
    status: text(words),
    secretKey: optional(text({ ...words, secret: true, shownOnce: true })),
    endpoint: optional(text(words)),
  },
  ready: { isReady: (engine) => engine["status"] === "active" },
  observe: async ({ service, path }, engine) => ({
    ...engine,
    ...(await service.getFresh(`${path}/endpoint`)),
  }),
  aspects: [
    {
      name: "resize",
      fields: ["type"],
      sync: ({ service, path, inputs }) => service.put(path, { type: inputs.type }),
    },
    {
      name: "enable",
      fields: ["enabled"],
      sync: ({ service, path, inputs }) =>
        service.post(`${path}/${inputs.enabled === false ? "disable" : "enable"}`),
    },
    {
      name: "reset",
      fields: ["resetTrigger"],
      async sync({ service, path }) {
        await service.post(`${path}/reset`);
        return undefined;
      },
    },
  ],
});

/** A service that holds one engine, becomes busy by every write, and keeps what it was asked. */
function memory() {
  const log: string[] = [];
  let engine: { [name: string]: unknown } | undefined;
  const busy = () => {
    if (engine) engine["status"] = "updating";
  };
  const one = (): WireObject => {
    if (!engine) throw notThere("/engines/1");
    return { ...engine, secret_key: "[REDACTED]" };
  };
  const service: Service = {
    get: async () => one(),
    getFresh: async (path) => (path.endsWith("/endpoint") ? { endpoint: "https://e" } : one()),
    list: async () => (engine ? [one()] : []),
    post: async (path, body = {}) => {
      log.push(`POST ${path} ${JSON.stringify(body)}`);
      if (path === "/engines") {
        engine = {
          id: 7,
          allow: "",
          window: { day: 1 },
          ...body,
          created: "2030-01-01T00:00:00",
          status: "provisioning",
        };
        delete engine["password"];
        return { ...engine, secret_key: "shown-once" };
      }
      busy();
      return one();
    },
    put: async (path, body) => {
      log.push(`PUT ${path} ${JSON.stringify(body)}`);
      const { password: _, ...kept } = body;
      engine = { ...engine, ...kept };
      busy();
      return one();
    },
    delete: async (path) => {
      log.push(`DELETE ${path}`);
      engine = undefined;
    },
    sendSigned: async () => {
      throw new Error("nothing is stored here");
    },
    waitFor: async (_, isDone) => {
      log.push("wait");
      engine!["status"] = "active";
      expect(isDone(one())).toBe(true);
      return one();
    },
    requests: () => ({}),
    identify: async () => undefined,
    serviceTime: () => "2030-01-01T00:00:00Z",
    close: async () => {},
  };
  const operation: Operation = {
    types: new Map([[Engine.key, Engine]]),
    plan: newPlan(),
    service: () => service,
    cancelled: new AbortController().signal,
    lists: new Map(),
    exclusive: keyedQueue(),
    marker: markerWith(() => "key"),
  };
  return { operation, asked: () => log.splice(0) };
}

const identity = { urn: "u", type: Engine.token, name: "e" };
const declared: ValueMap = {
  label: "main",
  type: "small",
  window: { day: 3 },
  password: secret("p1"),
  resetTrigger: 1,
};

describe("a type with more than a POST and a PUT", () => {
  const { operation, asked } = memory();
  let state: ValueMap;
  let inputs = declared;
  const update = async (change: ValueMap) => {
    const newInputs = { ...inputs, ...change };
    ({ state } = await updateResource(operation, Engine, {
      ...identity,
      id: "7",
      oldInputs: inputs,
      state,
      newInputs,
      preview: false,
    }));
    inputs = newInputs;
    return asked();
  };

  test("sends what a create does not take by an update, waits between the steps, and runs no trigger", async () => {
    ({ state } = await createResource(operation, Engine, { ...identity, inputs: declared, preview: false }));
    expect(asked()).toEqual([
      'POST /engines {"label":"main","type":"small","password":"p1"}',
      "wait",
      'PUT /engines/7 {"window":{"day":3}}',
      "wait",
    ]);
    expect(state).toMatchObject({ status: "active", endpoint: "https://e" });
  });

  test("keeps what is shown once as a secret, and what is sent only in its inputs", async () => {
    expect(isSecret(state["secretKey"])).toBe(true);
    expect(state).not.toHaveProperty("password");
    expect(JSON.stringify([state, asked()])).not.toContain("p1");
    const read = await readResource(operation, Engine, { ...identity, id: "7", inputs, state });
    expect(reveal(read!.state["secretKey"]!)).toBe("shown-once");
    expect(read!.inputs).toEqual(inputs);
    expect(read!.state).toEqual(state);
  });

  test("makes several ordered requests of one update, each after the one before has ended", async () => {
    expect(await update({ type: "big", allow: "all", enabled: false })).toEqual([
      'PUT /engines/7 {"allow":"all"}',
      "wait",
      'PUT /engines/7 {"type":"big"}',
      "wait",
      "POST /engines/7/disable {}",
      "wait",
    ]);
  });

  test("sends a write-only value when it changes and only then, and a verb once for each change of its trigger", async () => {
    expect(await update({ password: secret("p2") })).toEqual(['PUT /engines/7 {"password":"p2"}', "wait"]);
    expect(await update({ password: secret("p2") })).toEqual([]);
    expect(await update({ resetTrigger: { at: 2 } })).toEqual(["POST /engines/7/reset {}", "wait"]);
    expect(await update({ resetTrigger: { at: 2 } })).toEqual([]);
  });

  test("asks nothing for what only steers the provider, and resets what is taken out", async () => {
    expect(await update({ keepOnDelete: true })).toEqual([]);
    const { allow: _, ...rest } = inputs;
    ({ state } = await updateResource(operation, Engine, {
      ...identity,
      id: "7",
      oldInputs: inputs,
      state,
      newInputs: rest,
      preview: false,
    }));
    expect(asked()).toEqual(['PUT /engines/7 {"allow":""}', "wait"]);
  });

  test("is deleted, and gone afterwards", async () => {
    const request = { ...identity, id: "7", oldInputs: inputs, state };
    await deleteResource(operation, Engine, request);
    expect(asked()).toEqual(["DELETE /engines/7"]);
    expect(await readResource(operation, Engine, { ...identity, id: "7" })).toBeUndefined();
  });
});

test("a create carried out only after it was looked for is taken over when its repetition is refused", async () => {
  const { operation } = memory();
  const service = operation.service();
  const lost = new AnswerLostError("POST", "/engines", "no answer", undefined);
  const refused = new ApiError({
    method: "POST",
    path: "/engines",
    status: 400,
    reasons: [{ reason: "label must be unique" }],
    retryable: false,
  });
  let posts = 0;
  let lists = 0;
  const late: Service = {
    ...service,
    post: async (path, body) => {
      posts += 1;
      if (posts === 1) throw lost;
      await service.post(path, body);
      throw refused;
    },
    list: async (path) => (++lists === 1 ? [] : service.list(path)),
  };
  const made = await createResource({ ...operation, service: () => late }, Engine, {
    ...identity,
    inputs: { label: "main", type: "small" },
    preview: false,
  });
  expect(made.id).toBe("7");
  expect(posts).toBe(2);
});
