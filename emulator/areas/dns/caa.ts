/** The values of CAA records by tag (contract section 2.4); pure. */

import { isEmail, isValidDomain } from "./names.ts";

/** The tags that a CAA record may have. */
export const caaTags = ["issue", "issuewild", "iodef"] as const;

/** Tells what is wrong with the value of a CAA record of that tag; `undefined` when nothing is. Neither a trailing dot nor a space around a domain is accepted. */
export function caaProblem(tag: string, value: string): string | undefined {
  switch (tag) {
    case "issue": {
      const [issuer = "", ...parameters] = value.split(";");
      if (!isValidDomain(issuer)) return "Must start with the valid domain of an issuer";
      const bad = parameters.find((parameter) => !/^[ \t]*[\x21-\x7e][\x20-\x7e\t]*$/.test(parameter));
      return bad === undefined ? undefined : "Parameters must be printable and separated by semicolons";
    }
    case "issuewild":
      return isValidDomain(value) ? undefined : "Must be a valid domain that does not start with *";
    case "iodef":
      return isReportAddress(value)
        ? undefined
        : "Must be a valid domain, such a domain after http:// or https://, or an email address after mailto:";
    default:
      return undefined;
  }
}

function isReportAddress(value: string): boolean {
  if (value.startsWith("mailto:")) return isEmail(value.slice("mailto:".length));
  return isValidDomain(value.replace(/^https?:\/\//, ""));
}
