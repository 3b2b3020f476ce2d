/** A small service in memory, a Provider for it, a disk in memory, and lives that end at any moment: for the tests of the deployment. */

import {
  CancelledError,
  type Catalogue,
  CheckFailedError,
  type Provider,
  ResourceInitFailedError,
} from "../../../provider/core/protocol.ts";
import {
  isSecret,
  isUnknown,
  reveal,
  revealAll,
  secret,
  unknown,
  type Value,
  type ValueMap,
} from "../../../provider/core/value.ts";
import type { Disk } from "../../../provider/engine/state/backends/folder/disk.ts";
import { createMemoryDisk } from "../../../provider/engine/state/backends/folder/memory.ts";

export const thing = "plumbline:test/thing:Thing";

/** Ends at a moment: from then on nothing that it is asked for happens or answers. */
export interface Life {
  /** Counts a moment; never resolves once the life has ended. */
  readonly moment: () => Promise<void>;
  readonly isOver: () => boolean;
  readonly ended: Promise<void>;
  readonly moments: () => number;
}

/** `last`: the moment that is not survived; absent: none. */
export function life(last = Number.POSITIVE_INFINITY): Life {
  let count = 0;
  let over = false;
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    async moment() {
      count += 1;
      if (!over && count >= last) {
        over = true;
        end();
      }
      if (over) await new Promise(() => {});
    },
    isOver: () => over,
    ended,
    moments: () => count,
  };
}

export interface WorldObject {
  readonly id: string;
  readonly values: { [name: string]: unknown };
  readonly created: number;
}

export interface Call {
  readonly verb: string;
  readonly name: string;
  readonly id?: string;
}

/** The service: objects with a unique `label`, a `size`, a `region` that cannot change, and `parentId`, which must exist while it is referred to. */
export interface World {
  readonly objects: Map<string, WorldObject>;
  readonly calls: Call[];
  /** Whether each object has a secret output; sealing costs each engine a second. */
  readonly hasTokens: boolean;
  time: number;
  /** Called before each write; may throw. */
  fault: (verb: string, values: { [name: string]: unknown }) => Error | undefined;
  /** Awaited within each write, after it acted. */
  pause: (verb: string, values: { [name: string]: unknown }) => Promise<void>;
}

export function world(options: { hasTokens?: boolean } = {}): World {
  return {
    hasTokens: options.hasTokens ?? false,
    objects: new Map(),
    calls: [],
    time: Date.parse("2030-01-01T00:00:00Z"),
    fault: () => undefined,
    pause: async () => {},
  };
}

class Refused extends Error {
  readonly status = 400;
}

const plain = (inputs: ValueMap): { [name: string]: unknown } =>
  revealAll(inputs) as { [name: string]: unknown };

let ids = 0;

