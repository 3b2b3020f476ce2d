/** Policies as an analyzer of Pulumi's engine: its gRPC service, which sees what each resource is declared as. Knows no file and no process. */

import grpc from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
import type {
  AnalyzeRequest,
  AnalyzerStackConfigureRequest,
  AnalyzeStackRequest,
} from "@pulumi/pulumi/proto/analyzer_pb.js";
import wire from "@pulumi/pulumi/proto/analyzer_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import type { Catalogue } from "../../core/protocol.ts";
import { version } from "../../core/version.ts";
import { decodeProperties } from "../../wire/struct.ts";
import type { StepOp } from "../event.ts";
import { messageOf } from "../failure.ts";
import { judge } from "./judge.ts";
import type { Policy, SeenStep, Verdict } from "./rule.ts";
import { seenStep } from "./view.ts";

export interface AnalyzerOptions {
  /** Name of the pack. */
  readonly name: string;
  /** The policies that hold for a stack; asked once. */
  readonly policiesFor: (stack: string) => Promise<readonly Policy[]>;
  readonly catalogue: Catalogue;
}

/** What Pulumi's engine allows itself. */
const largestMessage = 400 * 1024 * 1024;
/** It tells what is declared, and not what becomes of it. */
const operation: StepOp = "update";

/** Serves on a free port of the loopback. Rejects when it cannot listen. */
export async function serveAnalyzer(
  options: AnalyzerOptions,
): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = new grpc.Server({
    "grpc.max_receive_message_length": largestMessage,
    "grpc.max_send_message_length": largestMessage,
  });
  server.addService(services.AnalyzerService, answering(handlers(options)));
  const port = await new Promise<number>((settle, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : settle(bound),
    );
  });
  return { port, close: () => server.forceShutdown() };
}

// biome-ignore lint/suspicious/noExplicitAny: each method types its own request.
type Handlers = { readonly [method: string]: (request: any) => Promise<unknown> };

/** Remediate is left out: the library says that nobody does it, and no rule changes anything. */
function answering(all: Handlers): grpc.UntypedServiceImplementation {
  return Object.fromEntries(
    Object.entries(all).map(([method, handler]) => {
      const answer: grpc.handleUnaryCall<unknown, unknown> = (call, callback) => {
        handler(call.request).then(
          (response) => callback(null, response),
          (error: unknown) => callback({ code: grpc.status.UNKNOWN, details: messageOf(error) }),
        );
      };
      return [method, answer];
    }),
  );
}

function handlers({ name, policiesFor, catalogue }: AnalyzerOptions): Handlers {
  let [stack, project] = ["", ""];
  let loading: Promise<readonly Policy[]> | undefined;
  const policies = () => {
    // There is no flag by which somebody could let one pass.
    loading ??= policiesFor(stack).then((all) => all.map((policy) => ({ ...policy, allow: false })));
    return loading;
  };

  const respond = async (steps: readonly SeenStep[], isPlan: boolean, urn: string) => {
    const asked = (await policies()).filter(({ rule }) => rule.isOfPlan === isPlan);
    const verdicts = await judge(asked, { project, stack, steps, isPlan }, new Set());
    const response = new wire.AnalyzeResponse();
    const descriptions = new Map(asked.map(({ rule }) => [rule.name, rule.description]));
    response.setDiagnosticsList(verdicts.map((verdict) => diagnosticOf(verdict, name, descriptions, urn)));
    return response;
  };
  const stepOf = (request: Declared) => seenDeclaration(request, catalogue);

  return {
    handshake: async () => new wire.AnalyzerHandshakeResponse(),
    async configureStack(request: AnalyzerStackConfigureRequest) {
      [stack, project] = [request.getStack(), request.getProject()];
      loading = undefined;
      // What is wrong with the policies is told now, before anything is planned.
      await policies();
      return new wire.AnalyzerStackConfigureResponse();
    },
    configure: async () => new empty.Empty(),
    async getAnalyzerInfo() {
      const info = new wire.AnalyzerInfo();
      info.setName(name);
      info.setDisplayname(name);
      info.setVersion(version);
      info.setPoliciesList((await policies()).map(policyInfo));
      return info;
    },
    async getPluginInfo() {
      const info = new plugin.PluginInfo();
      info.setVersion(version);
      return info;
    },
    analyze: (request: AnalyzeRequest) => respond([stepOf(request)], false, request.getUrn()),
    analyzeStack: (request: AnalyzeStackRequest) => respond(request.getResourcesList().map(stepOf), true, ""),
    cancel: async () => new empty.Empty(),
  };
}

type Declared = Pick<AnalyzeRequest, "getUrn" | "getType" | "getName" | "getProperties">;

function seenDeclaration(request: Declared, catalogue: Catalogue): SeenStep {
  const type = request.getType();
  const seen = seenStep(
    {
      op: operation,
      urn: request.getUrn(),
      type,
      name: request.getName(),
      detailedDiff: {},
      replaceReasons: [],
      newInputs: decodeProperties(request.getProperties()),
    },
    catalogue,
  );
  return catalogue.resources.has(type) ? seen : { ...seen, type };
}

const levelOf = (isMandatory: boolean) =>
  isMandatory ? wire.EnforcementLevel.MANDATORY : wire.EnforcementLevel.ADVISORY;

function policyInfo({ rule, level }: Policy) {
  const info = new wire.PolicyInfo();
  info.setName(rule.name);
  info.setDisplayname(rule.name);
  info.setDescription(rule.description);
  info.setEnforcementlevel(levelOf(level === "mandatory"));
  return info;
}

function diagnosticOf(
  { policy, isMandatory, urn, message }: Verdict,
  pack: string,
  descriptions: ReadonlyMap<string, string>,
  asked: string,
) {
  const diagnostic = new wire.AnalyzeDiagnostic();
  diagnostic.setPolicyname(policy);
  diagnostic.setPolicypackname(pack);
  diagnostic.setPolicypackversion(version);
  diagnostic.setDescription(descriptions.get(policy) ?? "");
  diagnostic.setMessage(message);
  diagnostic.setEnforcementlevel(levelOf(isMandatory));
  diagnostic.setUrn(urn || asked);
  return diagnostic;
}
