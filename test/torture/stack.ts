/** A stack of every resource type as it is first, and as it is after an edit of everything that can be edited. It knows no engine. */

import { selfSigned } from "../../emulator/certificate.ts";
import { pluginFolder } from "./place.ts";

/** Resources by name, as a stack file has them. */
export interface Resources {
  readonly [name: string]: { readonly type: string; readonly properties: object; readonly options?: object };
}

export type Step = "made" | "edited";

/** The text of a stack file (JSON is YAML). */
export function stackFile(resources: Resources): string {
  const plugins = { providers: [{ name: "plumbline", path: pluginFolder }] };
  return JSON.stringify({ name: "torture", runtime: "yaml", plugins, resources });
}

const day = 86_400_000;

/** A certificate for a host with its key, the same for the same digit while the process lives. */
function certificate(host: string, digit: string): object {
  const from = new Date(Math.floor(Date.now() / day) * day - day);
  const to = new Date(from.getTime() + 30 * day);
  const made = selfSigned({ seed: digit.repeat(64), name: host, hosts: [host], from, to });
  return { certificate: made.certificate, privateKey: made.privateKey };
}

const soaEmail = "root@torture.example";
const region = "us-east";
const cluster = "us-east-1";
const host = "www.torture.example";

const record = (more: object) => ({
  type: "plumbline:dns:Record",
  properties: { domainId: "${domain.id}", ...more },
});

function dns(isEdited: boolean): Resources {
  const [first, others] = isEdited ? ["192.0.2.9", ["192.0.2.4", "192.0.2.5"]] : ["192.0.2.1", ["192.0.2.4"]];
  return {
    domain: {
      type: "plumbline:dns:Domain",
      properties: {
        domain: "torture.example",
        type: "master",
        soaEmail,
        ...(isEdited ? { description: "edited", ttlSec: 300, tags: ["a", "b"] } : { description: "made" }),
      },
    },
    apex: record({ type: "A", target: first }),
    www: record({ type: "A", name: "www", target: "192.0.2.2", ttlSec: 300 }),
    shop: record({ type: "CNAME", name: isEdited ? "store" : "shop", target: "torture.example" }),
    text: record({ type: "TXT", name: "note", target: isEdited ? "new text" : "text" }),
    sip: record({
      ...{ type: "SRV", service: "sip", protocol: "tcp", target: "sip.other.example" },
      ...{ priority: 1, weight: isEdited ? 7 : 5, port: 5060 },
    }),
    issuer: record({
      type: "CAA",
      tag: isEdited ? "iodef" : "issue",
      target: isEdited ? "mailto:a@b.example" : "ca.example",
    }),
    ...(isEdited
      ? { added: record({ type: "AAAA", name: "six", target: "2001:db8::6" }) }
      : { mail: record({ type: "MX", target: "mail.other.example", priority: 10 }) }),
    second: {
      type: "plumbline:dns:Domain",
      properties: { domain: "second.example", type: "slave", masterIps: others },
    },
    whole: {
      type: "plumbline:dns:Domain",
      properties: { domain: "whole.example", type: "master", soaEmail },
    },
    zone: {
      type: "plumbline:dns:Zone",
      properties: {
        domainId: "${whole.id}",
        records: [
          { type: "A", name: "www", target: first },
          { type: "MX", target: "mail.other.example", priority: isEdited ? 20 : 10 },
          { type: "TXT", name: isEdited ? "new" : "old", target: "text" },
        ],
        allowMassChange: true,
      },
    },
  };
}

function networks(isEdited: boolean): Resources {
  const subnet = (of: string, label: string, ipv4: string) => ({
    type: "plumbline:vpc:Subnet",
    properties: { vpcId: `\${${of}.id}`, label, ipv4 },
  });
  return {
    network: {
      type: "plumbline:vpc:Vpc",
      properties: { region, description: isEdited ? "edited" : "made" },
    },
    office: { type: "plumbline:vpc:Vpc", properties: { label: isEdited ? "home" : "office", region } },
    web: subnet("network", isEdited ? "web-2" : "web", "10.0.1.0/24"),
    data: subnet("network", "data", isEdited ? "10.0.3.0/24" : "10.0.2.0/24"),
    ...(isEdited
      ? { desk: subnet("office", "desk", "10.1.2.0/24") }
      : { lab: subnet("office", "lab", "10.1.1.0/24") }),
  };
}

function machines(isEdited: boolean): Resources {
  const volume = (properties: object) => ({ type: "plumbline:blockstorage:Volume", properties });
  const script = (label: string, more: object) => ({
    type: "plumbline:compute:StackScript",
    properties: { label, images: ["compute/debian12"], script: "#!/bin/sh\ntrue\n", ...more },
  });
  return {
    disk: volume({ region, size: isEdited ? 40 : 20 }),
    store: volume({
      label: "store",
      size: 30,
      ...(isEdited ? { region, tags: ["moved"] } : { computeId: "1001" }),
    }),
    twin: volume({ label: isEdited ? "twin-2" : "twin", cloneOf: "${store.id}" }),
    installer: script("installer", isEdited ? { script: "#!/bin/sh\nfalse\n", revNote: "second" } : {}),
    // Two that look alike by name, which the service allows.
    helper: script("helper", { description: "one" }),
    assistant: script("helper", { description: isEdited ? "three" : "two" }),
  };
}

