/** What a controller costs: bundles what measures it from the tests, for it needs their cluster and the product's own modules. */

import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { findKubernetes } from "./kubernetes.mjs";

const root = resolve(import.meta.dirname, "..");

/** True where there is an API server. */
export const hasKubernetes = findKubernetes() !== undefined;

/** The scripts of this folder know where they are; they stay outside. */
export const outsideScripts = {
  name: "scripts",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/scripts\/[a-z-]+\.mjs$/ }, ({ path, resolveDir }) => ({
      path: pathToFileURL(resolve(resolveDir, path)).href,
      external: true,
    })),
};

async function load(name) {
  const outfile = join(root, "test-results", "bench", `${name}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [join(root, "test", "kubernetes", `${name}.ts`)],
    outfile,
    bundle: true,
    packages: "external",
    plugins: [outsideScripts],
    platform: "node",
    target: "node20.18",
    format: "esm",
    logLevel: "warning",
  });
  return import(pathToFileURL(outfile).href);
}

let ofController;

/** The figures of 10,000 Records of 10 domains in 2 Accounts, measured once. */
export async function measureController() {
  ofController ??= (await load("estate")).measureEstate({ domains: 5, records: 1000 });
  return ofController;
}

/** The figures of a fleet on a virtual time. */
export async function measureFleet(options) {
  return (await load("fleet")).runFleet(options);
}
