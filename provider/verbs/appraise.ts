/** Appraise, once for every type: what objects are charged for, with the prices that the service lists. Writes nothing. */

import { knownValues, plainInputs } from "../core/plain.ts";
import type { Appraised, AppraiseRequest, ChargeInfo, ValueMap } from "../core/protocol.ts";
import { isApiError, type ServicePort, type WireObject } from "../core/service-port.ts";
import { plainToken } from "../core/token.ts";
import { type Charge, exactly } from "../core/type/charge.ts";
import type { ResourceType } from "../core/type/resource.ts";
import { shared } from "./foresight/lookup.ts";
import { begin, type Operation } from "./operation.ts";

/** By object, in the order of the request. Each list of prices is read once, and none that no object needs. */
export function appraise(
  operation: Operation,
  typeOf: (token: string) => ResourceType,
  request: AppraiseRequest,
): Promise<readonly (readonly ChargeInfo[])[]> {
  const { service } = begin(operation, request);
  return Promise.all(
    request.objects.map(async (object) => {
      const type = typeOf(object.type);
      return Promise.all(chargesOf(type, object).map((charge) => priced(operation, service, type, charge)));
    }),
  );
}

function chargesOf(type: ResourceType, { inputs, above }: Appraised): readonly Charge[] {
  if (type.charges === undefined) return [{ unit: "object", count: exactly(1) }];
  const plain = plainInputs(type.inputs, inputs);
  const unknown = new Set(plain.unknownPaths.map(([name]) => name));
  return type.charges({
    values: knownValues(plain),
    knows: (name) => !unknown.has(name),
    ...(above ? { above: known(above) } : {}),
  });
}

/** The values that are known to the last. */
const known = (values: ValueMap) => knownValues(plainInputs({}, values));

async function priced(
  operation: Operation,
  service: ServicePort,
  type: ResourceType,
  { part, item, unit, count, region, list, priceIn }: Charge,
): Promise<ChargeInfo> {
  const own = plainToken(type.token);
  const told = list && priceIn && count ? await lookedUp(operation, service, list, priceIn) : undefined;
  const price = told ?? (count ? "the service lists no price of it" : "how many is not known yet");
  return {
    item: item ?? (part === undefined ? own : `${own}.${part}`),
    unit,
    ...(count ? { count } : {}),
    ...(region === undefined ? {} : { region }),
    ...(typeof price === "string" ? { reason: price } : { price }),
  };
}

async function lookedUp(
  operation: Operation,
  service: ServicePort,
  path: string,
  priceIn: (items: readonly WireObject[]) => ReturnType<NonNullable<Charge["priceIn"]>>,
) {
  try {
    return priceIn(await shared(operation, path, () => service.list(path)));
  } catch (error) {
    // A token that may not see the list, or a service without it: then nobody tells the price.
    if (!isApiError(error)) throw error;
    return `the service does not tell its prices (${error.message})`;
  }
}
