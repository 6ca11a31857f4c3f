// The table: of all its rows only those that are seen exist as elements. A cell is known by its row and column in the table,
// which `data-cell` holds, however the rows are sorted or searched; a row's place is where it is seen now.

import { download } from "./download.js";
import { $, counted, make, visible } from "./dom.js";
import { drawHeads, fixWidths, heads, nameColumn, showSorted } from "./heads.js";
import { attempt, fail } from "./notices.js";
import { AS_IT_IS, asFile, lastRows, order, placesOf, rowAt, takeOrder, total, want } from "./rows.js";

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
let evidence = []; // the cells that decided
let decided = new Set();
let frozen = -1; // the column of names, if it stays where it is
let whenAll = () => {}; // what to do when a person asks to see all rows again
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
  [session, asked, cells, evidence] = [one, AS_IT_IS, [], []];
  $("search").value = "";
  $("grid").setAttribute("aria-colcount", session.columns.length + 1);
  frozen = nameColumn(session, first);
  drawHeads(session, frozen, (number) => (picking ? picking.column(number) : sortBy(number)));
  fixWidths(session, [...first, ...last], frozen);
  columns = [0, 0];
  $("scroll").scrollLeft = 0;
  redraw();
  return first;
}

// After the table was hidden: to its top, which cannot be scrolled to before it is seen.
export function toTop() {
  Object.assign($("scroll"), { scrollTop: 0, scrollLeft: 0 });
  draw();
}

// Mark cells, and those that decided in another tone; bring the first row of them into view if none is.
export function mark(wanted, isComputed = false, decidedBy = []) {
  cells = wanted;
  evidence = decidedBy;
  computed = isComputed;
  steps = null;
  step = -1;
  here = "";
  preview();
  return find().then(() => {
    if (!steps?.length || picking) return;
    if (!steps.some(([place, , column]) => isSeen(place, column))) go(0);
    else seeEvidence(steps[0][2]);
  });
}

// See some rows alone, by their numbers in the table, or, without any, all of them.
export async function showOnly(rows) {
  const only = rows?.length ? [...rows] : null;
  if (!session || (!only && !asked.only)) return;
  await reorder({ ...asked, only });
}

export function whenAllShown(action) {
  whenAll = action;
}

// Mark cells for as long as someone looks at them.
export function preview(wanted = cells, isComputed = computed, decidedBy = wanted === cells ? evidence : []) {
  marks = new Set(wanted.map(String));
  decided = new Set(picking ? [] : decidedBy.map(String));
  $("grid").classList.toggle("computed", isComputed && !picking);
  repaint();
}

// Bring a cell into view.
export async function bring(row, column) {
  await find();
  const at = steps?.findIndex(([, other]) => other === row) ?? -1;
  if (at >= 0) go(at, column);
}

// Bring any cell into view, and point at it.
export async function goTo(row, column) {
  if (order.search || order.only) await reorder({ ...asked, search: $("search").value = "", only: null });
  const [found] = (await placesOf(new Set([row]))) ?? [];
  if (!found) return;
  scrollTo(found[0], column);
  here = `${row},${column}`;
  repaint();
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
  say(0);
  $("scroll").tabIndex = 0;
  preview();
}

export function clearSearch() {
  const used = Boolean(asked.search || $("search").value);
  $("search").value = "";
  if (asked.search) reorder({ ...asked, search: "" });
  return used;
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
  showSorted(order);
  redraw();
  mark(cells, computed, evidence).catch(fail);
  picking?.ordered();
}

function sortBy(number) {
  const { sort, down, ...rest } = asked;
  if (sort !== number) reorder({ ...rest, sort: number, down: false });
  else if (!down) reorder({ ...rest, sort, down: true });
  else reorder({ ...rest, sort: null, down: false });
}

// Rows

function redraw() {
  drawn = new Map();
  $("body").replaceChildren(above, below);
  $("scroll").scrollTop = 0;
  $("grid").setAttribute("aria-rowcount", total + 1);
  $("only").hidden = !order.only;
  if (order.only) $("only-count").textContent = `${order.only.length.toLocaleString("en")} of ${counted(session.rows, "row")}`;
  $("count").textContent = order.search ? `${counted(total, "row")} found` : "";
  $("nothing").textContent = order.search ? `No row${order.only ? " of these" : ""} contains “${visible(order.search)}”.` : "This table has no rows.";
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
  $("grid").classList.toggle("frozen", isFrozen());
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
  if (box.scrollTop !== scrollTop) box.scrollTop = scrollTop; // which fewer rows meanwhile may have moved
  picking?.drawn(hadFocus);
}

