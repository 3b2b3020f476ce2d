/** Paths of the service: made, checked, taken apart and named. Makes no request. */

/**
 * Fills ids into a path, each as one encoded segment: path`/databases/engines/${"mysql/8.0"}`.
 * Paths given to the client come encoded; this tag is the way to have that. Throws on an empty id.
 */
export function path(words: TemplateStringsArray, ...ids: readonly (string | number)[]): string {
  const filled = words.map((word, at) =>
    at < ids.length ? word + encodeURIComponent(String(ids[at])) : word,
  );
  return checkPath(filled.join(""));
}

/** The path itself, or an error when it can only come from a mistake (an id that is missing, a dot segment). */
export function checkPath(path: string): string {
  const [bare = ""] = path.split("?", 1);
  const bad =
    !bare.startsWith("/") ||
    /[\s#\\\u0000-\u001f\u007f-\uffff]/.test(path) ||
    segments(bare).some((part) => /^(|\.{1,2}|undefined|null|NaN|\[object.*)$/.test(decode(part)));
  if (bad) throw new TypeError(`"${path}" is no path of the service: an id is missing or not encoded`);
  return path;
}

/** The parts between slashes, still encoded. */
export function segments(path: string): string[] {
  return path.slice(1).split("/");
}

/** The path without its query. */
export function bare(path: string): string {
  const query = path.indexOf("?");
  return query < 0 ? path : path.slice(0, query);
}

/** How people call the object: `volume 7`, `record 5 of domain 1`. */
export function nameOf(path: string): string {
  const parts = segments(bare(path)).map(decode);
  const names: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const word = parts[at] ?? "";
    const id = parts[at + 1];
    if (id !== undefined && /^\d/.test(id)) {
      names.unshift(`${word.replace(/s$/, "")} ${id}`);
      at++;
    } else if (at === parts.length - 1) {
      names.unshift(word);
    }
  }
  return names.join(" of ");
}

/** A part as it was before it was encoded. */
export function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
