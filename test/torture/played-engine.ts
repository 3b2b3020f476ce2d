/**
 * Pulumi's engine as its plugin sees it: the calls of a preview, an update, a destroy and a refresh in the order in which its step generator and
 * step executor make them, over gRPC. What was answered is in the state at once; what was not is as before. It starts nothing and judges nothing.
 */

import { randomBytes } from "node:crypto";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { makeUrn, nameOf } from "../../provider/core/engines/urn.ts";
import { unknown, type Value, type ValueMap } from "../../provider/core/value.ts";
import { catalogue } from "../../provider/provider.ts";
import { decodeProperties, encodeProperties } from "../../provider/wire/struct.ts";
import { type Client, keptBy, type Refusal } from "../pulumi/client.ts";
import type { Outcome } from "./judge.ts";
import type { Resources } from "./stack.ts";

/** A resource as the engine's state has it. */
export interface Entry {
  readonly urn: string;
  readonly type: string;
  readonly id: string;
  readonly inputs: ValueMap;
  readonly outputs: ValueMap;
  /** URNs that each input refers to. */
  readonly uses: { readonly [input: string]: readonly string[] };
  readonly hasInitErrors?: boolean;
  /** A replacement made another; this one waits for its deletion. */
  readonly isCondemned?: boolean;
  /** Deleted for a replacement that is not made yet. */
  readonly isReplaced?: boolean;
}

export interface Deployment {
  /** The provider's own inputs, once it has been checked. */
  provider?: ValueMap;
  resources: readonly Entry[];
}

export interface Play {
  readonly client: Client;
  /** Changed as answers come; a preview works on a copy. */
  readonly state: Deployment;
  /** Called with each answer to a write before it is saved; throws when the engine is dead by then. */
  readonly answered?: (what: string) => void;
}

type Declared = Resources[string];
type Step = Outcome["steps"][number];

