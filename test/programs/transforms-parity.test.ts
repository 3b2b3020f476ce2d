/** Programs in TypeScript and Python with transforms, and their edits, under both engines: the same account, the same state. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { installSdk } from "../e2e/automation.ts";
import { pulumiBin } from "../e2e/pulumi.ts";
import { installPythonSdk, python } from "../e2e/python.ts";
import { leaveBoth } from "./rounds.ts";

const bases: string[] = [];
const newBase = () => {
  bases.push(mkdtempSync(join(tmpdir(), "plumbline-transforms-")));
  return bases.at(-1)!;
};
afterAll(() => bases.forEach((base) => void rmSync(base, { recursive: true, force: true, maxRetries: 5 })));

/** Round 2 is the edit: what is ignored, what an alias carries over, another mark, another value. */
const inNode = `
const pulumi = require("@pulumi/pulumi");
const plumbline = require("@plumbline/pulumi");
const { dns, vpc, blockstorage } = plumbline;
const second = new pulumi.Config().requireNumber("round") === 2;
const { PLUMBLINE_BASE_URL: baseUrl, PLUMBLINE_TOKEN: token } = process.env;

pulumi.runtime.registerResourceTransform(async ({ type, name, props, opts }) => {
  if (type.includes(":Volume")) return { props: { ...props, tags: [...(props.tags ?? []), second ? "two" : "one"] }, opts: { ...opts, protect: true, retainOnDelete: !second } };
  if (name === "www") return { props: { ...props, ttlSec: second ? 600 : 300 }, opts: { ...opts, customTimeouts: { create: "5m" } } };
  return undefined;
});
pulumi.runtime.registerInvokeTransform(({ args, opts }) => ({ args: { ...args, id: zone.id }, opts }));

const provider = new plumbline.Provider("own", { baseUrl, token: pulumi.secret(token), brand: "compute" });

class Net extends pulumi.ComponentResource {
  constructor(name, opts) {
    super("test:net:Net", name, {}, opts);
    this.vpc = new vpc.Vpc("net", { label: "net", region: "us-east", description: second ? "two" : "one" }, { parent: this });
    this.subnet = new vpc.Subnet("web", { vpcId: this.vpc.id, label: "web", ipv4: "10.0.1.0/24" }, { parent: this.vpc });
    this.registerOutputs({ id: this.vpc.id });
  }
}
const net = new Net("net", {
  transforms: [({ type, props, opts }) => type.includes(":Vpc") ? { props, opts: { ...opts, ignoreChanges: ["description"] } } : undefined],
});
const zone = new dns.Domain("zone", { domain: "options.example", type: "master", soaEmail: "admin@options.example" }, {
  transforms: [({ props, opts }) => ({ props: { ...props, description: "within", ttlSec: 3600 }, opts: { ...opts, additionalSecretOutputs: ["soaEmail"], provider } })],
});
new dns.Record("www", { domainId: zone.id, type: "A", name: "www", target: "203.0.113.1" }, {
  transforms: [
    ({ props, opts }) => ({ props: { ...props, target: second ? "203.0.113.2" : props.target }, opts: { ...opts, dependsOn: [net.vpc], replaceOnChanges: ["target"] } }),
    () => undefined,
  ],
});
new dns.Record("kept", { domainId: zone.id, type: "A", name: "kept", target: "203.0.113.3" }, { transforms: [() => undefined] });
new blockstorage.Volume("disk", { label: "disk", size: 20, region: "us-east", tags: ["b"] });
new vpc.Vpc(second ? "renamed" : "named", { label: "own", region: "us-east" }, {
  transforms: [({ props, opts }) => ({ props, opts: { ...opts, aliases: second ? [{ name: "named" }] : [] } })],
});
exports.found = dns.getDomainOutput({ id: zone.id.apply(() => "1") }).domain;
`;

const inPython = `
import pulumi
from pulumi import Alias, ComponentResource, InvokeTransformResult, ResourceOptions, ResourceTransformResult
from plumbline_pulumi import blockstorage, dns, vpc

second = pulumi.Config().require_int("round") == 2


def of_stack(args):
    if ":Volume" in args.type_:
        opts = ResourceOptions.merge(args.opts, ResourceOptions(protect=True))
        return ResourceTransformResult({**args.props, "tags": ["two" if second else "one"]}, opts)


pulumi.runtime.register_resource_transform(of_stack)
pulumi.runtime.register_invoke_transform(
    lambda args: InvokeTransformResult({**args.args, "id": zone.id}, args.opts)
)


class Net(ComponentResource):
    def __init__(self, name, opts):
        super().__init__("test:net:Net", name, {}, opts)
        self.vpc = vpc.Vpc(
            "net", label="net", region="us-east", description="two" if second else "one", opts=ResourceOptions(parent=self)
        )


async def ignoring(args):
    if ":Vpc" in args.type_:
        opts = ResourceOptions.merge(args.opts, ResourceOptions(ignore_changes=["description"]))
        return ResourceTransformResult(args.props, opts)


def described(args):
    return ResourceTransformResult({**args.props, "description": "within"}, args.opts)


net = Net("net", ResourceOptions(transforms=[ignoring]))
zone = dns.Domain(
    "zone",
    domain="options.example",
    type="master",
    soa_email="admin@options.example",
    opts=ResourceOptions(transforms=[described]),
)
dns.Record(
    "www",
    domain_id=zone.id,
    type="A",
    name="www",
    target="203.0.113.1",
    opts=ResourceOptions(
        transforms=[
            lambda args: ResourceTransformResult(
                {**args.props, "target": "203.0.113.2" if second else "203.0.113.1"},
                ResourceOptions.merge(args.opts, ResourceOptions(depends_on=[net.vpc])),
            )
        ]
    ),
)
blockstorage.Volume("disk", label="disk", size=20, region="us-east", tags=["b"])
pulumi.export("found", dns.get_domain_output(id=zone.id.apply(lambda _: "1")).domain)
`;

describe("a program with transforms", { timeout: 240_000 }, () => {
  it.skipIf(!pulumiBin)("in TypeScript leaves the same under both engines", async () => {
    const base = newBase();
    installSdk(base);
    const subject = { base, runtime: "nodejs", file: "index.js", source: inNode };
    const [ours, theirs] = await leaveBoth(subject);
    expect(ours[0]).toEqual(theirs[0]);
    expect(ours[1]).toEqual(theirs[1]);
  });

  it.skipIf(!pulumiBin || !python)("in Python leaves the same under both engines", async () => {
    const base = newBase();
    const packages = installPythonSdk(base);
    const subject = {
      base,
      runtime: "python",
      file: "__main__.py",
      source: inPython,
      packages,
      python: join(python!, "bin", "python"),
    };
    const [ours, theirs] = await leaveBoth(subject);
    expect(ours[0]).toEqual(theirs[0]);
    expect(ours[1]).toEqual(theirs[1]);
  });
});
