/** What the types of managed monitoring must live through. */

import type { Account } from "../deployment.ts";
import { life } from "../lifecycle.ts";

/** Makes a compute instance, which has settings from then on; its id. */
export const instance = async (account: Account, label: string): Promise<string> => {
  const body = {
    label,
    region: "us-east",
    type: "g6-standard-1",
    image: "compute/debian12",
    root_pass: "pW!aVz2e7HcR",
  };
  return String((await account.call("POST", "/compute/instances", body))["id"]);
};

const put = (path: string, body: object) => () => ({ method: "PUT", path, body });
const on = (collection: string, body: object) => (saved: { id: string }) =>
  put(`/managed/${collection}/${saved.id}`, body)();

/** The least that a Contact says. */
export const contact = { name: "Jo Doe", email: "jo@example.org" };

const contactsLife = life({
  type: "plumbline:managed/contact:Contact",
  prepare: async () => ({}),
  steps: [
    { does: "create", declare: () => contact, leaves: contact },
    {
      does: "update",
      declare: () => ({ ...contact, group: "on-call", phone: { primary: "555-010-0199" } }),
      changes: ["group", "phone"],
      leaves: { group: "on-call", phone: { primary: "555-010-0199" } },
    },
    {
      does: "update",
      declare: () => ({ ...contact, group: "on-call", phone: { secondary: "+1 555 010 0100 ext. 7" } }),
      changes: ["phone"],
    },
    { does: "update", declare: () => ({ name: "Jo-2", email: "jo2@example.org" }) },
    { does: "same", declare: () => ({ name: "Jo-2", email: "jo2@example.org", phone: {} }) },
    {
      does: "update",
      declare: () => ({ ...contact, group: "night", phone: { primary: "555-010-0199" } }),
      changes: ["name", "email", "group", "phone"],
    },
  ],
  naturalName: () => "Jo Doe",
  drift: {
    name: on("contacts", { name: "theirs" }),
    email: on("contacts", { email: "theirs@example.org" }),
    group: on("contacts", { group: null }),
    phone: on("contacts", { phone: { primary: null, secondary: "555-010-0111" } }),
  },
});

/** The least that a Service says. */
export const service = {
  label: "shop",
  serviceType: "url",
  address: "https://shop.example/health",
  timeout: 10,
};

const servicesLife = life({
  type: "plumbline:managed/service:Service",
  prepare: async (account) => {
    const make = async (label: string) =>
      String((await account.call("POST", "/managed/credentials", { label, password: "x-1" }))["id"]);
    return { one: await make("one"), two: await make("two") };
  },
  steps: [
    { does: "create", declare: () => service, leaves: { enabled: true, body: "", credentials: [] } },
    { does: "same", declare: () => ({ ...service, address: `${service.address}#top` }) },
    {
      does: "update",
      declare: ({ one, two }) => ({
        ...service,
        body: "it works",
        consultationGroup: "on-call",
        notes: "The shop",
        credentials: [two, one],
        enabled: false,
      }),
      changes: ["body", "consultationGroup", "notes", "credentials", "enabled"],
      leaves: { status: "disabled", enabled: false },
    },
    {
      does: "update",
      declare: ({ one, two }) => ({ ...service, body: "it works", credentials: [one, two] }),
      changes: ["consultationGroup", "notes", "enabled"],
      leaves: { enabled: true },
    },
    {
      does: "update",
      declare: () => ({
        label: "mail",
        serviceType: "tcp",
        address: "10.1.2.3:25",
        timeout: 255,
        region: "us-east",
      }),
      changes: ["label", "serviceType", "address", "timeout", "region", "body", "credentials"],
      leaves: { region: "us-east", body: "", credentials: [] },
    },
    { does: "update", declare: () => service },
    {
      does: "update",
      declare: ({ one }) => ({
        ...service,
        address: "https://192.168.7.7/x?y=1",
        region: "us-east",
        body: "up",
        consultationGroup: "on-call",
        notes: "n",
        credentials: [one],
        enabled: false,
      }),
    },
  ],
  naturalName: () => "shop",
  drift: {
    label: on("services", { label: "theirs" }),
    address: on("services", { address: "https://192.168.7.8/" }),
    timeout: on("services", { timeout: 20 }),
    body: on("services", { body: null }),
    consultationGroup: on("services", { consultation_group: "day" }),
    notes: on("services", { notes: "theirs" }),
    credentials: on("services", { credentials: [] }),
    region: on("services", { region: "us-southeast" }),
    enabled: ({ id }) => ({ method: "POST", path: `/managed/services/${id}/enable`, body: {} }),
  },
});

const credentialsLife = life({
  type: "plumbline:managed/credential:Credential",
  prepare: async () => ({}),
  steps: [
    { does: "create", declare: () => ({ password: "first-1" }) },
    { does: "update", declare: () => ({ label: "shop", password: "first-1" }), changes: ["label"] },
    { does: "update", declare: () => ({ label: "shop", password: "second-2" }), changes: ["password"] },
    {
      does: "update",
      declare: () => ({ label: "shop", password: "third-3", username: "deploy" }),
      changes: ["username", "password"],
    },
    { does: "update", declare: () => ({ label: "shop", password: "third-3" }), changes: ["username"] },
    { does: "same", declare: () => ({ label: "shop" }) },
    { does: "update", declare: () => ({ label: "shop", password: "fourth-4" }), changes: ["password"] },
  ],
  naturalName: () => "shop",
  unreadable: ["password", "username"],
  drift: { label: on("credentials", { label: "theirs" }) },
});

const settingsLife = life({
  type: "plumbline:managed/instanceSettings:InstanceSettings",
  prepare: async (account) => {
    const [one, two] = [await instance(account, "web-1"), await instance(account, "web-2")];
    const ssh = { access: false, user: "theirs", ip: "203.0.113.1", port: 2222 };
    await account.call("PUT", `/managed/compute-settings/${one}`, { ssh });
    return { one, two };
  },
  steps: [
    {
      does: "create",
      declare: ({ one }) => ({ computeId: one, ssh: { user: "admin" } }),
      leaves: { label: "web-1", ssh: { access: true, user: "admin", ip: "any" } },
    },
    {
      does: "update",
      declare: ({ one }) => ({ computeId: one, ssh: { access: false, ip: "2001:DB8::1", port: 22 } }),
      changes: ["ssh"],
      leaves: { ssh: { access: false, port: 22 } },
    },
    { does: "update", declare: ({ one }) => ({ computeId: one }), changes: ["ssh"] },
    {
      does: "replace",
      declare: ({ two }) => ({ computeId: two, ssh: { port: 2200 } }),
      changes: ["computeId", "ssh"],
      leaves: { label: "web-2" },
    },
  ],
  naturalName: () => "web-2",
  remains: { ssh: { access: true, ip: "any" } },
  drift: {
    ssh: on("compute-settings", {
      ssh: { access: false, port: 2201, user: "theirs", ip: "203.0.113.5" },
    }),
  },
});

export const lives = [contactsLife, servicesLife, credentialsLife, settingsLife];
