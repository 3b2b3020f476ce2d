/** The state file of one stack: Pulumi's deployment version 3 with a few words of our own beside it; written, read, and checked. Knows no journal. */

import { createHash } from "node:crypto";
import { type Owner, owner } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import { EngineError, messageOf } from "../failure.ts";
import type { Sealing } from "./encoding.ts";
import { decodeResource, encodeResource, holdsSealed, type JsonMap } from "./encoding.ts";
import { deploymentFault, isMap, nestingFault } from "./form.ts";
import { type Attempt, ordered, type ResourceState, references } from "./state.ts";
import { isTarget, type Target, type Targets, targetRecord, usedTargets } from "./target.ts";

/** A stack's state as it lies in its file; secrets are still sealed. */
export interface SnapshotFile {
  readonly version: 3;
  readonly deployment: Deployment;
  readonly plumbline: {
    readonly format: 1;
    readonly serial: number;
    readonly lineage: string;
    /** By provider (`default`, or the URN of a declared one). Absent: nothing was written since states have it. */
    readonly targets?: { readonly [provider: string]: Target };
    /** The stack whose state is on its way here: until it has come, this is nobody's. */
    readonly renaming?: string;
  };
}

/** Pulumi's deployment version 3. A resource with notes has them in `plumbline.notes`; those of a creation are with the operation. */
export interface Deployment {
  readonly manifest: { readonly time: string; readonly magic: string; readonly version: string };
  readonly secrets_providers?: { readonly type: string; readonly state?: { readonly salt?: string } };
  readonly resources?: readonly JsonMap[];
  /** `index`: which of the resources, for an update or a delete. */
  readonly pending_operations?: readonly {
    readonly resource: JsonMap;
    readonly type: string;
    readonly plumbline?: { readonly startedAt: string; readonly index?: number; readonly notes?: JsonMap };
  }[];
  readonly metadata?: object;
}

/** A stack's state with its values read. */
export interface Snapshot {
  /** Counts the writes of the file; 0: there is none. */
  readonly serial: number;
  /** Random name of this history of the stack. */
  readonly lineage: string;
  readonly salt?: string;
  /** Dependencies first. */
  readonly resources: readonly ResourceState[];
  /** Writes begun and not ended; `index` names the resource of an update or a delete, `notes` are a creation's. */
  readonly attempts: readonly (Attempt & { readonly index?: number; readonly notes?: ValueMap })[];
  /** Notes of resources, by their index. */
  readonly notes: ReadonlyMap<number, ValueMap>;
  readonly targets: Targets;
}

/**
 * Parses the text of a state file, and checks that whatever is read of it later has its form. Throws EngineError `state`, saying what is wrong
 * and the way out.
 */
export function parseSnapshot(text: string, place: string): SnapshotFile {
  const depth = nestingFault(text);
  if (depth !== undefined) throw damaged(place, depth);
  let json: Partial<SnapshotFile> | null;
  try {
    json = JSON.parse(text) as Partial<SnapshotFile> | null;
  } catch (cause) {
    throw damaged(place, `it is not JSON (${messageOf(cause)})`, cause);
  }
  if (!isMap(json)) throw damaged(place, "it is not a JSON object");
  refuseNewer(json, place);
  if (json.version !== 3 || json.plumbline?.format !== 1) {
    throw new EngineError(
      "state",
      `${place} is no state file that this version can read: nothing was done. Bring back an intact copy of it, or take over another export with \`plumbline stack import FILE\`.`,
    );
  }
  const { serial, lineage, targets } = json.plumbline;
  if (!Number.isSafeInteger(serial) || typeof lineage !== "string")
    throw damaged(place, "its serial or lineage is none");
  if (targets !== undefined && !(isMap(targets) && Object.values(targets).every(isTarget)))
    throw damaged(place, "its targets are none");
  const fault = deploymentFault(json.deployment);
  if (fault !== undefined) throw damaged(place, fault);
  return json as SnapshotFile;
}

function refuseNewer({ version, plumbline }: Partial<SnapshotFile>, place: string): void {
  const format: unknown = plumbline?.format;
  if (version !== 3 || typeof format !== "number" || format <= 1) return;
  throw new EngineError(
    "state",
    `${place} was written by a newer version, in format ${format}, and this one reads format 1: nothing was done. Use that version, or a newer one.`,
    { errorCode: "PLB-NEWER" },
  );
}

