/** The XML that storage answers in. It knows nothing of what is told. */

import type { Denied } from "./denied.ts";

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** A text in XML. Control characters have no other form than their number. */
export function escapeXml(text: string): string {
  return text.replace(
    /[&<>"\u0000-\u001f\u007f]/g,
    (character) => entities[character] ?? `&#x${character.charCodeAt(0).toString(16)};`,
  );
}

/** One element with a text, or with other elements, which are written already. */
export const element = (name: string, text: string | number | boolean) =>
  `<${name}>${escapeXml(String(text))}</${name}>`;
export const group = (name: string, ...elements: readonly string[]) =>
  `<${name}>${elements.join("")}</${name}>`;

/** The outermost element of an answer that is no error. */
export const rootOf = (name: string, ...elements: readonly string[]) =>
  `<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${elements.join("")}</${name}>`;

export const xmlDocument = (root: string) => `<?xml version="1.0" encoding="UTF-8"?>${root}`;

export const errorDocument = ({ code, message }: Denied) =>
  xmlDocument(group("Error", element("Code", code), element("Message", message)));
