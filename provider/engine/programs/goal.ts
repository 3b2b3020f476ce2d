/** A registration as a program sends it, made a goal: type, inputs, options, what it depends on, where it is declared. Asks nobody. */

import { fileURLToPath } from "node:url";
import type { Alias as WireAlias } from "@pulumi/pulumi/proto/alias_pb.js";
import type { ReadResourceRequest, RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { parseDuration } from "../../core/duration.ts";
import { referencedProvider } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import type { Alias, Goal, Host, Position, ResourceOptions } from "../host.ts";
import { typeOf } from "../language/program/token.ts";

/** What this engine does not do for a program, and who does. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

export const elsewhere = "Pulumi's engine (pulumi up) runs this program as it is";

export interface GoalContext {
  readonly host: Host;
  /** URN of the stack's own resource. */
  readonly root: Urn;
  /** Path as diagnostics are to name it. */
  readonly shown: (path: string) => string;
}

type Request = RegisterResourceRequest | ReadResourceRequest;

/** The canonical token. Throws RefusedError for types of other packages. */
export function tokenOf(written: string, host: Host): string {
  const type = typeOf(written, host.catalogue);
  if (type.kind === "wrong") throw new RefusedError(type.reason);
  return type.token;
}

/** The parent, where it is another than the stack. */
export function parentOf(request: Request, { root }: GoalContext): Urn | undefined {
  const parent = request.getParent();
  return parent === "" || parent === root ? undefined : parent;
}

/** Folders of packages: what is declared within one is declared where the program calls it. */
const packages = /\/(node_modules|site-packages|dist-packages|plumbline_pulumi|python3[.\d]*)\//;

/** Where the program declares it, as well as Pulumi's runtime knows: that of Python tells no columns. */
export function placeOf(request: Request, { shown }: GoalContext): Position | undefined {
  const callers = request.getStacktrace()?.getFramesList() ?? [];
  const places = [request.getSourceposition(), ...callers.map((frame) => frame.getPc())];
  const at = places.find((place) => place && !packages.test(place.getUri())) ?? places[0];
  if (at === undefined || !at.getUri().startsWith("file:")) return undefined;
  return { file: shown(fileURLToPath(at.getUri())), line: at.getLine(), column: at.getColumn() || 1 };
}

/** The goal of a registration with these inputs. Throws RefusedError for what this engine does not do. */
export function goalOf(request: RegisterResourceRequest, inputs: ValueMap, context: GoalContext): Goal {
  const isComponent = !request.getCustom();
  refuseUnsupported(request);
  const options = optionsOf(request, context);
  const byProperty = [...request.getPropertydependenciesMap().entries()].map(
    ([name, urns]): [string, Urn[]] => [name, urns.getUrnsList()],
  );
  return {
    type: isComponent ? request.getType() : tokenOf(request.getType(), context.host),
    name: request.getName(),
    ...(isComponent ? { isComponent: true } : {}),
    inputs,
    options,
    ...dependenciesOf(options, byProperty),
    positionOf: positionsOf(request, context),
  };
}

/** The goal of a read. */
export function readGoalOf(request: ReadResourceRequest, context: GoalContext): Omit<Goal, "inputs"> {
  const options: ResourceOptions = {
    ...linksOf(request, context),
    ...listed("additionalSecretOutputs", request.getAdditionalsecretoutputsList()),
  };
  return {
    type: tokenOf(request.getType(), context.host),
    name: request.getName(),
    options,
    ...dependenciesOf(options, []),
    positionOf: positionsOf(request, context),
  };
}

/** A property has no place of its own: that of its resource stands for it. */
function positionsOf(request: Request, context: GoalContext): Goal["positionOf"] {
  const place = placeOf(request, context);
  return () => place;
}

function dependenciesOf(
  { dependsOn = [], parent, provider }: ResourceOptions,
  byProperty: readonly [string, readonly Urn[]][],
): Pick<Goal, "dependencies" | "propertyDependencies"> {
  const all = new Set([...dependsOn, ...byProperty.flatMap(([, urns]) => urns)]);
  for (const urn of [parent, provider]) if (urn !== undefined) all.add(urn);
  return { dependencies: [...all], propertyDependencies: Object.fromEntries(byProperty) };
}