/** A Provider of the world, for one operation. */
export function worldProvider(world: World, of: Life = life()): Provider {
  let requests = 0;
  let cancelled = false;
  const stateOf = (object: WorldObject, inputs: ValueMap): ValueMap => ({
    ...inputs,
    address: `10.0.0.${object.id.slice(1)}`,
    ...(world.hasTokens ? { token: secret(`token-of-${object.id}`) } : {}),
  });
  async function request(verb: string, name: string, id?: string): Promise<void> {
    await of.moment();
    requests += 1;
    world.calls.push({ verb, name, ...(id ? { id } : {}) });
  }
  async function write(
    verb: string,
    name: string,
    values: { [name: string]: unknown },
    act: () => void,
    id?: string,
  ) {
    if (cancelled) throw new CancelledError();
    await request(verb, name, id);
    world.time += 1000;
    const fault = world.fault(verb, values);
    if (fault) throw fault;
    act();
    await world.pause(verb, values);
    await of.moment();
  }
  const find = (
    label: unknown,
    startedAt: string,
    isKnown: (id: string) => boolean,
  ): WorldObject | undefined => {
    const made = [...world.objects.values()].filter(
      (object) =>
        object.values.label === label &&
        object.created >= Date.parse(startedAt) - 1000 &&
        !isKnown(object.id),
    );
    if (made.length > 1) throw new Error("two objects could be it");
    return made[0];
  };
  const refuseDuplicate = (values: { [name: string]: unknown }, except?: string): void => {
    for (const object of world.objects.values()) {
      if (object.id !== except && object.values.label === values.label)
        throw new Refused(`label ${values.label} is taken`);
    }
    if (values.parentId !== undefined && !world.objects.has(String(values.parentId)))
      throw new Refused("there is no such parent");
  };
  return {
    checkConfig: async ({ newInputs }) => ({ inputs: newInputs, failures: [] }),
    diffConfig: async ({ oldInputs, newInputs }) => {
      const differs = (name: string) => reveal(oldInputs[name] ?? null) !== reveal(newInputs[name] ?? null);
      const names = ["baseUrl", "token"].filter(differs);
      return {
        changes: names.length > 0,
        detailedDiff: Object.fromEntries(
          names.map((name) => [name, { kind: "update" as const, inputDiff: true }]),
        ),
        replaces: names.filter((name) => name === "baseUrl"),
        deleteBeforeReplace: false,
        stables: [],
      };
    },
    configure: async (config) => {
      if (config.token === "none") throw new Error("no token: set plumbline:token");
    },
    check: async ({ newInputs, name, oldInputs, randomSeed }) => {
      const failures = [];
      if (newInputs.size === 13) failures.push({ property: "size", reason: "13 is no size" });
      const seed = Buffer.from(randomSeed ?? []).toString("hex");
      const label = newInputs.label ?? oldInputs?.label ?? `${name}-${seed.slice(0, 7)}`;
      if (seed === "" && !newInputs.label && !oldInputs?.label)
        failures.push({ property: "label", reason: "is required: there is no seed to name it by" });
      return { inputs: { ...newInputs, label }, failures };
    },
    diff: async ({ oldInputs, newInputs }) => {
      const detailedDiff: {
        [path: string]: { kind: "add" | "delete" | "update" | "update-replace"; inputDiff: boolean };
      } = {};
      const replaces: string[] = [];
      for (const name of new Set([...Object.keys(oldInputs), ...Object.keys(newInputs)])) {
        const before = oldInputs[name];
        const after = newInputs[name];
        const isSame =
          !hasUnknown(after) && JSON.stringify(revealed(before)) === JSON.stringify(revealed(after));
        if (isSame) continue;
        const isFixed = name === "region" || name === "parentId";
        if (isFixed) replaces.push(name);
        const kind = before === undefined ? "add" : after === undefined ? "delete" : "update";
        detailedDiff[name] = { kind: isFixed ? "update-replace" : kind, inputDiff: true };
      }
      const keepsLabel = revealed(oldInputs.label) === revealed(newInputs.label);
      return {
        changes: Object.keys(detailedDiff).length > 0,
        detailedDiff,
        replaces,
        deleteBeforeReplace: replaces.length > 0 && keepsLabel,
        stables: [],
      };
    },
    create: async (order) => {
      const values = plain(order.inputs);
      if (order.preview) {
        for (const { id, values: held } of world.objects.values()) {
          if (held.label === values.label && !order.isKnownId?.(id)) {
            throw new CheckFailedError([{ property: "label", reason: `${held.label} exists already` }]);
          }
        }
        if (values.size === 14) throw new CheckFailedError([{ property: "size", reason: "14 is sold out" }]);
        return {
          id: "",
          state: {
            ...order.inputs,
            address: unknown,
            ...(world.hasTokens ? { token: secret(unknown) } : {}),
          },
        };
      }
      let object: WorldObject | undefined;
      if (order.earlierAttempt) {
        await request("list", order.name);
        object = find(values.label, order.earlierAttempt.startedAt, (id) => order.isKnownId?.(id) ?? false);
      }
      if (!object) {
        ids += 1;
        const made: WorldObject = { id: `t${ids}`, values, created: world.time };
        await write("create", order.name, values, () => {
          refuseDuplicate(values);
          world.objects.set(made.id, made);
        });
        object = made;
      } else world.objects.set(object.id, { ...object, values });
      // What has a size takes a while to be ready.
      const isWhole = values.size === undefined;
      await order.onCreated?.(object.id, stateOf(object, order.inputs), order.inputs, isWhole);
      await of.moment();
      if (values.size === 99) {
        throw new ResourceInitFailedError({
          id: object.id,
          state: stateOf(object, order.inputs),
          reasons: ["it never got ready"],
        });
      }
      return { id: object.id, state: stateOf(object, order.inputs) };
    },
    find: async (order) => {
      await request("list", order.name);
      const object = find(
        plain(order.inputs).label,
        order.earlierAttempt.startedAt,
        (id) => order.isKnownId?.(id) ?? false,
      );
      return object && { id: object.id, inputs: order.inputs, state: stateOf(object, order.inputs) };
    },
    read: async ({ id, inputs, name }) => {
      await request("read", name, id);
      const object =
        world.objects.get(id) ?? [...world.objects.values()].find(({ values }) => values.label === id);
      if (!object) return undefined;
      const live = Object.fromEntries(
        Object.entries(object.values).map(([key, value]) => [
          key,
          inputs && isSecret(inputs[key]) ? secret(value as Value) : (value as Value),
        ]),
      );
      return { id: object.id, inputs: live, state: stateOf(object, live) };
    },
    update: async (order) => {
      const values = plain(order.newInputs);
      if (order.preview) return { state: { ...order.state, ...order.newInputs } };
      const object = world.objects.get(order.id);
      await write(
        "update",
        order.name,
        values,
        () => {
          if (!object) throw new Refused("there is no such object");
          refuseDuplicate(values, order.id);
          world.objects.set(order.id, { ...object, values });
        },
        order.id,
      );
      if (values.size === 98) {
        throw new ResourceInitFailedError({
          id: order.id,
          state: order.state,
          reasons: ["the resize never ended"],
        });
      }
      return { state: stateOf(world.objects.get(order.id) as WorldObject, order.newInputs) };
    },
    delete: async ({ id, name }) => {
      await write(
        "delete",
        name,
        world.objects.get(id)?.values ?? {},
        () => {
          for (const object of world.objects.values()) {
            if (object.values.parentId === id) throw new Refused(`${id} is still used by ${object.id}`);
          }
          world.objects.delete(id);
        },
        id,
      );
    },
    invoke: async ({ args }) => {
      await request("invoke", "function");
      return { result: { count: world.objects.size, ...args }, failures: [] };
    },
    list: async () => [],
    requests: () => ({ GET: requests }),
    serviceTime: () => new Date(world.time).toISOString(),
    cancel: () => {
      cancelled = true;
    },
    close: async () => {},
  };
}

