/**
 * Tells requests of programs and of the emulator's own page from those of other web pages, which a browser sends from the user's own machine,
 * for the control operations. It knows headers, no operation.
 */

import { isIP } from "node:net";
import { type Reason, Refusal } from "../area.ts";
import type { Asked } from "./listener.ts";

/** The header in which the emulator's own page shows the key that it was served with. */
const keyHeader = "x-emulator-page";

/**
 * Refuses with 403 what a foreign page may have sent: with an `Origin`, marked by the browser as a page's (`Sec-Fetch-Site`), to a name that
 * a foreign DNS server may have pointed here (`Host`), or, where it changes something, of a form that a page sends without asking first.
 * A reading request needs no header: without CORS, no page can see its answer. `pageKey` is what the emulator's own page knows.
 */
export function refusePages(asked: Asked, startedOn: string, pageKey: string): void {
  const { headers, method } = asked;
  const reasons: Reason[] = [];
  const site = headers["sec-fetch-site"];
  const ofPage = headers.origin !== undefined || (site !== undefined && site !== "none");
  if (ofPage && !isOwnPage(asked, pageKey))
    reasons.push({ reason: "Control operations take no requests of web pages", field: "Origin" });
  reasons.push(...refusedHost(asked, startedOn));
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  if (method !== "GET" && method !== "HEAD" && type !== "application/json")
    reasons.push({
      reason:
        "Control operations that change something need the header Content-Type: application/json, with or without a body",
      field: "Content-Type",
    });
  if (reasons.length > 0) throw new Refusal(403, reasons);
}

/** The same origin alone would not do: the emulator serves objects of the account, too. */
function isOwnPage({ headers }: Asked, pageKey: string): boolean {
  const site = headers["sec-fetch-site"];
  return (
    headers[keyHeader] === pageKey &&
    (headers.origin === undefined || headers.origin === `http://${headers.host}`) &&
    (site === undefined || site === "same-origin")
  );
}

/**
 * Refuses with 403 what another page makes a browser ask for of the page's own files. To be led there by a link does no harm: what leads
 * sees nothing of it, and no frame shows it.
 */
export function refuseForeign(asked: Asked, startedOn: string): void {
  const { headers } = asked;
  const site = headers["sec-fetch-site"];
  const led = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  const reasons = refusedHost(asked, startedOn);
  if (site !== undefined && site !== "none" && site !== "same-origin" && !led)
    reasons.push({ reason: "The page is for itself, and not a part of others", field: "Sec-Fetch-Site" });
  if (reasons.length > 0) throw new Refusal(403, reasons);
}

function refusedHost({ headers, localAddress }: Asked, startedOn: string): Reason[] {
  if (isOwnHost(headers.host ?? "", localAddress, startedOn)) return [];
  const reason = `Control operations are reached by a loopback name or address, or by the host that the emulator was started on (${startedOn})`;
  return [{ reason, field: "Host" }];
}

function isOwnHost(header: string, localAddress: string, startedOn: string): boolean {
  const host = header
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  if (host === "localhost" || host === startedOn.toLowerCase()) return true;
  return (
    isIP(host) !== 0 && (host === "::1" || host.startsWith("127.") || host === localAddress.toLowerCase())
  );
}