function databases(isEdited: boolean): Resources {
  const updates = { frequency: "weekly", dayOfWeek: 2, hourOfDay: 3, duration: 1 };
  return {
    sales: {
      type: "plumbline:databases:MySqlInstance",
      properties: {
        ...{ engine: "mysql/8.0.30", region, patchTrigger: isEdited ? 2 : 1 },
        type: isEdited ? "g6-standard-1" : "g6-nanode-1",
        allowList: isEdited ? ["192.0.2.1", "192.0.2.2"] : ["192.0.2.1"],
        updates,
      },
    },
    books: {
      type: "plumbline:databases:PostgreSqlInstance",
      properties: {
        ...{ label: "books", engine: "postgresql/14.6", region, type: "g6-nanode-1" },
        updates,
        clusterSize: isEdited ? 3 : 1,
      },
    },
    before: {
      type: "plumbline:databases:Snapshot",
      properties: { kind: "mysql", instanceId: "${sales.id}", label: isEdited ? "after" : "before" },
    },
  };
}

function monitoring(isEdited: boolean): Resources {
  const contact = (properties: object) => ({ type: "plumbline:managed:Contact", properties });
  const service = (properties: object) => ({
    type: "plumbline:managed:Service",
    properties: { serviceType: "url", timeout: 10, ...properties },
  });
  const credential = (properties: object) => ({ type: "plumbline:managed:Credential", properties });
  return {
    lead: contact({
      ...{ name: "Ada Pope", email: isEdited ? "ada@new.example" : "ada@shop.example" },
      ...{ group: "on-call", phone: { primary: "555-010-0142" } },
    }),
    ...(isEdited ? {} : { deputy: contact({ name: "Ben Ode", email: "ben@shop.example" }) }),
    login: credential({ password: isEdited ? "second-2" : "first-1" }),
    deploy: credential({ label: "deploy", username: isEdited ? "root" : "deploy", password: "third-3" }),
    page: service({
      ...{ label: "page", address: "https://shop.example/", consultationGroup: "${lead.group}" },
      ...{ credentials: ["${deploy.id}"], enabled: isEdited, notes: isEdited ? "edited" : "made" },
    }),
    ...(isEdited
      ? { door: service({ label: "door", address: "https://door.example/", enabled: false }) }
      : { port: service({ label: "port", serviceType: "tcp", address: "10.1.2.3:25", region }) }),
    access: {
      type: "plumbline:managed:InstanceSettings",
      properties: { computeId: "1001", ssh: isEdited ? { user: "ops" } : { user: "support", port: 2222 } },
    },
  };
}

function objects(isEdited: boolean): Resources {
  const object = (name: string, content: string) => ({
    type: "plumbline:objectstorage:Object",
    properties: { cluster, bucket: "${photos.label}", name, content },
  });
  return {
    photos: {
      type: "plumbline:objectstorage:Bucket",
      properties: {
        cluster,
        label: "photos",
        acl: isEdited ? "private" : "public-read",
        corsEnabled: isEdited,
      },
    },
    site: { type: "plumbline:objectstorage:Bucket", properties: { cluster, label: host } },
    lock: {
      type: "plumbline:objectstorage:BucketCertificate",
      properties: { cluster, bucket: "${site.label}", ...certificate(host, isEdited ? "2" : "1") },
    },
    index: object("index.html", isEdited ? "<p>edited" : "<p>made"),
    about: object(isEdited ? "about/us.html" : "about.html", "<p>us"),
    readers: {
      type: "plumbline:objectstorage:ObjectAcl",
      properties: { cluster, bucket: "${index.bucket}", name: "${index.name}", acl: "public-read" },
    },
    key: { type: "plumbline:objectstorage:Key", properties: isEdited ? { label: "named" } : {} },
    grant: {
      type: "plumbline:objectstorage:Key",
      properties: {
        label: "grant",
        bucketAccess: [
          { cluster, bucketName: "${photos.label}", permissions: isEdited ? "read_write" : "read_only" },
        ],
      },
    },
  };
}

function kubernetes(isEdited: boolean): Resources {
  const web = { type: "g6-standard-1", count: isEdited ? 2 : 1 };
  return {
    platform: {
      type: "plumbline:kubernetes:Cluster",
      properties: {
        ...{ region, k8sVersion: isEdited ? "1.28" : "1.27", tags: isEdited ? ["b"] : ["a"] },
        nodePools: isEdited
          ? { web, extra: { type: "g6-dedicated-2", count: 1 } }
          : { web, build: { type: "g6-standard-2", count: 1 } },
      },
    },
    batch: {
      type: "plumbline:kubernetes:NodePool",
      properties: {
        clusterId: "${platform.id}",
        type: isEdited ? "g6-standard-2" : "g6-standard-1",
        count: 1,
      },
    },
  };
}

const families = { dns, networks, machines, databases, monitoring, objects, kubernetes };

export type Family = keyof typeof families;
export const allFamilies = Object.keys(families) as Family[];

/** The stack of these families (default: all) at a step. */
export function resourcesAt(step: Step, of: readonly Family[] = allFamilies): Resources {
  return Object.assign({}, ...of.map((family) => families[family](step === "edited"))) as Resources;
}
