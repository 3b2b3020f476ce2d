/** Every option of a resource in a program in Python, under both engines: the same state, the same next steps. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pulumiBin } from "../e2e/pulumi.ts";
import { installPythonSdk, python } from "../e2e/python.ts";
import { leaveBoth } from "./rounds.ts";

const base = mkdtempSync(join(tmpdir(), "plumbline-options-"));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

/** `round` 2 is the edit: names that aliases carry over, what is ignored, what replaces, what goes. */
const program = `
import os
import pulumi
from pulumi import Alias, CustomTimeouts, ResourceOptions
import plumbline_pulumi
from plumbline_pulumi import blockstorage, dns, objectstorage, vpc

second = pulumi.Config().require_int("round") == 2
provider = plumbline_pulumi.Provider(
    "own",
    base_url=os.environ["PLUMBLINE_BASE_URL"],
    token=pulumi.Output.secret(os.environ["PLUMBLINE_TOKEN"]),
    brand="compute",
)


class Net(pulumi.ComponentResource):
    def __init__(self, name, opts):
        super().__init__("test:net:Net", name, {}, opts)
        self.vpc = vpc.Vpc(
            "net",
            label="net",
            region="us-east",
            description="two" if second else "one",
            opts=ResourceOptions(parent=self, ignore_changes=["description"]),
        )
        self.subnet = vpc.Subnet(
            "web",
            vpc_id=self.vpc.id,
            label="web",
            ipv4="10.0.1.0/24",
            opts=ResourceOptions(parent=self.vpc, deleted_with=self.vpc),
        )
        self.register_outputs({"id": self.vpc.id, "hidden": pulumi.Output.secret("hidden")})


net = Net(
    "renamed" if second else "named",
    ResourceOptions(providers=[provider], aliases=[Alias(name="named")] if second else []),
)
zone = dns.Domain(
    "zone",
    domain="options.example",
    type="master",
    soa_email="admin@options.example",
    ttl_sec=7200 if second else 3600,
    opts=ResourceOptions(
        custom_timeouts=CustomTimeouts(create="5m", delete="90s"),
        hide_diffs=["ttlSec"],
        additional_secret_outputs=["soaEmail"],
        provider=provider,
    ),
)
www = dns.Record(
    "www",
    domain_id=zone.id,
    type="A",
    name="www",
    target="203.0.113.2" if second else "203.0.113.1",
    opts=ResourceOptions(provider=provider, replace_on_changes=["target"], depends_on=[net]),
)
blockstorage.Volume(
    "disk",
    label="disk",
    size=20,
    region="us-east",
    tags=["b"] if second else ["a"],
    opts=ResourceOptions(protect=True, retain_on_delete=not second, depends_on=[zone]),
)
leader = vpc.Vpc(
    "leader",
    label="leader-2" if second else "leader",
    region="us-central" if second else "us-east",
    opts=ResourceOptions(delete_before_replace=True),
)
vpc.Vpc(
    "follower",
    label="follower",
    region="us-east",
    opts=ResourceOptions(replace_with=[leader], delete_before_replace=True),
)
if not second:
    dns.Record("gone", domain_id=zone.id, type="A", name="gone", target="203.0.113.9", opts=ResourceOptions(provider=provider))
# What moves under a component, and what is known by its former URN.
old = f"urn:pulumi:{pulumi.get_stack()}::options::plumbline:vpc/vpc:Vpc::by-urn"
vpc.Vpc(
    "moved",
    label="moved",
    region="us-east",
    opts=ResourceOptions(parent=net, aliases=[Alias(parent=pulumi.ROOT_STACK_RESOURCE)]) if second else None,
)
vpc.Vpc(
    "by-new-name" if second else "by-urn",
    label="by-urn",
    region="us-east",
    opts=ResourceOptions(aliases=[old]) if second else None,
)
site = objectstorage.Bucket("site", cluster="us-east-1", label="options-site")
for name, source in {
    "text": pulumi.StringAsset("two" if second else "one"),
    "file": pulumi.FileAsset("__main__.py"),
}.items():
    objectstorage.Object(name, cluster="us-east-1", bucket=site.label, name=name, source=source)


def doubled(args):
    args.props["description"] = "by a transformation"
    return pulumi.ResourceTransformationResult(args.props, args.opts)


vpc.Vpc("shaped", label="shaped", region="us-east", opts=ResourceOptions(transformations=[doubled]))


async def later():
    return "said later"


pulumi.export("net", net.vpc.id.apply(lambda id: "net " + ("?" if id is None else "made")))
pulumi.export("key", pulumi.Output.secret({"a": [1, "two", None], "domain": zone.domain}))
pulumi.export("later", later())
pulumi.export("zone", zone)
pulumi.export("json", pulumi.Output.json_dumps({"domain": zone.domain, "target": www.target}))
`;

describe.skipIf(!python)("a program in Python with every option", { timeout: 240_000 }, () => {
  it.skipIf(!pulumiBin)(
    "leaves the same account and state under both engines, at first and after an edit",
    async () => {
      const packages = installPythonSdk(base);
      const [ours, theirs] = await leaveBoth({
        ...{ base, runtime: "python", file: "__main__.py", source: program },
        ...{ packages, python: join(python!, "bin", "python") },
      });
      expect(ours[0]).toEqual(theirs[0]);
      expect(ours[1]).toEqual(theirs[1]);
    },
  );
});
