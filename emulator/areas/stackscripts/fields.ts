/** Reads the fields that a script declares for its deployment (contract section 2.2; notes, section 2.1). */

/** What a tag says: `name` and `label` first, then its other attributes in their order, keys in lower case. */
export interface UserDefinedField {
  name: string;
  label: string;
  [attribute: string]: string;
}

/** Attributes may stand on further lines of a comment, each behind its own `#`. */
const attribute = `[\\s#]+([\\w-]+)\\s*=\\s*"([^"]*)"`;
const tags = new RegExp(`<udf((?:${attribute.replaceAll("(", "(?:")})+)[\\s#]*/?>`, "gi");

/**
 * The fields declared by tags like `<UDF name="fqdn" label="Host name" default="">` anywhere in the script. A tag without a name
 * declares nothing; of several with one name the first counts. Line ends within a value are dropped.
 */
export function userDefinedFields(script: string): UserDefinedField[] {
  const found = new Map<string, UserDefinedField>();
  for (const [, attributes = ""] of script.matchAll(tags)) {
    const given = new Map<string, string>();
    for (const [, name = "", value = ""] of attributes.matchAll(new RegExp(attribute, "g")))
      if (!given.has(name.toLowerCase())) given.set(name.toLowerCase(), value.replace(/[\r\n]/g, ""));
    const name = given.get("name");
    if (!name || found.has(name)) continue;
    found.set(name, { name, label: given.get("label") ?? "", ...Object.fromEntries(given) });
  }
  return [...found.values()];
}
