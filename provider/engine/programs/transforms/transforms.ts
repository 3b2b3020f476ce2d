/** Transforms: functions of the program that change a registration or a call before the engine looks at it. Each one gets what the one before has left. */

import type { Callback } from "@pulumi/pulumi/proto/callback_pb.js";
import resource, {
  type RegisterResourceRequest,
  type ResourceInvokeRequest,
} from "@pulumi/pulumi/proto/resource_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import type { Urn } from "../../../core/protocol.ts";
import type { Callbacks } from "./callbacks.ts";
import { optionsIn, putOptions } from "./options.ts";
import { outputDependencies, withOutputs } from "./outputs.ts";

export interface Transforms {
  readonly addOfStack: (transform: Callback) => void;
  readonly addOfFunctions: (transform: Callback) => void;
  /** Changes the registration: by its own transforms, by those of its parents, the nearest first, and by those of the stack. Rejects with what one of them threw. */
  readonly transform: (request: RegisterResourceRequest) => Promise<void>;
  /** The resource is there: others may have it for a parent. */
  readonly made: (urn: Urn, request: RegisterResourceRequest) => void;
  /** Changes the call of a function. */
  readonly transformCall: (request: ResourceInvokeRequest) => Promise<void>;
}

/** What children take over from a resource. */
interface Parent {
  readonly parent: Urn;
  readonly transforms: readonly Callback[];
  readonly protect: boolean | undefined;
  readonly retainOnDelete: boolean | undefined;
  readonly deletedWith: Urn;
}

export function createTransforms(callbacks: Callbacks): Transforms {
  const parents = new Map<Urn, Parent>();
  const ofStack: Callback[] = [];
  const ofFunctions: Callback[] = [];

  function transformsAbove(urn: Urn): Callback[] {
    const found: Callback[] = [];
    for (let at = parents.get(urn); at !== undefined; at = parents.get(at.parent))
      found.push(...at.transforms);
    return found;
  }

  return {
    addOfStack: (transform) => void ofStack.push(transform),
    addOfFunctions: (transform) => void ofFunctions.push(transform),
    async transform(request) {
      // A transform is told what holds, and may answer options that leave nothing open.
      inherit(request, parents.get(request.getParent()));
      const own = request.getTransformsList();
      const all = [...own, ...transformsAbove(request.getParent()), ...ofStack];
      if (all.length > 0) await transformBy(all, request, callbacks);
    },
    made(urn, request) {
      parents.set(urn, {
        parent: request.getParent(),
        transforms: request.getTransformsList(),
        protect: request.getProtect(),
        retainOnDelete: request.getRetainondelete(),
        deletedWith: request.getDeletedwith(),
      });
    },
    async transformCall(request) {
      for (const transform of [...ofFunctions]) await transformCallBy(transform, request, callbacks);
    },
  };
}

function inherit(request: RegisterResourceRequest, above: Parent | undefined): void {
  if (above === undefined) return;
  const { protect, retainOnDelete, deletedWith } = above;
  if (!request.hasProtect() && protect !== undefined) request.setProtect(protect);
  if (!request.hasRetainondelete() && retainOnDelete !== undefined) request.setRetainondelete(retainOnDelete);
  if (request.getDeletedwith() === "") request.setDeletedwith(deletedWith);
}

async function transformBy(
  all: readonly Callback[],
  request: RegisterResourceRequest,
  callbacks: Callbacks,
): Promise<void> {
  const hasOwn = request.getTransformsList().length > 0;
  const written = dependenciesByProperty(request);
  let properties = withOutputs(request.getObject() ?? new struct.Struct(), hasOwn ? written : new Map());
  let options = optionsIn(request);
  for (const transform of all) {
    const message = new resource.TransformRequest();
    message.setType(request.getType());
    message.setName(request.getName());
    message.setCustom(request.getCustom());
    message.setParent(request.getParent());
    message.setProperties(properties);
    message.setOptions(options);
    const answer = await callbacks.call(transform, message.serializeBinary());
    const response = resource.TransformResponse.deserializeBinary(answer);
    properties = response.getProperties() ?? properties;
    options = response.getOptions() ?? options;
  }
  request.setObject(properties);
  // As Pulumi has it: a resource with transforms of its own depends on what they leave, any other on what it did before as well.
  const before = hasOwn ? [] : request.getDependenciesList();
  const found = outputDependencies(properties);
  putDependencies(request, hasOwn ? found : joined(written, found));
  request.setDependenciesList([
    ...new Set([...before, ...options.getDependsOnList(), ...[...found.values()].flat()]),
  ]);
  putOptions(request, options);
}

const dependenciesByProperty = (request: RegisterResourceRequest): Map<string, Urn[]> =>
  new Map(
    [...request.getPropertydependenciesMap().entries()].map(([name, urns]) => [name, urns.getUrnsList()]),
  );

function joined(one: ReadonlyMap<string, readonly Urn[]>, other: ReadonlyMap<string, readonly Urn[]>) {
  const names = new Set([...one.keys(), ...other.keys()]);
  return new Map(
    [...names].map((name) => [name, [...new Set([...(one.get(name) ?? []), ...(other.get(name) ?? [])])]]),
  );
}

function putDependencies(
  request: RegisterResourceRequest,
  byProperty: ReadonlyMap<string, readonly Urn[]>,
): void {
  const map = request.getPropertydependenciesMap();
  request.clearPropertydependenciesMap();
  for (const [name, urns] of byProperty) {
    const dependencies = new resource.RegisterResourceRequest.PropertyDependencies();
    dependencies.setUrnsList([...urns]);
    map.set(name, dependencies);
  }
}

async function transformCallBy(
  transform: Callback,
  request: ResourceInvokeRequest,
  callbacks: Callbacks,
): Promise<void> {
  const options = new resource.TransformInvokeOptions();
  options.setProvider(request.getProvider());
  options.setVersion(request.getVersion());
  options.setPluginDownloadUrl(request.getPlugindownloadurl());
  const message = new resource.TransformInvokeRequest();
  message.setToken(request.getTok());
  message.setArgs(request.getArgs() ?? new struct.Struct());
  message.setOptions(options);
  const answer = await callbacks.call(transform, message.serializeBinary());
  const response = resource.TransformInvokeResponse.deserializeBinary(answer);
  const changed = response.getOptions() ?? options;
  request.setArgs(response.getArgs() ?? request.getArgs());
  request.setProvider(changed.getProvider());
  request.setVersion(changed.getVersion());
  request.setPlugindownloadurl(changed.getPluginDownloadUrl());
}