function damaged(place: string, fault: string, cause?: unknown): EngineError {
  return new EngineError(
    "state",
    `The state file ${place} is damaged: ${fault}. Nothing was done. Bring back an intact copy of it, or take over an export with \`plumbline stack import FILE\`, which puts this one aside.`,
    cause === undefined ? {} : { cause },
  );
}

/** Throws EngineError `target` when a state file is another stack's. */
export function refuseOtherStack({ deployment }: SnapshotFile, place: string, own: Owner): void {
  for (const { urn } of deployment.resources ?? []) {
    const of = owner(String(urn));
    if (of === undefined || (of.stack === own.stack && of.project === own.project)) continue;
    throw new EngineError(
      "target",
      `The state file ${place} is of the stack ${of.stack} of ${of.project}, not of ${own.stack} of ${own.project}: nothing was done. Move it back to where it belongs; or make it this stack's on purpose, which the other must then not use any more: plumbline stack import --rename ${place}.`,
      { errorCode: "PLB-STACK" },
    );
  }
}

/** The salt that a deployment's secrets were sealed with. Throws when it uses another kind of secrets provider. */
export function saltOf(deployment: Deployment, place: string): string | undefined {
  const provider = deployment.secrets_providers;
  if (provider !== undefined && provider.type !== "" && provider.type !== "passphrase") {
    throw new EngineError(
      "state",
      `${place} has its secrets encrypted by "${provider.type}"; only a passphrase can be read here. Export it with --show-secrets.`,
    );
  }
  return provider?.state?.salt;
}

/** True when values cannot be read without the passphrase. */
export function needsKey(deployment: Deployment): boolean {
  return (
    (deployment.resources ?? []).some((record) => holdsSealed(record)) ||
    (deployment.pending_operations ?? []).some((operation) => holdsSealed(operation.resource))
  );
}

/** The targets that a state file names. */
export function targetsOf({ plumbline }: SnapshotFile): Targets {
  return new Map(Object.entries(plumbline.targets ?? {}));
}

/** Reads the resources of a deployment. `remember` is told which record each came from. */
export function readDeployment(
  deployment: Deployment,
  sealing: Pick<Sealing, "open">,
  remember: (state: ResourceState, record: JsonMap) => void = () => {},
): Pick<Snapshot, "resources" | "attempts" | "notes"> {
  const kinds = new Set(["creating", "updating", "deleting"]);
  const notes = new Map<number, ValueMap>();
  const read = (record: JsonMap): ResourceState => {
    const state = decodeResource(record, sealing);
    remember(state, record);
    return state;
  };
  return {
    notes,
    resources: (deployment.resources ?? []).map(({ plumbline, ...record }, index) => {
      const kept = (plumbline as { notes?: JsonMap } | undefined)?.notes;
      if (kept !== undefined) notes.set(index, kept);
      return read(record);
    }),
    attempts: (deployment.pending_operations ?? [])
      .filter(({ type }) => kinds.has(type))
      .map(({ type, resource, plumbline }) => ({ type, plumbline, resource: read(resource) }))
      .map(({ type, resource, plumbline }) => ({
        kind: type as Attempt["kind"],
        startedAt: plumbline?.startedAt ?? deployment.manifest?.time ?? "",
        resource,
        ...(plumbline?.index === undefined ? {} : { index: plumbline.index }),
        ...(plumbline?.notes === undefined ? {} : { notes: plumbline.notes }),
      })),
  };
}

/** What of a working state goes into the file. */
export interface Saved {
  readonly serial: number;
  readonly lineage: string;
  readonly salt: string | undefined;
  readonly resources: ReadonlyMap<number, ResourceState>;
  readonly attempts: ReadonlyMap<number, Attempt>;
  readonly notes: ReadonlyMap<number, ValueMap>;
  readonly targets: Targets;
  /** URNs that resources had before an alias gave them another. */
  readonly renamed: ReadonlyMap<Urn, Urn>;
  readonly time: string;
}

