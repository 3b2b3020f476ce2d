/** Where the README finds the picture. */
export const picture: string;

/** By look, in light and in dark. */
export const colours: { readonly [look: string]: readonly [light: string, dark: string] } & {
  readonly ground: readonly [light: string, dark: string];
};

/** Runs the commands, and resolves to the picture of it, an SVG. */
export function record(): Promise<string>;

/** What the picture says, without how long anything took; rows that are told in any order are in one. */
export function wordsOf(svg: string): string[];
