/** Where Pulumi keeps a stack in a folder, a bucket or a table that it was given the same address of. */

/** Relative to the place. Pulumi packs its files where `PULUMI_DIY_BACKEND_GZIP` asks for it. */
export const pulumisPaths = (project: string, stack: string): readonly string[] =>
  ["json", "json.gz", "json.zst"].map((ending) => `.pulumi/stacks/${project}/${stack}.${ending}`);
