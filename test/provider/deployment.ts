/** A small engine for tests: declares one resource after another as an engine would, each operation with a Provider of its own. */

import { expect } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator/index.ts";
import type { DiffResponse, Provider, RequestCounts } from "../../provider/core/protocol.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import { hurriedProvider } from "../hurried.ts";

export interface Saved {
  readonly id: string;
  readonly inputs: ValueMap;
  readonly state: ValueMap;
}

export type Operation = "create" | "update" | "replace" | "same";

export interface Resource {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
}

/** An account in a box and the ways to it. */
export interface Account {
  readonly emulator: Emulator;
  /** A new provider, configured; closed with the account. */
  open(): Promise<Provider>;
  /** Runs the work with a provider of its own, and counts its requests. */
  during<T>(work: (provider: Provider) => Promise<T>): Promise<T>;
  /** Calls the service as somebody else would, behind the provider's back. */
  call(method: string, path: string, body?: object): Promise<{ readonly [name: string]: unknown }>;
  /** Requests of the last `during`. */
  readonly requests: () => RequestCounts;
  close(): Promise<void>;
}

/** Starts an emulator whose transitions end by the next read. */
export async function openAccount(options: EmulatorOptions = {}): Promise<Account> {
  const emulator = await startEmulator({ speed: "instant", checkAnswers: true, ...options });
  const opened: Provider[] = [];
  let requests: RequestCounts = {};
  const open = async () => {
    const provider = hurriedProvider(emulator);
    await provider.configure({});
    opened.push(provider);
    return provider;
  };
  return {
    emulator,
    open,
    requests: () => requests,
    async close() {
      await Promise.all(opened.map((provider) => provider.close()));
      await emulator.close();
    },
    async during(work) {
      const provider = await open();
      try {
        return await work(provider);
      } finally {
        requests = provider.requests();
      }
    },
    async call(method, path, body) {
      const response = await fetch(`${emulator.baseUrl}${path}`, {
        method,
        headers: { Authorization: `Bearer ${emulator.token}`, "Content-Type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as { [name: string]: unknown };
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer;
    },
  };
}

/** Identity of a resource of the stack `dev`, project `test`. */
export function resourceNamed(type: string, name: string): Resource {
  return { urn: `urn:pulumi:dev::test::${type}::${name}`, type, name };
}

const seed = Uint8Array.from({ length: 32 }, (_, i) => (i * 37 + 11) % 256);

/** Checks inputs that must be good. */
export async function checked(
  provider: Provider,
  resource: Resource,
  inputs: ValueMap,
  old?: ValueMap,
): Promise<ValueMap> {
  const response = await provider.check({
    ...resource,
    newInputs: inputs,
    randomSeed: seed,
    ...(old && { oldInputs: old }),
  });
  expect(response.failures).toEqual([]);
  return response.inputs;
}

export interface Applied extends Saved {
  readonly operation: Operation;
  readonly diff?: DiffResponse;
}

/** Preview, then apply, of one resource: what an engine does with it in one run. */
export async function apply(
  account: Account,
  resource: Resource,
  declared: ValueMap,
  saved: Saved | undefined,
): Promise<Applied> {
  await account.during((provider) => run(provider, resource, declared, saved, true));
  return account.during((provider) => run(provider, resource, declared, saved, false));
}

async function run(
  provider: Provider,
  resource: Resource,
  declared: ValueMap,
  saved: Saved | undefined,
  preview: boolean,
): Promise<Applied> {
  const inputs = await checked(provider, resource, declared, saved?.inputs);
  const create = async (fresh: ValueMap) => {
    let early: string | undefined;
    const made = await provider.create({
      ...resource,
      inputs: fresh,
      preview,
      onCreated: (id) => {
        early = id;
      },
    });
    if (!preview) expect(early).toBe(made.id);
    return { id: made.id, inputs: fresh, state: made.state };
  };
  if (!saved) return { operation: "create", ...(await create(inputs)) };
  const { id, state, inputs: oldInputs } = saved;
  const diff = await provider.diff({ ...resource, id, oldInputs, state, newInputs: inputs });
  if (!diff.changes) return { operation: "same", diff, id, inputs: oldInputs, state };
  if (diff.replaces.length > 0) {
    const fresh = await checked(provider, resource, declared);
    const remove = () => provider.delete({ ...resource, id, oldInputs, state });
    if (diff.deleteBeforeReplace && !preview) await remove();
    const made = await create(fresh);
    if (!diff.deleteBeforeReplace && !preview) await remove();
    return { operation: "replace", diff, ...made };
  }
  const updated = await provider.update({ ...resource, id, oldInputs, state, newInputs: inputs, preview });
  return { operation: "update", diff, id, inputs, state: updated.state };
}