/** The file for a working state: dependencies first, references to what is gone or renamed put right. */
export function snapshotFile(saved: Saved, toRecord: (state: ResourceState) => JsonMap): SnapshotFile {
  const present = new Set<Urn>([...saved.resources.values()].map((state) => state.urn));
  const right = new Map<number, ResourceState>();
  for (const [slot, state] of saved.resources) right.set(slot, putRight(state, present, saved.renamed));
  const order = ordered(right);
  const indexOf = new Map(order.map((slot, index) => [slot, index]));
  const notesOf = (slot: number): { notes?: JsonMap } => {
    const notes = saved.notes.get(slot);
    return notes ? { notes: notes as JsonMap } : {};
  };
  const recordOf = (slot: number): JsonMap => {
    const record = toRecord(right.get(slot) as ResourceState);
    return saved.notes.has(slot) ? { ...record, plumbline: notesOf(slot) as JsonMap } : record;
  };
  const operations = [...saved.attempts].map(([slot, attempt]) => {
    const index = indexOf.get(slot);
    return {
      resource: toRecord(attempt.resource),
      type: attempt.kind,
      plumbline: {
        startedAt: attempt.startedAt,
        ...(attempt.kind === "creating" || index === undefined ? {} : { index }),
        ...(index === undefined ? notesOf(slot) : {}),
      },
    };
  });
  const used = usedTargets(saved.resources, saved.attempts);
  const bound = [...saved.targets]
    .filter(([key]) => used.has(key))
    .map(([key, target]) => [key, targetRecord(target)]);
  return {
    version: 3,
    deployment: {
      manifest: manifest(saved.time),
      ...(saved.salt === undefined
        ? {}
        : { secrets_providers: { type: "passphrase", state: { salt: saved.salt } } }),
      resources: order.map(recordOf),
      ...(operations.length > 0 ? { pending_operations: operations } : {}),
      metadata: {},
    },
    plumbline: {
      format: 1,
      serial: saved.serial,
      lineage: saved.lineage,
      ...(bound.length > 0 ? { targets: Object.fromEntries(bound) } : {}),
    },
  };
}

/** Pulumi checks that `magic` is the hash of `version`. */
export function manifest(time: string): Deployment["manifest"] {
  const version = "v3.0.0";
  return { time, magic: createHash("sha256").update(version).digest("hex"), version };
}

function putRight(
  state: ResourceState,
  present: ReadonlySet<Urn>,
  renamed: ReadonlyMap<Urn, Urn>,
): ResourceState {
  const isStale = (urn: Urn): boolean => renamed.has(urn) || !present.has(urn);
  if (![...references(state)].some(isStale)) return state;
  const now = (urn: Urn): Urn => {
    let at = urn;
    for (let hops = 0; !present.has(at) && renamed.has(at) && hops < 32; hops += 1)
      at = renamed.get(at) as Urn;
    return at;
  };
  const kept = (urns: readonly Urn[]): Urn[] => [...new Set(urns.map(now).filter((urn) => present.has(urn)))];
  const { parent, provider, deletedWith, ...rest } = state;
  const cut = provider?.lastIndexOf("::") ?? 0;
  const stack = [...present].find((urn) => urn.includes("::pulumi:pulumi:Stack::"));
  const nowParent = parent === undefined ? undefined : present.has(now(parent)) ? now(parent) : stack;
  const nowWith = deletedWith === undefined ? undefined : now(deletedWith);
  return {
    ...rest,
    dependencies: kept(state.dependencies),
    propertyDependencies: Object.fromEntries(
      Object.entries(state.propertyDependencies)
        .map(([name, urns]) => [name, kept(urns)] as const)
        .filter(([, urns]) => urns.length > 0),
    ),
    ...(nowParent === undefined ? {} : { parent: nowParent }),
    ...(provider === undefined ? {} : { provider: `${now(provider.slice(0, cut))}${provider.slice(cut)}` }),
    ...(nowWith !== undefined && present.has(nowWith) ? { deletedWith: nowWith } : {}),
  };
}

/** Writes records with each secret sealed; a state that was read and not changed keeps its record. */
export function createRecorder(sealing: Sealing): {
  readonly record: (state: ResourceState) => JsonMap;
  readonly remember: (state: ResourceState, record: JsonMap) => void;
} {
  const records = new WeakMap<ResourceState, JsonMap>();
  return {
    remember: (state, record) => void records.set(state, record),
    record(state) {
      const known =
        records.get(state) ?? encodeResource(state, (text) => ({ ciphertext: sealing.seal(text) }));
      records.set(state, known);
      return known;
    },
  };
}
