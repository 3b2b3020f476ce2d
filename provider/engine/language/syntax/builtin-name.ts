/** The functions that stack files know by themselves, with the number of their arguments. Knows no YAML. */

/** How many arguments a built-in takes: a list of exactly two, or one value of any form. */
export const builtins = {
  join: 2,
  split: 2,
  select: 2,
  stackReference: 2,
  toJSON: 1,
  toBase64: 1,
  fromBase64: 1,
  secret: 1,
  readFile: 1,
  stringAsset: 1,
  fileAsset: 1,
  remoteAsset: 1,
  assetArchive: 1,
  fileArchive: 1,
  remoteArchive: 1,
} as const;

export type BuiltinName = keyof typeof builtins;

/** Every built-in by its proper name, without `fn::` and without `invoke`. */
export const builtinNames = Object.keys(builtins) as readonly BuiltinName[];

const byLowerCase = new Map(builtinNames.map((name) => [`fn::${name.toLowerCase()}`, name]));

/** The built-in that a key calls, in any letter case; undefined for every other key. */
export function builtinOf(key: string): BuiltinName | undefined {
  return byLowerCase.get(key.toLowerCase());
}
