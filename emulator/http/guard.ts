/**
 * Tells requests of programs from those of web pages, which a browser sends from the user's own machine, for the control operations. It knows
 * headers, no operation.
 */

import { isIP } from "node:net";
import { type Reason, Refusal } from "../area.ts";
import type { Asked } from "./listener.ts";

/**
 * Refuses with 403 what a page may have sent: with an `Origin`, marked by the browser as a page's (`Sec-Fetch-Site`), to a name that
 * a foreign DNS server may have pointed here (`Host`), or, where it changes something, of a form that a page sends without asking first.
 * A reading request needs no header: without CORS, no page can see its answer.
 */
export function refusePages(asked: Asked, startedOn: string): void {
  const { headers, method } = asked;
  const reasons: Reason[] = [];
  const site = headers["sec-fetch-site"];
  if (headers.origin !== undefined || (site !== undefined && site !== "none"))
    reasons.push({ reason: "Control operations take no requests of web pages", field: "Origin" });
  if (!isOwnHost(headers.host ?? "", asked.localAddress, startedOn))
    reasons.push({
      reason: `Control operations are reached by a loopback name or address, or by the host that the emulator was started on (${startedOn})`,
      field: "Host",
    });
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  if (method !== "GET" && method !== "HEAD" && type !== "application/json")
    reasons.push({
      reason:
        "Control operations that change something need the header Content-Type: application/json, with or without a body",
      field: "Content-Type",
    });
  if (reasons.length > 0) throw new Refusal(403, reasons);
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
