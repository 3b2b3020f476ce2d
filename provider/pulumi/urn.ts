/** What a URN tells: stack, type and name of a resource. It knows no registry of them. */

/** `urn:pulumi:<stack>::<project>::<parent types$type>::<name>`, taken apart; missing parts are empty. */
function partsOf(urn: string): { stack: string; type: string; name: string } {
  const [head = "", , types = "", ...name] = urn.split("::");
  return {
    stack: head.replace(/^urn:pulumi:/, ""),
    type: types.slice(types.lastIndexOf("$") + 1),
    name: name.join("::"),
  };
}

export function stackOf(urn: string): string {
  return partsOf(urn).stack;
}

export function typeOf(urn: string): string {
  return partsOf(urn).type;
}

export function nameOf(urn: string): string {
  return partsOf(urn).name;
}
