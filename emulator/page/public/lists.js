/** Requests and events as they come, the newest first. */

import { byId, bytes, count, element, fill, timeOf, write } from "./page.js";

const note = (part, what) =>
  part.total > part.shown.length
    ? `The newest ${count(part.shown.length)} of ${count(part.total)} ${what}.`
    : part.total === 0
      ? `No ${what} yet.`
      : "";

export function showRequests(requests) {
  write(byId("requests-note"), note(requests, "requests"));
  // After a reset numbers begin anew: the time tells such a request from the old one.
  fill(byId("request-list"), requests.shown, ({ n, at }) => `${n} ${at}`, makeRequest);
}

function makeRequest({ n, at, method, path, query, received }) {
  const [status, sent] = [element("td"), element("td", { className: "number" })];
  const words = element("code", {}, `${method} ${path}${query === undefined ? "" : `?${query}`}`);
  const node = element(
    "tr",
    {},
    element("td", { className: "number" }, count(n)),
    element("td", {}, element("time", { dateTime: at }, timeOf(at))),
    element("th", { scope: "row" }, words),
    status,
    element("td", { className: "number" }, bytes(received)),
    sent,
  );
  return {
    node,
    update: (request) => {
      write(status, statusOf(request));
      node.classList.toggle("failed", request.fault !== null || request.status >= 400);
      write(sent, bytes(request.sent));
    },
  };
}

function statusOf({ status, fault }) {
  if (fault === null) return status === null ? "no answer" : String(status);
  return `${status ?? "no answer"}, fault: ${fault}`;
}

export function showEvents(events) {
  write(byId("events-note"), note(events, "events"));
  fill(byId("event-list"), events.shown, ({ id, created }) => `${id} ${created}`, makeEvent);
}

function makeEvent({ created, action, entity, username }) {
  const status = element("td");
  const node = element(
    "tr",
    {},
    element("td", {}, element("time", { dateTime: `${created}Z` }, timeOf(created))),
    element("th", { scope: "row" }, action),
    element("td", {}, entity === null ? "" : `${entity.type} ${entity.id} ${entity.label}`),
    status,
    element("td", {}, username ?? "the service"),
  );
  return {
    node,
    update: (event) => {
      write(status, event.status);
      node.classList.toggle("failed", event.status === "failed");
    },
  };
}
