/** The plugin as it is packed, installed by Pulumi's own command where nothing else is, runs stack files. */

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { pulumiBin } from "../e2e/pulumi.ts";
import { comePulumiUser, pluginArchive } from "./pulumi-user.ts";

const root = resolve(import.meta.dirname, "../..");
const stack = `
name: site
runtime: yaml
resources:
  zone:
    type: plumbline:dns:Domain
    properties: { domain: site.example, type: master, soaEmail: admin@site.example }
outputs:
  domain: \${zone.domain}
`;

describe.skipIf(!pulumiBin)("the packed plugin", { timeout: 300_000 }, () => {
  it.each(["its archive", "the folder of the built plugin"])("from %s runs a stack file", async (from) => {
    const user = await comePulumiUser({ installed: { clone: join(root, "bin") } });
    onTestFinished(user.leave);
    user.installPlugin(from === "its archive" ? user.download(join(user.shelf, pluginArchive)) : "../clone");
    writeFileSync(join(user.folder, "Pulumi.yaml"), stack);
    const said = user.besideEmulator(
      "pulumi stack init dev",
      "pulumi preview",
      "pulumi up --yes",
      "pulumi stack output domain",
      "pulumi preview --expect-no-changes",
      "pulumi destroy --yes",
    );
    expect(said).toMatch(/^site\.example$/m);
  });
});
