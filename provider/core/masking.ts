/**
 * What may be shown of a text that the service, a state or a file brought: without the secrets of the run, however they are spelled, and
 * without characters that steer a terminal. One door for every face; pure but for the secrets that it remembers.
 */

import { isSecret, type Value } from "./value.ts";

/** Remembers secrets, and takes them out of texts. */
export interface Mask {
  /** Every text within the secrets of a value, at any depth, is hidden from now on. */
  guard(value: unknown): void;
  /** The text itself is hidden from now on (a token, a passphrase), and each text in it where it is JSON. */
  guardText(text: string | undefined): void;
  /** The text with `[secret]` for each secret, also where it is spelled in JSON, base64 or percent signs, and `[private key]` for each of those. */
  hide(text: string): string;
}

/**
 * Shorter secrets are not looked for: they would blank out ordinary words, and whoever saw the gaps would know them. Values that are
 * declared secret are not shown at all, however short.
 */
const SHORTEST = 4;
/** A line of a longer secret is looked for by itself, a part of its base64 too, when it is as long as this. */
const SHORTEST_PART = 16;

const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g;

/**
 * Controls (C0 but tab and line end, DEL, C1), marks that turn the direction of writing, separators of lines that few programs count as
 * such, and letters without a shape that hide what stands beside them.
 */
const STEERING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]/g;

/** The text with characters that steer a terminal written out as JSON does (`\u001b`); line ends and tabs stay. */
export function visible(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(STEERING, (found) =>
      [...Array(found.length).keys()]
        .map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`)
        .join(""),
    );
}

/** The same, and every line but the first is set in, so that none can pass for one of ours. */
export function quoted(text: string): string {
  return visible(text).replace(/\n+$/, "").replaceAll("\n", "\n      | ");
}

export function createMask(): Mask {
  /** The spellings of all secrets, by their first characters; the longest first. */
  const spellings = new Map<string, string[]>();
  const known = new Set<string>();

  function add(spelling: string): void {
    if (spelling.length < SHORTEST) return;
    const start = spelling.slice(0, SHORTEST);
    const same = spellings.get(start);
    if (same === undefined) spellings.set(start, [spelling]);
    else if (!same.includes(spelling)) same.push(spelling);
    same?.sort((one, other) => other.length - one.length);
  }

  function guardText(text: string | undefined): void {
    if (text === undefined || text.length < SHORTEST || known.has(text)) return;
    known.add(text);
    for (const spelling of spellingsOf(text)) add(spelling);
    const parts = partsOf(text);
    if (parts !== undefined) guard(parts, true);
    for (const line of text.split(/\r?\n/)) {
      const part = line.trim();
      if (part !== text && part.length >= SHORTEST_PART) guardText(part);
    }
  }

  function guard(value: unknown, within = false): void {
    // Not recursive: a text of JSON may be nested as deeply as its writer likes.
    const left: [value: unknown, within: boolean][] = [[value, within]];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [part, isHidden] = next;
      if (typeof part === "string") {
        if (isHidden) guardText(part);
      } else if (typeof part === "object" && part !== null) {
        const isMarked = isHidden || isSecret(part as Value);
        for (const inner of Object.values(part)) left.push([inner, isMarked]);
      }
    }
  }

  function hideSpellings(text: string): string {
    let hidden = "";
    let from = 0;
    for (let at = 0; at + SHORTEST <= text.length; at++) {
      const found = spellings.get(text.slice(at, at + SHORTEST))?.find((one) => text.startsWith(one, at));
      if (found === undefined) continue;
      hidden += `${text.slice(from, at)}[secret]`;
      from = at + found.length;
      at = from - 1;
    }
    return hidden + text.slice(from);
  }

  return {
    guard: (value) => guard(value),
    guardText,
    hide(text) {
      const keyless = text.includes("PRIVATE KEY-----") ? text.replace(PRIVATE_KEY, "[private key]") : text;
      return known.size === 0 ? keyless : hideSpellings(keyless);
    },
  };
}

/** What a text of JSON is made of: its parts are as secret as the whole. */
function partsOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How a text may come back: as it is, in JSON once and twice, in percent signs, in base64. */
function spellingsOf(text: string): Set<string> {
  const once = inJson(text);
  const percent = percentOf(text);
  const lower = percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const inside = [text, once, inJson(once), percent, lower, percent.replaceAll("%20", "+")];
  return new Set([...inside, ...base64Of(text)]);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Half a surrogate pair has no percent spelling; such a text is left as it is. */
function percentOf(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The base64 of the text, by itself and in the midst of others: there its letters depend on what stands before and after, so that only
 * those that the text alone decides are looked for.
 */
function base64Of(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const found: string[] = [];
  for (const before of [0, 1, 2]) {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const whole = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join(""));
    const certain = whole
      .slice(before === 0 ? 0 : before + 1)
      .replace(/=+$/, "")
      .slice(0, padded.length % 3 === 0 ? undefined : -1);
    if (before === 0) found.push(whole, whole.replace(/=+$/, ""));
    if (certain.length >= SHORTEST_PART / 2) found.push(certain);
  }
  return found.flatMap((one) => [one, one.replaceAll("+", "-").replaceAll("/", "_")]);
}
