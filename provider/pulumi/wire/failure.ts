/** What went wrong, as gRPC tells it: status codes, and the detail that keeps a half-made resource in the engine's state. */

import grpc from "@grpc/grpc-js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import status from "@pulumi/pulumi/proto/status_pb.js";
import type { Message as ProtoMessage } from "google-protobuf";
import any from "google-protobuf/google/protobuf/any_pb.js";
import { errorCodeOf, withErrorCode } from "../../core/error-code.ts";
import { parsePath } from "../../core/property-path.ts";
import type { CheckFailure, ValueMap } from "../../core/protocol.ts";
import { CancelledError, CheckFailedError } from "../../core/protocol.ts";
import { isApiError, TimeoutError } from "../../core/service-port.ts";
import { containsSecret } from "../../core/value.ts";
import { type EncodeOptions, encodeProperties } from "../../wire/struct.ts";

/** A failed call: what the engine shows and which code it gets. */
export interface Failure {
  readonly code: number;
  readonly details: string;
  readonly metadata?: grpc.Metadata;
}

/** An error that a handler throws with its status already chosen. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly failure: Failure;
  constructor(code: number, details: string, metadata?: grpc.Metadata) {
    super(details);
    this.failure = metadata === undefined ? { code, details } : { code, details, metadata };
  }
}

const codesOfHttp: { readonly [status: number]: number } = {
  400: grpc.status.INVALID_ARGUMENT,
  401: grpc.status.UNAUTHENTICATED,
  403: grpc.status.PERMISSION_DENIED,
  404: grpc.status.NOT_FOUND,
  408: grpc.status.DEADLINE_EXCEEDED,
  409: grpc.status.FAILED_PRECONDITION,
  410: grpc.status.NOT_FOUND,
  422: grpc.status.INVALID_ARGUMENT,
  429: grpc.status.RESOURCE_EXHAUSTED,
  501: grpc.status.FAILED_PRECONDITION,
};

/** The status of any error: code by kind, text without a stack. `hide` takes secrets out of the text. */
export function failureOf(error: unknown, hide: (text: string) => string = (text) => text): Failure {
  if (error instanceof StatusError) return { ...error.failure, details: short(hide(error.failure.details)) };
  return { code: codeOf(error), details: short(hide(textOf(error))) };
}

/** The text travels in a header, and an engine drops a call whose headers are too long without a word. */
const longestText = 8_192;

function short(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}... (${text.length} characters)`;
}

/** The code of the first error in the chain of causes that has a telling one. */
function codeOf(error: unknown): number {
  for (let at = error, depth = 0; at instanceof Error && depth < 16; at = at.cause, depth += 1) {
    if (at instanceof CheckFailedError) return grpc.status.INVALID_ARGUMENT;
    if (at instanceof CancelledError || at.name === "AbortError") return grpc.status.CANCELLED;
    if (at instanceof TimeoutError) return grpc.status.DEADLINE_EXCEEDED;
    if (isApiError(at)) return codesOfHttp[at.status] ?? grpc.status.UNKNOWN;
  }
  return grpc.status.UNKNOWN;
}

function textOf(error: unknown): string {
  if (error instanceof CheckFailedError) return textOfFailures(error.failures);
  const text = error instanceof Error ? error.message : String(error);
  return withErrorCode(text === "" ? "failed without saying why" : text, errorCodeOf(error));
}

/** One line a failure, each opening with the property's path. */
export function textOfFailures(failures: readonly CheckFailure[]): string {
  return failures
    .map(({ property, reason, errorCode }) =>
      withErrorCode(property === "" ? reason : `${property}: ${reason}`, errorCode),
    )
    .join("\n");
}

/** Failures as a Check answers them. The engine prints the value of the property that one names, so what is secret is named in the reason alone. */
export function checkFailures(
  failures: readonly CheckFailure[],
  inputs: ValueMap,
  hide: (text: string) => string,
): provider.CheckFailure[] {
  return failures.map((failure) => {
    const { property, reason, errorCode } = failure;
    const isHidden = property !== "" && containsSecret(inputs[String(parsePath(property)[0])] ?? null);
    const told = new provider.CheckFailure();
    if (!isHidden) told.setProperty(property);
    told.setReason(hide(isHidden ? textOfFailures([failure]) : withErrorCode(reason, errorCode)));
    return told;
  });
}

/** A resource that exists, but not as declared: the engine keeps `id`, `inputs` and `properties`, shows `reasons`, and updates it next time. */
export function initFailed(
  partial: { id: string; properties: ValueMap; inputs: ValueMap; reasons: readonly string[] },
  options: EncodeOptions,
): StatusError {
  const reasons = partial.reasons.length > 0 ? [...partial.reasons] : ["not finished"];
  const detail = new provider.ErrorResourceInitFailed();
  detail.setId(partial.id);
  detail.setProperties(encodeProperties(partial.properties, options));
  detail.setInputs(encodeProperties(partial.inputs, options));
  detail.setReasonsList(reasons);
  return withDetail(grpc.status.UNKNOWN, reasons.join("; "), "pulumirpc.ErrorResourceInitFailed", detail);
}

/** Configuration that must be given; the engine prints the commands that set it. `name` is the key without the package. */
export function missingKeys(keys: readonly { name: string; description: string }[]): StatusError {
  const detail = new provider.ConfigureErrorMissingKeys();
  for (const { name, description } of keys) {
    const key = new provider.ConfigureErrorMissingKeys.MissingKey();
    key.setName(`plumbline:${name}`);
    key.setDescription(description);
    detail.addMissingkeys(key);
  }
  const names = keys.map(({ name }) => `plumbline:${name}`).join(", ");
  return withDetail(
    grpc.status.INVALID_ARGUMENT,
    `configuration is missing: ${names}`,
    "pulumirpc.ConfigureErrorMissingKeys",
    detail,
  );
}

function withDetail(code: number, text: string, type: string, detail: ProtoMessage): StatusError {
  const packed = new any.Any();
  packed.pack(detail.serializeBinary(), type);
  const whole = new status.Status();
  whole.setCode(code);
  whole.setMessage(short(text));
  whole.addDetails(packed);
  const metadata = new grpc.Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(whole.serializeBinary()));
  return new StatusError(code, text, metadata);
}