/** Names that the text refers to. */
const referred = (text: string): string[] => [...text.matchAll(/\$\{(\w+)\./g)].map(([, name]) => name!);

const usesOf = (properties: object, urnOf: (name: string) => string): Entry["uses"] =>
  Object.fromEntries(
    Object.entries(properties).map(([input, value]) => [input, referred(JSON.stringify(value)).map(urnOf)]),
  );

const dependenciesOf = ({ uses }: Entry): ReadonlySet<string> => new Set(Object.values(uses).flat());

const typeOf = ({ type }: Declared): string => catalogue.resolveResource(type) ?? type;

export async function play(
  { client, state, answered = () => {} }: Play,
  resources: Resources | undefined,
  { isPreview = false } = {},
): Promise<Outcome> {
  const steps: Step[] = [];
  const errors: string[] = [];
  const known = isPreview ? { ...state } : state;
  /** URNs that the program has registered so far. */
  const seen = new Set<string>();
  /** URNs that went before what they refer to is replaced. */
  const goneEarly = new Set<string>();
  const live = new Map<string, ValueMap>();
  const registered = new Map<string, Promise<void>>();
  let generation = Promise.resolve<unknown>(undefined);

  const urnOf = (name: string) => makeUrn("dev", "torture", typeOf(resources![name]!), name);
  const told = (op: Step["op"], urn: string, type: string, id?: string) =>
    steps.push({ op, type, name: nameOf(urn), ...(id !== undefined && { id }), detailedDiff: {} });
  const find = (urn: string) => known.resources.find((entry) => entry.urn === urn && !entry.isCondemned);
  const drop = ({ urn, id }: Entry) => {
    known.resources = known.resources.filter((other) => other.urn !== urn || other.id !== id);
  };
  const put = (old: Entry | undefined, entry: Entry) => {
    if (old !== undefined) drop(old);
    known.resources = [...known.resources, entry];
  };

  /** Makes a write, unless another failed before; its failure ends the run. */
  async function write<T>(what: string, call: () => Promise<T>): Promise<T | undefined> {
    if (errors.length > 0) throw new Error("not begun");
    try {
      const answer = isPreview && what.startsWith("delete") ? undefined : await call();
      answered(what);
      return answer;
    } catch (error) {
      errors.push(`${what}: ${(error as Error).message}`);
      throw error;
    }
  }

  /** What exists though its write failed is in the state; anything else is as before. */
  function keep(error: unknown, save: (kept: ReturnType<typeof keptBy>) => void): never {
    const [detail] = (error as Refusal).metadata?.get("grpc-status-details-bin") ?? [];
    if (detail !== undefined) save(keptBy(error as Refusal));
    throw error;
  }

  async function remove(entry: Entry, { isEarly = false } = {}): Promise<void> {
    const { urn, type, id, outputs, inputs } = entry;
    if (!entry.isReplaced)
      await write(`delete ${nameOf(urn)}`, () => client.delete(urn, id, outputs, inputs));
    if (isEarly) {
      goneEarly.add(urn);
      put(entry, { ...entry, isReplaced: true });
    } else {
      drop(entry);
      if (!entry.isReplaced) told("delete", urn, type, id);
    }
  }

  async function create(entry: Omit<Entry, "id" | "outputs">, old: Entry | undefined): Promise<void> {
    const { urn, type, inputs } = entry;
    const save = (id: string, outputs: ValueMap, hasInitErrors = false) => {
      if (old !== undefined && !old.isReplaced) put(old, { ...old, isCondemned: true });
      put(old?.isReplaced ? old : undefined, { ...entry, id, outputs, hasInitErrors });
      live.set(urn, { ...outputs, ...(!isPreview && { id }) });
    };
    const call = () =>
      client
        .create(urn, inputs, { preview: isPreview })
        .catch((error) => keep(error, ({ id, properties }) => save(id, properties, true)));
    const made = await write(`create ${nameOf(urn)}`, call);
    save(made!.id, made!.properties);
    if (old === undefined) told("create", urn, type, isPreview ? undefined : made!.id);
    else told("replace", urn, type, old.id);
  }

  async function update(entry: Omit<Entry, "id" | "outputs">, old: Entry): Promise<void> {
    const { urn, type, inputs } = entry;
    const { id } = old;
    const call = () =>
      client.update(urn, id, old.outputs, old.inputs, inputs, { preview: isPreview }).catch((error) =>
        keep(error, (kept) => {
          put(old, { ...entry, id, inputs: old.inputs, outputs: kept.properties, hasInitErrors: true });
        }),
      );
    const outputs = (await write(`update ${nameOf(urn)}`, call))!;
    put(old, { ...entry, id, outputs });
    live.set(urn, { ...outputs, id });
    told("update", urn, type, id);
  }

  const isReplacing = async (entry: Entry, news: ValueMap) =>
    (await client.diff(entry.urn, entry.id, entry.outputs, entry.inputs, news)).getReplacesList().length > 0;

  /** Those that a replacement of `root` replaces too, each after those that it refers to. */
  async function replacedWith(root: Entry): Promise<Entry[]> {
    const replaced = new Set([root.urn]);
    const found: Entry[] = [];
    for (const entry of inOrder(known.resources)) {
      if (entry.isCondemned || entry.isReplaced || seen.has(entry.urn) || replaced.has(entry.urn)) continue;
      const changing = Object.entries(entry.uses).filter(([, urns]) => urns.some((urn) => replaced.has(urn)));
      if (changing.length === 0) continue;
      const news = { ...entry.inputs, ...Object.fromEntries(changing.map(([input]) => [input, unknown])) };
      if (!(await isReplacing(entry, news))) continue;
      found.push(entry);
      replaced.add(entry.urn);
    }
    return found;
  }

  /** Decides what becomes of a resource, and what is to be done for it. */
  async function generate(name: string, declared: Declared): Promise<() => Promise<void>> {
    if (errors.length > 0) throw new Error("not begun");
    const [urn, type] = [urnOf(name), typeOf(declared)];
    const old = find(urn) ?? takeAlias(urn, declared);
    const news = evaluated(declared.properties as ValueMap) as ValueMap;
    const isAgain = goneEarly.has(urn);
    const seed = randomBytes(32);
    const checked = async (olds: ValueMap) => {
      const { inputs, failures } = await client.check(urn, news, olds, { seed });
      if (failures.length > 0)
        throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("; "));
      return { urn, type, inputs, uses: usesOf(declared.properties, urnOf) };
    };
    const next = await checked(old === undefined || isAgain ? {} : old.inputs);
    seen.add(urn);
    if (old === undefined || isAgain) return () => create(next, old);
    const diff = await client.diff(urn, old.id, old.outputs, old.inputs, next.inputs);
    const changes = diff.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME;
    if (!old.isReplaced && (!changes || diff.getReplacesList().length === 0)) {
      if (changes || old.hasInitErrors) return () => update(next, old);
      put(old, { ...old, ...next });
      live.set(urn, { ...old.outputs, id: old.id });
      return async () => void told("same", urn, type, old.id);
    }
    const anew = await checked({});
    if (!diff.getDeletebeforereplace() || old.isReplaced) return () => create(anew, old);
    const others = await replacedWith(old);
    for (const other of others) goneEarly.add(other.urn);
    return async () => {
      for (const other of others.reverse()) {
        await remove(other, { isEarly: true });
        told("replace", other.urn, other.type, other.id);
      }
      await remove(old, { isEarly: true });
      await create(anew, find(urn));
    };
  }

  /** The resource under the name that it had, which it has no more. */
  function takeAlias(urn: string, { options }: Declared): Entry | undefined {
    const { aliases = [] } = (options ?? {}) as { aliases?: readonly { readonly name: string }[] };
    for (const { name } of aliases) {
      const before = `${urn.slice(0, -nameOf(urn).length)}${name}`;
      const old = find(before);
      if (old === undefined) continue;
      const renamed = (other: string) => (other === before ? urn : other);
      known.resources = known.resources.map((entry) => ({
        ...entry,
        urn: renamed(entry.urn),
        uses: Object.fromEntries(
          Object.entries(entry.uses).map(([input, urns]) => [input, urns.map(renamed)]),
        ),
      }));
      return find(urn);
    }
    return undefined;
  }

  function evaluated(value: Value): Value {
    if (Array.isArray(value)) return value.map((item) => evaluated(item as Value));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, evaluated(item as Value)]),
      );
    const [, name, property] = (typeof value === "string" && /^\$\{(\w+)\.(\w+)\}$/.exec(value)) || [];
    if (name === undefined) return value;
    return live.get(urnOf(name))![property!] ?? (isPreview ? unknown : null);
  }

  function register(name: string): Promise<void> {
    const earlier = registered.get(name);
    if (earlier !== undefined) return earlier;
    const declared = resources![name]!;
    const work = (async () => {
      await Promise.all(referred(JSON.stringify(declared.properties)).map(register));
      // Steps are thought of one by one, and done together.
      const generated = generation.then(() => generate(name, declared));
      generation = generated.catch((error: Error) => {
        if (errors.length === 0) errors.push(`${name}: ${error.message}`);
      });
      await (await generated)();
    })();
    registered.set(name, work);
    return work;
  }

  async function removeRest(): Promise<void> {
    const rest = known.resources.filter(({ urn, isCondemned }) => isCondemned || !seen.has(urn));
    const removed = new Map<Entry, Promise<void>>();
    const removeAfterDependents = (entry: Entry): Promise<void> => {
      const dependents = rest.filter((other) => dependenciesOf(other).has(entry.urn));
      const work =
        removed.get(entry) ?? Promise.all(dependents.map(removeAfterDependents)).then(() => remove(entry));
      removed.set(entry, work);
      return work;
    };
    await Promise.allSettled(rest.map(removeAfterDependents));
  }

  try {
    await configure(client, known, resources !== undefined);
    await Promise.allSettled(Object.keys(resources ?? {}).map(register));
    if (errors.length === 0) await removeRest();
  } catch (error) {
    errors.push((error as Error).message);
  }
  return {
    result: errors.length === 0 ? "succeeded" : "failed",
    steps,
    changes: steps.some(({ op }) => op !== "same"),
    diagnostics: errors.map((message) => ({ severity: "error", message })),
  };
}

