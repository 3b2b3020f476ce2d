/** Packs what `npm run build` left. Returns the archive's name in the folder `shelf`. */
export function packCommandLine(shelf: string): string;

/** `work` is a folder that is not there yet. */
export function packSdk(shelf: string, work: string): string;
