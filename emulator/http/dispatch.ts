/** Brings each whole request to who answers it (service, what is served beside it, control) and plays fault rules. It must not know what operations do. */

import type { ServerResponse } from "node:http";
import type { Account } from "../account/account.ts";
import type { SideAnswer, SideRequest } from "../area.ts";
import type { EmulatorOptions, FaultRule } from "../face.ts";
import { answerPage, isPageFile } from "../page/files.ts";
import type { Connections } from "./connection.ts";
import { type Controlled, control } from "./control.ts";
import { faultReason } from "./faults.ts";
import { type Asked, sendError } from "./listener.ts";
import type { Route } from "./router.ts";
import type { Answer, ServiceAnswer, ServiceRequest } from "./service.ts";
import type { Came } from "./stats.ts";

export interface DispatchOptions {
  readonly account: Account;
  readonly controlled: Controlled;
  readonly connections: Connections;
  readonly route: (path: string) => Route | undefined;
  readonly serve: (request: ServiceRequest) => Promise<ServiceAnswer>;
  /** By path template, what is served beside the API. */
  readonly beside: readonly (readonly [template: string, serve: (request: SideRequest) => SideAnswer])[];
  /** The host that the emulator was started on. */
  readonly host: string;
  /** Resolves when every change up to now is kept. */
  readonly saved: () => Promise<void>;
  readonly changed: () => void;
  readonly watch: EmulatorOptions["watch"];
  readonly log: (line: string) => void;
}

/** A function that answers each request. */
export function createDispatch(options: DispatchOptions) {
  const { account, controlled, connections, beside, changed, watch } = options;
  const { stats, faults } = controlled;

  /** Plays the fault that hits the request, else tells what `act` answers. */
  async function tell(
    came: Came,
    response: ServerResponse,
    act: () => Answer | Promise<Answer>,
  ): Promise<void> {
    const { method, template } = came;
    const entry = stats.enter(came);
    const rule = faults.hit(method, template);
    entry.fault = rule?.do ?? null;
    if (rule?.do === "reset-before") {
      connections.reset(response);
      return;
    }
    if (rule?.do === "status") {
      Object.assign(entry, connections.send(response, statusFault(rule, account.clock.now())));
      return;
    }
    const first = await watch?.("before", entry);
    if (first !== undefined) {
      Object.assign(entry, await connections.disturb(response, first));
      return;
    }
    const answer = await durable(method, await act());
    const last = await watch?.("after", entry);
    if (response.destroyed) return;
    if (last !== undefined) Object.assign(entry, await connections.disturb(response, last, answer));
    else if (rule) Object.assign(entry, await connections.sendBroken(response, answer, rule));
    else Object.assign(entry, connections.send(response, answer));
  }

  /** The answer, once what it says of a change is kept: a service that has answered a write does not forget it. Else why it is not kept. */
  async function durable(method: string, answer: Answer): Promise<Answer> {
    if (method === "GET") return answer;
    try {
      await options.saved();
      return answer;
    } catch (error) {
      const reason = `The change was not kept, and the emulator stops: ${(error as Error).message}`;
      const headers = { "Content-Type": "application/json", Connection: "close" };
      return { status: 500, headers, body: JSON.stringify({ errors: [{ reason }] }) };
    }
  }

  function answerService(asked: Asked, response: ServerResponse): Promise<void> {
    const { method, path, query, headers, body, remoteAddress } = asked;
    const found = options.route(path.replace(/^\/v4(?:beta)?/, ""));
    const came = { method, path, query, template: found?.template, received: body.length };
    return tell(came, response, () =>
      options.serve({ method, route: found, query, headers, body, remoteAddress }),
    );
  }

  /** Answers what an area serves beside the API. Its query may hold a signature, which no log shows. */
  function answerBeside(
    asked: Asked,
    response: ServerResponse,
    [template, serveBeside]: (typeof beside)[number],
  ): Promise<void> {
    const { method, path, body } = asked;
    return tell({ method, path, query: "", template, received: body.length }, response, () => {
      account.jobs.runDue();
      const answer = serveBeside({
        world: account.worldOf(null),
        method,
        path,
        query: new URLSearchParams(asked.query),
        headers: asked.headers as { [name: string]: string | undefined },
        body,
      });
      changed();
      return answer;
    });
  }

  async function answerControl(asked: Asked, response: ServerResponse): Promise<void> {
    if (isPageFile(asked.path)) {
      connections.send(response, answerPage(asked, options.host, controlled.pageKey));
      return;
    }
    const { status, body } = control(controlled, asked, options.host, options.log);
    const headers = {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "same-origin",
    };
    connections.send(response, await durable(asked.method, { status, headers, body: JSON.stringify(body) }));
  }

  return async (asked: Asked, response: ServerResponse): Promise<void> => {
    const { path } = asked;
    const other = beside.find(([template]) => path.startsWith(template.slice(0, template.indexOf("{"))));
    if (other) await answerBeside(asked, response, other);
    else if (/^\/v4(?:beta)?(?:\/|$)/.test(path)) await answerService(asked, response);
    else if (path === "/_emulator" || path.startsWith("/_emulator/")) await answerControl(asked, response);
    else sendError(response, 404, "Not found");
  };
}

/** The answer of a rule that says `status`: the service's form of an error, except that a gateway's 502 is a web page. */
function statusFault(rule: FaultRule, now: Date): Answer {
  const status = rule.status ?? 500;
  const reason = faultReason(status);
  const page = status === 502;
  return {
    status,
    headers: {
      "Content-Type": page ? "text/html" : "application/json",
      Date: now.toUTCString(),
      ...rule.headers,
    },
    body: page
      ? `<html><head><title>502 ${reason}</title></head><body><h1>${reason}</h1></body></html>`
      : JSON.stringify(status < 400 ? {} : { errors: [{ reason }] }),
  };
}
