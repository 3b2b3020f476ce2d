/** The browser's program, or undefined when there is none. */
export function findBrowser(): string | undefined;
