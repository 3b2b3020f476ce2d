/** Writes an archive for each platform into the folder `shelf`; `work` is a folder that is not there yet. */
export function packPlugin(shelf: string, work: string): Promise<void>;
