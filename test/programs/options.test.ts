/** Every option of a resource in a program, under both engines: the same state, the same next steps. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { installSdk } from "../e2e/automation.ts";
import { pulumiBin } from "../e2e/pulumi.ts";
import { leaveBoth } from "./rounds.ts";

const base = mkdtempSync(join(tmpdir(), "plumbline-options-"));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

/** `round` 2 is the edit: a name that an alias carries over, what is ignored, what replaces, what goes. */
const program = `
const pulumi = require("@pulumi/pulumi");
const plumbline = require("@plumbline/pulumi");
const { dns, vpc, blockstorage } = plumbline;
const second = new pulumi.Config().requireNumber("round") === 2;
const { PLUMBLINE_BASE_URL: baseUrl, PLUMBLINE_TOKEN: token } = process.env;
const provider = new plumbline.Provider("own", { baseUrl, token: pulumi.secret(token), brand: "compute" });

class Net extends pulumi.ComponentResource {
  constructor(name, opts) {
    super("test:net:Net", name, {}, opts);
    this.vpc = new vpc.Vpc("net", { label: "net", region: "us-east", description: second ? "two" : "one" }, { parent: this, ignoreChanges: ["description"] });
    this.subnet = new vpc.Subnet("web", { vpcId: this.vpc.id, label: "web", ipv4: "10.0.1.0/24" }, { parent: this.vpc, deletedWith: this.vpc });
    this.registerOutputs({ id: this.vpc.id, hidden: pulumi.secret("hidden") });
  }
}
const net = new Net(second ? "renamed" : "named", { providers: [provider], aliases: second ? [{ name: "named" }] : [] });

const zone = new dns.Domain("zone", { domain: "options.example", type: "master", soaEmail: "admin@options.example", ttlSec: second ? 7200 : 3600 },
  { customTimeouts: { create: "5m", delete: "90s" }, hideDiffs: ["ttlSec"], additionalSecretOutputs: ["soaEmail"], provider });
new dns.Record("www", { domainId: zone.id, type: "A", name: "www", target: second ? "203.0.113.2" : "203.0.113.1" },
  { provider, replaceOnChanges: ["target"], dependsOn: [net] });
new blockstorage.Volume("disk", { label: "disk", size: 20, region: "us-east", tags: second ? ["b"] : ["a"] }, { protect: true, retainOnDelete: !second, dependsOn: [zone] });
const leader = new vpc.Vpc("leader", { label: second ? "leader-2" : "leader", region: second ? "us-central" : "us-east" }, { deleteBeforeReplace: true });
new vpc.Vpc("follower", { label: "follower", region: "us-east" }, { replaceWith: [leader], deleteBeforeReplace: true });
if (!second) new dns.Record("gone", { domainId: zone.id, type: "A", name: "gone", target: "203.0.113.9" }, { provider });
exports.net = net.vpc.id.apply((id) => "net " + (id === undefined ? "?" : "made"));
exports.key = pulumi.secret({ a: [1, "two"], domain: zone.domain });
`;

describe("a program with every option", { timeout: 240_000 }, () => {
  it.skipIf(!pulumiBin)(
    "leaves the same account and state under both engines, at first and after an edit",
    async () => {
      installSdk(base);
      const subject = { base, runtime: "nodejs", file: "index.js", source: program };
      const [ours, theirs] = await leaveBoth(subject);
      expect(ours[0]).toEqual(theirs[0]);
      expect(ours[1]).toEqual(theirs[1]);
    },
  );
});