/** Reads everything, as `pulumi refresh` does. */
export async function refresh({ client, state }: Play): Promise<void> {
  await configure(client, state, true);
  const read = await Promise.all(
    state.resources.map(async (entry): Promise<readonly Entry[]> => {
      if (entry.isReplaced) return [entry];
      const { urn, id, outputs, inputs } = entry;
      const found = await client.read(urn, id, outputs, inputs);
      if (found.id === "" || found.properties === undefined) return [];
      return [{ ...entry, id: found.id, outputs: found.properties, inputs: found.inputs ?? inputs }];
    }),
  );
  state.resources = read.flat();
}

/** A program's provider is checked; a destroy takes it from the state. */
async function configure(client: Client, state: Deployment, isChecked: boolean): Promise<void> {
  const urn = makeUrn("dev", "torture", "pulumi:providers:plumbline", "default");
  await client.handshake();
  if (isChecked) {
    const request = new messages.CheckRequest();
    request.setUrn(urn);
    request.setOlds(encodeProperties(state.provider ?? {}));
    request.setNews(encodeProperties({}));
    const response = await client.call("checkConfig", request);
    const [failure] = response.getFailuresList();
    if (failure !== undefined) throw new Error(failure.getReason());
    state.provider = decodeProperties(response.getInputs());
  }
  await client.configure(state.provider, urn);
}

/** Entries after all that they refer to. */
function inOrder(entries: readonly Entry[]): Entry[] {
  const ordered = new Set<Entry>();
  const add = (entry: Entry): void => {
    if (ordered.has(entry)) return;
    for (const urn of dependenciesOf(entry)) for (const other of entries) if (other.urn === urn) add(other);
    ordered.add(entry);
  };
  for (const entry of entries) add(entry);
  return [...ordered];
}
