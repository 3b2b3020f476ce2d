/** Writes the archive into the folder `shelf` and returns its name; `work` is a folder that is not there yet. */
export function packPython(shelf: string, work: string): Promise<string>;

/** Writes the archive into the folder `shelf` and returns its name; `work` is a folder that is not there yet. */
export function packGo(shelf: string, work: string): Promise<string>;
