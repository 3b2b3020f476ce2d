/** The plugin as it is packed, installed by Pulumi's own command where nothing else is, runs stack files. */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { pulumiBin } from "../e2e/pulumi.ts";
import { comePulumiUser, pluginArchive, version } from "./pulumi-user.ts";

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

  /** Someone for whom a site has the archive, and nobody has installed it; runs commands beside that site and an emulator. */
  async function comeDownloader() {
    const user = await comePulumiUser({
      environment: { PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: undefined },
    });
    onTestFinished(user.leave);
    const place = join(user.folder, "releases", "releases", `v${version}`);
    mkdirSync(place, { recursive: true });
    cpSync(join(user.shelf, pluginArchive), join(place, pluginArchive));
    user.download(join(import.meta.dirname, "beside-releases.mjs"));
    writeFileSync(join(user.folder, "Pulumi.yaml"), stack);
    return {
      ...user,
      besideReleases: (...commands: string[]) =>
        user.succeed("node", "beside-releases.mjs", "node", "beside-emulator.mjs", ...commands),
    };
  }
  const asked = `GET /releases/v${version}/${pluginArchive}`;

  it("is installed from an address", async () => {
    const user = await comeDownloader();
    const said = user.besideReleases(
      `pulumi plugin install resource plumbline ${version} --server $RELEASES/releases/v${version}`,
      "pulumi stack init dev",
      "pulumi up --yes",
      "pulumi stack output domain",
    );
    expect(said).toContain(asked);
    expect(said).toMatch(/^site\.example$/m);
  });

  it("is installed by the first preview from where the schema says that it is", async () => {
    const user = await comeDownloader();
    const { homepage, pluginDownloadURL } = JSON.parse(
      readFileSync(join(root, "schemas", "pulumi.json"), "utf8"),
    ) as { homepage: string; pluginDownloadURL: string };
    const address = pluginDownloadURL
      .replace(homepage, "RELEASES")
      .replace("${VERSION}", () => "$${VERSION}");
    const options = `    options: { version: ${version}, pluginDownloadURL: "${address}" }\n`;
    writeFileSync(
      join(user.folder, "Pulumi.yaml"),
      stack.replace(/(?= +properties:)/, () => options),
    );
    const said = user.besideReleases(
      'sed -i "s,RELEASES,$RELEASES," Pulumi.yaml',
      "pulumi stack init dev",
      "pulumi preview",
      "pulumi up --yes",
      "pulumi stack output domain",
    );
    expect(said.match(/^GET .*$/gm)).toEqual([asked]);
    expect(said).toMatch(/^site\.example$/m);
  });
});
