"""The stack of ../Pulumi.yaml in Python: every function, asked about what the program itself has made. Most answers are only asked for here."""

import pulumi
from plumbline_pulumi import blockstorage, compute, databases, dns, kubernetes, managed, objectstorage, vpc

config = pulumi.Config()
region = config.get("region") or "us-east"
cluster = config.get("cluster") or "us-east-1"
# A compute instance that is there already.
compute_id = config.get("computeId") or "1001"

zone = dns.Domain(
    "zone",
    domain="functions.example",
    type="master",
    soa_email="admin@functions.example",
    tags=["docs"],
)
www = dns.Record("www", domain_id=zone.id, type="A", name="www", target="203.0.113.10")
listed = dns.Domain("listed", domain="listed.example", type="master", soa_email="admin@functions.example")
dns.Zone(
    "list",
    domain_id=listed.id,
    records=[
        {"type": "A", "name": "www", "target": "203.0.113.10"},
        {"type": "MX", "target": "mx1.mail.example", "priority": 10},
    ],
)
network = vpc.Vpc("network", label="functions", region=region)
web = vpc.Subnet("web", vpc_id=network.id, label="web", ipv4="10.20.0.0/24")
data = blockstorage.Volume("data", label="functions-data", region=region, size=20, tags=["docs"])
setup = compute.StackScript(
    "setup",
    label="functions-setup",
    images=["any/all"],
    script="#!/bin/sh\necho ready\n",
)
shop = databases.MySqlInstance(
    "shop",
    label="functions-shop",
    engine="mysql/8.0.30",
    region=region,
    type="g6-nanode-1",
)
opening = databases.Snapshot("opening", kind="mysql", instance_id=shop.id, label="opening")
reports = databases.PostgreSqlInstance(
    "reports",
    label="functions-reports",
    engine="postgresql/14.6",
    region=region,
    type="g6-nanode-1",
)
site = objectstorage.Bucket("site", cluster=cluster, label="functions-site")
page = objectstorage.Object(
    "page",
    cluster=cluster,
    bucket=site.label,
    name="index.html",
    content="<p>Hello</p>",
    content_type="text/html",
)
readers = objectstorage.ObjectAcl(
    "readers",
    cluster=cluster,
    bucket=page.bucket,
    name=page.name,
    acl="public-read",
)
deployment = objectstorage.Key("deployment", label="functions-deployment")
workers = kubernetes.Cluster(
    "workers",
    label="functions",
    region=region,
    k8s_version="1.28",
    node_pools={"small": {"type": "g6-standard-2", "count": 1}},
    tags=["docs"],
)
batch = kubernetes.NodePool("batch", cluster_id=workers.id, type="g6-standard-4", count=1)
on_call = managed.Contact("onCall", name="On call", email="oncall@functions.example", group="operations")
login = managed.Credential(
    "login",
    label="functions-login",
    username="monitor",
    password="not-a-real-password",
)
watch = managed.Service(
    "watch",
    label="functions-web",
    service_type="url",
    address="https://functions.example",
    timeout=30,
    consultation_group="operations",
)
support = managed.InstanceSettings("support", compute_id=compute_id, ssh={"user": "support", "port": 2222})

dns.get_domain_output(id=zone.id)
dns.get_domains_output(tag="docs", opts=pulumi.InvokeOutputOptions(depends_on=[zone]))
dns.get_records_output(domain_id=www.domain_id, type="A")
zone_file = dns.get_zone_file_output(domain_id=www.domain_id)

vpc.get_vpc_output(id=network.id)
vpc.get_vpcs_output(region=region, opts=pulumi.InvokeOutputOptions(depends_on=[network]))
vpc.get_subnet_output(vpc_id=web.vpc_id, label=web.label)
vpc.get_subnets_output(vpc_id=web.vpc_id)
vpc.get_vpc_ips_output(vpc_id=network.id)

blockstorage.get_volume_output(id=data.id)
blockstorage.get_volumes_output(region=region, tag="docs", opts=pulumi.InvokeOutputOptions(depends_on=[data]))

compute.get_stack_script_output(id=setup.id)
compute.get_stack_scripts_output(mine=True, opts=pulumi.InvokeOutputOptions(depends_on=[setup]))

