/** Managed contacts: whom to tell of a problem (contract section 2.8; notes, section 8). */

import {
  type Call,
  type Collection,
  type Handler,
  type Item,
  notFound,
  type Reason,
  refuseAll,
  type World,
} from "../../area.ts";

interface Contact extends Item {
  /** "" when not given. */
  name: string;
  email: string;
  phone: { primary: string | null; secondary: string | null };
  group: string | null;
  updated: string;
}

function contacts(world: World): Collection<Contact> {
  return world.collection<Contact>("managedContacts");
}

function reachContact(call: Call): Contact {
  return contacts(call.world).get(call.id("contactId")) ?? notFound();
}

const emailForm = /^[^\s@<>"(),:;[\]\\]+@([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?\.)+[a-zA-Z]{2,}$/;
const phoneForm = /^(?=(?:\D*\d){3})\+?[\d ()./-]+( ?(x|ext\.?) ?\d+)?$/;

/** What is wrong with the given fields beyond their schema. */
function contactReasons({ email, phone }: Call["body"]): Reason[] {
  const reasons: Reason[] = [];
  if (email !== undefined && !emailForm.test(email))
    reasons.push({ reason: "Must be a valid email address", field: "email" });
  for (const which of ["primary", "secondary"])
    if (phone?.[which] && !phoneForm.test(phone[which]))
      reasons.push({ reason: "Must be a phone number", field: `phone.${which}` });
  return reasons;
}

/** The fields that the body makes of what there is; an empty phone number is none. */
function fieldsOf(world: World, body: Call["body"], before: Omit<Contact, "id" | "updated">) {
  const number = (which: "primary" | "secondary"): string | null =>
    body["phone"]?.[which] === undefined ? before["phone"][which] : body["phone"][which] || null;
  return {
    name: body["name"] ?? before["name"],
    email: body["email"] ?? before["email"],
    phone: { primary: number("primary"), secondary: number("secondary") },
    group: body["group"] === undefined ? before["group"] : body["group"],
    updated: world.clock.stamp(),
  };
}

function create(call: Call): Contact {
  refuseAll(contactReasons(call.body));
  const blank = { name: "", email: "", phone: { primary: null, secondary: null }, group: null };
  return contacts(call.world).insert(fieldsOf(call.world, call.body, blank));
}

function update(call: Call): Contact {
  const contact = reachContact(call);
  refuseAll(contactReasons(call.body));
  return contacts(call.world).update(contact.id, fieldsOf(call.world, call.body, contact));
}

function remove(call: Call) {
  contacts(call.world).delete(reachContact(call).id);
  return {};
}

export const contactHandlers: { readonly [operation: string]: Handler } = {
  "GET /managed/contacts": (call) => contacts(call.world).all(),
  "POST /managed/contacts": create,
  "GET /managed/contacts/{contactId}": reachContact,
  "PUT /managed/contacts/{contactId}": update,
  "DELETE /managed/contacts/{contactId}": remove,
};

export const contactJudges = {
  "POST /managed/contacts": (call: Call) => contactReasons(call.body),
  "PUT /managed/contacts/{contactId}": (call: Call) => {
    reachContact(call);
    return contactReasons(call.body);
  },
};
