/** The ResourceMonitor service of a program: what it registers, reads and calls goes to the host. */

import type { Callback } from "@pulumi/pulumi/proto/callback_pb.js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import resource, {
  type ReadResourceRequest,
  type RegisterResourceOutputsRequest,
  type RegisterResourceRequest,
  type ResourceInvokeRequest,
  type SupportsFeatureRequest,
} from "@pulumi/pulumi/proto/resource_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { unknownString } from "../../core/engines/signature.ts";
import { isProviderType, referencedProvider, stackType } from "../../core/engines/urn.ts";
import { didYouMeanOrOneOf } from "../../core/nearest.ts";
import type { Urn } from "../../core/protocol.ts";
import { containsSecret, containsUnknown, unknownFrom, type ValueMap } from "../../core/value.ts";
import { decodeProperties, encodeProperties } from "../../wire/struct.ts";
import { typedConfig } from "../../wire/typed-config.ts";
import { type Goal, type Registered, resourcesNamedBy } from "../host.ts";
import { type ContentOptions, withContents } from "./content.ts";
import type { Findings } from "./findings.ts";
import { elsewhere, type GoalContext, goalOf, parentOf, placeOf, RefusedError, readGoalOf } from "./goal.ts";
import type { Order } from "./order.ts";
import type { Handlers } from "./server.ts";
import type { Transforms } from "./transforms/transforms.ts";

export interface MonitorOptions extends GoalContext, ContentOptions {
  readonly order: Order;
  readonly findings: Findings;
  readonly transforms: Transforms;
  /** Ends the program, which asked for something that nobody does: it would wait for it. */
  readonly giveUp: () => void;
}

/** How far a program has come. */
export interface Progress {
  /** Outputs of the stack; undefined until the program has told them. */
  outputs?: ValueMap;
  /** True when the program says that it has come to its end. */
  isOver: boolean;
}

/** What this engine answers to. Hooks are answered with a refusal of our own, for the runtime would advise another Pulumi. */
const features = new Set([
  ...["transforms", "invokeTransforms", "resourceHooks", "errorHooks"],
  "secrets",
  "resourceReferences",
  "outputValues",
  "deletedWith",
  "replaceWith",
  "aliasSpecs",
]);

const stackReference = "pulumi:pulumi:StackReference";

