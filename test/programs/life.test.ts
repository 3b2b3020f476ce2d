/** A program of Node through its life on the embedded engine. */

import { afterAll, describe } from "vitest";
import { judgesLife } from "./life-judge.ts";
import { openNodeProjects, zoneOf } from "./project.ts";

const projects = openNodeProjects();
afterAll(() => projects.close());

describe("a program", { timeout: 60_000 }, () => {
  judgesLife(() => projects, {
    zoneOf,
    outputs: 'exports.zoneId = zone.id;\nexports.kind = "zone";\n',
    adopting: (id) => zoneOf().replace(" });", ` }, { import: "${id}" });`),
    configured: `const config = new pulumi.Config();
const key = config.requireSecret("key");
const domain = config.require("domain");
const list = config.requireObject("list");
console.log("stack", pulumi.getStack(), "of", pulumi.getProject(), "by", pulumi.getOrganization(), typeof list[1]);
key.apply((plain) => console.log("the key is " + plain));
const zone = new plumbline.dns.Domain("zone", { domain, type: "master", soaEmail: "admin@shop.example", description: key });
exports.key = key;
exports.size = config.requireNumber("size");
exports.other = new pulumi.Config("elsewhere").get("color");
`,
    telling: `const key = new plumbline.objectstorage.Key("key", { label: "key" });
key.secretKey.apply((plain) => console.log("it is " + plain));
exports.made = key.secretKey;
`,
    retelling: `const theirs = new pulumi.StackReference("organization/shop/dev").getOutput("made");
theirs.apply((plain) => console.log("theirs is " + plain));
`,
    referring: `const base = new plumbline.vpc.Vpc("base", { label: "base", region: "us-east" });
const other = new pulumi.StackReference("other", { name: base.id.apply(() => "organization/shop/dev") });
exports.theirs = other.requireOutput("kind");
new plumbline.vpc.Vpc("named", { label: other.getOutput("kind"), region: "us-east" });
`,
    says: ["stack dev of shop by organization number"],
  });
});
