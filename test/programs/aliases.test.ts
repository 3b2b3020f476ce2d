/** Components that get other names, under both engines: what they hold is followed by its name, and nothing is made anew. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { installSdk } from "../e2e/automation.ts";
import { pulumiBin } from "../e2e/pulumi.ts";
import { leaveBoth } from "./rounds.ts";

const base = mkdtempSync(join(tmpdir(), "plumbline-aliases-"));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

/** What is made in round 2 is told by its text: what stays keeps that of round 1. */
const program = `
const pulumi = require("@pulumi/pulumi");
const { dns, vpc } = require("@plumbline/pulumi");
const second = new pulumi.Config().requireNumber("round") === 2;
const said = second ? "two" : "one";
const former = (alias) => (second ? [alias] : []);
const stays = { ignoreChanges: ["description"] };
const network = (name, label, opts) => new vpc.Vpc(name, { label, region: "us-east", description: said }, { ...stays, ...opts });

class Inner extends pulumi.ComponentResource {
  constructor(name, opts) {
    super("test:alias:Inner", name, {}, opts);
    network(name + "-net", "inner-net", { parent: this });
    network("fixed-" + name.length, "inner-fixed", { parent: this, aliases: former({ name: "fixed-" + "app-inner".length }) });
  }
}
class Site extends pulumi.ComponentResource {
  constructor(name, opts) {
    super(second ? "test:alias:Site" : "test:alias:Place", name, {}, opts);
    this.zone = new dns.Domain(name + "-zone", { domain: "aliases.example", type: "master", soaEmail: "admin@aliases.example", description: said }, { ...stays, parent: this });
    new dns.Record(name + "-zone-www", { domainId: this.zone.id, type: "TXT", name: "www", target: said }, { parent: this.zone, ignoreChanges: ["target"] });
    network("plain", "plain", { parent: this });
    network(name + (second ? "-new" : "-old"), "called-otherwise", { parent: this, aliases: former({ name: name + "-old" }) });
    new Inner(name + "-inner", { parent: this });
  }
}
const site = new Site(second ? "store" : "app", { aliases: former({ name: "app", type: "test:alias:Place" }) });
// It hangs on another one now, whose name is another, too.
class Shelf extends pulumi.ComponentResource {
  constructor(name, opts) { super("test:alias:Shelf", name, {}, opts); }
}
const shelf = new Shelf(second ? "board" : "shelf", { aliases: former({ name: "shelf" }) });
network("moved", "moved", second ? { parent: site, aliases: [{ parent: shelf }] } : { parent: shelf });
network("freed", "freed", second ? { aliases: [{ parent: shelf }] } : { parent: shelf });
`;

describe("components under other names", { timeout: 240_000 }, () => {
  it.skipIf(!pulumiBin)("keep what they hold under both engines", async () => {
    installSdk(base);
    const subject = { base, runtime: "nodejs", file: "index.js", source: program };
    const [ours, theirs] = await leaveBoth(subject);
    expect(ours[0]).toEqual(theirs[0]);
    expect(ours[1]).toEqual(theirs[1]);
    expect(JSON.stringify(ours[1]?.account)).not.toContain('"two"');
    expect(ours[1]?.account).toEqual(ours[0]?.account);
  });
});
