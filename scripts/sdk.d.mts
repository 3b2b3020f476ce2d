/** Makes the package of the TypeScript SDK in the folder, from nothing. Throws what the compiler found wrong. */
export function buildNodeSdk(folder: string): void;
