/** Functions of the managed area for what can be declared: contacts, services, credentials and settings (contract section 4.6). */

import { viewList, viewOf } from "../../core/object/view.ts";
import { id, optional, text } from "../../core/type/field.ts";
import { providerFunction } from "../../core/type/function.ts";
import { existing, getAll, getOne, shown } from "../../core/type/getter.ts";
import { Contact } from "./contact.ts";
import { Credential } from "./credential.ts";
import { InstanceSettings } from "./instance-settings.ts";
import { Service } from "./service.ts";

const contact = shown(Contact);
const credential = shown(Credential);
const service = shown(Service);

export const getContact = getOne(contact, {
  by: { name: text({ description: "The name of the Contact." }) },
});

export const getContacts = getAll(contact, {
  description: "The Contacts of the account: all, or those of one group.",
  filters: { group: text({ description: "Only Contacts of this group." }) },
});

export const getCredential = getOne(credential, {
  by: { label: text({ description: "The label of the Credential." }) },
});

export const getCredentials = getAll(credential, {
  description:
    "Every Credential of the account, without user names and passwords, which the service never tells.",
});

export const getService = getOne(service, {
  by: { label: text({ description: "The label of the Service." }) },
});

export const getServices = getAll(service, {
  description: "The Services of the account: all, or those that the arguments match.",
  filters: {
    status: text({ description: "Only Services of this status: `pending`, `ok`, `problem` or `disabled`." }),
    consultationGroup: text({ description: "Only Services that tell this group of Contacts." }),
  },
});

export const getInstanceSettings = providerFunction({
  area: "managed",
  name: "getInstanceSettings",
  description: "How support staff log in to every compute instance of the account, or to one.",
  args: {
    computeId: optional(
      id({ description: "Only the settings of this compute instance.", reference: "compute/instance" }),
    ),
  },
  result: { settings: viewList(InstanceSettings, "The settings, by the instance's id.") },
  async call({ args, service }) {
    const { computeId } = args;
    const found =
      computeId === undefined
        ? await service.list(InstanceSettings.collection)
        : [
            await existing(
              `compute instance with id ${computeId}`,
              service.get(`${InstanceSettings.collection}/${computeId}`),
            ),
          ];
    return {
      settings: found.map((settings) => viewOf(InstanceSettings, settings, { computeId: settings["id"] })),
    };
  },
});
