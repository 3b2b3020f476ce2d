/** Serves the page's own files from memory: plain HTML, style and modules, as they stand in `public`. It knows nothing of the account. */

import { readFileSync } from "node:fs";
import { Refusal } from "../area.ts";
import { refuseForeign } from "../http/guard.ts";
import type { Asked } from "../http/listener.ts";
import type { Answer } from "../http/service.ts";

/** The files by their path below `/_emulator/`; the page itself has none. */
const names: { readonly [path: string]: string } = { "": "index.html" };
for (const name of ["style.css", "main.js", "page.js", "account.js", "lists.js", "time.js", "faults.js"])
  Object.assign(names, { [`page/${name}`]: name });

const types: { readonly [ending: string]: string } = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

/** Nothing but its own style and scripts; what comes from the account is text, and could not become markup if it tried. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const headers = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": policy,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** Of the page. */
const base = "/_emulator/";
const held = new Map<string, string>();

/** Beside these sources, and beside the bundle of the command line, which has a copy. */
function contentOf(name: string): string {
  let content = held.get(name);
  if (content === undefined) {
    content = readFileSync(new URL(`./public/${name}`, import.meta.url), "utf8");
    held.set(name, content);
  }
  return content;
}

/** True when the path is the page's or one of its files'. */
export function isPageFile(path: string): boolean {
  return (
    path === base.slice(0, -1) || (path.startsWith(base) && Object.hasOwn(names, path.slice(base.length)))
  );
}

/** Answers a request to one of the page's files. The page gets the key by which the emulator knows its requests. */
export function answerPage(asked: Asked, startedOn: string, pageKey: string): Answer {
  const { method, path } = asked;
  try {
    refuseForeign(asked, startedOn);
    if (method !== "GET" && method !== "HEAD")
      throw new Refusal(405, [{ reason: `${path} does not take ${method}` }]);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const body = JSON.stringify({ errors: error.reasons });
    return { status: error.status, headers: { ...headers, "Content-Type": "application/json" }, body };
  }
  if (path === base.slice(0, -1))
    return { status: 308, headers: { ...headers, "Content-Type": types["html"]!, Location: base }, body: "" };
  const name = names[path.slice(base.length)]!;
  const type = types[name.slice(name.lastIndexOf(".") + 1)]!;
  const body = contentOf(name).replace("{{key}}", pageKey);
  return { status: 200, headers: { ...headers, "Content-Type": type }, body };
}