export function monitorOf(options: MonitorOptions, progress: Progress): Handlers {
  const { host, root, order, findings, transforms } = options;
  const known = new Map<Urn, Registered>();
  const failed = new Set<Urn>();

  /** A registration that failed, or that needs one which did: the rest of the program goes on without it. */
  function unmade(urn: Urn, result: resource.Result): resource.RegisterResourceResponse {
    failed.add(urn);
    order.end(urn, false);
    const response = new resource.RegisterResourceResponse();
    response.setUrn(urn);
    response.setResult(result);
    response.setObject(encodeProperties({}));
    return response;
  }

  function made(registered: Registered): resource.RegisterResourceResponse {
    const { urn, id, outputs } = registered;
    known.set(urn, registered);
    order.end(urn, true);
    const response = new resource.RegisterResourceResponse();
    response.setUrn(urn);
    response.setId(typeof id === "string" ? id : "");
    response.setObject(encodeProperties(outputs));
    return response;
  }

  async function register(request: RegisterResourceRequest): Promise<resource.RegisterResourceResponse> {
    if (request.getType() === stackType) return made({ urn: root, id: null, outputs: {} });
    const parent = parentOf(request, options);
    let urn = host.urn(request.getType(), request.getName(), parent);
    try {
      await transforms.transform(request);
      const goal = goalOf(request, await inputsOf(request), options);
      urn = host.urn(goal.type, goal.name, parent);
      if ([...resourcesNamedBy(goal)].some((other) => failed.has(other)))
        return unmade(urn, resource.Result.SKIP);
      if (!(await order.turn(urn))) return unmade(urn, resource.Result.SKIP);
      const registered = await host.register(goal);
      transforms.made(urn, request);
      return made(registered);
    } catch (error) {
      findings.failure(error, { urn, ...placeOf(request, options) });
      return unmade(urn, resource.Result.FAIL);
    }
  }

  async function inputsOf(request: RegisterResourceRequest): Promise<ValueMap> {
    const inputs = withoutNothing(decodeProperties(request.getObject()));
    if (!request.getCustom()) return inputs;
    if (isProviderType(request.getType())) return typedConfig(inputs, host.catalogue.config);
    return withContents(inputs, options);
  }

  async function read(request: ReadResourceRequest): Promise<resource.ReadResourceResponse> {
    const found =
      request.getType() === stackReference ? await referToStack(request) : await readObject(request);
    const response = new resource.ReadResourceResponse();
    response.setUrn(found.urn);
    response.setProperties(encodeProperties(found.outputs));
    return response;
  }

  async function readObject(request: ReadResourceRequest): Promise<Pick<Registered, "urn" | "outputs">> {
    const goal = readGoalOf(request, options);
    throwIfLost(resourcesNamedBy(goal as Goal));
    const id = request.getId();
    if (id !== unknownString) {
      const state = withoutNothing(decodeProperties(request.getProperties()));
      const registered = await host.read({ ...goal, id, state });
      known.set(registered.urn, registered);
      return registered;
    }
    // What it is to read is not there yet: everything about it stays open.
    const urn = host.urn(goal.type, goal.name, goal.options.parent);
    const info = host.catalogue.resources.get(goal.type);
    return { urn, outputs: unknownOutputs(urn, Object.keys({ ...info?.inputs, ...info?.outputs })) };
  }

  function throwIfLost(needed: Iterable<Urn>): void {
    const lost = [...needed].find((other) => failed.has(other));
    if (lost !== undefined) throw new Error(`what it needs failed: ${lost}`);
  }

  async function referToStack(request: ReadResourceRequest): Promise<Pick<Registered, "urn" | "outputs">> {
    const name = request.getId();
    throwIfLost(request.getDependenciesList());
    const urn = host.urn(stackReference, request.getName(), parentOf(request, options));
    if (name === unknownString)
      return { urn, outputs: unknownOutputs(urn, ["name", "outputs", "secretOutputNames"]) };
    const outputs = await host.stackReference(name);
    const secretOutputNames = Object.keys(outputs).filter((key) => containsSecret(outputs[key] ?? null));
    return { urn, outputs: { name, outputs, secretOutputNames } };
  }

  async function invoke(request: ResourceInvokeRequest): Promise<provider.InvokeResponse> {
    const response = new provider.InvokeResponse();
    await transforms.transformCall(request);
    const args = withoutNothing(decodeProperties(request.getArgs()));
    // Only a transform can leave that: what the runtime knows to be unknown it does not ask. No answer is one that is unknown.
    if (host.preview && containsUnknown(args)) return response;
    response.setReturn(encodeProperties(await answerOf(request, args)));
    return response;
  }

  async function answerOf(request: ResourceInvokeRequest, args: ValueMap): Promise<ValueMap> {
    const written = request.getTok();
    if (written === "pulumi:pulumi:getResource") {
      const found = known.get(String(args["urn"]));
      if (found === undefined) throw new Error(`this program has registered no ${String(args["urn"])}`);
      return { urn: found.urn, id: found.id ?? "", state: found.outputs };
    }
    const token = host.catalogue.resolveFunction(written);
    if (token === undefined) throw new RefusedError(whyNoFunction(written, host.catalogue.functions.keys()));
    const [named, version] = [request.getProvider(), request.getVersion()];
    return host.invoke(token, args, {
      dependencies: [],
      ...(named === "" ? {} : { provider: referencedProvider(named).urn }),
      // The provider that the resources of the same SDK have: it knows what was written.
      ...(version === "" ? {} : { version }),
    });
  }

  /** What fails here ends the program, which may also catch it. */
  async function readOrFail(request: ReadResourceRequest): Promise<resource.ReadResourceResponse> {
    try {
      return await read(request);
    } catch (error) {
      findings.failure(error, placeOf(request, options));
      throw error;
    }
  }

  const counted =
    <Request, Response>(work: (request: Request) => Promise<Response>) =>
    (request: Request): Promise<Response> =>
      order.during(() => work(request));

  /** What would have to call the program back. */
  const refusing = (what: string) => async (): Promise<unknown> => {
    findings.failure(new RefusedError(`this engine has no ${what}: ${elsewhere}`));
    options.giveUp();
    return new empty.Empty();
  };

  return {
    async registerStackTransform(request: Callback) {
      transforms.addOfStack(request);
      return new empty.Empty();
    },
    async registerStackInvokeTransform(request: Callback) {
      transforms.addOfFunctions(request);
      return new empty.Empty();
    },
    registerResourceHook: refusing("resource hooks"),
    registerErrorHook: refusing("error hooks"),
    async supportsFeature(request: SupportsFeatureRequest) {
      const response = new resource.SupportsFeatureResponse();
      response.setHassupport(features.has(request.getId()));
      return response;
    },
    registerResource: counted(register),
    readResource: counted(readOrFail),
    invoke: counted(invoke),
    async registerResourceOutputs(request: RegisterResourceOutputsRequest) {
      const outputs = withoutNothing(decodeProperties(request.getOutputs()));
      const urn = request.getUrn();
      if (urn === root) progress.outputs = outputs;
      else if (known.get(urn)?.id === null) host.complete(urn, outputs);
      return new empty.Empty();
    },
    async signalAndWaitForShutdown() {
      progress.isOver = true;
      return new empty.Empty();
    },
  };
}

const unknownOutputs = (urn: Urn, names: readonly string[]): ValueMap =>
  Object.fromEntries(names.map((name) => [name, unknownFrom(`${urn}#${name}`)]));

/** A property that comes to nothing is as if it were not there. */
const withoutNothing = (values: ValueMap): ValueMap =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

function whyNoFunction(written: string, tokens: Iterable<string>): string {
  const isOurs = written.startsWith("plumbline:");
  if (isOurs) return `there is no function ${written}${didYouMeanOrOneOf(written, [...tokens])}`;
  return `the function ${written} belongs to another package, and this engine calls those of plumbline only: ${elsewhere}`;
}
