/** The emulator's clock, and what becomes due by it. */

import { act, ask, byId, count, element, fill, lasting, timeOf, write } from "./page.js";

/** What the emulator told last. */
let now = 0;
let next;
let refresh = () => {};

/** `afterwards` is called when the clock was moved. */
export function startTime(afterwards) {
  refresh = afterwards;
}

export function showTime(overview) {
  now = Date.parse(overview.now);
  byId("clock").dateTime = overview.now;
  write(byId("clock"), `${overview.now.slice(0, 10)} ${timeOf(overview.now)} UTC`);
  const { total, shown } = overview.transitions;
  next = shown[0];
  byId("advance-next").disabled = !next;
  const more = `The next ${count(shown.length)} of ${count(total)}.`;
  write(byId("transitions-note"), total === 0 ? "Nothing is under way." : total > shown.length ? more : "");
  fill(byId("transition-list"), shown, ({ id, due }) => `${id} ${due}`, makeTransition);
}

function makeTransition({ kind, due, data }) {
  const words = Object.entries(data).map(([name, value]) => `${name} ${value}`);
  const left = element("span", { className: "left" });
  const name = `${kind} ${words.join(", ")}`;
  const button = element(
    "button",
    { type: "button", "aria-label": `Advance until ${name}` },
    "Advance until then",
  );
  button.addEventListener("click", () => advanceTo(due));
  return {
    node: element("li", {}, element("span", { className: "name" }, name), left, button),
    update: () => write(left, `in ${lasting((Date.parse(due) - now) / 1000)}`),
  };
}

const advanceTo = (due) => advance(Math.max(0, (Date.parse(due) - now) / 1000));

async function advance(seconds) {
  await act(() => ask("POST", "advance", { seconds }), `The clock went on by ${lasting(seconds)}.`);
  await refresh();
}

byId("advance").addEventListener("submit", (event) => {
  event.preventDefault();
  advance(Number(byId("amount").value) * Number(byId("unit").value));
});
byId("advance-next").addEventListener("click", () => next && advanceTo(next.due));
