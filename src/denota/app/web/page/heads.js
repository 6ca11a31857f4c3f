// The heads of the table's columns: names, types, and in brief what is in them.

import { call, of } from "./api.js";
import { $, make, visible } from "./dom.js";

const ROOT = parseFloat(getComputedStyle(document.documentElement).fontSize);
const MANY = 2e6; // cells of a table from which on its columns are not described of themselves
const NARROW = 52 * ROOT;
const SVG = "http://www.w3.org/2000/svg";

export function drawHeads(session, frozen, onClick) {
  const numbers = make("th", { scope: "col", className: "number", "aria-colindex": 1 }, make("span", { className: "hidden", text: "Row" }));
  const cells = session.columns.map((column, number) => headCell(column, number, number === frozen, onClick));
  $("head").replaceChildren(make("tr", { "aria-rowindex": 1 }, numbers, ...cells, make("td", { className: "rest", "aria-hidden": "true" })));
}

export function heads() {
  return [...$("head").querySelectorAll("th")].slice(1);
}

export function showSorted({ sort, down }) {
  heads().forEach((cell, number) => {
    const way = down ? "descending" : "ascending";
    cell.setAttribute("aria-sort", sort === number ? way : "none");
  });
}

function headCell({ name, kind, unit }, number, isFrozen, onClick) {
  const shown = visible(name) || "(no name)";
  const button = make("button", { title: shown, on: { click: () => onClick(number) } },
    make("span", { className: "name", text: shown }), make("span", { className: "kind", text: typeName(kind, unit) }),
    make("span", { className: "brief", "aria-hidden": "true" }));
  const classes = [kind === "number" ? "right" : "", isFrozen ? "named" : ""].join(" ").trim();
  return make("th", { scope: "col", className: classes, "aria-colindex": number + 2, "aria-sort": "none" }, button);
}

export function typeName(kind, unit) {
  if (unit === "year") return "year";
  return unit ? `${kind} (${visible(unit)})` : kind;
}

// The column that names the rows: the first of texts that tells them apart; -1 where there is none to keep in sight.
export function nameColumn({ columns }, rows) {
  const isText = columns.map(({ kind }, number) => kind === "text" && rows.some((row) => /\p{L}/u.test(row.cells[number])));
  const distinct = (number) => new Set(rows.map((row) => row.cells[number])).size;
  const apart = columns.findIndex((_, number) => isText[number] && distinct(number) >= 0.9 * rows.length);
  return apart >= 0 ? apart : isText.indexOf(true);
}

// Widths are decided once, by the first and the last rows, so that columns stay where they are.
export function fixWidths(session, rows, frozen) {
  const pen = document.createElement("canvas").getContext("2d");
  const style = getComputedStyle($("grid"));
  const wide = (text, weight) => {
    pen.font = `${weight} ${style.fontSize} ${style.fontFamily}`;
    return pen.measureText(text).width;
  };
  const widths = session.columns.map(({ name, kind, unit }, number) => {
    const texts = rows.map((row) => visible(row.cells[number]).slice(0, 60));
    const head = Math.max(wide(visible(name), 600) + 0.95 * ROOT, 0.86 * wide(typeName(kind, unit), 400));
    const body = 1.08 * Math.max(0, ...texts.map((text) => wide(text, 600))); // figures of one width are wider
    const most = number === frozen && innerWidth < NARROW ? 0.42 * innerWidth : 20 * ROOT;
    return Math.ceil(Math.min(most, Math.max(3 * ROOT, head, body) + 1.35 * ROOT));
  });
  widths.unshift(Math.ceil(wide(String(session.rows), 400) + 1.6 * ROOT));
  const set = widths.map((width) => {
    const column = make("col");
    column.style.width = `${width}px`;
    return column;
  });
  $("widths").replaceChildren(...set, make("col")); // the last takes what is left over
  const beyond = innerWidth < NARROW ? 6 * ROOT : 0; // room to line the last columns up with what stays
  $("grid").style.minWidth = `${widths.reduce((sum, width) => sum + width, beyond)}px`;
  $("grid").style.setProperty("--numbers", `${widths[0]}px`);
}

// Fetch what is in the columns, and draw it in their heads; resolves to it, or to nothing where that would take long.
export async function describeColumns(session) {
  if (session.rows * session.columns.length > MANY) return undefined;
  const found = await call(of(session, "/columns"));
  const cells = heads();
  if (found.length !== cells.length || session.columns.some(({ name }, n) => name !== found[n].name)) return found;
  found.forEach((one, number) => {
    const button = cells[number].querySelector("button");
    if (!button) return;
    button.title = [visible(one.name), one.low && `${visible(one.low)} to ${visible(one.high)}`, `${one.distinct.toLocaleString("en")} distinct`].filter(Boolean).join(" · ");
    button.querySelector(".brief").replaceChildren(...briefOf(one));
  });
  return found;
}

function briefOf({ bars, common, distinct, kind }) {
  if (bars.length) return [drawBars(bars)];
  if (kind !== "text" || !common.length) return [distinct ? `${distinct.toLocaleString("en")} distinct` : "empty"];
  const [[value, times]] = common;
  return [`${visible(value)} ${times.toLocaleString("en")}×`];
}

function drawBars(bars) {
  const most = Math.max(...bars);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${bars.length * 4} 12`);
  svg.setAttribute("preserveAspectRatio", "none");
  bars.forEach((count, n) => {
    const high = count ? Math.max(1, (12 * count) / most) : 0;
    const bar = document.createElementNS(SVG, "rect");
    for (const [name, value] of Object.entries({ x: n * 4, y: 12 - high, width: 3.4, height: high })) bar.setAttribute(name, value);
    svg.append(bar);
  });
  return svg;
}
