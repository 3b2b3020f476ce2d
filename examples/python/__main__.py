"""A company's zone, its private network and its disk, as a Pulumi program in Python: it loops where YAML repeats."""

import pulumi
from plumbline_pulumi import blockstorage, dns, vpc

config = pulumi.Config()
name = config.get("zone") or "python.plumbline.example"
tags = ["production", "web"]

zone = dns.Domain(
    "zone",
    domain=name,
    type=dns.DomainType.MASTER,
    soa_email=f"hostmaster@{name}",
    ttl_sec=3600,
    tags=tags,
)

records = {
    "www": {"type": dns.RecordType.CNAME, "name": "www", "target": name},
    "mail": {"type": dns.RecordType.MX, "target": "mx1.mail.example", "priority": 10},
    "caa": {"type": dns.RecordType.CAA, "tag": dns.CaaTag.ISSUE, "target": "ca.example"},
}
for i, address in enumerate(["203.0.113.10", "203.0.113.11"], start=1):
    records[f"apex-{i}"] = {"type": dns.RecordType.A, "target": address}
for key, args in records.items():
    dns.Record(key, domain_id=zone.id, **args)

network = vpc.Vpc("network", label="production", region="us-east")
for label, ipv4 in {"web": "10.10.1.0/24", "data": "10.10.2.0/24"}.items():
    vpc.Subnet(label, vpc_id=network.id, label=label, ipv4=ipv4)

disk = blockstorage.Volume("disk", label="production-data", size=40, region="us-east", tags=tags)

pulumi.export("domainId", zone.id)
pulumi.export("diskPath", disk.filesystem_path)
