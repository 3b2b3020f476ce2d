/** Faults as switches: the usual ones, and whatever rules there are beside them. */

import { act, ask, byId, count, element, fill, write } from "./page.js";

const all = { method: "*", path: "*", probability: 1 };
const usual = [
  ["Every answer is late by two seconds", { ...all, do: "delay", seconds: 2 }],
  ["A fifth of all requests fail: 503", { ...all, probability: 0.2, do: "status", status: 503 }],
  ["Too many requests: 429", { ...all, do: "status", status: 429, headers: { "Retry-After": "1" } }],
  ["Bad gateway: 502 with a web page", { ...all, do: "status", status: 502 }],
  ["Creates are done, and the answer is lost", { ...all, method: "POST", do: "reset-after" }],
  ["Half of each answer", { ...all, do: "truncate" }],
  ["Answers are no JSON", { ...all, do: "garbage" }],
];

/** One text for rules that say the same, whatever the order of their fields. */
function keyOf({ fired: _fired, ...rule }) {
  return JSON.stringify(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const usualKeys = new Set(usual.map(([, rule]) => keyOf(rule)));
/** Rules that were here once stay as switches that are off. */
const others = new Map();
let refresh = () => {};

/** `afterwards` is called when a switch was turned. */
export function startFaults(afterwards) {
  refresh = afterwards;
}

export function showFaults(rules) {
  const on = new Map(rules.map((rule) => [keyOf(rule), rule]));
  for (const [key, { fired: _fired, ...rule }] of on) if (!usualKeys.has(key)) others.set(key, rule);
  const lines = [...usual, ...[...others.values()].map((rule) => [wordsOf(rule), rule])].map(
    ([words, rule]) => ({
      words,
      rule,
      set: on.get(keyOf(rule)),
    }),
  );
  fill(byId("fault-list"), lines, ({ rule }) => keyOf(rule), makeSwitch);
}

/** The rule as the control operation takes it. */
function wordsOf({ method, path, ...rule }) {
  const what = Object.entries(rule).map(
    ([name, value]) => `${name} ${JSON.stringify(value).replaceAll('"', "")}`,
  );
  return `${method} ${path}: ${what.join(", ")}`;
}

function makeSwitch({ words, rule }) {
  const box = element("input", { type: "checkbox", role: "switch" });
  const fired = element("span", { className: "left" });
  box.addEventListener("change", async () => {
    const turned = box.checked;
    await act(
      () => ask("PATCH", "faults", { [turned ? "add" : "remove"]: [rule] }),
      `${turned ? "On" : "Off"}: ${words}`,
    );
    await refresh();
  });
  return {
    node: element("li", {}, element("label", { className: "name" }, box, " ", words), fired),
    update: ({ set }) => {
      box.checked = set !== undefined;
      write(fired, set === undefined ? "" : `${count(set.fired)} ${set.fired === 1 ? "hit" : "hits"}`);
    },
  };
}

const needsStatus = () => byId("fault-do").value === "status";
const needsSeconds = () => ["delay", "drop-after"].includes(byId("fault-do").value);

function showFields() {
  for (const [id, needed] of [
    ["fault-status", needsStatus()],
    ["fault-seconds", needsSeconds()],
  ]) {
    byId(id).disabled = !needed;
    byId(id).parentElement.hidden = !needed;
  }
}

showFields();
byId("fault-do").addEventListener("change", showFields);
byId("fault").addEventListener("submit", async (event) => {
  event.preventDefault();
  const rule = {
    method: byId("fault-method").value,
    path: byId("fault-path").value,
    probability: Number(byId("fault-chance").value) / 100,
    do: byId("fault-do").value,
    ...(needsStatus() && { status: Number(byId("fault-status").value) }),
    ...(needsSeconds() && { seconds: Number(byId("fault-seconds").value) }),
  };
  await act(() => ask("PATCH", "faults", { add: [rule] }), `On: ${wordsOf(rule)}`);
  await refresh();
});
