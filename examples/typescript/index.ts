/** The stack of ../web as an ordinary Pulumi program: it loops where YAML repeats, and composes a zone out of parts. */

import * as plumbline from "@plumbline/pulumi";
import * as pulumi from "@pulumi/pulumi";

interface RecordSpec {
  type: string;
  target: pulumi.Input<string>;
  name?: string;
  priority?: number;
  ttlSec?: number;
  tag?: string;
}

/** Mail for a zone: its exchangers, and the records that let others trust what they send. */
function mail(zone: string, exchangers: string[], dkim: string): { [name: string]: RecordSpec } {
  return {
    ...Object.fromEntries(
      exchangers.map((target, i) => [`mx${i + 1}`, { type: "MX", target, priority: (i + 1) * 10 }]),
    ),
    spf: { type: "TXT", target: "v=spf1 mx ip4:203.0.113.0/24 -all" },
    dkim: { type: "TXT", name: "s1._domainkey", target: `v=DKIM1; k=rsa; p=${dkim}` },
    dmarc: { type: "TXT", name: "_dmarc", target: `v=DMARC1; p=quarantine; rua=mailto:dmarc@${zone}` },
  };
}

/** The web servers: the apex on every address, and what points to it. */
function web(zone: string, addresses: string[], address6: string): { [name: string]: RecordSpec } {
  return {
    ...Object.fromEntries(
      addresses.map((target, i) => [`apex4-${i + 1}`, { type: "A", target, ttlSec: 300 }]),
    ),
    apex6: { type: "AAAA", target: address6, ttlSec: 300 },
    www: { type: "CNAME", name: "www", target: zone },
    wildcard: { type: "A", name: "*.sites", target: addresses[0] ?? "" },
  };
}

export async function program() {
  const config = new pulumi.Config();
  const zoneName = config.get("zone") ?? "plumbline-ts.example";
  const region = config.get("region") ?? "us-east";
  const computeId = config.get("computeId") ?? "1001";
  const tags = ["production", "typescript"];

  const zone = new plumbline.dns.Domain("zone", {
    domain: zoneName,
    type: "master",
    soaEmail: `hostmaster@${zoneName}`,
    description: "Production zone",
    ttlSec: 3600,
    tags,
  });

  const records = {
    ...web(zoneName, ["203.0.113.10", "203.0.113.11"], "2001:db8:10::80"),
    ...mail(
      zoneName,
      ["mx1.mail.example", "mx2.mail.example"],
      `${"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A".repeat(9)}IDAQAB`,
    ),
    caaIssue: { type: "CAA", tag: "issue", target: "ca.example" },
    caaReport: { type: "CAA", tag: "iodef", target: `mailto:security@${zoneName}` },
  };
  for (const [name, record] of Object.entries(records)) {
    new plumbline.dns.Record(name, { domainId: zone.id, ...record });
  }
  new plumbline.dns.Record("sip", {
    domainId: zone.id,
    type: "SRV",
    service: "sip",
    protocol: "tcp",
    target: "sip.mail.example",
    priority: 10,
    weight: 60,
    port: 5060,
  });

  const network = new plumbline.vpc.Vpc("network", {
    label: "production-ts",
    region,
    description: "Private network of the production servers",
  });
  const subnets = ["web", "data", "ops"].map(
    (label, i) => new plumbline.vpc.Subnet(label, { vpcId: network.id, label, ipv4: `10.20.${i + 1}.0/24` }),
  );

  const disk = new plumbline.blockstorage.Volume("data", {
    label: "production-ts-data",
    size: 40,
    computeId,
    tags,
  });
  new plumbline.blockstorage.Volume("backup", { label: "production-ts-backup", size: 80, region, tags });

  const all = plumbline.dns.getRecordsOutput({ domainId: zone.id }, { dependsOn: [zone] });

  return {
    domainId: zone.id,
    networkId: network.id,
    subnets: subnets.map((subnet) => subnet.ipv4),
    dataDiskPath: disk.filesystemPath,
    recordsFound: all.records.apply((found) => found.length),
  };
}
