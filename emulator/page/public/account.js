/** What the account holds: its collections by area, the objects of one of them, and one object in full. */

import { ask, byId, count, element, fill, Refused, write } from "./page.js";

/** The collection that is looked at: its name, title, page and search. */
let open;
/** Grows with each look, so that a late answer does not overwrite a later one. */
let turn = 0;

export function showAreas(areas) {
  fill(byId("areas"), areas, ({ title }) => title, makeArea);
}

function makeArea({ title }) {
  const list = element("ul");
  const node = element("section", { className: "area" }, element("h3", {}, title), list);
  return {
    node,
    update: ({ collections }) => fill(list, collections, ({ name }) => name, makeCollection),
  };
}

function makeCollection({ name, title }) {
  const number = element("span", { className: "count" });
  const button = element(
    "button",
    { type: "button", "aria-expanded": "false" },
    element("span", {}, title),
    " ",
    number,
  );
  button.addEventListener("click", () => look(name, title));
  return {
    node: element("li", {}, button),
    update: ({ count: size }) => {
      write(number, count(size));
      button.classList.toggle("empty", size === 0);
      button.setAttribute("aria-expanded", String(open?.name === name));
    },
  };
}

async function look(name, title) {
  const again = open?.name === name;
  open = again ? undefined : { name, title, page: 1, text: "" };
  byId("text").value = "";
  byId("collection").hidden = !open;
  for (const button of byId("areas").querySelectorAll("button"))
    button.setAttribute("aria-expanded", "false");
  if (!open) return;
  write(byId("collection-title"), title);
  await showObjects();
  byId("collection-title").focus();
}

/** Brings the open collection, and the open object in it, up to date. */
export async function showObjects() {
  if (!open) return;
  const mine = ++turn;
  const { name, page, text } = open;
  const asked = new URLSearchParams({ collection: name, page: String(page), text });
  let told;
  try {
    told = await ask("GET", `objects?${asked}`);
  } catch (error) {
    if (!(error instanceof Refused && error.status === 404)) throw error;
    told = { total: 0, pages: 1, shown: [] };
  }
  if (mine !== turn) return;
  open.page = Math.min(page, told.pages);
  fill(byId("objects"), told.shown, ({ id }) => `${name} ${id}`, makeObject);
  write(byId("place"), `Page ${count(open.page)} of ${count(told.pages)}, ${count(told.total)} objects`);
  byId("earlier").disabled = open.page <= 1;
  byId("later").disabled = open.page >= told.pages;
}

function makeObject({ id }) {
  const { name: collection } = open;
  const [title, type, state] = [element("span", { className: "name" }), element("span"), element("span")];
  const content = element("pre", { tabIndex: 0, "aria-label": `Object ${id} in full` });
  const summary = element("summary", {}, element("code", {}, String(id)), " ", title, " ", type, " ", state);
  const details = element("details", { name: "object" }, summary, content);
  async function showWhole() {
    if (!details.open) return;
    const asked = new URLSearchParams({ collection, id: String(id) });
    const text = await ask("GET", `object?${asked}`).then(
      (object) => JSON.stringify(object, null, 2),
      (error) => error.message,
    );
    write(content, text);
  }
  details.addEventListener("toggle", showWhole);
  return {
    node: element("li", {}, details),
    update: (line) => {
      write(title, line.name);
      write(type, line.type);
      write(state, line.state);
      showWhole();
    },
  };
}

function turnTo(step) {
  open.page += step;
  return showObjects();
}

byId("earlier").addEventListener("click", () => turnTo(-1));
byId("later").addEventListener("click", () => turnTo(1));
byId("search").addEventListener("submit", (event) => event.preventDefault());
byId("text").addEventListener("input", ({ target }) => {
  open.text = target.value;
  open.page = 1;
  showObjects();
});
