/** The rules for names of buckets and objects (contract section 2.6; notes, section 6). */

/** What the characters of a bucket's label break; its length is the schema's: it is part of a host name. */
export function labelProblems(label: string): string[] {
  const problems: string[] = [];
  if (!/^[a-z0-9.-]*$/.test(label))
    problems.push("Must only use lower-case letters, numbers, periods, and dashes");
  if (!/^[a-z0-9]/i.test(label) || !/[a-z0-9]$/i.test(label))
    problems.push("Must begin and end with a letter or number");
  if (/\.\.|\.-|-\./.test(label)) problems.push("Must not have a period beside a period or a dash");
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(label)) problems.push("Must not be an IP address");
  return problems;
}

const longestName = 1024;

/** Why an object cannot have the name; empty ones are the schema's. */
export function nameProblem(name: string): string | undefined {
  // A half of a surrogate pair has no UTF-8 form, and so no URL.
  if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(name))
    return "name is not valid";
  // A client takes them as steps within the path, so that no URL leads to such an object.
  if (name === "." || name === "..") return "name is not valid";
  return Buffer.byteLength(name) > longestName ? `Must be at most ${longestName} bytes` : undefined;
}
