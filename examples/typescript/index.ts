/** The account of ../web as an ordinary Pulumi program: it loops where YAML repeats, and composes the zone out of parts. */

import * as plumbline from "@plumbline/pulumi";
import * as pulumi from "@pulumi/pulumi";
import { Mail } from "./mail";

const config = new pulumi.Config();
const zoneName = config.get("zone") ?? "plumbline-web.example";
const region = config.get("region") ?? "us-east";
const webAddresses = config.getObject<string[]>("webAddresses") ?? ["203.0.113.10", "203.0.113.11"];
const computeId = config.get("computeId") ?? "1001";
const mailKey =
  config.get("mailKey") ??
  "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvq7p0Zt1kJmC5f0rX4yH2n8sWdL6uQe3oTgBzPjR9xVcKaYiN1mD7hGfSw5bUqEl";
const tags = ["production", "web"];

const zone = new plumbline.dns.Domain("zoneDomain", {
  domain: zoneName,
  type: "master",
  soaEmail: `hostmaster@${zoneName}`,
  description: "Production zone",
  ttlSec: 3600,
  refreshSec: 14400,
  tags,
});

// Web: the apex and www on every server, IPv4 and IPv6, and a wildcard for customers' sites.
const record = (name: string, args: Omit<plumbline.dns.RecordArgs, "domainId">) =>
  new plumbline.dns.Record(name, { domainId: zone.id, ...args });

const records = [
  ...webAddresses.map((target, i) => record(`apex4-${i + 1}`, { type: "A", target, ttlSec: 300 })),
  record("apex6", { type: "AAAA", target: "2001:db8:10::80", ttlSec: 300 }),
  record("www", { type: "CNAME", name: "www", target: zoneName }),
  record("www-static", { type: "AAAA", name: "static", target: "2001:db8:10::81" }),
  record("wildcard", { type: "A", name: "*.sites", target: webAddresses[0] ?? "203.0.113.10" }),
  record("caaIssue", { type: "CAA", tag: "issue", target: "ca.example" }),
  record("caaReport", { type: "CAA", tag: "iodef", target: `mailto:security@${zoneName}` }),
  record("sip", {
    type: "SRV",
    service: "sip",
    protocol: "tcp",
    target: "sip.mail.example",
    priority: 10,
    weight: 60,
    port: 5060,
  }),
];

const mail = new Mail("mail", {
  zone,
  zoneName,
  exchangers: ["mx1.mail.example", "mx2.mail.example"],
  senders: "203.0.113.0/24",
  // A 2048-bit DKIM key is longer than one 255-octet DNS string; the service splits it when it renders the zone.
  dkimKey: `${mailKey.repeat(3)}IDAQAB`,
  policy: config.get("mailPolicy") ?? "quarantine",
});

// Private network: one VPC, a subnet each for web, data and operations.
const network = new plumbline.vpc.Vpc("network", {
  label: "production",
  region,
  description: "Private network of the production servers",
});
const ranges = { web: "10.10.1.0/24", data: "10.10.2.0/24", ops: config.get("opsRange") ?? "10.10.3.0/26" };
const made = Object.entries(ranges).map(
  ([label, ipv4]) =>
    [label, new plumbline.vpc.Subnet(`${label}Subnet`, { vpcId: network.id, label, ipv4 })] as const,
);

// Disks: the database's, attached to its instance, and one for backups, not attached.
const dataDisk = new plumbline.blockstorage.Volume("dataDisk", {
  label: "production-data",
  size: 40,
  computeId,
  tags,
});
new plumbline.blockstorage.Volume("backupDisk", { label: "production-backup", size: 80, region, tags });

// Asked once everything is there: how many records the service itself knows of.
const known = plumbline.dns.getRecordsOutput({ domainId: zone.id }, { dependsOn: [...records, mail] });

export const domainId = zone.id;
export const networkId = network.id;
export const subnets = Object.fromEntries(made.map(([label, subnet]) => [label, subnet.ipv4]));
export const dataDiskPath = dataDisk.filesystemPath;
export const recordCount = known.records.apply((all) => all.length);
