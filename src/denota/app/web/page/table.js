// The table: of all its rows only those that are seen exist as elements. A cell is known by its row and column in the table,
// which `data-cell` holds, however the rows are sorted or searched; a row's place is where it is seen now.

import { $, counted, make, visible } from "./dom.js";
import { fail } from "./notices.js";
import { AS_IT_IS, lastRows, order, placesOf, rowAt, takeOrder, total, want } from "./rows.js";

const ROW = 2 * parseFloat(getComputedStyle(document.documentElement).fontSize); // pixels; all rows are as high
const AHEAD = 16; // rows drawn above and below what is seen
const TALLEST = 15e6; // pixels; browsers draw nothing higher, so beyond it the scroll bar stands for places
const WIDE = 40; // of more columns only those that are seen are drawn

let session = null;
let asked = AS_IT_IS; // the order that is or will be seen
let drawn = new Map(); // place -> its line
let columns = [0, 0]; // drawn: from, to
let cells = []; // marked
let marks = new Set();
let computed = false; // the marked cells are what an answer was computed from
let steps = null; // [place, row, column] of each row with marked cells, in the order seen; null where not yet known
let step = -1;
let here = ""; // the cell stepped to
let picking = null; // while cells are picked: { cells, column, drawn, ordered }, the picked ones by `data-cell` and what to tell

document.documentElement.style.setProperty("--row", `${ROW}px`);
const above = make("tr", { className: "space", "aria-hidden": "true" }, make("td"));
const below = make("tr", { className: "space", "aria-hidden": "true" }, make("td"));

// Show a session's table; resolves to its first rows, or to nothing if another was asked for meanwhile.
export async function showTable(one) {
  const last = await lastRows(one);
  const first = await takeOrder(one, AS_IT_IS);
  if (!first) return undefined;
  [session, asked, cells] = [one, AS_IT_IS, []];
  $("search").value = "";
  $("grid").setAttribute("aria-colcount", session.columns.length + 1);
  drawHead();
  fixWidths([...first, ...last]);
  columns = [0, 0];
  $("scroll").scrollLeft = 0;
  redraw();
  return first;
}

// Mark cells, and bring the first of them into view if none is.
export function mark(wanted, isComputed = false) {
  cells = wanted;
  computed = isComputed;
  steps = null;
  step = -1;
  here = "";
  preview();
  return find().then(() => {
    if (steps?.length && !picking && !steps.some(([place, , column]) => isSeen(place, column))) go(0);
  });
}

// Mark cells for as long as someone looks at them.
export function preview(wanted = cells, isComputed = computed) {
  marks = new Set(wanted.map(String));
  $("grid").classList.toggle("computed", isComputed && !picking);
  repaint();
}

// Bring a cell into view.
export async function bring(row, column) {
  await find();
  const at = steps?.findIndex(([, other]) => other === row) ?? -1;
  if (at >= 0) go(at, column);
}

// Have cells picked rather than read, or, without a mode, read again.
export function pick(mode = null) {
  picking = mode;
  here = "";
  const grid = $("grid");
  for (const [name, value] of [["role", "grid"], ["aria-multiselectable", "true"]]) {
    if (mode) grid.setAttribute(name, value);
    else grid.removeAttribute(name);
  }
  for (const button of $("head").querySelectorAll("button")) button.tabIndex = mode ? -1 : 0;
  $("scroll").tabIndex = 0;
  preview();
}

export function clearSearch() {
  const used = Boolean(asked.search || $("search").value);
  $("search").value = "";
  if (asked.search) reorder({ ...asked, search: "" });
  return used;
}

// Head

function drawHead() {
  const numbers = make("th", { scope: "col", className: "number", "aria-colindex": 1 }, make("span", { className: "hidden", text: "Row" }));
  $("head").replaceChildren(make("tr", { "aria-rowindex": 1 }, numbers, ...session.columns.map(headCell), make("td", { className: "rest", "aria-hidden": "true" })));
}

function headCell({ name, kind, unit }, number) {
  const shown = visible(name) || "(no name)";
  const button = make("button", { title: shown, on: { click: () => (picking ? picking.column(number) : sortBy(number)) } },
    make("span", { className: "name", text: shown }), make("span", { className: "kind", text: typeName(kind, unit) }));
  return make("th", { scope: "col", className: kind === "number" ? "right" : "", "aria-colindex": number + 2, "aria-sort": "none" }, button);
}

function heads() {
  return [...$("head").querySelectorAll("th")].slice(1);
}

function typeName(kind, unit) {
  if (unit === "year") return "year";
  return unit ? `${kind} (${visible(unit)})` : kind;
}

function sortBy(number) {
  const { sort, down, search } = asked;
  if (sort !== number) reorder({ sort: number, down: false, search });
  else if (!down) reorder({ sort, down: true, search });
  else reorder({ sort: null, down: false, search });
}

async function reorder(wanted) {
  asked = wanted;
  try {
    if (!(await takeOrder(session, wanted))) return; // what is seen stays until there is something else
  } catch (error) {
    asked = order;
    fail(error);
    return;
  }
  heads().forEach((cell, number) => {
    const way = order.down ? "descending" : "ascending";
    cell.setAttribute("aria-sort", order.sort === number ? way : "none");
  });
  redraw();
  mark(cells, computed).catch(fail);
  picking?.ordered();
}

