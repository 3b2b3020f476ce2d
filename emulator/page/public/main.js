/** Keeps the page up to date by asking the emulator once a second while somebody looks, and does what the buttons at the top say. */

import { showAreas, showObjects } from "./account.js";
import { showFaults, startFaults } from "./faults.js";
import { showEvents, showRequests } from "./lists.js";
import { act, ask, byId, element, Refused, say } from "./page.js";
import { showTime, startTime } from "./time.js";

/** Milliseconds between two looks; up to the longest while no answer comes. */
const step = 1_000;
const longest = 15_000;

let wait = step;
let timer;
let isPaused = false;
let isGone = false;

async function refresh() {
  const overview = await ask("GET", "overview");
  showAreas(overview.areas);
  showRequests(overview.requests);
  showEvents(overview.events);
  showTime(overview);
  showFaults(overview.faults);
  await showObjects();
}

/** One look, and the next in a while. */
async function look() {
  clearTimeout(timer);
  if (isPaused || isGone || document.hidden) return;
  try {
    await refresh();
    if (wait > step) say("The emulator answers again.");
    wait = step;
  } catch (error) {
    if (error instanceof Refused && error.status === 403) return leave();
    wait = Math.min(2 * wait, longest);
    say(`The emulator does not answer, and is asked again: ${error.message}`);
  }
  clearTimeout(timer);
  timer = setTimeout(look, wait);
}

/** An emulator that was started anew does not know this page. */
function leave() {
  isGone = true;
  const again = element("button", { type: "button" }, "Load the page again");
  again.addEventListener("click", () => location.reload());
  byId("said").replaceChildren("This emulator was started after the page. ", again);
}

async function exportAccount() {
  const account = await ask("GET", "data");
  const address = URL.createObjectURL(
    new Blob([`${JSON.stringify(account)}\n`], { type: "application/json" }),
  );
  const link = element("a", {
    href: address,
    download: `account-${new Date().toISOString().slice(0, 10)}.json`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

byId("export").addEventListener("click", () => act(exportAccount, "The account is exported."));
byId("reset").addEventListener("click", () => byId("sure").showModal());
byId("sure-no").addEventListener("click", () => byId("sure").close());
byId("sure-yes").addEventListener("click", async () => {
  byId("sure").close();
  await act(() => ask("POST", "reset"), "The emulator is reset.");
  await look();
});
byId("pause").addEventListener("click", ({ currentTarget }) => {
  isPaused = !isPaused;
  currentTarget.setAttribute("aria-pressed", String(isPaused));
  say(isPaused ? "The page stands still." : "The page goes on.");
  look();
});
document.addEventListener("visibilitychange", look);
startTime(refresh);
startFaults(refresh);
look();