databases.get_engines_output(kind="postgresql")
databases.get_engine_output(id="mysql/8.0.30")
databases.get_types_output(class_="standard")
databases.get_type_output(id="g6-nanode-1")
databases.get_databases_output(kind="mysql", opts=pulumi.InvokeOutputOptions(depends_on=[shop]))
databases.get_my_sql_instance_output(id=shop.id)
databases.get_my_sql_instances_output(region=region, opts=pulumi.InvokeOutputOptions(depends_on=[shop]))
databases.get_postgre_sql_instance_output(id=reports.id)
databases.get_postgre_sql_instances_output(
    region=region,
    opts=pulumi.InvokeOutputOptions(depends_on=[reports]),
)
databases.get_backups_output(kind="mysql", instance_id=opening.instance_id, type="snapshot")
databases.get_backup_output(kind="mysql", instance_id=opening.instance_id, id=opening.snapshot_id)
credentials = databases.get_credentials_output(kind="mysql", instance_id=shop.id)
databases.get_ca_certificate_output(kind="mysql", instance_id=shop.id)

objectstorage.get_buckets_output(cluster=cluster, opts=pulumi.InvokeOutputOptions(depends_on=[site]))
objectstorage.get_bucket_output(
    cluster=cluster,
    label=site.label,
    opts=pulumi.InvokeOutputOptions(depends_on=[site]),
)
objectstorage.get_clusters_output()
objectstorage.get_cluster_output(id=cluster)
objectstorage.get_keys_output(opts=pulumi.InvokeOutputOptions(depends_on=[deployment]))
objectstorage.get_key_output(id=deployment.id)
objectstorage.get_objects_output(
    cluster=cluster,
    bucket=page.bucket,
    prefix="index",
    opts=pulumi.InvokeOutputOptions(depends_on=[page]),
)
objectstorage.get_object_acl_output(
    cluster=cluster,
    bucket=page.bucket,
    name=page.name,
    opts=pulumi.InvokeOutputOptions(depends_on=[readers]),
)
objectstorage.get_object_url_output(
    cluster=cluster,
    bucket=page.bucket,
    name=page.name,
    expires_in=600,
    opts=pulumi.InvokeOutputOptions(depends_on=[page]),
)
objectstorage.get_bucket_certificate_output(
    cluster=cluster,
    bucket=site.label,
    opts=pulumi.InvokeOutputOptions(depends_on=[site]),
)
objectstorage.get_transfer_output()

kubernetes.get_clusters_output(tag="docs", opts=pulumi.InvokeOutputOptions(depends_on=[workers]))
kubernetes.get_cluster_output(id=workers.id)
kubernetes.get_node_pools_output(cluster_id=workers.id)
kubernetes.get_node_pool_output(cluster_id=workers.id, pool_id=batch.pool_id)
node = kubernetes.get_node_output(cluster_id=workers.id, node_id=workers.nodes["small"][0].id)
kubernetes.get_kubeconfig_output(cluster_id=workers.id)
kubernetes.get_dashboard_output(cluster_id=workers.id)
kubernetes.get_api_endpoints_output(cluster_id=workers.id)
kubernetes.get_versions_output()
kubernetes.get_version_output(id="1.28")

managed.get_contact_output(id=on_call.id)
managed.get_contacts_output(group="operations", opts=pulumi.InvokeOutputOptions(depends_on=[on_call]))
managed.get_credential_output(id=login.id)
managed.get_credentials_output(opts=pulumi.InvokeOutputOptions(depends_on=[login]))
managed.get_service_output(id=watch.id)
managed.get_services_output(
    consultation_group="operations",
    opts=pulumi.InvokeOutputOptions(depends_on=[watch]),
)
managed.get_instance_settings_output(compute_id=support.compute_id)
managed.get_issues_output(service_id=watch.id)
managed.get_stats_output()
managed.get_ssh_key_output()
# Only an issue that there is can be asked about: `pulumi config set issueId ID`.
issue_id = config.get("issueId")
if issue_id:
    managed.get_issue_output(id=issue_id)

pulumi.export("zoneFile", zone_file.text)
pulumi.export("databaseUser", credentials.username)
pulumi.export("nodeStatus", node.status)
