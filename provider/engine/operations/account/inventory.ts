/** What a whole account holds: every object of every type listed, and read by as few requests as the lists allow. Judges nothing. */

import type { ListedResource, Provider, Relations, ResourceInfo } from "../../../core/protocol.ts";
import { isApiError } from "../../../core/service-port.ts";
import { containsSecret, type ValueMap } from "../../../core/value.ts";
import type { Run } from "../../deployment/run.ts";
import { messageOf } from "../../failure.ts";
import { relationsOf } from "./managed.ts";

/** What is not taken over, and why. Without an id it stands for all objects of the type. */
export interface LeftOut {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly reason: string;
}

/** An object of the account as somebody declares it elsewhere. */
export interface GivenObject {
  /** Canonical token. */
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: ValueMap;
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean;
}

/** An object that is there. */
export interface Candidate {
  readonly type: string;
  readonly listed: ListedResource;
  readonly id: string;
  readonly inputs: ValueMap;
  readonly state: ValueMap;
  readonly relations: Relations;
  /** What is declared of it elsewhere, where it was given; `read`: the inputs without that. */
  readonly given?: GivenObject & { readonly read: ValueMap };
}

export interface Inventory {
  readonly candidates: Candidate[];
  readonly leftOut: LeftOut[];
}

export interface InventoryOptions {
  /** Only types of this area (`dns`); undefined: all. */
  readonly area: string | undefined;
  /** True for an object that need not be read. */
  readonly isKnown: (type: string, id: string) => boolean;
}

/**
 * Takes stock of one area, or of all. Throws what a list failed of, unless the service
 * refuses that list alone.
 */
export async function takeInventory(
  run: Run,
  provider: Provider,
  { area, isKnown }: InventoryOptions,
): Promise<Inventory> {
  const types = [...run.catalogue.resources.values()].filter(
    ({ token }) => area === undefined || areaOf(token) === area,
  );
  const leftOut: LeftOut[] = [];
  let refusal: Error | undefined;
  let isRefusedAll = true;
  const lists = new Map<string, Promise<readonly ListedResource[]>>();
  const ask = async (info: ResourceInfo, parentId?: string): Promise<readonly ListedResource[]> => {
    try {
      const found = await provider.list({
        type: info.token,
        log: run.logOf(),
        signal: run.signal,
        ...(parentId === undefined ? {} : { parentId }),
      });
      isRefusedAll = false;
      return found;
    } catch (error) {
      // What this token, or this account, may not look at is no reason to leave the rest.
      if (!isRefusal(error) && !isApiError(error, 404)) throw error;
      refusal ??= error;
      leftOut.push({
        type: info.token,
        ...(parentId === undefined ? {} : { id: parentId }),
        reason: `the service does not list them: ${messageOf(error)}`,
      });
      return [];
    }
  };
  /** Every object of a type; those under one kind of parent are asked for as soon as each parent is known. */
  const listed = (info: ResourceInfo, each: (found: readonly ListedResource[]) => Promise<void>) => {
    const above = info.parents?.length === 1 ? run.catalogue.resources.get(info.parents[0]!) : undefined;
    if (!above) return rootList(info).then(each);
    return rootList(above).then(async (parents) => {
      await Promise.all(parents.map(async ({ id }) => each(await ask(info, id))));
    });
  };
  const rootList = (info: ResourceInfo): Promise<readonly ListedResource[]> => {
    const asked = lists.get(info.token) ?? ask(info);
    lists.set(info.token, asked);
    return asked;
  };

  const candidates: Candidate[] = [];
  const readAll = async (info: ResourceInfo, found: readonly ListedResource[]) => {
    await Promise.all(
      found.map(async (one) => {
        run.throwIfCancelled();
        const left = (reason: string) =>
          leftOut.push({ type: info.token, id: one.id, name: one.name, reason });
        if (isKnown(info.token, one.id)) return;
        if (one.leftOut !== undefined) return void left(one.leftOut);
        try {
          const candidate = await read(run, provider, info, one);
          if (candidate) candidates.push(candidate);
        } catch (error) {
          if (!isRefusal(error)) throw error;
          left(`it cannot be read: ${messageOf(error)}`);
        }
      }),
    );
  };
  await Promise.all(
    types.map(async (info) => {
      if (info.leftOut === undefined) await listed(info, (found) => readAll(info, found));
    }),
  );
  // A token that is good for nothing is no account without objects.
  if (isRefusedAll && refusal) throw refusal;
  if (candidates.length > 0 || leftOut.length > 0) {
    for (const { token, leftOut: reason } of types)
      if (reason !== undefined) leftOut.push({ type: token, reason });
  }
  const rank = new Map([...run.catalogue.resources.keys()].map((token, i) => [token, i]));
  const compare = (a: { type: string; id?: string }, b: { type: string; id?: string }) =>
    (rank.get(a.type) ?? 0) - (rank.get(b.type) ?? 0) || compareIds(a.id ?? "", b.id ?? "");
  return { candidates: candidates.sort(compare), leftOut: leftOut.sort(compare) };
}

