/** Reading the event log (notes, section 11). */

import { type EventItem, eventCollection } from "../../account/events.ts";
import { grantEntities } from "../../account/users.ts";
import { type Call, type GrantEntity, type Handler, notFound } from "../../area.ts";

function events(call: Call) {
  return call.world.collection<EventItem>(eventCollection);
}

/** A restricted user sees what it did itself and what happened to entities that it may see. */
function isVisible(call: Call, event: EventItem): boolean {
  const { caller } = call;
  if (!caller.restricted || event.username === caller.username) return true;
  const { entity } = event;
  return (
    typeof entity?.id === "number" &&
    grantEntities.includes(entity.type as GrantEntity) &&
    caller.may(entity.type as GrantEntity, entity.id, "read_only")
  );
}

function reachEvent(call: Call): EventItem {
  const event = events(call).get(call.id("eventId"));
  return event && isVisible(call, event) ? event : notFound();
}

export const eventHandlers: { readonly [operation: string]: Handler } = {
  "GET /account/events": (call) =>
    events(call)
      .filter((event) => isVisible(call, event))
      .reverse(),
  "GET /account/events/{eventId}": reachEvent,
  "POST /account/events/{eventId}/seen": (call) => {
    const { id } = reachEvent(call);
    for (const event of events(call).filter((other) => !other.seen && other.id <= id))
      events(call).update(event.id, { seen: true });
    return {};
  },
  "POST /account/events/{eventId}/read": (call) => {
    events(call).update(reachEvent(call).id, { read: true });
    return {};
  },
};
