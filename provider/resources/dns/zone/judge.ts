/** What is wrong with the records that a zone declares, each and together (contract section 2.4). Pure. */

import type { Fields } from "../../../core/type/field.ts";
import type { CheckedInputs, Refuse } from "../../../core/type/resource.ts";
import { conflict, recordLimit } from "../record/relations.ts";
import { judgeRecord } from "../record/rules.ts";
import { isNullMx, type RecordValues } from "../record/types.ts";
import { type DeclaredRecord, declaredOf, readZoneFile } from "./declared.ts";
import { identityOf, ownerOf, type ZoneItem } from "./form.ts";
import { faultOf } from "./ignore.ts";

/** Of the failures of one zone, as many are told one by one. */
const mostTold = 50;

/** Refuses up to a number of times, then tells how many more there are. */
export function sparing(refuse: Refuse): { readonly refuse: Refuse; readonly end: () => void } {
  let told = 0;
  return {
    refuse(property, reason) {
      told += 1;
      if (told <= mostTold) refuse(property, reason);
    },
    end() {
      if (told > mostTold) refuse("", `${told - mostTold} more of its records are refused; mend these first`);
    },
  };
}

const numbers = { ttlSec: 2 ** 31 - 1, priority: 255, weight: 65_535, port: 65_535 } as const;
const lengths = { name: 100, target: 65_535 } as const;

/** Lines of a zone file that cannot be read, and values out of bounds, which a list of records has checked already. */
export function judgeZoneFile(text: string, zone: string | undefined, refuse: Refuse) {
  const file = readZoneFile(text, zone);
  for (const { line, message } of file.problems) refuse("zoneFile", `line ${line}: ${message}`);
  for (const [i, record] of file.records.entries()) {
    const told = (reason: string) => refuse("zoneFile", `line ${file.lines[i]}: ${reason}`);
    for (const [name, most] of Object.entries(numbers)) {
      const value = record[name as keyof typeof numbers];
      if (value !== undefined && !(Number.isInteger(value) && value >= 0 && value <= most))
        told(`${name} must be a whole number of 0 to ${most}`);
    }
    for (const [name, most] of Object.entries(lengths)) {
      const length = [...(record[name as keyof typeof lengths] ?? "")].length;
      if (length > most) told(`${name} must have at most ${most} characters, not ${length}`);
    }
  }
}

/** A value that is not known yet: null in what is checked. */
const isKnown = (value: unknown) => value !== null;

/** Refuses what breaks a rule; of a record that is known in part, what is known is judged. */
export function judgeRecords(records: readonly DeclaredRecord[], zone: string | undefined, refuse: Refuse) {
  if (records.length > recordLimit)
    refuse("", `declares ${records.length} records, and a domain may have ${recordLimit}`);
  for (const { item, tell } of records) {
    const given = item as { readonly [name: string]: unknown };
    const values = Object.fromEntries(Object.entries(given).filter(([, value]) => isKnown(value)));
    judgeRecord({
      values: values as RecordValues,
      declares: (name) => given[name] !== undefined,
      knows: (name) => isKnown(given[name]),
      zone,
      refuse: (property, reason) => refuse(...tell(property, reason)),
    });
  }
  judgeTogether(
    records.filter(({ item }) => Object.values(item).every(isKnown)),
    refuse,
  );
}

/** Doubles, a CNAME beside others, a Null MX beside another MX. */
function judgeTogether(records: readonly DeclaredRecord[], refuse: Refuse) {
  const byIdentity = new Map<string, DeclaredRecord>();
  const byOwner = new Map<string, DeclaredRecord>();
  const mail = records.filter(({ form }) => form.type === "MX");
  const nullMx = mail.find(({ form }) => isNullMx(form));
  const aliases = new Map<string, DeclaredRecord>();
  for (const each of records) if (each.form.type === "CNAME") aliases.set(ownerOf(each.form), each);
  for (const each of records) {
    const { form, tell } = each;
    const double = byIdentity.get(identityOf(form));
    if (double) {
      refuse(...tell("", `is the same record as ${placeOf(double)}; keep one of them`));
      continue;
    }
    byIdentity.set(identityOf(form), each);
    const owner = ownerOf(form);
    const alias = aliases.get(owner);
    const other = byOwner.get(owner) ?? each;
    if (alias && other !== each) {
      const failure = conflict(form, other.form, true, placeOf(other));
      if (failure) refuse(...tell(failure.property, failure.reason));
    }
    if (!byOwner.has(owner) || form.type === "CNAME") byOwner.set(owner, each);
    if (nullMx && nullMx !== each && form.type === "MX") {
      const failure = conflict(form, nullMx.form, false, placeOf(nullMx));
      if (failure) refuse(...tell(failure.property, failure.reason));
    }
  }
}

/** `records[3]`, or the line of the zone file. */
export function placeOf({ tell }: DeclaredRecord): string {
  const [property, reason] = tell("", "");
  return property === "zoneFile" ? reason.replace(/: $/, "") : property;
}

/** Refuses what a Zone, as far as it is known, declares wrongly. */
export function judgeZone({ values, partly, declares, parent, refuse: refuseOne }: CheckedInputs<Fields>) {
  const { refuse, end } = sparing(refuseOne);
  const zone = parent?.["domain"] as string | undefined;
  const isListed = declares("records");
  if (isListed === declares("zoneFile"))
    refuse(
      isListed ? "zoneFile" : "records",
      isListed
        ? "cannot be combined with records; keep one of them"
        : "is required, or zoneFile in its place",
    );
  for (const [i, pattern] of ((values["ignore"] ?? []) as readonly string[]).entries()) {
    const fault = faultOf(pattern);
    if (fault !== undefined) refuse(`ignore[${i}]`, fault);
  }
  const zoneFile = values["zoneFile"] as string | undefined;
  if (zoneFile !== undefined) judgeZoneFile(zoneFile, zone, refuse);
  const given = partly["records"] as readonly (ZoneItem | null)[] | null | undefined;
  const records = given?.map((item) => item ?? {});
  const declared = declaredOf(
    { ...(records && { records }), ...(zoneFile !== undefined && { zoneFile }) },
    zone,
  );
  if (declared) judgeRecords(declared, zone, refuse);
  end();
}
