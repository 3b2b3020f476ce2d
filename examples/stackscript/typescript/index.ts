/** The stack of ../Pulumi.yaml as a Pulumi program; the longer script is the very file that is used there. */

import { readFileSync } from "node:fs";
import * as plumbline from "@plumbline/pulumi";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();

// The script is an ordinary file, so editors and linters know it. An edit of it is an update in place: the id stays.
const webServer = new plumbline.compute.StackScript("webServer", {
  label: "web-server",
  description: "A web server with its firewall.",
  revNote: "Serves IPv6 too",
  images: config.getObject<string[]>("images") ?? ["compute/debian12", "compute/ubuntu22.04"],
  script: readFileSync("../web-server.sh", "utf8"),
});

// `isPublic: true` would publish it to every account. That is for ever: the service neither makes a public script private again nor
// deletes it, so give it `{ retainOnDelete: true }` as its options too, and the stack can let go of it.
const greeting = new plumbline.compute.StackScript("greeting", {
  label: "greeting",
  images: ["any/all"],
  script: `#!/bin/sh
# <UDF name="greeting" label="What to greet with" default="Hello" />
echo "\${GREETING} from $(hostname)" > /etc/motd
`,
});

// One of the public scripts that other accounts share; any of them can be deployed by its id.
const shared = plumbline.compute.getStackScriptOutput({ id: "1021" });

export const webServerId = webServer.id;
// What a deployment of the script is asked for, read from the `UDF` tags in it.
export const webServerAsksFor = webServer.userDefinedFields;
export const greetingId = greeting.id;
export const published = pulumi.interpolate`${shared.label}, by ${shared.username}`;
