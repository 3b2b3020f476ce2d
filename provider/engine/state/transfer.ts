/** Hands a stack's state over: to a file of our own, to Pulumi's `stack import`, and back from either. */

import { type Owner, owner, stackType, urnParts } from "../../core/engines/urn.ts";
import { EngineError } from "../failure.ts";
import { encodeResource, type Json, type JsonMap, shown } from "./encoding.ts";
import { deploymentFault, nestingFault } from "./form.ts";
import type { Sealer } from "./sealer.ts";
import {
  createRecorder,
  type Deployment,
  manifest,
  readDeployment,
  type SnapshotFile,
  snapshotFile,
} from "./snapshot.ts";
import { ordered, type ResourceState } from "./state.ts";
import type { Target, Targets } from "./target.ts";

/** What `pulumi stack import` reads. */
export interface PulumiExport {
  readonly version: 3;
  readonly deployment: Deployment;
}

/**
 * The state as Pulumi's deployment version 3. Secrets stay sealed under this stack's salt, so Pulumi needs the same passphrase to read them;
 * `showSecrets` writes them in plain text, which Pulumi seals anew on import. What was begun and not ended does not travel.
 */
export function toPulumi(
  resources: readonly ResourceState[],
  sealer: Sealer,
  options: { readonly time: string; readonly showSecrets: boolean },
): PulumiExport {
  const salt = sealer.salt();
  const write = options.showSecrets
    ? (json: string) => ({ plaintext: json })
    : (json: string) => ({ ciphertext: sealer.seal(json) });
  const byIndex = new Map(resources.map((state, index) => [index, state]));
  return {
    version: 3,
    deployment: {
      manifest: manifest(options.time),
      ...(salt === undefined ? {} : { secrets_providers: { type: "passphrase", state: { salt } } }),
      resources: ordered(byIndex).map((index) => encodeResource(byIndex.get(index) as ResourceState, write)),
      metadata: {},
    },
  };
}

/** The state file with its secrets in plain text; whoever takes it in seals them under a key of theirs. */
export function shownFile(file: SnapshotFile, sealer: Pick<Sealer, "open">): SnapshotFile {
  const { secrets_providers: _, ...deployment } = file.deployment;
  return { ...file, deployment: shown(deployment as unknown as Json, sealer) as unknown as Deployment };
}

/** What an export brings. */
export interface Handed {
  readonly deployment: Deployment;
  /** Where its objects are, when it says so. */
  readonly targets?: { readonly [provider: string]: Target };
}

/** Takes a deployment out of the text of an export: ours, Pulumi's `stack export`, or a file of its file backend. */
export function deploymentOf(text: string): Handed {
  const depth = nestingFault(text);
  if (depth !== undefined)
    throw new EngineError("usage", `This is no state: ${depth}. Give the output of \`stack export\`.`);
  let json: Partial<SnapshotFile> & { checkpoint?: { latest?: Deployment } } = {};
  try {
    json = (JSON.parse(text) ?? {}) as typeof json;
  } catch (cause) {
    throw new EngineError("usage", "This is not JSON: give the output of `stack export`.", { cause });
  }
  const deployment = json.deployment ?? json.checkpoint?.latest;
  const fault = json.version === 3 ? deploymentFault(deployment) : "it is not of version 3";
  if (deployment === undefined || fault !== undefined)
    throw new EngineError("usage", `This is no state: ${fault}. Give the output of \`stack export\`.`);
  const { targets } = json.plumbline ?? {};
  return { deployment, ...(targets ? { targets: withoutCredentials(targets) } : {}) };
}

/** Credentials are keyed by the lineage that they came with. */
function withoutCredentials(targets: { readonly [provider: string]: Target }) {
  return Object.fromEntries(
    Object.entries(targets).map(([provider, { credential: _, ...target }]) => [provider, target]),
  );
}

/** What has a deployment in it, with every URN made this stack's: the stack, project and the stack's own name that the first resource has are replaced everywhere. */
export function renamed<Given extends { readonly deployment: Deployment }>(
  given: Given,
  project: string,
  stack: string,
): Given {
  const first = String(given.deployment.resources?.[0]?.urn ?? "");
  const from = owner(first);
  if (from === undefined) return given;
  const prefix = (of: Owner) => `urn:pulumi:${of.stack}::${of.project}::`;
  const rootName = (of: Owner) => `${prefix(of)}${stackType}::${of.project}-${of.stack}`;
  const to = { project, stack };
  const rename = (value: Json): Json => {
    if (typeof value === "string") {
      if (value === rootName(from)) return rootName(to);
      return value.startsWith(prefix(from)) ? prefix(to) + value.slice(prefix(from).length) : value;
    }
    if (Array.isArray(value)) return value.map(rename);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [rename(name), rename(part)]));
  };
  return rename(given as unknown as Json) as unknown as Given;
}

/** Checks that the deployment is this stack's and whole; throws EngineError `usage` with everything that is wrong. */
export function refuseForeign(deployment: Deployment, project: string, stack: string): void {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const record of deployment.resources ?? []) {
    const urn = String(record.urn);
    const parts = urnParts(urn);
    if (parts.stack !== stack || parts.project !== project) {
      wrong.push(`${urn} belongs to the stack ${parts.stack} of ${parts.project}`);
    }
    if (!record.delete && seen.has(urn)) wrong.push(`${urn} is there twice`);
    if (!record.delete) seen.add(urn);
    const isOurs = /^(plumbline:|pulumi:providers:plumbline$)/.test(parts.type) || record.custom === false;
    if (!isOurs) wrong.push(`${urn} is of a package that only Pulumi's engine manages`);
  }
  if (wrong.length === 0) return;
  throw new EngineError(
    "usage",
    `This state cannot be imported into the stack ${stack} of ${project}:\n  ${wrong.slice(0, 20).join("\n  ")}`,
  );
}

/** The state file that a deployment becomes. `from` opens its secrets, `to` seals them for this stack. */
export async function toSnapshot(
  deployment: Deployment,
  from: Sealer,
  to: Sealer,
  header: {
    readonly serial: number;
    readonly lineage: string;
    readonly time: string;
    readonly targets: Targets;
  },
): Promise<SnapshotFile> {
  const { resources, attempts, notes } = readDeployment(deployment, from);
  await to.ready();
  const recorder = createRecorder(to);
  const begun = attempts.map(({ index, ...attempt }, i) => [index ?? resources.length + i, attempt] as const);
  const begunNotes = begun.flatMap(([slot, attempt]) =>
    attempt.notes ? [[slot, attempt.notes] as const] : [],
  );
  return snapshotFile(
    {
      ...header,
      salt: to.salt(),
      resources: new Map(resources.entries()),
      attempts: new Map(begun),
      notes: new Map([...notes, ...begunNotes]),
      renamed: new Map(),
    },
    (state): JsonMap => recorder.record(state),
  );
}