// Widths are decided once, by the first and the last rows, so that columns stay where they are.
function fixWidths(rows) {
  const pen = document.createElement("canvas").getContext("2d");
  const style = getComputedStyle($("grid"));
  const wide = (text, weight) => {
    pen.font = `${weight} ${style.fontSize} ${style.fontFamily}`;
    return pen.measureText(text).width;
  };
  const root = ROW / 2;
  const widths = session.columns.map(({ name, kind, unit }, number) => {
    const texts = rows.map((row) => visible(row.cells[number]).slice(0, 60));
    const head = Math.max(wide(visible(name), 600) + 0.95 * root, 0.86 * wide(typeName(kind, unit), 400));
    const body = 1.08 * Math.max(0, ...texts.map((text) => wide(text, 600))); // figures of one width are wider
    return Math.ceil(Math.min(20 * root, Math.max(3 * root, head, body) + 1.35 * root));
  });
  widths.unshift(Math.ceil(wide(String(session.rows), 400) + 1.6 * root));
  const set = widths.map((width) => {
    const column = make("col");
    column.style.width = `${width}px`;
    return column;
  });
  $("widths").replaceChildren(...set, make("col")); // the last takes what is left over
  $("grid").style.minWidth = `${widths.reduce((sum, width) => sum + width, 0)}px`;
}

// Rows

function redraw() {
  drawn = new Map();
  $("body").replaceChildren(above, below);
  $("scroll").scrollTop = 0;
  $("grid").setAttribute("aria-rowcount", total + 1);
  $("count").textContent = order.search ? `${counted(total, "row")} found` : "";
  $("nothing").textContent = order.search ? `No row contains “${visible(order.search)}”.` : "This table has no rows.";
  $("nothing").hidden = total > 0;
  draw();
}

// How high what is seen is, and where it begins (`top`) in a table as high as it should be, which may be higher than browsers draw.
function geometry() {
  const box = $("scroll");
  const seen = Math.max(ROW, box.clientHeight - $("head").offsetHeight);
  const high = total * ROW;
  const tall = Math.min(high, TALLEST);
  const stretch = high > tall ? (high - seen) / (tall - seen) : 1;
  const { scrollTop } = box; // read once: it changes where rows are taken away
  return { box, seen, tall, stretch, scrollTop, top: scrollTop * stretch };
}

function draw() {
  if (!session) return;
  const { box, seen, tall, top, scrollTop, stretch } = geometry();
  const hadFocus = $("body").contains(document.activeElement);
  const room = stretch > 1 ? Math.min(AHEAD, Math.floor(scrollTop / ROW)) : AHEAD;
  const first = Math.max(0, Math.floor(top / ROW) - room);
  const end = Math.min(total, Math.ceil((top + seen) / ROW) + AHEAD);
  want(first, end, draw);
  chooseColumns(box);
  for (const [place, line] of drawn) {
    if (place < first || place >= end || (line.isBlank && rowAt(place))) {
      line.remove();
      drawn.delete(place);
    }
  }
  let next = above.nextSibling;
  for (let place = first; place < end; place += 1) {
    let line = drawn.get(place);
    if (!line) {
      line = makeLine(place);
      drawn.set(place, line);
      $("body").insertBefore(line, next);
    }
    next = line.nextSibling;
  }
  const before = Math.max(0, first * ROW - (top - scrollTop));
  above.style.height = `${before}px`;
  below.style.height = `${Math.max(0, tall - before - (end - first) * ROW)}px`;
  picking?.drawn(hadFocus);
}

function chooseColumns(box) {
  const all = session.columns.length;
  let wanted = [0, all];
  if (all > WIDE) {
    const from = heads().findIndex((head) => head.offsetLeft + head.offsetWidth > box.scrollLeft);
    const to = heads().findIndex((head) => head.offsetLeft > box.scrollLeft + box.clientWidth);
    wanted = [Math.max(0, from - (from % 8) - 8), Math.min(all, (to < 0 ? all : to + 16 - (to % 8)))];
  }
  if (String(wanted) === String(columns)) return;
  columns = wanted;
  drawn = new Map();
  $("body").replaceChildren(above, below);
}

function makeLine(place) {
  const found = rowAt(place);
  const line = make("tr", { "aria-rowindex": place + 2 });
  line.isBlank = !found;
  if (!found) {
    line.append(make("th", { className: "number", text: "…" }), make("td", { colSpan: session.columns.length + 1 }));
    return line;
  }
  const [from, to] = columns;
  line.append(make("th", { scope: "row", className: "number", text: (found.row + 1).toLocaleString("en"), "aria-colindex": 1 }));
  if (from) line.append(make("td", { className: "rest", colSpan: from }));
  for (let column = from; column < to; column += 1) line.append(makeCell(found.row, column, visible(found.cells[column])));
  line.append(make("td", { className: "rest", colSpan: session.columns.length - to + 1, "aria-hidden": "true" }));
  return line;
}

