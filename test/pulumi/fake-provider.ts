/** A provider of one type, `Thing`, that keeps its objects in memory; each verb can be replaced by a test. */

import type { Catalogue, CreateRequest, PropertyInfo, Provider } from "../../provider/core/protocol.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import type { Parts } from "../../provider/pulumi/session.ts";
import { thing } from "./engine.ts";

function property(type: string, rest: Partial<PropertyInfo> = {}): PropertyInfo {
  return { description: `a ${type}`, schema: { type }, required: false, secret: false, ...rest };
}

const inputs = {
  name: property("string"),
  size: property("number"),
  password: property("string", { secret: true }),
};

export const catalogue: Catalogue = {
  resources: new Map([
    [
      thing,
      {
        token: thing,
        description: "A thing.",
        inputs,
        outputs: { ...inputs, key: property("string", { secret: true }) },
      },
    ],
  ]),
  functions: new Map([
    [
      "plumbline:test/getThing:getThing",
      {
        token: "plumbline:test/getThing:getThing",
        description: "Finds a thing.",
        inputs: { name: property("string", { required: true }) },
        outputs: { size: property("number") },
      },
    ],
  ]),
  config: {
    baseUrl: property("string"),
    token: property("string", { required: true, secret: true }),
    limits: property("object"),
    isQuick: property("boolean"),
  },
  resolveResource: (token) => (token === "plumbline:test:Thing" || token === thing ? thing : undefined),
  resolveFunction: (token) => (token.endsWith("getThing") ? "plumbline:test/getThing:getThing" : undefined),
};

export interface Fake {
  readonly parts: Parts;
  /** Calls of every verb so far, with the name of the verb. */
  readonly calls: { readonly verb: keyof Provider; readonly request: unknown }[];
  /** How many providers were made, and closed. */
  readonly made: () => { made: number; closed: number; cancelled: number };
  readonly objects: Map<string, ValueMap>;
}

/** `replace` gives other verbs; they are called with what the engine's request became. */
export function fakeProvider(replace: Partial<Provider> = {}): Fake {
  const calls: Fake["calls"] = [];
  const objects = new Map<string, ValueMap>();
  const counts = { made: 0, closed: 0, cancelled: 0 };
  let lastId = 0;

  async function create(request: CreateRequest) {
    if (request.preview) return { id: "", state: request.inputs };
    lastId += 1;
    const id = String(lastId);
    const state = { ...request.inputs, key: `key-of-${id}` };
    objects.set(id, state);
    await request.onCreated?.(id, state, request.inputs);
    return { id, state };
  }

  function createProvider(): Provider {
    counts.made += 1;
    const provider: Provider = {
      checkConfig: async ({ newInputs }) => ({ inputs: newInputs, failures: [] }),
      diffConfig: async () => noChange,
      configure: async () => {},
      check: async ({ newInputs }) => ({ inputs: newInputs, failures: [] }),
      diff: async () => noChange,
      create,
      read: async ({ id, inputs: given }) => {
        const state = objects.get(id);
        return state && { id, inputs: given ?? { name: state["name"] ?? null }, state };
      },
      update: async ({ id, newInputs, preview }) => {
        if (!preview) objects.set(id, newInputs);
        return { state: newInputs };
      },
      delete: async ({ id }) => void objects.delete(id),
      invoke: async ({ args }) => ({ result: args, failures: [] }),
      find: async () => undefined,
      list: async () => [],
      requests: () => ({ GET: 1 }),
      serviceTime: () => "2026-01-02T03:04:05Z",
      cancel: () => {
        counts.cancelled += 1;
      },
      close: async () => {
        counts.closed += 1;
      },
      ...replace,
    };
    const watched = Object.entries(provider).map(([verb, work]) => [
      verb,
      (request: unknown) => {
        calls.push({ verb: verb as keyof Provider, request });
        return (work as (request: unknown) => unknown)(request);
      },
    ]);
    return Object.fromEntries(watched) as Provider;
  }

  return {
    parts: { createProvider, catalogue, packageSchema: () => ({ name: "plumbline", version: "1.2.3" }) },
    calls,
    made: () => ({ ...counts }),
    objects,
  };
}

export const noChange = {
  changes: false,
  detailedDiff: {},
  replaces: [],
  deleteBeforeReplace: false,
  stables: [],
} as const;
