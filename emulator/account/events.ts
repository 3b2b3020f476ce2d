/** The account's event log (contract section 6; notes, section 11); areas say what happened, this file how it is recorded. */

import type { Collection, EventFields, Events, Item } from "../area.ts";
import type { MovableClock } from "./clock.ts";

export interface EventItem extends Item {
  created: string;
  seen: boolean;
  read: boolean;
  percent_complete: number | null;
  time_remaining: number | null;
  rate: string | null;
  duration: number | null;
  action: string;
  username: string | null;
  entity: { id: number | string; type: string; label: string; url: string } | null;
  secondary_entity: { id: number | string; type: string; label: string; url: string } | null;
  status: string;
  message: string;
  /** Milliseconds since 1970 of its recording. */
  _at: number;
}

/** Events older than this are forgotten. */
const kept = 90 * 86_400_000;

export const eventCollection = "events";

/** An event log that names `username` where an event does not say who did it. */
export function createEvents(
  collection: Collection<EventItem>,
  clock: MovableClock,
  username: string | null,
): Events {
  return {
    emit: (event: EventFields) => {
      const now = clock.millis();
      forget(collection, now - kept);
      const status = event.status ?? "notification";
      const percent =
        status === "scheduled" ? 0 : status === "started" ? 1 : status === "finished" ? 100 : null;
      const { id } = collection.insert({
        created: clock.stamp(),
        seen: false,
        read: false,
        percent_complete: event.percentComplete ?? percent,
        time_remaining: null,
        rate: null,
        duration: status === "finished" || status === "failed" ? 0 : null,
        action: event.action,
        username: event.username === undefined ? username : event.username,
        entity: event.entity ?? null,
        secondary_entity: event.secondaryEntity ?? null,
        status,
        message: event.message ?? "",
        _at: now,
      });
      return id;
    },
    move: (id, status) => {
      const event = collection.get(id);
      if (!event) return;
      const ended = status !== "started";
      collection.update(id, {
        status,
        percent_complete: status === "finished" ? 100 : Math.max(1, event.percent_complete ?? 0),
        duration: ended ? Math.max(0, Math.round((clock.millis() - event._at) / 1000)) : event.duration,
      });
    },
  };
}

function forget(collection: Collection<EventItem>, before: number): void {
  for (;;) {
    const oldest = collection.find(() => true);
    if (!oldest || oldest._at >= before) return;
    collection.delete(oldest.id);
  }
}
