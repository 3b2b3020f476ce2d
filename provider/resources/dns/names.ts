/** Names in zones: what is a host name, and how a name reads relative to its zone. Knows no record and no request. */

const label = /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;
const mailLabel = /^[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** True for labels joined by dots, with or without a final dot. `wildcard` allows `*` as the first label. */
export function isHostName(name: string, options: { wildcard?: boolean; mail?: boolean } = {}): boolean {
  const labels = name.replace(/\.$/, "").split(".");
  const rest = options.wildcard && labels[0] === "*" ? labels.slice(1) : labels;
  return (
    name.length < 255 &&
    rest.every((part) => (options.mail ? mailLabel : label).test(part)) &&
    labels[0] !== ""
  );
}

/** The name relative to its zone, in lower case: the zone's own name and a final dot are cut off, `""` is the zone itself. */
export function relativeName(name: string | undefined, zone: string | undefined): string {
  const bare = (name ?? "").toLowerCase().replace(/\.$/, "");
  const suffix = zone?.toLowerCase();
  if (suffix === undefined) return bare;
  if (bare === suffix) return "";
  return bare.endsWith(`.${suffix}`) ? bare.slice(0, -suffix.length - 1) : bare;
}
