/** Where the page shows each collection of the account: by area, under a name for people. */

export interface Shelf {
  readonly title: string;
  /** By collection, what is written beside its count. */
  readonly collections: { readonly [name: string]: string };
}

export const shelves: readonly Shelf[] = [
  {
    title: "DNS",
    collections: {
      domains: "Domains",
      domain_records: "Records",
      domain_renderings: "Rendered zones",
      foreign_domains: "Domains of others",
    },
  },
  {
    title: "Compute",
    collections: {
      computeInstances: "Instances",
      computeConfigs: "Configuration profiles",
      computeDisks: "Disks",
      computeInterfaces: "Interfaces",
    },
  },
  { title: "Volumes", collections: { volumes: "Volumes" } },
  { title: "VPC", collections: { vpcs: "VPCs", vpcSubnets: "Subnets" } },
  { title: "Databases", collections: { databases: "Databases", databaseBackups: "Backups" } },
  {
    title: "Kubernetes",
    collections: { lkeClusters: "Clusters", lkePools: "Node pools", lkeNodes: "Nodes" },
  },
  {
    title: "Object Storage",
    collections: {
      objectStorageBuckets: "Buckets",
      objectStorageObjects: "Objects",
      objectStorageKeys: "Keys",
      objectStorageForeignBuckets: "Buckets of others",
    },
  },
  { title: "StackScripts", collections: { stackscripts: "StackScripts" } },
  {
    title: "Managed",
    collections: {
      managedServices: "Services",
      managedContacts: "Contacts",
      managedCredentials: "Credentials",
      managedIssues: "Issues",
    },
  },
  {
    title: "Account",
    collections: {
      users: "Users",
      tokens: "Tokens",
      sshKeys: "SSH keys",
      tags: "Tags",
      accountMaintenance: "Maintenance",
    },
  },
];
