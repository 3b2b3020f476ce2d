/** What a command that goes on and on says: one line an event, for people or, as JSON, for programs. Knows no event. */

import { print } from "../render/door.ts";

/** Says that something happened; `more` is for programs alone. */
export type Tell = (event: string, message: string, more?: { readonly [name: string]: unknown }) => void;

export function createLog(isJson: boolean, now: () => Date = () => new Date()): Tell {
  return (event, text, more = {}) => {
    const message = onOneLine(text);
    const time = now().toISOString();
    print(isJson ? JSON.stringify({ time, event, message, ...more }) : `${time} ${message}`);
  };
}

/** A text of several lines as one. */
export const onOneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
