/** What every part of the page uses: elements, keyed lists, requests to the emulator, words for sizes and times. What comes from the account is text, always. */

const pageKey = document.querySelector('meta[name="page-key"]').content;

export const byId = (id) => document.getElementById(id);

/** An element with these properties and children; text becomes a text node. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Writes a text where it is another, so that a selection in it stays. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Brings a list up to date: one child for each item, in order. `make` returns `{ node, update }` for a new key; nodes that stay are kept, with focus
 * and what is open in them.
 */
export function fill(parent, items, keyOf, make) {
  parent.parts ??= new Map();
  const parts = new Map();
  let before = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    const part = parent.parts.get(key) ?? make(item);
    parts.set(key, part);
    part.update(item);
    if (part.node === before) before = before.nextElementSibling;
    else parent.insertBefore(part.node, before);
  }
  for (const [key, { node }] of parent.parts) if (!parts.has(key)) node.remove();
  parent.parts = parts;
}

/** A refusal of the emulator, in its words. */
export class Refused extends Error {
  constructor(status, reasons) {
    super(reasons.map(({ field, reason }) => (field ? `${field}: ${reason}` : reason)).join("; "));
    this.status = status;
  }
}

/** Asks a control operation. Rejects with `Refused` or, when no answer comes, with another error. */
export async function ask(method, path, body) {
  const answer = await fetch(`/_emulator/${path}`, {
    method,
    headers: { "X-Emulator-Page": pageKey, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  let reasons = [{ reason: `The answer has the status ${answer.status}` }];
  try {
    reasons = JSON.parse(text).errors;
  } catch {
    // A proxy's answer, perhaps: its status says enough.
  }
  throw new Refused(answer.status, reasons);
}

/** Says something to who looks and to who listens. */
export function say(text) {
  write(byId("said"), text);
}

/** Does what a button is for, and says what came of it. */
export async function act(work, done) {
  try {
    await work();
    say(done);
  } catch (error) {
    say(error instanceof Refused ? error.message : `The emulator does not answer: ${error.message}`);
  }
}

const whole = new Intl.NumberFormat("en");
export const count = (number) => whole.format(number);

export function bytes(size) {
  if (size < 1000) return `${size} B`;
  const unit = size < 1e6 ? [1e3, "kB"] : [1e6, "MB"];
  return `${(size / unit[0]).toFixed(1)} ${unit[1]}`;
}

/** `2 h 5 min`, in two units at most. */
export function lasting(seconds) {
  const units = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ];
  let left = Math.max(0, Math.ceil(seconds));
  const words = [];
  for (const [size, word] of units) {
    const times = Math.floor(left / size);
    if (times > 0 || words.length > 0) words.push(times > 0 ? `${times} ${word}` : "");
    left -= times * size;
  }
  return words.slice(0, 2).filter(Boolean).join(" ") || "0 s";
}

/** The time of day of a moment, as the emulator tells it. */
export const timeOf = (moment) => moment.slice(11, 19);
