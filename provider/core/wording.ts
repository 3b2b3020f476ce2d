/** Words that messages are made of. Pure. */

/** A noun with the article that goes before it: `a Record`, `an Object`. */
export const withArticle = (noun: string): string => `${/^[AEIOU]/i.test(noun) ? "an" : "a"} ${noun}`;

const fileFaults: { readonly [code: string]: string } = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  ENOTDIR: "what should be a folder on its path is none",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "what holds it is read-only",
  ENOSPC: "no space is left on the disk",
};

/** What is wrong with a file, by what the operating system said; the error's own message for what is rare. */
export function fileFault(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  return fileFaults[String(code)] ?? message;
}
