/**
 * Builds the plugin as one file with its V8 code cache beside its launcher in `bin/`, and the command line as modules in `dist/`. Links the two programs where `npx` finds them.
 * `npm ci` runs it, so that a clone is ready to use.
 */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { licencesOf, packagesIn } from "./bundled.mjs";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const bin = join(root, "bin");
const plugin = "pulumi-resource-plumbline";

/** Of undici only what sends requests: its main file brings a browser's fetch, sockets, caches and mocks, a third of what a start takes. */
const lean = {
  name: "lean",
  setup(builder) {
    builder.onResolve({ filter: /^undici$/ }, () => ({ path: join(root, "scripts", "undici.mjs") }));
  },
};

/** Bundles the plugin in memory; the metafile tells what went in. */
export function bundlePlugin() {
  return build({
    absWorkingDir: root,
    entryPoints: ["provider/pulumi/main.ts"],
    outfile: join(bin, `${plugin}.cjs`),
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20.18",
    format: "cjs",
    charset: "ascii",
    legalComments: "none",
    plugins: [lean],
    metafile: true,
    write: false,
    logLevel: "warning",
  });
}

/** Writes through a name of its own, so that a plugin that starts meanwhile reads the old file or the new one. */
function put(file, content) {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, content);
  renameSync(fresh, file);
}

async function buildPlugin() {
  const { outputFiles, metafile } = await bundlePlugin();
  const code = outputFiles[0].contents;
  const digest = createHash("sha256").update(code).digest("hex").slice(0, 16);
  put(join(bin, `${plugin}.cjs`), Buffer.concat([Buffer.from(`/*${digest}*/`), code]));
  const cache = `${plugin}.${digest}-${process.version}.cache`;
  await warm(join(bin, cache)).catch((error) => {
    console.warn(`no code cache for the plugin (it starts slower): ${error.message}`);
  });
  for (const name of readdirSync(bin)) {
    if (name.startsWith(`${plugin}.`) && name.endsWith(".cache") && name !== cache) {
      rmSync(join(bin, name), { force: true });
    }
  }
  return metafile;
}

/** Lets a plugin answer what each run asks first, then keeps the code that V8 compiled for it. */
async function warm(cache) {
  const child = spawn(process.execPath, [join(root, "scripts", "warm-plugin.cjs"), cache], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const ended = new Promise((settle) => child.once("exit", settle));
  const limit = setTimeout(() => child.kill("SIGKILL"), 30_000);
  try {
    const { callPlugin } = await import("./plugin-client.mjs");
    const port = await new Promise((settle, reject) => {
      child.stdout.once("data", (data) => settle(Number(data)));
      child.once("exit", () => reject(new Error("the plugin ended before its port line")));
    });
    await callPlugin(port, ["handshake", "getSchema"]);
    child.send("write");
    const code = await ended;
    if (code !== 0) throw new Error(`writing it ended with ${code}`);
  } finally {
    clearTimeout(limit);
    child.kill("SIGKILL");
  }
}

/** Parts that are only looked at, in a package that does not say so itself: what nobody uses of them is left out. */
const unused = {
  name: "unused",
  setup(builder) {
    const isAgain = Symbol();
    builder.onResolve({ filter: /./ }, async ({ path, pluginData, ...place }) => {
      if (pluginData === isAgain || !/[\\/]@kubernetes[\\/]client-node[\\/]/.test(place.importer))
        return undefined;
      return { ...(await builder.resolve(path, { ...place, pluginData: isAgain })), sideEffects: false };
    });
  },
};

async function buildCommandLine() {
  const folder = join(dist, "cli");
  const fresh = `${folder}.${process.pid}`;
  const { metafile } = await build({
    absWorkingDir: root,
    // The thread of policy modules and the analyzer for Pulumi's engine are started by their files.
    entryPoints: ["main", "policy-worker", "policy-analyzer"].map((name) => `provider/cli/${name}.ts`),
    outdir: fresh,
    bundle: true,
    splitting: true,
    // Its main file brings what nobody calls.
    alias: {
      sucrase: "sucrase/dist/esm/index.js",
      // Node has these itself; the package brings 300 kB of tables for host names.
      "node-fetch": "./provider/kubernetes/server/fetch.ts",
    },
    plugins: [lean, unused],
    // Bundled with its packages it starts in half the time; some of them still call require.
    minify: true,
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    platform: "node",
    target: "node20.18",
    format: "esm",
    sourcemap: "linked",
    metafile: true,
    logLevel: "warning",
  });
  // The emulator serves its page from these files, which stand beside its code there as here.
  cpSync(join(root, "emulator", "page", "public"), join(fresh, "public"), { recursive: true });
  // Programs are started with these.
  for (const file of ["frames.js", "places.js", "preloaded.js", "run.py"])
    cpSync(join(root, "provider", "engine", "programs", file), join(fresh, file));
  const old = `${fresh}.old`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(fresh, folder);
  rmSync(old, { recursive: true, force: true });
  return metafile;
}

/** What scripts may import from the package by name (`@plumbline/cli/zone-file`). */
async function buildModules() {
  await build({
    absWorkingDir: root,
    entryPoints: { "zone-file": "provider/core/zone-file.ts" },
    outdir: dist,
    bundle: true,
    platform: "neutral",
    format: "esm",
    logLevel: "warning",
  });
}

/** In a clone npm does not link the package's own programs. */
function linkPrograms() {
  if (process.platform === "win32") return;
  const folder = join(root, "node_modules", ".bin");
  mkdirSync(folder, { recursive: true });
  for (const name of ["plumbline", plugin]) {
    const link = join(folder, name);
    const fresh = `${link}.${process.pid}`;
    symlinkSync(join("..", "..", "bin", name), fresh);
    renameSync(fresh, link);
  }
}

/** Builds everything; resolves to the folders of the packages that went into the bundles. */
export async function buildAll() {
  const metafiles = await Promise.all([buildPlugin(), buildCommandLine()]);
  await buildModules();
  const packages = packagesIn(...metafiles);
  put(join(dist, "third-party-licences.txt"), licencesOf(packages));
  return packages;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await buildAll();
  linkPrograms();
}
