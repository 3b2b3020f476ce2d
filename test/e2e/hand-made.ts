/** An account that somebody made by hand, through the service's API: objects of every kind, with names and texts that are hard to write down. */

import { selfSigned } from "../../emulator/certificate.ts";
import type { Emulator } from "../../emulator/index.ts";
import { call } from "./account.ts";

/** Texts that mean something in YAML, in stack files or in TypeScript, and here mean nothing. */
export const oddTexts = [
  "costs $5, or $$5, or ${example.id}, or $${x}",
  "yes",
  "null",
  "0x1F",
  "1_000",
  "12:30:00",
  "2024-01-01",
  ".inf",
  "=",
  "# no comment",
  "- no list",
  "a: b",
  "'single' \"double\" \\ back`tick`",
  "ends with a space ",
  "\ttab first",
  "Grüße, 日本語, 🙂",
  "fn::join",
  "!tag &anchor *alias",
  "{a: [b}",
  "%20 @at | pipe > fold",
];

/** Makes it. Everything is of the service's own answers' spelling: this is what an import finds. */
export async function makeByHand(emulator: Emulator): Promise<void> {
  const post = (path: string, body: object) => call(emulator, "POST", path, body);
  const list = async (path: string) =>
    (await call<{ data: { id: number }[] }>(emulator, "GET", path)).data.map(({ id }) => id);

  const zone = await post("/domains", {
    domain: "example.com",
    type: "master",
    soa_email: "admin@example.com",
    description: oddTexts[0],
    tags: ["Yes", "${odd}", "1_000"],
    ttl_sec: 3600,
  });
  const records = [
    { type: "A", name: "", target: "192.0.2.1" },
    { type: "A", name: "www", target: "192.0.2.1", ttl_sec: 300 },
    { type: "A", name: "www", target: "192.0.2.2" },
    { type: "AAAA", name: "www", target: "2001:db8::1" },
    { type: "A", name: "*.sites", target: "192.0.2.9" },
    { type: "A", name: "123", target: "192.0.2.9" },
    { type: "CNAME", name: "shop", target: "example.com" },
    { type: "MX", name: "", target: "mail.example.com", priority: 10 },

    { type: "NS", name: "sub", target: "ns1.example.net" },
    {
      type: "SRV",
      service: "sip",
      protocol: "tcp",
      target: "sip.example.com",
      port: 5060,
      weight: 5,
      priority: 1,
    },
    { type: "CAA", name: "", tag: "issue", target: "ca.example" },
    { type: "TXT", name: "_dmarc", target: 'v=DMARC1; p=none; rua="mailto:a@example.com"' },
  ];
  for (const record of records) await post(`/domains/${zone.id}/records`, record);
  for (const [i, target] of oddTexts.entries())
    await post(`/domains/${zone.id}/records`, { type: "TXT", name: `odd${i}`, target });
  await post("/domains", { domain: "secondary.example", type: "slave", master_ips: ["192.0.2.53"] });
  await post("/domains", {
    domain: "xn--bcher-kva.example",
    type: "master",
    soa_email: "b@example.com",
    status: "disabled",
  });

  const network = { label: "production", region: "us-east", description: oddTexts[3] };
  await post("/vpcs", {
    ...network,
    subnets: [
      { label: "web", ipv4: "10.0.1.0/24" },
      { label: "data", ipv4: "10.0.2.0/24" },
    ],
  });
  await post("/vpcs", { label: "default", region: "us-east" });
  await post("/volumes", { label: "production", size: 20, compute_id: 1001, tags: ["on", "On air"] });
  await post("/volumes", { label: "backup", size: 30, region: "us-east" });
  await post("/compute/stackscripts", {
    label: "default",
    images: ["any/all"],
    description: oddTexts.join(" "),
    rev_note: "1.0",
    script:
      '#!/bin/bash\r\n# <UDF name="port" label="Port" default="80">\n\n  echo "${PORT:-$$}"  \n\tindented\n',
  });

  const database = { type: "g6-standard-1", region: "us-east", allow_list: ["0.0.0.0/0", "192.0.2.0/24"] };
  const shop = await post("/databases/mysql/instances", {
    ...database,
    label: "shop",
    engine: "mysql/8.0.30",
  });
  await post("/databases/postgresql/instances", {
    ...database,
    label: "shop-events",
    engine: "postgresql/14.6",
    cluster_size: 3,
    ssl_connection: false,
  });
  await call(emulator, "GET", `/databases/mysql/instances/${shop.id}`);
  await post(`/databases/mysql/instances/${shop.id}/backups`, { label: "before" });

  const production = await post("/lke/clusters", {
    label: "production",
    region: "us-east",
    k8s_version: "1.28",
    tags: ["off"],
    node_pools: [
      { type: "g6-standard-2", count: 3, autoscaler: { enabled: true, min: 3, max: 5 } },
      { type: "g6-standard-1", count: 1, tags: ["jobs"] },
    ],
  });
  await post(`/lke/clusters/${production.id}/pools`, { type: "g6-standard-2", count: 1 });

  await post("/object-storage/buckets", {
    cluster: "us-east-1",
    label: "photos",
    acl: "public-read",
    cors_enabled: true,
  });
  const host = "www.example.com";
  await post("/object-storage/buckets", { cluster: "us-east-1", label: host });
  const [from, to] = [new Date(Date.now() - 86_400_000), new Date(Date.now() + 86_400_000)];
  const pair = selfSigned({ seed: "1".repeat(64), name: "test", hosts: [host], from, to });
  const { certificate, privateKey: private_key } = pair;
  await post(`/object-storage/buckets/us-east-1/${host}/ssl`, { certificate, private_key });
  await post("/object-storage/keys", {
    label: "deploy ${key}",
    bucket_access: [{ cluster: "us-east-1", bucket_name: "photos", permissions: "read_only" }],
  });
  await post("/object-storage/keys", { label: "all" });

  await post("/managed/contacts", {
    name: "On call",
    email: "oncall@example.com",
    group: "ops",
    phone: { primary: "+1 555 010 0199" },
  });
  for (const label of ["root", "0755"])
    await post("/managed/credentials", { label, username: "root", password: "known to nobody" });
  const credentials = await list("/managed/credentials");
  await post("/managed/services", {
    label: "production",
    service_type: "url",
    address: "https://example.com/",
    timeout: 30,
    credentials,
    notes: oddTexts[12],
  });
  await call(emulator, "PUT", "/managed/compute-settings/1001", {
    ssh: { access: true, ip: "192.0.2.4", port: 2222, user: "yes" },
  });
}
