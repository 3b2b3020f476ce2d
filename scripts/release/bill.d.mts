/** Writes the bill of the packages in these folders, from the root, into the folder `shelf`. */
export function writeBill(shelf: string, folders: readonly string[]): void;
