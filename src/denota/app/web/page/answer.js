// An answer at a glance: the sentence and how sure it is, what to read first, the rows it is in as a small table, and a picture.

import { copyButton } from "./copy.js";
import { make, visible } from "./dom.js";
import { isComputed } from "./suggestions.js";
import { shownAnswer, shownValue } from "./values.js";

const AT_FIRST = 8; // rows, where the server does not say which
const SVG = "http://www.w3.org/2000/svg";

// The sentence, and how sure it is.
export function reasonOf(turn) {
  if (turn.lesson) {
    const learnt = turn.lesson.learnt ? [make("span", { className: "sure", text: "as you taught" })] : [];
    return make("p", { className: "said taught", text: `${visible(turn.lesson.said)} ` }, ...learnt);
  }
  if (!turn.program || turn.kind === "ask_back") return make("p", { className: "said", text: visible(turn.explanation) });
  const percent = `${Math.round(100 * turn.confidence)}%`;
  let text = `${percent} sure`;
  if (turn.isChosen) text = "your reading";
  else if (!turn.sure) text = `not sure, ${percent}`;
  const doubt = make("span", { className: turn.sure || turn.isChosen ? "sure" : "sure not", text });
  return make("p", { className: "said", text: `${visible(turn.explanation)} ` }, doubt);
}

// What answers: `onRow` gets the number of a row that is clicked, `fetchAll` gives all its rows.
export function answerOf(turn, { columns, onRow, fetchAll }) {
  const view = viewOf(turn, columns);
  const box = make("div", { className: `answer${isComputed(turn) ? " from" : ""}${view.total === 1 ? " one" : ""}` });
  if (turn.kind === "none") {
    box.append(make("p", { className: "none", text: "Nothing in the table fits." }));
    return box;
  }
  box.append(make("p", { className: view.headline.length > 28 ? "headline long" : "headline" }, make("strong", { className: "value", text: visible(view.headline) || "(empty)" })));
  if (view.counts.length) box.append(countsOf(view.counts));
  if (view.note) box.append(make("p", { className: "note", text: visible(view.note) }));
  if (isWorthATable(view)) box.append(turn.kind === "value" ? sourcesOf(view, onRow, fetchAll) : tableOf(view, onRow, fetchAll));
  if (view.plot) box.append(...pictureOf(view.plot));
  return box;
}

// How the answer was found: its program and its SQL.
export function howOf(turn) {
  const sql = make("div", { className: "written" }, make("pre", { className: "sql", text: turn.sql, tabIndex: 0, role: "region", "aria-label": "SQL" }), copyButton("Copy the SQL", () => turn.sql));
  return make("div", { className: "how", hidden: true }, make("p", { className: "fine", text: "As a program and as SQL" }), make("code", { className: "program", text: visible(turn.program) }), sql);
}

// What is read first of an answer, also where the server does not say it.
export function viewOf(turn, columns) {
  if (turn.view) return turn.view;
  const isCells = turn.kind === "cells" && turn.cells.length > 0;
  const asked = [...new Set(turn.cells.map(([, column]) => column))];
  const found = new Map();
  if (isCells) turn.cells.forEach(([row, column], n) => found.set(row, { ...found.get(row), [column]: turn.answer[n] }));
  const rows = [...found].slice(0, AT_FIRST).map(([row, texts]) => ({ row, cells: asked.map((column) => texts[column] ?? ""), marked: asked.map((column) => column in texts) }));
  const first = isCells && found.size > 1 ? `${found.size.toLocaleString("en")} rows` : shownAnswer(turn).slice(0, 12).join(", ");
  const pairs = turn.kind === "groups" ? turn.values.slice(0, AT_FIRST).map(([group, value]) => ({ row: null, cells: [group, shownValue(value)], marked: [false, true] })) : [];
  return {
    headline: turn.kind === "groups" ? `${turn.values.length.toLocaleString("en")} groups` : first,
    columns: turn.kind === "groups" ? ["", ""] : asked.map((column) => columns[column]?.name ?? ""),
    rows: pairs.length ? pairs : rows, total: isCells ? found.size : turn.values.length, counts: [], evidence: [], note: "", plot: null,
  };
}

// One row that says nothing but the headline is no table.
function isWorthATable({ rows, columns, headline }) {
  return rows.length > 1 || (rows.length === 1 && (columns.length > 1 || rows[0].cells[0] !== headline));
}

// What a value comes from: told, and listed where it is little.
function sourcesOf(view, onRow, fetchAll) {
  const many = view.total.toLocaleString("en");
  return make("details", { className: "sources", open: view.total <= AT_FIRST }, make("summary", { text: `From ${many} ${view.total === 1 ? "row" : "rows"}` }), tableOf(view, onRow, fetchAll));
}

function countsOf(counts) {
  const shown = counts.slice(0, 12).map(([text, times]) => make("li", {}, make("span", { text: visible(text) || "(empty)" }), " ", make("strong", { text: times.toLocaleString("en") })));
  if (counts.length > shown.length) shown.push(make("li", { className: "fine", text: `and ${(counts.length - shown.length).toLocaleString("en")} more` }));
  return make("ul", { className: "counts", "aria-label": "How often each value occurs" }, ...shown);
}

function tableOf(view, onRow, fetchAll) {
  const hasNames = view.columns.some((name) => name.trim());
  const head = make("tr", {}, ...view.columns.map((name) => make("th", { scope: "col", text: visible(name) })));
  const body = make("tbody", {}, ...view.rows.map((one) => lineOf(one, onRow)));
  const table = make("table", { className: "mini", "aria-label": "The rows of the answer" }, ...(hasNames ? [make("thead", {}, head)] : []), body);
  const box = make("div", { className: "rows", role: "group", "aria-label": "Rows of the answer" }, table);
  const rest = view.total - view.rows.length;
  if (rest <= 0) return box;
  const more = make("button", { className: "link all", text: `Show all ${view.total.toLocaleString("en")}` });
  more.addEventListener("click", async () => {
    more.disabled = true;
    const all = await fetchAll();
    more.disabled = false;
    if (!all) return;
    const lines = all.map((one) => lineOf(one, onRow));
    const next = lines[view.rows.length];
    const left = view.total - lines.length;
    body.replaceChildren(...lines);
    more.replaceWith(left > 0 ? make("span", { className: "fine", text: `and ${left.toLocaleString("en")} more; the CSV has all of them.` }) : "");
    next?.querySelector("button")?.focus();
  });
  box.append(more);
  return box;
}

function lineOf({ row, cells, marked }, onRow) {
  const isFound = row !== null && row !== undefined;
  const content = (text) => visible(text) || "(empty)";
  const line = make("tr", {}, ...cells.map((text, n) => {
    const cell = make(n ? "td" : "th", { className: marked[n] ? "hit" : "" });
    if (!n) cell.scope = "row";
    if (n || !isFound) cell.textContent = content(text);
    else cell.append(make("button", { text: content(text), title: `Show row ${row + 1} in the table` }));
    return cell;
  }));
  if (isFound) line.addEventListener("click", () => onRow(row));
  return line;
}

// The server draws it; nothing but a picture is taken from what it sends.
export function pictureOf({ svg }) {
  const root = new DOMParser().parseFromString(svg ?? "", "image/svg+xml").documentElement;
  if (root.localName !== "svg" || root.namespaceURI !== SVG || root.querySelector("parsererror, script, foreignObject")) return [];
  return [make("figure", { className: "picture" }, document.adoptNode(root))];
}
