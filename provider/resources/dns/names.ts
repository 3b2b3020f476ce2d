/** Names in zones: what is a host name, and how a name reads relative to its zone. Knows no record and no request. */

const label = /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;
const mailLabel = /^[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** The longest name that DNS carries, without its final dot. */
const longest = 253;

/** Drops one final dot. */
export const withoutDot = (name: string) => name.replace(/\.$/, "");

/** True for labels joined by dots, without a final one; the left-most may be `*` where wildcards are allowed. */
export function isRelativeName(bare: string, options: { wildcard: boolean }): boolean {
  const labels = bare.split(".");
  return labels.every((part, at) => (options.wildcard && at === 0 && part === "*") || label.test(part));
}

/** True for what a record may point at: a host name that is no address, so its last label is no number. A final dot is accepted; a single label is completed with the zone. */
export function isHostName(name: string): boolean {
  const bare = withoutDot(name);
  return bare.length <= longest && isRelativeName(bare, { wildcard: false }) && !/\.\d+$/.test(bare);
}

/** True for a host name of two labels or more, without a final dot. */
export function isFullDomain(name: string): boolean {
  return name.includes(".") && !name.endsWith(".") && isHostName(name);
}

/** True for a mail name without a final dot: each component starts with a letter, the left-most may be `*`. `strict` false asks that of the first only, as the rest may be the zone's own name. */
export function isMailName(bare: string, strict: boolean): boolean {
  return (
    bare.length <= longest &&
    bare.split(".").every((part, at) => {
      if (at === 0) return part === "*" || mailLabel.test(part);
      return (strict ? mailLabel : label).test(part);
    })
  );
}

/** True for a service or protocol of an SRV record, with or without what the service puts around it. */
export function isServiceLabel(text: string): boolean {
  return /^_?[A-Za-z0-9]([A-Za-z0-9_-]{0,60}[A-Za-z0-9])?\.?$/.test(text);
}

/**
 * The name relative to its zone, in lower case: the zone's own name and a final dot are cut off, `""` is the zone itself. A name out of a
 * damaged state, which may be no text, is its text.
 */
export function relativeName(name: string | undefined, zone: string | undefined): string {
  const bare = withoutDot(String(name ?? "").toLowerCase());
  const suffix = zone?.toLowerCase();
  if (suffix === undefined) return bare;
  if (bare === suffix) return "";
  return bare.endsWith(`.${suffix}`) ? bare.slice(0, -suffix.length - 1) : bare;
}
