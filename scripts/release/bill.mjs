/** The bill of materials: what the bundles hold of other people's packages, in CycloneDX's form, as npm tells it of the locked versions. */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..", "..");

/** Writes the bill of the packages in these folders into the folder `shelf`. */
export function writeBill(shelf, folders) {
  const { name, version } = manifestOf(".");
  const told = toldByNpm();
  const held = new Set(folders.map(manifestOf).map((each) => `${each.name}@${each.version}`));
  const components = told.components.filter((component) => held.has(component["bom-ref"]));
  const missing = held.size - components.length;
  if (missing > 0) throw new Error(`the bill of materials lacks ${missing} packages that are bundled`);
  const own = { ...told.metadata.component, name };
  const dependencies = [{ ref: own["bom-ref"], dependsOn: [...held].sort() }, ...told.dependencies]
    .filter(({ ref }, at) => at === 0 || held.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => held.has(other)) }));
  // No time and no number of its own: the same release has the same bill.
  const { serialNumber, ...bill } = told;
  const { timestamp, ...metadata } = told.metadata;
  const whole = {
    ...bill,
    metadata: { ...metadata, component: own },
    components: components.map(required),
    dependencies,
  };
  writeFileSync(join(shelf, `plumbline-${version}.cdx.json`), `${JSON.stringify(whole, null, 2)}\n`);
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));

function toldByNpm() {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const run = spawnSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(`npm sbom: ${run.error?.message ?? run.stderr}`);
  return JSON.parse(run.stdout);
}

/** For npm it is a package of development, installed by nobody else; in the bundle it is a part. */
const required = (component) => ({
  ...component,
  scope: "required",
  properties: component.properties.filter(({ name }) => name !== "cdx:npm:package:development"),
});
