import type { BuildResult } from "esbuild";

/** Bundles the plugin in memory; the metafile tells what went in. */
export function bundlePlugin(): Promise<BuildResult<{ metafile: true; write: false }>>;
