import type { Metafile } from "esbuild";

/** The folders of the packages whose code is in the bundles, from the root, each once and in order. */
export function packagesIn(...metafiles: Metafile[]): string[];