/** Reads these objects: those of a type together, as the provider shares lists. */
export async function takeGiven(
  run: Run,
  provider: Provider,
  given: readonly GivenObject[],
  isKnown: InventoryOptions["isKnown"],
): Promise<Inventory> {
  const leftOut: LeftOut[] = [];
  const candidates = await Promise.all(
    given.map(async (each): Promise<Candidate[]> => {
      const { type, id, name, inputs: declared } = each;
      const left = (reason: string): [] => {
        leftOut.push({ type, id, name, reason });
        return [];
      };
      if (isKnown(type, id)) return left("the stack has it already");
      const info = run.catalogue.resources.get(type)!;
      const found = await read(run, provider, info, { id, name }).catch((error: unknown) => {
        if (!isRefusal(error)) throw error;
        return error;
      });
      if (found instanceof Error) return left(`it cannot be read: ${messageOf(found)}`);
      if (found === undefined) return left("it is not on the account");
      const inputs = { ...found.inputs, ...declared };
      const { state } = found;
      const relations = relationsOf(run, { type, id: found.id, inputs, outputs: state });
      return [{ ...found, inputs, relations, given: { ...each, read: found.inputs } }];
    }),
  );
  return { candidates: candidates.flat(), leftOut };
}

/** True when the token may not (a scope that it lacks is a 401), or its user may not. */
const isRefusal = (error: unknown): error is Error => isApiError(error, 401) || isApiError(error, 403);

const areaOf = (token: string) => token.split(":")[1]?.split("/")[0];

async function read(
  run: Run,
  provider: Provider,
  info: ResourceInfo,
  listed: ListedResource,
): Promise<Candidate | undefined> {
  const type = info.token;
  const live = await provider.read({
    urn: run.urnOf(type, listed.id),
    type,
    name: listed.name,
    id: listed.id,
    log: run.logOf(),
    signal: run.signal,
  });
  if (live === undefined) return undefined;
  const { id, state } = live;
  const inputs = writable(live.inputs);
  return {
    type,
    listed,
    id,
    inputs,
    state,
    relations: relationsOf(run, { type, id, inputs, outputs: state }),
  };
}

/** The inputs that can stand in a file. A secret cannot: it stays as it is until somebody declares it. */
export function writable(inputs: ValueMap): ValueMap {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => !containsSecret(value)));
}

/** Numbers by size, text by code unit, part by part. */
function compareIds(one: string, other: string): number {
  const [a, b] = [one.split("/"), other.split("/")];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i] ?? "", b[i] ?? ""];
    if (x === y) continue;
    const difference = Number(x) - Number(y);
    if (!Number.isNaN(difference) && difference !== 0) return difference;
    return x < y ? -1 : 1;
  }
  return 0;
}