function makeCell(row, column, text) {
  const cell = make("td", { "data-cell": `${row},${column}`, "aria-colindex": column + 2, text });
  if (session.columns[column].kind === "number") cell.className = "right";
  if (text.length > 24) cell.title = text;
  paint(cell);
  return cell;
}

export function repaint() {
  for (const cell of $("body").querySelectorAll("td[data-cell]")) paint(cell);
}

function paint(cell) {
  cell.classList.toggle("here", cell.dataset.cell === here);
  const isMarked = (picking?.cells ?? marks).has(cell.dataset.cell);
  if (picking) {
    cell.setAttribute("aria-selected", String(isMarked));
    if (!cell.hasAttribute("tabindex")) cell.tabIndex = -1;
  } else {
    for (const name of ["aria-selected", "tabindex"]) cell.removeAttribute(name);
  }
  if (isMarked === cell.classList.contains("marked")) return;
  cell.classList.toggle("marked", isMarked);
  const text = cell.textContent;
  cell.replaceChildren(isMarked ? make("mark", { text }) : text);
}

// Places and their elements, for who picks cells

export function cellAt(place, column) {
  return drawn.get(place)?.querySelector(`td[aria-colindex="${column + 2}"]`);
}

export function placeOf(element) {
  return Number(element.closest("tr").getAttribute("aria-rowindex")) - 2;
}

// The places that are seen in full: the first, and how many.
export function seenPlaces() {
  const { seen, top } = geometry();
  return [Math.ceil(top / ROW), Math.max(1, Math.floor(seen / ROW))];
}

// Scroll as little as it takes to see a cell.
export function scrollTo(place, column) {
  const { box, seen, top, stretch } = geometry();
  if (place * ROW < top) box.scrollTop = Math.floor((place * ROW) / stretch);
  else if ((place + 1) * ROW > top + seen) box.scrollTop = Math.ceil(((place + 1) * ROW - seen) / stretch);
  const { offsetLeft: left, offsetWidth: width } = heads()[column];
  const corner = $("head").querySelector("th").offsetWidth;
  if (left + width > box.scrollLeft + box.clientWidth) box.scrollLeft = left + width - box.clientWidth;
  if (left - corner < box.scrollLeft) box.scrollLeft = left - corner;
  draw();
}

// Where marked cells are

async function find() {
  if (steps) return;
  const first = new Map(); // row -> its first marked column
  for (const [row, column] of cells) if (!first.has(row)) first.set(row, column);
  const mine = cells;
  const places = await placesOf(new Set(first.keys()));
  if (!places || mine !== cells) return; // the order or the cells are others by now
  steps = places.map(([place, row]) => [place, row, first.get(row)]);
  say(first.size - steps.length);
}

function say(hidden) {
  const what = computed ? "source" : "answer";
  const parts = [cells.length ? counted(cells.length, `${what} cell`) : ""];
  if (hidden && order.search) {
    parts[0] = `${counted(hidden, `${what} row`)} hidden by the search `;
    parts.push(make("button", { className: "link", text: "Clear", "aria-label": "Clear the search", on: { click: clearSearch } }));
  }
  $("found").replaceChildren(...parts);
  $("steps").hidden = steps.length < 2;
}

function isSeen(place, column) {
  const { box, seen, top } = geometry();
  const head = heads()[column];
  const left = head.offsetLeft - $("head").querySelector("th").offsetWidth;
  const isDown = place * ROW >= top && (place + 1) * ROW <= top + seen;
  return isDown && left >= box.scrollLeft && head.offsetLeft + head.offsetWidth <= box.scrollLeft + box.clientWidth;
}

function go(to, wanted) {
  step = to;
  const [place, row, first] = steps[to];
  const column = wanted ?? first;
  const { box, seen, stretch } = geometry();
  const corner = $("head").querySelector("th");
  if (!isSeen(place, column)) {
    box.scrollTop = Math.max(0, (place * ROW - (seen - ROW) / 2) / stretch);
    const { offsetLeft: left, offsetWidth: width } = heads()[column];
    const isBeside = left - corner.offsetWidth >= box.scrollLeft && left + width <= box.scrollLeft + box.clientWidth;
    if (!isBeside) box.scrollLeft = Math.max(0, left - corner.offsetWidth - (box.clientWidth - corner.offsetWidth - width) / 2);
  }
  here = steps.length > 1 ? `${row},${column}` : "";
  draw();
  repaint();
}

async function goBy(by) {
  await find();
  if (steps?.length) go((step + by + steps.length) % steps.length);
}

// What a person does

$("back").addEventListener("click", () => goBy(step < 0 ? 0 : -1).catch(fail));
$("on").addEventListener("click", () => goBy(1).catch(fail));

let typing;
$("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const search = $("search").value.trim();
    if (session && search !== asked.search) reorder({ ...asked, search });
  }, 150);
});

let waiting = false;
function drawSoon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}
$("scroll").addEventListener("scroll", drawSoon, { passive: true });
new ResizeObserver(drawSoon).observe($("scroll"));
