/** Invoke: a function's arguments to its result. It knows how little an engine shows of a failed call. */

import grpc from "@grpc/grpc-js";
import type { InvokeRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import wire from "@pulumi/pulumi/proto/provider_pb.js";
import { unknownProperties } from "../core/engines/outputs.ts";
import type { CheckFailure, FunctionInfo, ValueMap } from "../core/protocol.ts";
import { decodeProperties, encodeProperties } from "../wire/struct.ts";
import type { Session } from "./session.ts";
import { StatusError, textOfFailures } from "./wire/failure.ts";

export function invocation(session: Session) {
  async function invoke(request: InvokeRequest) {
    return session.run("", async ({ provider, catalogue, log, signal }) => {
      const token = catalogue.resolveFunction(request.getTok()) ?? request.getTok();
      const args = decodeProperties(request.getArgs());
      session.guard(args);
      const preview = request.getPreview();
      const { result, failures } = await provider.invoke({ token, args, preview, log, signal });
      const response = new wire.InvokeResponse();
      if (failures.length > 0) {
        if (preview && areLeftOut(failures, args, catalogue.functions.get(token))) return response;
        // The protocol's own list of failures is shown by some SDKs only, a status by all.
        throw new StatusError(grpc.status.INVALID_ARGUMENT, textOfFailures(failures));
      }
      const stillUnknown = unknownProperties(result);
      if (stillUnknown.length > 0) {
        throw new StatusError(
          grpc.status.INTERNAL,
          `${token} gave nothing known of: ${stillUnknown.join(", ")}`,
        );
      }
      response.setReturn(encodeProperties(result, { keepSecrets: session.keepSecrets }));
      return response;
    });
  }
  return { invoke };
}

/** True when all that fails is that required arguments are absent: in a preview the engine leaves out the ones it does not know yet. */
function areLeftOut(
  failures: readonly CheckFailure[],
  args: ValueMap,
  info: FunctionInfo | undefined,
): boolean {
  return failures.every(({ property }) => info?.inputs[property]?.required && args[property] === undefined);
}
