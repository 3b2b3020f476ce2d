/** Whose requests are signed: the environment, a profile, or what the machine or the pipeline is given, in the order in which AWS's own tools look. */

import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { EngineError } from "../../../failure.ts";
import type { S3Address } from "../address.ts";

/** Looks once, and again before what was found ends. Throws EngineError `state` where there is nothing. */
export function credentialsOf({ profile }: Pick<S3Address, "profile">): ReturnType<typeof defaultProvider> {
  const find = defaultProvider({
    ...(profile === undefined ? {} : { profile }),
    maxRetries: 1,
    timeout: 1000,
  });
  return async (...how) => {
    try {
      return await find(...how);
    } catch (cause) {
      throw new EngineError(
        "state",
        `There are no credentials for the store of the states (${cause instanceof Error ? cause.message : String(cause)}). Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.`,
        { cause },
      );
    }
  };
}
