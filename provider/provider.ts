/** The Provider, once, for every type: joins resource types, core and the service. Both engines call what it exports. */

import { channel } from "node:diagnostics_channel";
import { setMaxListeners } from "node:events";
import { checkResource } from "./core/judgement/check.ts";
import { diffResource } from "./core/judgement/diff.ts";
import { newPlan } from "./core/judgement/plan.ts";
import { foretoldCreate } from "./core/object/state.ts";
import type { Catalogue, Provider, RequestContext } from "./core/protocol.ts";
import { catalogueOf, lostWith } from "./core/schema/catalogue.ts";
import { definitionsOf } from "./core/schema/manifest/definitions.ts";
import { kindsOf, type ManifestKind } from "./core/schema/manifest/kinds.ts";
import { packageSchemaOf } from "./core/schema/package-schema.ts";
import { stackSchemaOf } from "./core/schema/stack-schema.ts";
import type { SpecialList } from "./core/service-port.ts";
import type { AreaVerb } from "./core/type/area-verb.ts";
import type { FunctionType } from "./core/type/function.ts";
import type { ResourceType } from "./core/type/resource.ts";
import { specialListsOf } from "./core/type/special-list.ts";
import { refuseMistyped } from "./core/validate.ts";
import { type Asset, asset } from "./core/value.ts";
import { areaVerbs, functionTypes, resourceTypes } from "./resources/index.ts";
import { createService } from "./service/client.ts";
import { joined } from "./service/signals.ts";
import { appraise } from "./verbs/appraise.ts";
import {
  checkConfig,
  configFields,
  credentialOf,
  diffConfig,
  resolveTarget,
  type Target,
  warningOf,
} from "./verbs/config.ts";
import { createResource, findResource } from "./verbs/create.ts";
import { deleteResource } from "./verbs/delete.ts";
import { invokeFunction } from "./verbs/invoke.ts";
import { keyedQueue, type Operation, type Service } from "./verbs/operation.ts";
import { listResources, readResource } from "./verbs/read.ts";
import { runVerb } from "./verbs/run.ts";
import { foreseeAreaVerb, runAreaVerb } from "./verbs/run-area.ts";
import { updateResource } from "./verbs/update.ts";
import { certificates } from "./verbs/values/certificates.ts";
import { bytesOf } from "./verbs/values/content.ts";
import { markerWith } from "./verbs/values/marker.ts";
import { unappliedOf } from "./verbs/values/sent.ts";

export { createWays, proxiesOf } from "./service/http/proxy.ts";

export interface ProviderOptions {
  /** Where credentials and the target are looked up when config has none; default `process.env`. */
  readonly environment?: { readonly [name: string]: string | undefined };
  /** Asked right before each request that may change something is sent, repeats included; what it throws ends the call, and nothing is sent. */
  readonly admit?: () => void;
  /** Makes the client of a target; default the real one. For tests. */
  readonly connect?: (
    target: Target & { readonly lists: readonly SpecialList[]; readonly admit?: () => void },
  ) => Service;
}

/** What a Provider has been asked to do, as told on the channel `plumbline:call`. */
export interface ProviderCall {
  readonly verb: "create" | "find" | "read" | "update" | "delete" | "list" | "run" | "invoke";
  /** Of the type or function, as it was asked for. */
  readonly token: string;
  /** Of the verb that is run by hand; absent for all others. */
  readonly name?: string;
}

/**
 * Each call that may make requests runs within the stores bound to this channel of Node's `diagnostics_channel`, so that whoever listens
 * there (and to `plumbline:answer`, of the client) learns what a request was for. Costs nothing while nobody does.
 */
const calls = channel("plumbline:call");

/** Warnings about targets that this process has given; each is given once, however many operations it runs. */
const warned = new Set<string>();

const typesByToken = new Map(resourceTypes.map((type) => [type.token, type]));
const typesByKey = new Map(resourceTypes.map((type) => [type.key, type]));
const specialLists = specialListsOf(resourceTypes);
const verbsByToken = new Map(areaVerbs.map((verb) => [verb.token, verb]));
const functionsByToken = new Map(functionTypes.map((type) => [type.token, type]));

const offer = {
  resources: typesByToken,
  functions: functionsByToken,
  verbs: verbsByToken,
  config: configFields,
};

/** Every type, function and config key, without asking the service. */
export const catalogue: Catalogue = catalogueOf(offer);