function chooseColumns(box) {
  const all = session.columns.length;
  let wanted = [0, all];
  if (all > WIDE) {
    const from = heads().findIndex((head, number) => number !== frozen && head.offsetLeft + head.offsetWidth > box.scrollLeft);
    const to = heads().findIndex((head, number) => number !== frozen && head.offsetLeft > box.scrollLeft + box.clientWidth);
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
  const isApart = frozen >= 0 && frozen < from; // the name is seen wherever one is
  const gaps = isApart ? [frozen, from - frozen - 1] : [from];
  gaps.forEach((gap, n) => {
    if (n) line.append(makeCell(found.row, frozen, visible(found.cells[frozen])));
    if (gap) line.append(make("td", { className: "rest", colSpan: gap }));
  });
  for (let column = from; column < to; column += 1) line.append(makeCell(found.row, column, visible(found.cells[column])));
  line.append(make("td", { className: "rest", colSpan: session.columns.length - to + 1, "aria-hidden": "true" }));
  return line;
}

function makeCell(row, column, text) {
  const cell = make("td", { "data-cell": `${row},${column}`, "aria-colindex": column + 2, text });
  if (session.columns[column].kind === "number") cell.className = "right";
  if (column === frozen) cell.classList.add("named");
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
  cell.classList.toggle("decided", !isMarked && decided.has(cell.dataset.cell));
  cell.classList.toggle("ghost", Boolean(picking?.ghosts?.has(cell.dataset.cell)) && !isMarked);
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

// What stays at the left: the numbers of rows, and the names where there is room for them.
function isFrozen() {
  return frozen >= 0 && heads()[frozen].offsetWidth < $("scroll").clientWidth / 2;
}

function fixedWidth() {
  return $("head").querySelector("th").offsetWidth + (isFrozen() ? heads()[frozen].offsetWidth : 0);
}

// Whether a column is seen between what stays at the left and the edge, and where it begins and ends.
function across(column) {
  const box = $("scroll");
  const { offsetLeft: left, offsetWidth: width } = heads()[column];
  const isHere = column === frozen && isFrozen();
  const isSeen = isHere || (left - fixedWidth() >= box.scrollLeft && left + width <= box.scrollLeft + box.clientWidth);
  return { left, right: left + width, isSeen };
}

// Scroll sideways so far, and a little on so that no column is half below what stays; a place that must be seen limits it.
function slideTo(wanted, most) {
  const fixed = fixedWidth();
  const starts = heads().map((head) => head.offsetLeft - fixed).filter((start, number) => number !== frozen && start >= wanted - 1);
  $("scroll").scrollLeft = Math.max(0, Math.min(starts[0] ?? wanted, most - fixed));
}

// Scroll sideways so that what decided is seen, with the answer's column where both fit.
function seeEvidence(column) {
  const box = $("scroll");
  const { columns: all } = session;
  const [by] = new Set(evidence.map(([, other]) => other).filter((other) => other !== column && other < all.length));
  if (by === undefined || across(by).isSeen) return;
  const [answer, other, room] = [across(column), across(by), box.clientWidth - fixedWidth()];
  const isFixed = column === frozen && isFrozen();
  const [left, right] = isFixed ? [other.left, other.right] : [Math.min(answer.left, other.left), Math.max(answer.right, other.right)];
  if (right - left > room && !isFixed) return;
  slideTo(isFixed ? left - fixedWidth() - Math.max(0, room - (right - left)) / 2 : right - box.clientWidth, left);
  draw();
}

// Scroll as little as it takes to see a cell.
export function scrollTo(place, column) {
  const { box, seen, top, stretch } = geometry();
  if (place * ROW < top) box.scrollTop = Math.floor((place * ROW) / stretch);
  else if ((place + 1) * ROW > top + seen) box.scrollTop = Math.ceil(((place + 1) * ROW - seen) / stretch);
  const { left, right, isSeen: isBeside } = across(column);
  if (!isBeside && right > box.scrollLeft + box.clientWidth) slideTo(right - box.clientWidth, left);
  if (!isBeside && left - fixedWidth() < box.scrollLeft) box.scrollLeft = left - fixedWidth();
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
  const parts = cells.length ? [make("span", { className: computed ? "key from" : "key", text: counted(cells.length, `${what} cell`) })] : [];
  const by = [...new Set(evidence.map(([, column]) => column))].map((column) => visible(session.columns[column]?.name ?? ""));
  if (by.length) parts.push(make("span", { className: "key by", text: `decided by ${by.slice(0, 3).join(", ")}${by.length > 3 ? " …" : ""}` }));
  if (hidden && order.search) {
    parts.splice(0, 1, `${counted(hidden, `${what} row`)} hidden by the search `,
      make("button", { className: "link", text: "Clear", "aria-label": "Clear the search", on: { click: clearSearch } }));
  }
  $("found").replaceChildren(...parts);
  $("steps").hidden = (steps?.length ?? 0) < 2;
}

function isSeen(place, column) {
  const { seen, top } = geometry();
  const isDown = place * ROW >= top && (place + 1) * ROW <= top + seen;
  return isDown && across(column).isSeen;
}

function go(to, wanted) {
  step = to;
  const [place, row, first] = steps[to];
  const column = wanted ?? first;
  const { box, seen, stretch } = geometry();
  if (!isSeen(place, column)) {
    box.scrollTop = Math.max(0, (place * ROW - (seen - ROW) / 2) / stretch);
    const { left, right, isSeen: isBeside } = across(column);
    const room = box.clientWidth - fixedWidth();
    if (!isBeside) slideTo(left - fixedWidth() - (room - (right - left)) / 2, left);
  }
  seeEvidence(column);
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

$("only-all").addEventListener("click", attempt(async () => {
  $("search").focus(); // now: who goes on typing elsewhere meanwhile is left alone
  await showOnly(null);
  whenAll();
}));
$("only-csv").addEventListener("click", attempt(async () => {
  const { path, body } = asFile();
  await download(path, body, "rows.csv");
}));

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
