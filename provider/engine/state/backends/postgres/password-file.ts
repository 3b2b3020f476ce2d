/** The password file of PostgreSQL's own tools: lines `HOST:PORT:DATABASE:USER:PASSWORD`, the first that fits counts. */

import { readFile, stat } from "node:fs/promises";
import { EngineError } from "../../../failure.ts";

/** Whose password is looked for. */
export interface Subject {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** Undefined: there is no file, or no line of it fits. Throws EngineError `state` for one that others can read, as those tools use none such. */
export async function passwordFrom(path: string, subject: Subject): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !found.isFile()) return undefined;
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0)
    throw new EngineError(
      "state",
      `The password file ${path} is not used, for others can read it: chmod 600 ${path}`,
    );
  return passwordIn(await readFile(path, "utf8"), subject);
}

/** The same of its text. */
export function passwordIn(text: string, { host, port, database, user }: Subject): string | undefined {
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line === "" || line.startsWith("#")) continue;
    const fields = fieldsOf(line);
    const password = fields[wanted.length];
    if (password !== undefined && wanted.every((one, at) => fields[at] === "*" || fields[at] === one))
      return password;
  }
  return undefined;
}

/** A backslash takes the colon, or the backslash, behind it as it is. */
const fieldsOf = (line: string): string[] =>
  (line.match(/(?:^|:)((?:\\.|[^:\\])*\\?)/gs) ?? []).map((field) =>
    field.replace(/^:/, "").replace(/\\(.)/gs, "$1"),
  );
