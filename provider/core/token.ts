/** Tokens of types and functions: the canonical spelling, and the shorter one that users may write. Pure. */

export const packageName = "plumbline";

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** `plumbline:dns/domain:Domain` for area `dns` and name `Domain`; `plumbline:dns/getRecords:getRecords` for a function. */
export function canonicalToken(area: string, name: string): string {
  return `${packageName}:${area}/${lowerFirst(name)}:${name}`;
}

/** The canonical token of any accepted spelling that is among `known` (`plumbline:dns:Domain`, `plumbline:dns/domain:Domain`), or undefined. */
export function resolveToken(token: string, known: { has(token: string): boolean }): string | undefined {
  if (known.has(token)) return token;
  const [pkg, module = "", name, more] = token.split(":");
  if (pkg !== packageName || name === undefined || more !== undefined || module.includes("/"))
    return undefined;
  const canonical = canonicalToken(module, name);
  return known.has(canonical) ? canonical : undefined;
}

/** The short spelling of a canonical token, for messages (`plumbline:dns:Domain`). */
export function shortToken(token: string): string {
  const [pkg, module = "", name] = token.split(":");
  return `${pkg}:${module.split("/")[0]}:${name}`;
}

/** The same without the package (`dns:Domain`). */
export const plainToken = (token: string): string => shortToken(token).replace(`${packageName}:`, "");
