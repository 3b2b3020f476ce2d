/** The regions of the service, invariable for an account: what each one offers (notes, section 12). */

export interface Region {
  readonly id: string;
  readonly label: string;
  readonly country: string;
  readonly capabilities: readonly string[];
  /** What volumes are made of there; not part of the answer. */
  readonly volumeHardware: "nvme" | "hdd";
}

const core = ["Computes", "NodeBalancers", "Block Storage", "Cloud Firewall"];
const full = [
  ...core,
  "Object Storage",
  "Kubernetes",
  "Vlans",
  "VPCs",
  "Metadata",
  "Managed Databases",
  "Block Storage Migrations",
  "Premium Plans",
];
const without = (...missing: string[]) => full.filter((capability) => !missing.includes(capability));

function region(
  id: string,
  label: string,
  country: string,
  capabilities: readonly string[] = full,
  volumeHardware: "nvme" | "hdd" = "nvme",
): Region {
  return { id, label, country, capabilities, volumeHardware };
}

/**
 * `us-west` and `ca-central` have no VPCs; `us-den-edge-1` has neither VPCs nor volumes; `ap-northeast` has slower volumes.
 * Every other capability is missing somewhere too, so that each refusal can be met.
 */
export const regions: readonly Region[] = [
  region("ap-west", "Mumbai, IN", "in"),
  region("ca-central", "Toronto, CA", "ca", [...core, "Kubernetes", "Managed Databases"]),
  region("us-central", "Dallas, TX", "us", without("Object Storage")),
  region("us-west", "Fremont, CA", "us", without("VPCs", "Vlans", "Premium Plans")),
  region("us-southeast", "Atlanta, GA", "us"),
  region("us-east", "Newark, NJ", "us"),
  region("us-iad", "Washington, DC", "us"),
  region("us-ord", "Chicago, IL", "us"),
  region("fr-par", "Paris, FR", "fr"),
  region("es-mad", "Madrid, ES", "es"),
  region("eu-west", "London, UK", "gb", without("Object Storage", "Premium Plans")),
  region("eu-central", "Frankfurt, DE", "de"),
  region("ap-south", "Singapore, SG", "sg"),
  region("ap-northeast", "Tokyo, JP", "jp", without("Object Storage", "Managed Databases"), "hdd"),
  region("us-den-edge-1", "Edge - Denver, CO", "us", ["Computes", "Cloud Firewall"]),
  region("se-sto", "Stockholm, SE", "se"),
  region("in-maa", "Chennai, IN", "in"),
  region("jp-osa", "Osaka, JP", "jp"),
  region("it-mil", "Milan, IT", "it"),
  region("id-cgk", "Jakarta, ID", "id"),
  region("br-gru", "Sao Paulo, BR", "br"),
  region("us-lax", "Los Angeles, CA", "us"),
  region("us-mia", "Miami, FL", "us"),
  region("us-sea", "Seattle, WA", "us"),
];

/** Regions where plans cost more, by how much, and whose transfer is counted by itself. */
export const regionalPrices: ReadonlyMap<string, number> = new Map([
  ["id-cgk", 1.2],
  ["br-gru", 1.4],
]);

const byId = new Map(regions.map((one) => [one.id, one]));

export function findRegion(id: string): Region | undefined {
  return byId.get(id);
}

/** A region as the service answers it. Resolver addresses are from the documentation ranges. */
export function showRegion(one: Region): Record<string, unknown> {
  const number = regions.indexOf(one) + 1;
  return {
    id: one.id,
    label: one.label,
    country: one.country,
    capabilities: one.capabilities,
    status: "ok",
    resolvers: {
      ipv4: `192.0.2.${number},192.0.2.${number + 100}`,
      ipv6: `2001:db8:${number}::5,2001:db8:${number}::6`,
    },
  };
}
