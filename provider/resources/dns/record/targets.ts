/** What a record may point at, by type (contract section 2.4). Pure. */

import { quoted } from "../../../core/judgement/demands.ts";
import { formats } from "../../../core/type/formats.ts";
import { isFullDomain, isHostName, isMailName, withoutDot } from "../names.ts";
import type { RecordDraft, RecordType } from "./types.ts";

/** Refuses a target that is not for the type. */
export function judgeTarget(type: RecordType, { values, refuse }: RecordDraft, target: string) {
  const fault = (wanted: string) => refuse("target", `must be ${wanted}, not ${quoted(target)}`);
  if (target === "" && type !== "MX") return;
  switch (type) {
    case "MX":
      if (target !== "") {
        if (!isMailName(withoutDot(target), true)) fault("the name of a mail server");
      } else if ((values.priority ?? 0) !== 0) {
        refuse("priority", "must be 0 for a Null MX (an MX whose target is empty)");
      }
      return;
    case "NS":
    case "CNAME":
    case "SRV":
    case "PTR":
      if (!isHostName(target) || (type === "PTR" && /^\d+\.?$/.test(target))) fault("a domain name");
      return;
    case "CAA":
      return judgeAuthority(values.tag, target, fault);
    case "A":
    case "AAAA":
    case "TXT":
      return;
  }
}

function judgeAuthority(tag: string | undefined, target: string, fault: (wanted: string) => void) {
  const [issuer = "", ...parameters] = target.split(";");
  const isPrintable = (parameter: string) => /^[ \t]*[\x21-\x7e][\x20-\x7e\t]*$/.test(parameter);
  if (tag === "issue" && !(isFullDomain(issuer.trim()) && parameters.every(isPrintable))) {
    fault("an issuer's domain, with printable parameters after semicolons if any");
  }
  if (tag === "issuewild" && !isFullDomain(target)) fault("an issuer's domain that does not begin with *");
  if (tag !== "iodef") return;
  const isGood = target.startsWith("mailto:")
    ? formats["email"]!.test(target.slice("mailto:".length))
    : isFullDomain(target.replace(/^https?:\/\//, ""));
  if (!isGood) fault("a domain, one after http:// or https://, or an e-mail address after mailto:");
}