function refuseUnsupported(request: RegisterResourceRequest): void {
  const refuse = (what: string): never => {
    throw new RefusedError(`${what}: ${elsewhere}`);
  };
  if (request.getRemote())
    refuse(`${request.getType()} is a component of a package, which this engine does not run`);
  if (request.getPackageref() !== "") refuse("this engine has no parameterized packages");
  if (Object.values(request.getHooks()?.toObject() ?? {}).some((hooks) => hooks.length > 0))
    refuse("this engine has no resource hooks");
  if (request.hasReplacementTrigger()) refuse("this engine has no replacementTrigger");
  if (request.getEnvvarmappingsMap().getLength() > 0) refuse("this engine has no envVarMappings");
}

function optionsOf(request: RegisterResourceRequest, context: GoalContext): ResourceOptions {
  const protect = request.getProtect();
  const retainOnDelete = request.getRetainondelete();
  const deletedWith = request.getDeletedwith();
  const importID = request.getImportid();
  const timeouts = timeoutsOf(request);
  const ours = request.getProvidersMap().get("plumbline");
  return {
    ...linksOf(request, context),
    ...listed("additionalSecretOutputs", request.getAdditionalsecretoutputsList()),
    ...listed("ignoreChanges", request.getIgnorechangesList()),
    ...listed("replaceOnChanges", request.getReplaceonchangesList()),
    ...listed("hideDiffs", request.getHidediffsList()),
    ...listed("replaceWith", request.getReplaceWithList()),
    ...(protect === undefined ? {} : { protect }),
    ...(retainOnDelete === undefined ? {} : { retainOnDelete }),
    ...(deletedWith === "" ? {} : { deletedWith }),
    ...(importID === "" ? {} : { import: importID }),
    ...(request.getDeletebeforereplacedefined()
      ? { deleteBeforeReplace: request.getDeletebeforereplace() }
      : {}),
    ...(timeouts === undefined ? {} : { customTimeouts: timeouts }),
    ...(ours === undefined ? {} : { providers: [referencedProvider(ours).urn] }),
    ...aliasesOf(request),
  };
}

/** What both registrations and reads say of others. */
function linksOf(request: Request, context: GoalContext): ResourceOptions {
  const parent = parentOf(request, context);
  const provider = request.getProvider();
  const version = request.getVersion();
  const source = request.getPlugindownloadurl();
  const dependsOn = request.getDependenciesList().filter((urn) => urn !== context.root);
  return {
    ...(parent === undefined ? {} : { parent }),
    ...(provider === "" ? {} : { provider: referencedProvider(provider).urn }),
    ...(version === "" ? {} : { version }),
    ...(source === "" ? {} : { pluginDownloadURL: source }),
    ...listed("dependsOn", dependsOn),
  };
}

function listed<Name extends string>(name: Name, list: readonly string[]) {
  return (list.length === 0 ? {} : { [name]: list }) as { [name in Name]?: readonly string[] };
}

function timeoutsOf(request: RegisterResourceRequest): ResourceOptions["customTimeouts"] {
  const given = request.getCustomtimeouts();
  if (given === undefined) return undefined;
  const texts = { create: given.getCreate(), update: given.getUpdate(), delete: given.getDelete() };
  const seconds = Object.entries(texts).flatMap(([name, text]) => {
    if (text === "") return [];
    const parsed = parseDuration(text);
    if (parsed === undefined)
      throw new Error(
        `customTimeouts: ${JSON.stringify(text)} is no duration: write it like 90s, 10m or 1h30m`,
      );
    return [[name, parsed]];
  });
  return seconds.length === 0 ? undefined : Object.fromEntries(seconds);
}

function aliasesOf(request: RegisterResourceRequest): { readonly aliases?: readonly Alias[] } {
  const aliases = [
    ...request.getAliasurnsList().map((urn): Alias => ({ urn })),
    ...request.getAliasesList().map((alias) => aliasOf(alias, request.getParent())),
  ];
  return aliases.length === 0 ? {} : { aliases };
}

function aliasOf(alias: WireAlias, parent: Urn): Alias {
  const spec = alias.getSpec();
  if (spec === undefined) return { urn: alias.getUrn() };
  const parts = {
    ...{ name: spec.getName(), type: spec.getType(), stack: spec.getStack(), project: spec.getProject() },
    // The runtime names the present parent where the alias names none; its former names count then, too.
    parent: spec.getParenturn() === parent ? "" : spec.getParenturn(),
  };
  const given = Object.entries(parts).filter(([, text]) => text !== "");
  return { ...Object.fromEntries(given), ...(spec.getNoparent() ? { noParent: true } : {}) };
}
