/** The stack of ../Pulumi.yaml as a Pulumi program: what both databases have in common is said once, and each snapshot is a word in a list. */

import * as plumbline from "@plumbline/pulumi";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const common = {
  region: config.get("region") ?? "us-east",
  // Who can connect: the web servers and the office.
  allowList: config.getObject<string[]>("allowList") ?? ["203.0.113.10", "203.0.113.11", "198.51.100.0/24"],
};

const shop = new plumbline.databases.MySqlInstance(
  "shop",
  {
    ...common,
    label: "shop",
    engine: "mysql/8.0.30",
    // `pulumi config set shopType g6-standard-2` makes it grow in place; a type with less disk is refused.
    type: config.get("shopType") ?? "g6-standard-1",
    clusterSize: 3,
    replicationType: "semi_synch",
    encrypted: true,
    // Patches are applied in the night of the second Sunday of a month.
    updates: { frequency: "monthly", weekOfMonth: 2, dayOfWeek: 7, hourOfDay: 2, duration: 2 },
  },
  { customTimeouts: { create: "90m" } },
);

// At most three. Each is kept until it is taken out of the list; automatic backups go after a week.
const snapshots = config.getObject<string[]>("snapshots") ?? ["opening"];
for (const label of snapshots) {
  new plumbline.databases.Snapshot(label, { kind: "mysql", instanceId: shop.id, label, target: "secondary" });
}

const reports = new plumbline.databases.PostgreSqlInstance("reports", {
  ...common,
  label: "reports",
  engine: "postgresql/14.6",
  type: "g6-nanode-1",
});

export const shopHost = shop.hosts.primary;
export const shopPort = shop.port;
export const shopUser = shop.rootUsername;
// Secret, as the SDK knows: `pulumi stack output --show-secrets` prints it.
export const shopPassword = shop.rootPassword;
export const shopCertificate = shop.caCertificate;
export const reportsHost = reports.hosts.primary;
