// A table with questions that the server's model has answered, so that a newcomer sees what can be asked and what comes of it.

import { call } from "./api.js";
import { $, counted, make, visible } from "./dom.js";
import { attempt } from "./notices.js";
import { shownAnswer } from "./values.js";

const SHOWN = 4; // items of an answer

export async function prepareExample(begin) {
  const example = await call("/v1/example");
  const sample = example.name.replace(/\.csv$/, "");
  $("example-table").replaceChildren(tableOf(example));
  $("example-turns").replaceChildren(...example.turns.map((turn, number) => turnOf(turn, () => show(example, number))));
  $("example-open").onclick = attempt(() => begin(sample));
  $("example").hidden = false;
  show(example, 0);
}

function show({ turns }, number) {
  const { cells, computed, view } = turns[number];
  const [marked, decided] = [cells, view?.evidence ?? []].map((all) => new Set(all.map(String)));
  for (const cell of $("example-table").querySelectorAll("td")) {
    cell.className = cell.dataset.kind;
    if (marked.has(cell.dataset.place)) cell.classList.add(computed ? "source" : "marked");
    else if (decided.has(cell.dataset.place)) cell.classList.add("decided");
  }
  [...$("example-turns").children].forEach((item, n) => item.querySelector("button").setAttribute("aria-pressed", String(n === number)));
}

function turnOf(turn, onShow) {
  const items = shownAnswer(turn);
  const more = items.length > SHOWN ? ` and ${(items.length - SHOWN).toLocaleString("en")} more` : "";
  const from = turn.computed ? ` from ${counted(turn.cells.length, "cell")}` : "";
  return make("li", {}, make("button", { className: "reading", "aria-pressed": "false", title: "Show its cells", on: { click: onShow, focus: onShow, mouseenter: onShow } },
    make("span", { className: "question", text: visible(turn.question) }),
    make("strong", { text: `${items.slice(0, SHOWN).map(visible).join(", ")}${more}` }),
    make("span", { className: "gives", text: `${visible(turn.explanation)}${from}` })));
}

function tableOf({ columns, cells }) {
  const kinds = columns.map(({ kind }) => (kind === "number" ? "right" : ""));
  const head = make("tr", {}, ...columns.map(({ name }, n) => make("th", { scope: "col", className: kinds[n], text: visible(name) })));
  const lines = cells.map((line, row) => make("tr", {}, ...line.map((text, n) => make("td", { className: kinds[n], text: visible(text), "data-place": `${row},${n}`, "data-kind": kinds[n] }))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines));
}
