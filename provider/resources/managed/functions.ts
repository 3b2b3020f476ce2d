/** Functions of the managed area for what can be declared: contacts, services, credentials and settings (contract section 4.6). */

import { id, optional, text } from "../../core/field.ts";
import { providerFunction } from "../../core/function.ts";
import type { ResourceType } from "../../core/resource.ts";
import { viewFields, viewList, viewOf } from "../../core/view.ts";
import { existing, needsOne, theOnly } from "../find.ts";
import { Contact } from "./contact.ts";
import { Credential } from "./credential.ts";
import { InstanceSettings } from "./instance-settings.ts";
import { Service } from "./service.ts";

/** One object of a type, by its id or by the name that `key` has. */
const getOne = (type: ResourceType, key: "label" | "name", reference: string) =>
  providerFunction({
    area: "managed",
    name: `get${type.name}`,
    description: `One ${type.name}, by its id or its ${key}.`,
    args: {
      id: optional(id({ description: `Id of the ${type.name}.`, reference })),
      [key]: optional(text({ description: `The ${key} of the ${type.name}.` })),
    },
    result: viewFields(type),
    check: (args, refuse) => needsOne(args, "id", key, refuse),
    async call({ args, service }) {
      if (args["id"] !== undefined) {
        const read = service.get(`${type.collection}/${args["id"]}`);
        return viewOf(type, await existing(`${type.name} with id ${args["id"]}`, read));
      }
      const found = (await service.list(type.collection)).filter((object) => object[key] === args[key]);
      return viewOf(type, theOnly(found, `${type.name} with ${key} "${args[key]}"`));
    },
  });

export const getContact = getOne(Contact, "name", "managed/contact");
export const getCredential = getOne(Credential, "label", "managed/credential");
export const getService = getOne(Service, "label", "managed/service");

export const getContacts = providerFunction({
  area: "managed",
  name: "getContacts",
  description: "The Contacts of the account: all, or those of one group.",
  args: { group: optional(text({ description: "Only Contacts of this group." })) },
  result: { contacts: viewList(Contact, "The Contacts, by id.") },
  async call({ args, service }) {
    const all = await service.list(Contact.collection);
    const wanted = all.filter(({ group }) => args.group === undefined || group === args.group);
    return { contacts: wanted.map((contact) => viewOf(Contact, contact)) };
  },
});

export const getCredentials = providerFunction({
  area: "managed",
  name: "getCredentials",
  description:
    "Every Credential of the account, without user names and passwords, which the service never tells.",
  args: {},
  result: { credentials: viewList(Credential, "The Credentials, by id.") },
  async call({ service }) {
    const all = await service.list(Credential.collection);
    return { credentials: all.map((credential) => viewOf(Credential, credential)) };
  },
});

export const getServices = providerFunction({
  area: "managed",
  name: "getServices",
  description: "The Services of the account: all, or those that the arguments match.",
  args: {
    status: optional(
      text({ description: "Only Services of this status: `pending`, `ok`, `problem` or `disabled`." }),
    ),
    consultationGroup: optional(text({ description: "Only Services that tell this group of Contacts." })),
  },
  result: { services: viewList(Service, "The Services, by id.") },
  async call({ args, service }) {
    const wanted = (await service.list(Service.collection)).filter(
      (each) =>
        (args.status === undefined || each["status"] === args.status) &&
        (args.consultationGroup === undefined || each["consultation_group"] === args.consultationGroup),
    );
    return { services: wanted.map((each) => viewOf(Service, each)) };
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
