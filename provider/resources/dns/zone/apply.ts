/** Carries out the plan of a zone: as many requests at once as the service allows; what a lost answer leaves open is looked at again. */

import { fromWireName, toWireName } from "../../../core/object/wire-name.ts";
import { CheckFailedError } from "../../../core/protocol.ts";
import { isAnswerLost, isApiError, isGone, type WireObject } from "../../../core/service-port.ts";
import type { ActionContext } from "../../../core/type/action.ts";
import type { Fields } from "../../../core/type/field.ts";
import { isRecordType, specialFields } from "../record/types.ts";
import type { DeclaredRecord } from "./declared.ts";
import { type LiveRecord, liveZone, type ZoneScope } from "./live.ts";
import { planZone, type ZoneStep } from "./plan.ts";

type Step = ZoneStep<LiveRecord, DeclaredRecord>;

export interface ZoneWork {
  readonly context: Pick<ActionContext<Fields>, "service" | "log">;
  /** Where the records are listed and made. */
  readonly path: string;
  readonly zone: string;
  readonly scope: ZoneScope;
  readonly declared: readonly DeclaredRecord[];
}

/** After how many rounds that brought nothing a lost answer is an error. */
const patience = 3;

/** Brings the records in line, and returns all of the domain as they then are. Throws the first refusal when what was under way has ended. */
export async function applyZone(
  work: ZoneWork,
  records: readonly WireObject[],
): Promise<readonly WireObject[]> {
  let now = records;
  let fruitless = 0;
  for (let isRepeated = false; ; isRepeated = true) {
    const round = await oneRound(work, now, isRepeated);
    if (round.unclear === undefined) return round.records;
    fruitless = round.done > 0 ? 0 : fruitless + 1;
    if (fruitless === patience) throw round.unclear;
    now = await work.context.service.list(work.path, { fresh: true });
  }
}

/** One plan, carried out as far as its answers come; `unclear` is why somebody must look again. */
async function oneRound(work: ZoneWork, records: readonly WireObject[], isRepeated: boolean) {
  const { context, zone, scope, declared } = work;
  const { owned, ignored } = liveZone(records, zone, scope);
  const { stages } = planZone(owned, declared, ignored.length);
  const total = stages.reduce((sum, stage) => sum + stage.length, 0);
  const live = new Map(records.map((record) => [Number(record["id"]), record]));
  let done = 0;
  let unclear: unknown;
  const send = async (step: Step) => {
    try {
      const answer = await request(work, step);
      if (step.does !== "post") live.delete(step.from.id);
      if (answer) live.set(Number(answer["id"]), answer);
      done += 1;
      context.log("info", `${done} of ${total} changes of records made`, { ephemeral: true });
    } catch (error) {
      // A create that was refused after one whose answer was lost may have been carried out in the meantime.
      const isLate = isRepeated && step.does === "post" && isApiError(error, 400);
      const isElsewhere = step.does === "put" && isGone(error);
      if (!isAnswerLost(error) && !isLate && !isElsewhere) throw told(step, error);
      unclear = error;
    }
  };
  for (const stage of stages) {
    await together(stage, send);
    if (unclear !== undefined) break;
  }
  return { done, unclear, records: [...live.values()] };
}

/** Sends one step; the answer is the record as it then is. */
async function request({ context, path }: ZoneWork, step: Step): Promise<WireObject | undefined> {
  const { service } = context;
  if (step.does === "delete") return void (await removed(service.delete(`${path}/${step.from.id}`)));
  if (step.does === "put") return service.put(`${path}/${step.from.id}`, bodyOf(step.to));
  return service.post(path, { type: step.to.form.type, ...bodyOf(step.to) });
}

/** A delete of what is gone has done its work. */
async function removed(deleting: Promise<void>): Promise<void> {
  try {
    await deleting;
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Every field that the type takes, so that an edit leaves nothing of what was there. */
function bodyOf({ item, form }: DeclaredRecord): WireObject {
  const special = isRecordType(form.type) ? specialFields[form.type].takes : [];
  const given = item as { readonly [name: string]: unknown };
  const own = special.map((name) => [toWireName(name), given[name] ?? (name === "protocol" ? "tcp" : 0)]);
  return {
    ...(form.type !== "SRV" && { name: form.name ?? "" }),
    target: form.target === "" ? "" : item.target,
    ttl_sec: item.ttlSec ?? 0,
    ...Object.fromEntries(own),
  };
}

/** A refusal of the service, told at the place where the record is declared. */
function told(step: Step, error: unknown): unknown {
  if (step.does === "delete" || !isApiError(error, 400)) return error;
  const failures = error.reasons.map(({ field, reason }) => {
    const [property, text] = step.to.tell(
      field === undefined ? "" : fromWireName(field),
      `the service refused it: ${reason} (${error.method} ${error.path})`,
    );
    return { property, reason: text };
  });
  return failures.length > 0 ? new CheckFailedError(failures, { cause: error }) : error;
}

/** Removes every record that the zone owns. */
export async function emptyZone(
  work: Omit<ZoneWork, "declared">,
  records: readonly WireObject[],
): Promise<void> {
  const { context, path, zone, scope } = work;
  const { owned, ignored } = liveZone(records, zone, scope);
  const stay = ignored.length > 0 ? `, and leaving the ${ignored.length} that it ignores` : "";
  if (owned.length > 0) context.log("info", `removing ${owned.length} records of ${zone}${stay}`);
  await together(owned, ({ id }) => removed(context.service.delete(`${path}/${id}`)));
}

/** How many requests are handed to the client at once; how many of them run is the client's decision. */
const abreast = 32;

/** Works on all of them, several at a time, in order; after the first error no other one is begun, and it is thrown when the rest has ended. */
async function together<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const errors: unknown[] = [];
  const worker = async () => {
    for (const item of queue) {
      try {
        await work(item);
      } catch (error) {
        errors.push(error);
      }
      if (errors.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(abreast, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
}