const revealed = (value: Value | undefined): Value | undefined =>
  value === undefined ? undefined : revealAll(value);
const hasUnknown = (value: Value | undefined): boolean => value !== undefined && isUnknown(reveal(value));

const property = { description: "", schema: { type: "string" }, required: false, secret: false };

export const worldCatalogue: Catalogue = {
  resources: new Map([
    [
      thing,
      {
        token: thing,
        description: "",
        inputs: { label: property, size: property, region: property, parentId: property, password: property },
        outputs: { address: property, token: { ...property, secret: true } },
      },
    ],
  ]),
  functions: new Map([
    [
      "plumbline:test/count:count",
      { token: "plumbline:test/count:count", description: "", inputs: {}, outputs: { count: property } },
    ],
  ]),
  config: {},
  resolveResource: (token) => (["Thing", thing].includes(token) ? thing : undefined),
  resolveFunction: (token) => (token.endsWith(":count") ? "plumbline:test/count:count" : undefined),
  uniqueNames: (_type, { label }) =>
    typeof label === "string" ? [{ property: "label", group: `label ${label}` }] : [],
};

/** Files in memory. With a life, each write is a moment before and after; one that ends within an append leaves the line torn. */
export function memoryDisk(files: Map<string, string>, of: Life = life()): Disk {
  async function write(act: () => void): Promise<void> {
    await of.moment();
    act();
    await of.moment();
  }
  return {
    read: async (path) => {
      if (of.isOver()) await of.moment();
      return files.get(path);
    },
    replace: (path, text) => write(() => files.set(path, text)),
    append: async (path, text) => {
      if (of.isOver()) await of.moment();
      const waiting = of.moment();
      if (of.isOver())
        files.set(path, (files.get(path) ?? "") + text.slice(0, Math.floor(text.length * 0.6)));
      await waiting;
      files.set(path, (files.get(path) ?? "") + text);
      await of.moment();
    },
    claim: async (path, text) => {
      if (of.isOver()) await of.moment();
      if (files.has(path)) return false;
      files.set(path, text);
      await of.moment();
      return true;
    },
    move: async (from, to) => {
      const text = files.get(from);
      if (text === undefined) return false;
      files.delete(from);
      files.set(to, text);
      await of.moment();
      return true;
    },
    remove: (path) => write(() => files.delete(path)),
    list: createMemoryDisk(files).list,
    close: async () => {},
  };
}
