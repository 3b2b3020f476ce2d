/** Calls of the provider's functions. */

import type { Provider, ValueMap } from "../../../core/protocol.ts";
import type { Run } from "../run.ts";

/** What the function answers. Throws with its reasons when it refuses the arguments. */
export async function callFunction(
  run: Run,
  provider: Provider,
  token: string,
  args: ValueMap,
): Promise<ValueMap> {
  const { preview, signal } = run;
  const { result, failures } = await provider.invoke({ token, args, preview, log: run.logOf(), signal });
  if (failures.length > 0) {
    throw new Error(
      failures.map(({ property, reason }) => (property ? `${property}: ${reason}` : reason)).join("; "),
    );
  }
  return result;
}
