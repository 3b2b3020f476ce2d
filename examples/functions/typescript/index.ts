/** The stack of ../Pulumi.yaml as a Pulumi program: every function, asked about what the program itself has made. Most answers are only asked for here. */

import {
  blockstorage,
  compute,
  databases,
  dns,
  kubernetes,
  managed,
  objectstorage,
  vpc,
} from "@plumbline/pulumi";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const region = config.get("region") ?? "us-east";
const cluster = config.get("cluster") ?? "us-east-1";
// A compute instance that is there already.
const computeId = config.get("computeId") ?? "1001";

const zone = new dns.Domain("zone", {
  domain: "functions.example",
  type: "master",
  soaEmail: "admin@functions.example",
  tags: ["docs"],
});
const www = new dns.Record("www", { domainId: zone.id, type: "A", name: "www", target: "203.0.113.10" });
const listed = new dns.Domain("listed", {
  domain: "listed.example",
  type: "master",
  soaEmail: "admin@functions.example",
});
new dns.Zone("list", {
  domainId: listed.id,
  records: [
    { type: "A", name: "www", target: "203.0.113.10" },
    { type: "MX", target: "mx1.mail.example", priority: 10 },
  ],
});
const network = new vpc.Vpc("network", { label: "functions", region });
const web = new vpc.Subnet("web", { vpcId: network.id, label: "web", ipv4: "10.20.0.0/24" });
const data = new blockstorage.Volume("data", { label: "functions-data", region, size: 20, tags: ["docs"] });
const setup = new compute.StackScript("setup", {
  label: "functions-setup",
  images: ["any/all"],
  script: "#!/bin/sh\necho ready\n",
});
const shop = new databases.MySqlInstance("shop", {
  label: "functions-shop",
  engine: "mysql/8.0.30",
  region,
  type: "g6-nanode-1",
});
const opening = new databases.Snapshot("opening", { kind: "mysql", instanceId: shop.id, label: "opening" });
const reports = new databases.PostgreSqlInstance("reports", {
  label: "functions-reports",
  engine: "postgresql/14.6",
  region,
  type: "g6-nanode-1",
});
const site = new objectstorage.Bucket("site", { cluster, label: "functions-site" });
const page = new objectstorage.BucketObject("page", {
  cluster,
  bucket: site.label,
  name: "index.html",
  content: "<p>Hello</p>",
  contentType: "text/html",
});
const readers = new objectstorage.ObjectAcl("readers", {
  cluster,
  bucket: page.bucket,
  name: page.name,
  acl: "public-read",
});
const deployment = new objectstorage.Key("deployment", { label: "functions-deployment" });
const workers = new kubernetes.Cluster("workers", {
  label: "functions",
  region,
  k8sVersion: "1.28",
  nodePools: { small: { type: "g6-standard-2", count: 1 } },
  tags: ["docs"],
});
const batch = new kubernetes.NodePool("batch", { clusterId: workers.id, type: "g6-standard-4", count: 1 });
const onCall = new managed.Contact("onCall", {
  name: "On call",
  email: "oncall@functions.example",
  group: "operations",
});
const login = new managed.Credential("login", {
  label: "functions-login",
  username: "monitor",
  password: "not-a-real-password",
});
const watch = new managed.Service("watch", {
  label: "functions-web",
  serviceType: "url",
  address: "https://functions.example",
  timeout: 30,
  consultationGroup: "operations",
});
const support = new managed.InstanceSettings("support", { computeId, ssh: { user: "support", port: 2222 } });

dns.getDomainOutput({ id: zone.id });
dns.getDomainsOutput({ tag: "docs" }, { dependsOn: [zone] });
dns.getRecordsOutput({ domainId: www.domainId, type: "A" });
export const zoneFile = dns.getZoneFileOutput({ domainId: www.domainId }).text;

vpc.getVpcOutput({ id: network.id });
vpc.getVpcsOutput({ region }, { dependsOn: [network] });
vpc.getSubnetOutput({ vpcId: web.vpcId, label: web.label });
vpc.getSubnetsOutput({ vpcId: web.vpcId });
vpc.getVpcIpsOutput({ vpcId: network.id });

