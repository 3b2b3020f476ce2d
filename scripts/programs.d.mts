/** The first of these programs that is on the PATH, or undefined. */
export function findProgram(...names: string[]): string | undefined;
/** The browser's program, or undefined when there is none. */
export function findBrowser(): string | undefined;
