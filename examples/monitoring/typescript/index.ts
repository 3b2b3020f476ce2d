/** The stack of ../Pulumi.yaml as a Pulumi program: people and services are lists, so the next one is a line. */

import * as plumbline from "@plumbline/pulumi";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const shopAddress = config.get("shopAddress") ?? "https://shop.example/health?from=monitoring";
const computeId = config.get("computeId") ?? "1001";
const region = config.get("region") ?? "us-east";
const group = "shop-on-call";

// Whom to tell. A service names a group, not people, so whoever joins the group is told by every service of it.
const people: { [name: string]: plumbline.managed.ContactArgs } = {
  lead: {
    name: "Ada Pope",
    email: "ada@shop.example",
    phone: { primary: "555-010-0142", secondary: "+1 555 010 0199 ext. 7" },
  },
  deputy: { name: "Ben Ode", email: "ben@shop.example" },
};
for (const [name, person] of Object.entries(people)) {
  new plumbline.managed.Contact(name, { ...person, group });
}

// `pulumi config set --secret deployPassword …` keeps your own encrypted; changing it changes it on the service, in place.
const deploy = new plumbline.managed.Credential("deploy", {
  label: "shop-deploy",
  username: "deploy",
  password: config.getSecret("deployPassword") ?? pulumi.secret("only-for-trying-out"),
});

const watched = {
  // A page: up while it answers within ten seconds and says so.
  shop: {
    label: "shop",
    serviceType: "url",
    address: shopAddress,
    timeout: 10,
    body: "all systems go",
    consultationGroup: group,
    credentials: [deploy.id],
    notes: "Restart the web unit first; the database is on another host.",
  },
  // A port of a private address: only such an address takes a region, and it must have one.
  mail: {
    label: "mail",
    serviceType: "tcp",
    address: "10.10.2.25:25",
    region,
    timeout: 30,
    consultationGroup: group,
  },
  // Kept, but not watched while it is being moved: take the line out to watch it again.
  oldShop: {
    label: "old-shop",
    serviceType: "url",
    address: "https://old.shop.example/",
    timeout: 60,
    enabled: false,
  },
} satisfies { [name: string]: plumbline.managed.ServiceArgs };
const made = Object.entries(watched).map(
  ([name, args]) => [name, new plumbline.managed.Service(name, args)] as const,
);

// How support staff log in to the instance. Deleting this puts the defaults back; the instance stays.
const webServer = new plumbline.managed.InstanceSettings("webServer", {
  computeId,
  ssh: { user: "support", port: 2222 },
});

export const services = Object.fromEntries(made.map(([name, service]) => [name, service.id]));
export const oldShopStatus = made.find(([name]) => name === "oldShop")?.[1].status;
export const staffLogin = pulumi.interpolate`${webServer.ssh.apply((ssh) => ssh?.user)} on ${webServer.label}, port ${webServer.ssh.apply((ssh) => ssh?.port)}`;
// Goes into the `authorized_keys` of the user `support`.
export const staffKey = plumbline.managed.getSshKeyOutput().sshKey;
