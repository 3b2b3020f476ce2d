/** What is wrong with a DNS record (contract section 2.4). Pure. */

import { isMailName, isRelativeName, isServiceLabel, relativeName } from "../names.ts";
import { judgeTarget, quoted } from "./targets.ts";
import {
  isNullMx,
  isRecordType,
  type RecordDraft,
  type RecordType,
  specialFields,
  specialNames,
} from "./types.ts";

/** Refuses everything that the record, as far as it is known, breaks. */
export function judgeRecord(draft: RecordDraft) {
  const { values, declares, knows, refuse } = draft;
  const { type } = values;
  if (!isRecordType(type)) return;
  const { takes, needs } = specialFields[type];
  for (const name of specialNames) {
    const value = values[name];
    if (!takes.includes(name) && value !== undefined && value !== 0 && value !== "") {
      refuse(name, `is not for ${type} records; take it out`);
    }
    if (needs.includes(name) && (!declares(name) || value === ""))
      refuse(name, `is required for ${type} records`);
  }
  for (const name of ["service", "protocol"] as const) {
    if (type === "SRV" && values[name] && !isServiceLabel(values[name])) {
      refuse(
        name,
        `must be letters, digits, inner hyphens and inner underscores, not ${quoted(values[name])}`,
      );
    }
  }
  if (knows("name")) judgeName(type, draft);
  if (values.target !== undefined) judgeTarget(type, draft, values.target);
}

function judgeName(type: RecordType, { values, zone, refuse }: RecordDraft) {
  if (type === "SRV") return;
  if (values.name === "@") return refuse("name", 'must not be "@"; leave it out for the domain itself');
  const name = relativeName(values.name, zone);
  if (type === "CNAME" && name === "") return refuse("name", "is required for CNAME records");
  if (name === "") return;
  if (type === "NS" && name.includes("*"))
    return refuse("name", "must not have a wildcard: NS records take none");
  // A name with dots may be the domain's own, which is known only once the domain is.
  const isRelative = zone !== undefined || !name.includes(".");
  if (isNullMx(values) && isRelative)
    return refuse("name", "must be empty for a Null MX (an MX whose target is empty)");
  if (type === "MX") {
    if (!isMailName(name, isRelative)) {
      refuse(
        "name",
        `must have components of letters, digits and inner hyphens that start with a letter, not ${quoted(name)}`,
      );
    }
  } else if (!isRelativeName(name, { wildcard: type !== "NS" })) {
    refuse("name", `must be a host name relative to the domain, not ${quoted(values.name ?? "")}`);
  }
}
