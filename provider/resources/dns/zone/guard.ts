/** What stands between a zone and its change: what the account already has in its way, what other resources own, and how much may go at once. Pure. */

import { grouped } from "../../../core/grouped.ts";
import type { Examination } from "../../../core/type/action.ts";
import type { Fields } from "../../../core/type/field.ts";
import { relativeName } from "../names.ts";
import { conflict, recordLimit } from "../record/relations.ts";
import type { RecordValues } from "../record/types.ts";
import { changesOf, summaryOf } from "./changes.ts";
import { declaredOf } from "./declared.ts";
import { formOf, ownerOf, titleOf, type ZoneItem } from "./form.ts";
import { ignores } from "./ignore.ts";
import { judgeRecords, judgeZoneFile, sparing } from "./judge.ts";
import { liveZone, recordsOf, type ZoneScope } from "./live.ts";

/** The share of a zone that may go without the user's leave, in percent. */
const mostRemoved = 30;
/** A zone of so few records may lose them all. */
const small = 10;
/** How many records a preview names. */
const named = 20;

/** What a Zone declares, as far as its guards ask. */
export interface GuardedZone extends ZoneScope {
  readonly allowMassChange?: boolean;
}

/** Looks at the zone as it is: refuses what the service would, asks for leave to remove many records, and tells a preview what will be done. */
export async function examineZone(context: Examination<Fields>): Promise<void> {
  const { id, object, preview, guard, tell, isHidden, parent } = context;
  const scope = context.inputs as GuardedZone;
  const planned = parent?.["domain"];
  const zone =
    preview && typeof planned === "string"
      ? planned
      : String((await context.get(`/domains/${id}`))["domain"]);
  const declared = declaredOf(scope, zone);
  if (!declared) return;
  const { refuse, end } = sparing(context.refuse);
  if (scope.zoneFile !== undefined) judgeZoneFile(scope.zoneFile, zone, refuse);
  judgeRecords(declared, zone, refuse);
  const { owned, ignored } = liveZone(recordsOf(object), zone, scope);
  const left = grouped(ignored, ({ form }) => ownerOf(form));
  const mail = ignored.filter(({ form }) => form.type === "MX");
  for (const { form, tell: at } of declared) {
    const beside = left.get(ownerOf(form)) ?? [];
    for (const other of new Set([...beside, ...(form.type === "MX" ? mail : [])])) {
      const what = `record ${id}/${other.id}, which the zone ignores`;
      const failure = conflict(form, other.form, beside.includes(other), what);
      if (failure) refuse(...at(failure.property, failure.reason));
    }
  }
  if (declared.length + ignored.length > recordLimit) {
    const reason = `a domain may have ${recordLimit} records, and ${ignored.length} that are ignored count too`;
    refuse("", `declares ${declared.length} records: ${reason}`);
  }
  end();
  const changes = changesOf(owned, declared);
  const summary = summaryOf(changes, isHidden("records") ? 0 : named);
  if (preview && summary !== undefined) tell(`${zone}: ${summary}`);
  const gone = changes.removed.length;
  const share = (100 * gone) / owned.length;
  if (scope.allowMassChange || owned.length <= small || share <= mostRemoved) return;
  guard(
    "allowMassChange",
    `${gone} of the ${owned.length} records of ${zone} would be removed, and more than ${mostRemoved} % may go only when you say so: set allowMassChange: true for this change, or list what is to stay in records or ignore`,
  );
}

/** The refusals of a Zone and a Record of the same domain: one of them would undo the other. */
export function recordBeside(
  zone: ZoneScope & { readonly domainId?: string },
  { name, values }: { readonly name: string; readonly values: { readonly [name: string]: unknown } },
  domain: { readonly [name: string]: unknown } | undefined,
) {
  const apex = domain?.["domain"] as string | undefined;
  const record = values as RecordValues & ZoneItem;
  const form = formOf(record, apex);
  if (record.type !== undefined && ignores(zone.ignore ?? [], apex)(form)) return undefined;
  const title = record.type === undefined ? "it" : titleOf({ ...form, name: relativeName(form.name, apex) });
  const advice = `add ${title} to the Zone's records or to its ignore patterns`;
  return {
    mine: {
      property: "domainId",
      reason: `the Record "${name}" of this plan is of the same domain, and the Zone would remove it: ${advice}`,
    },
    theirs: {
      property: "domainId",
      reason: `a Zone of this plan owns all records of the domain and would remove this one: ${advice}`,
    },
  };
}
