/** What is wrong with a DNS record (contract section 2.4). Pure. */

import { type Declared, judgeDemands, quoted } from "../../../core/judgement/demands.ts";
import type { Demand } from "../../../core/type/demand.ts";
import { isMailName, isRelativeName, isServiceLabel, relativeName } from "../names.ts";
import { judgeTarget } from "./targets.ts";
import {
  isNullMx,
  isRecordType,
  type RecordDraft,
  type RecordType,
  type RecordValues,
  recordTypes,
  specialFields,
  specialNames,
} from "./types.ts";

/** Where one of these types is declared. */
const of = (...types: readonly RecordType[]) => ({ type: { in: types } });
const others = (...types: readonly RecordType[]) => recordTypes.filter((type) => !types.includes(type));

/** What the types of records demand of the other inputs. */
export const recordDemands: readonly Demand<keyof RecordValues>[] = [
  ...specialNames.flatMap((input) => {
    const [taking, needing] = (["takes", "needs"] as const).map((kind) =>
      recordTypes.filter((type) => specialFields[type][kind].includes(input)),
    );
    return [
      {
        when: of(...others(...taking!)),
        ...({ input, is: "blank", says: "is not for {type} records; take it out" } as const),
      },
      ...(needing!.length > 0
        ? [
            {
              when: of(...needing!),
              ...({ input, is: "given", says: "is required for {type} records" } as const),
            },
          ]
        : []),
    ];
  }),
  {
    when: of("SRV"),
    ...{ input: "service", is: { notIn: [""] }, says: "is required for {type} records" },
  },
  {
    when: of(...others("SRV")),
    ...{ input: "name", is: { notIn: ["@"] }, says: 'must not be "@"; leave it out for the domain itself' },
  },
  { when: of(...others("MX")), input: "target", is: "filled", says: "is required for {type} records" },
  {
    when: of("A"),
    input: "target",
    is: { format: "ipv4", or: ["[remote_addr]"] },
    says: "must be an IPv4 address (or [remote_addr])",
  },
  { when: of("AAAA"), input: "target", is: { format: "ipv6" }, says: "must be an IPv6 address" },
];

/** Refuses everything that the record, as far as it is known, breaks. */
export function judgeRecord(draft: RecordDraft) {
  judgeDemands(recordDemands, draft as Declared, draft.refuse);
  judgeFurther(draft);
}

/** The same without what demands say. */
export function judgeFurther(draft: RecordDraft) {
  const { values, knows, refuse } = draft;
  const { type } = values;
  if (!isRecordType(type)) return;
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
  if (values.name === "@") return;
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