blockstorage.getVolumeOutput({ id: data.id });
blockstorage.getVolumesOutput({ region, tag: "docs" }, { dependsOn: [data] });

compute.getStackScriptOutput({ id: setup.id });
compute.getStackScriptsOutput({ mine: true }, { dependsOn: [setup] });

databases.getEnginesOutput({ kind: "postgresql" });
databases.getEngineOutput({ id: "mysql/8.0.30" });
databases.getTypesOutput({ class: "standard" });
databases.getTypeOutput({ id: "g6-nanode-1" });
databases.getDatabasesOutput({ kind: "mysql" }, { dependsOn: [shop] });
databases.getMySqlInstanceOutput({ id: shop.id });
databases.getMySqlInstancesOutput({ region }, { dependsOn: [shop] });
databases.getPostgreSqlInstanceOutput({ id: reports.id });
databases.getPostgreSqlInstancesOutput({ region }, { dependsOn: [reports] });
databases.getBackupsOutput({ kind: "mysql", instanceId: opening.instanceId, type: "snapshot" });
databases.getBackupOutput({ kind: "mysql", instanceId: opening.instanceId, id: opening.snapshotId });
export const databaseUser = databases.getCredentialsOutput({ kind: "mysql", instanceId: shop.id }).username;
databases.getCaCertificateOutput({ kind: "mysql", instanceId: shop.id });

objectstorage.getBucketsOutput({ cluster }, { dependsOn: [site] });
objectstorage.getBucketOutput({ cluster, label: site.label }, { dependsOn: [site] });
objectstorage.getClustersOutput();
objectstorage.getClusterOutput({ id: cluster });
objectstorage.getKeysOutput({ dependsOn: [deployment] });
objectstorage.getKeyOutput({ id: deployment.id });
objectstorage.getObjectsOutput({ cluster, bucket: page.bucket, prefix: "index" }, { dependsOn: [page] });
objectstorage.getObjectAclOutput({ cluster, bucket: page.bucket, name: page.name }, { dependsOn: [readers] });
objectstorage.getObjectUrlOutput(
  { cluster, bucket: page.bucket, name: page.name, expiresIn: 600 },
  { dependsOn: [page] },
);
objectstorage.getBucketCertificateOutput({ cluster, bucket: site.label }, { dependsOn: [site] });
objectstorage.getTransferOutput();

kubernetes.getClustersOutput({ tag: "docs" }, { dependsOn: [workers] });
kubernetes.getClusterOutput({ id: workers.id });
kubernetes.getNodePoolsOutput({ clusterId: workers.id });
kubernetes.getNodePoolOutput({ clusterId: workers.id, poolId: batch.poolId });
export const nodeStatus = kubernetes.getNodeOutput({
  clusterId: workers.id,
  nodeId: workers.nodes.apply(({ small }) => small![0]!.id),
}).status;
kubernetes.getKubeconfigOutput({ clusterId: workers.id });
kubernetes.getDashboardOutput({ clusterId: workers.id });
kubernetes.getApiEndpointsOutput({ clusterId: workers.id });
kubernetes.getVersionsOutput();
kubernetes.getVersionOutput({ id: "1.28" });

managed.getContactOutput({ id: onCall.id });
managed.getContactsOutput({ group: "operations" }, { dependsOn: [onCall] });
managed.getCredentialOutput({ id: login.id });
managed.getCredentialsOutput({ dependsOn: [login] });
managed.getServiceOutput({ id: watch.id });
managed.getServicesOutput({ consultationGroup: "operations" }, { dependsOn: [watch] });
managed.getInstanceSettingsOutput({ computeId: support.computeId });
managed.getIssuesOutput({ serviceId: watch.id });
// Only an issue that there is can be asked about: `pulumi config set issueId ID`.
const issueId = config.get("issueId");
if (issueId !== undefined) managed.getIssueOutput({ id: issueId });
managed.getStatsOutput();
managed.getSshKeyOutput();