/** A Provider for one operation of one configuration. Makes no request until it is configured and used. */
export function createProvider(options: ProviderOptions = {}): Provider {
  const connect = options.connect ?? createService;
  const cancelling = new AbortController();
  setMaxListeners(0, cancelling.signal); // one for each call under way
  let service: Service | undefined;
  let target = { baseUrl: "", credential: "" };
  let warning: string | undefined;
  const warn = ({ log }: RequestContext) => {
    if (warning === undefined || log === undefined || warned.has(warning)) return;
    warned.add(warning);
    log("warning", warning);
  };
  let token = "";
  const operation: Operation = {
    types: typesByKey,
    plan: newPlan(),
    service: () => {
      if (service) return service;
      throw new Error("the provider is not configured: configure it before it is used");
    },
    cancelled: cancelling.signal,
    lists: new Map(),
    exclusive: keyedQueue(),
    marker: markerWith(() => token),
  };

  /** A verb of every type, told under its name. */
  const onType =
    <R extends RequestContext & { readonly type: string }, T>(
      verb: ProviderCall["verb"],
      work: (operation: Operation, type: ResourceType, request: R) => Promise<T>,
    ) =>
    (request: R) => {
      warn(request);
      return told({ verb, token: request.type }, () => work(operation, typeOf(request.type), request));
    };

  return {
    checkConfig,
    diffConfig: async (request) => diffConfig(request),
    configure: async (config) => {
      const resolved = resolveTarget(config, options.environment ?? process.env);
      const earlier = service;
      const { admit } = options;
      service = connect({ ...resolved, lists: specialLists, ...(admit && { admit }) });
      warning = warningOf(resolved);
      token = resolved.token;
      target = { baseUrl: resolved.baseUrl, credential: credentialOf(resolved) };
      await earlier?.close();
    },
    check: async (request) => {
      warn(request);
      const now = () => new Date(service?.serviceTime() ?? Date.now());
      return checkResource(typeOf(request.type), request, { plan: operation.plan, certificates, now });
    },
    diff: async (request) => {
      const type = typeOf(request.type);
      refuseMistyped(type.inputs, request.newInputs);
      operation.plan.know(type, request.id, request.urn);
      const diff = diffResource(type, request, unappliedOf(operation, type, request));
      const lost = diff.replaces.length > 0 ? lostWith(type, request.oldInputs) : undefined;
      if (lost !== undefined)
        request.log?.(
          "warning",
          `a change of ${diff.replaces.join(", ")} replaces ${type.name} ${request.id}: ${lost} are deleted with it`,
        );
      return diff;
    },
    create: onType("create", (given, type, request) => {
      refuseMistyped(type.inputs, request.inputs);
      return createResource(given, type, request);
    }),
    foretell: (request) => foretoldCreate(typeOf(request.type), request, request.inputs),
    find: onType("find", findResource),
    read: onType("read", readResource),
    update: onType("update", (given, type, request) => {
      refuseMistyped(type.inputs, request.newInputs);
      return updateResource(given, type, request);
    }),
    delete: onType("delete", deleteResource),
    list: onType("list", listResources),
    run: (request) => {
      const call = { verb: "run", token: request.type, name: request.verb } as const;
      const ofArea = areaVerbOf(request.type);
      return told(call, () =>
        ofArea ? runAreaVerb(operation, ofArea, request) : runVerb(operation, typeOf(request.type), request),
      );
    },
    foresee: (request) => {
      const verb = areaVerbOf(request.type);
      if (!verb) throw new Error(`there is no verb "${request.type}"`);
      const call = { verb: "run", token: request.type, name: request.verb } as const;
      return told(call, () => foreseeAreaVerb(operation, verb, request));
    },
    invoke: (request) => {
      const call = { verb: "invoke", token: request.token } as const;
      return told(call, () => invokeFunction(operation, functionOf(request.token), request));
    },
    appraise: (request) => appraise(operation, typeOf, request),
    identify: async ({ asks = true, signal } = {}) => {
      const account = await operation.service().identify({ asks, signal: joined(signal, cancelling.signal) });
      return { ...target, ...(account !== undefined && { account }) };
    },
    forget: (urn) => operation.plan.forget(urn),
    requests: () => service?.requests() ?? {},
    allowance: () => service?.allowance?.(),
    serviceTime: () => service?.serviceTime() ?? new Date().toISOString(),
    cancel: () => cancelling.abort(),
    close: async () => service?.close(),
  };
}

/** Runs a verb under the name of its call. */
async function told<T>(call: ProviderCall, verb: () => Promise<T>): Promise<T> {
  return calls.runStores(call, verb);
}

function typeOf(token: string): ResourceType {
  const canonical = catalogue.resolveResource(token);
  const type = canonical === undefined ? undefined : typesByToken.get(canonical);
  if (!type) throw new Error(`there is no resource type "${token}"`);
  return type;
}

function areaVerbOf(token: string): AreaVerb | undefined {
  const canonical = catalogue.resolveVerb?.(token);
  return canonical === undefined ? undefined : verbsByToken.get(canonical);
}

function functionOf(token: string): FunctionType {
  const canonical = catalogue.resolveFunction(token);
  const type = canonical === undefined ? undefined : functionsByToken.get(canonical);
  if (!type) throw new Error(`there is no function "${token}"`);
  return type;
}

/** The bytes of an asset. Throws where they cannot be read, or are not any more what its hash says. */
export const contentOf = (given: Asset): Promise<Uint8Array> => bytesOf(given);

/** The bytes at an address (http, https or file), for the hash of a remote asset. */
export function contentAt(address: string): Promise<Uint8Array> {
  return bytesOf(asset({ uri: address }));
}

/** The Pulumi package schema (`schemas/pulumi.json`). */
export function packageSchema(): object {
  return packageSchemaOf(offer);
}

/** JSON Schema of stack files, for editors (`schemas/stack.json`). */
export function stackSchema(): object {
  return stackSchemaOf(offer);
}

/** Every type as a kind of Kubernetes, by canonical token. */
export const kinds: ReadonlyMap<string, ManifestKind> = kindsOf(resourceTypes);

/** What makes a Kubernetes cluster know every type: definitions of kinds, and the policies that go with them. */
export function kubernetesDefinitions(): readonly object[] {
  return definitionsOf(resourceTypes);
}
