"""The stack of ../Pulumi.yaml as a Pulumi program in Python."""

from pathlib import Path

import pulumi
from plumbline_pulumi import objectstorage

cluster = pulumi.Config().get("cluster") or "us-east-1"


def part(name: str) -> str:
    return (Path("..") / "tls" / name).read_text()


# The label is the name that it is served under; a CNAME record leads there.
files = objectstorage.Bucket("files", cluster=cluster, label="files.certificate.example")

# Both parts are uploaded together. These two are signed by nobody and only for trying it out: take your own, the key from where secrets are.
tls = objectstorage.BucketCertificate(
    "tls",
    cluster=cluster,
    bucket=files.label,
    certificate=part("certificate.pem"),
    private_key=pulumi.Output.secret(part("key.pem")),
)

pulumi.export("hostname", files.hostname)
pulumi.export("encrypted", tls.ssl)
