/** What types say of the lists that show their objects, for the client. Pure; knows no type. */

import { wireNameOf } from "../object/wire.ts";
import type { SpecialList } from "../service-port.ts";
import { annotations } from "./field.ts";
import type { ResourceType } from "./resource.ts";

/** The lists of these types that are not like any other. */
export function specialListsOf(types: readonly ResourceType[]): SpecialList[] {
  return types.flatMap((type) => {
    const { own, whole } = type.list ?? {};
    const field = nameOf(type);
    const tellsOnce = Object.values(type.outputs).some((output) => annotations(output).shownOnce);
    if (!own && whole === undefined && field === undefined && !tellsOnce) return [];
    const list: SpecialList = {
      collection: type.path.replace(/\/[^/]+$/, ""),
      made: type.collection,
      ...(field !== undefined && { field }),
      ...(own && { filter: own }),
      ...(whole !== undefined && { whole }),
      ...(tellsOnce && { tellsOnce }),
    };
    return [list];
  });
}

/** The wire name of the input that ends the path as the object's own name. */
function nameOf(type: ResourceType): string | undefined {
  const name = /\/\{(\w+)\}$/.exec(type.path)?.[1];
  const input = name === undefined ? undefined : type.inputs[name];
  if (!name || !input || annotations(input).reference !== undefined) return undefined;
  return wireNameOf(name, input);
}
