// Picking cells of the table, by mouse, finger or keyboard. What is picked is known by row and column in the table, however the
// rows are sorted or searched; the cursor, where keys go, is known by the place where it is seen.

import { $, counted } from "./dom.js";
import { announce, attempt, fail } from "./notices.js";
import { order, placesOf, rowAt, seenRows, total } from "./rows.js";
import { cellAt, pick, placeOf, repaint, scrollTo, seenPlaces } from "./table.js";

export const MOST = 20_000; // cells

let cells = null; // picked: "row,column" -> [row, column]; null while none can be picked
let width = 0; // columns of the table
let cursor = [0, 0]; // place, column
let anchor = null; // the row and column that a range begins at
let hidden = new Set(); // rows with picked cells that the search hides
let onChange = null;
let onDone = null;

// Let cells be picked, none at first; the `old` ones are hinted at. `changed` gets how many are picked and how many of those are
// hidden; Enter calls `done`.
export async function startPicking(columns, old, { changed, done }) {
  cells = new Map();
  anchor = null;
  [width, onChange, onDone] = [columns, changed, done];
  pick({ cells, ghosts: new Set(old.map(String)), column: toggleColumn, drawn: hold, ordered: onOrder });
  const mine = cells;
  const places = (await placesOf(new Set(old.map(([row]) => row)))) ?? [];
  if (mine !== cells) return;
  const [top, many] = seenPlaces();
  const [place, row] = places.find(([one]) => one >= top && one < top + many) ?? places[0] ?? [top];
  moveTo(place, old.find((cell) => cell[0] === row)?.[1] ?? 0);
}

export function stopPicking() {
  cells = null;
  drag = null;
  hidden = new Set();
  pick();
}

// The picked cells, in the order of the table.
export function pickedCells() {
  return [...cells.values()].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
}

// Pick cells besides those that are; false if they are too many.
export function pickMore(wanted, what = "") {
  return pickAll(wanted.filter((cell) => !cells.has(String(cell))), what && `${what}, `);
}

export function clearPicked() {
  cells.clear();
  hidden.clear();
  tell();
}

function tell(said = "") {
  repaint();
  const isHidden = hidden.size ? ([row]) => hidden.has(row) : () => false;
  onChange(cells.size, [...cells.values()].filter(isHidden).length);
  announce(`${said}${counted(cells.size, "cell")} selected`);
}

// Pick cells, or, where all of them are picked, leave them out.
function toggle(wanted, what = "") {
  const added = wanted.filter((cell) => !cells.has(String(cell)));
  if (!added.length) for (const cell of wanted) cells.delete(String(cell));
  pickAll(added, what && `${what} ${added.length ? "selected" : "left out"}, `);
}

function pickAll(added, said) {
  if (cells.size + added.length > MOST) {
    fail(new Error(`at most ${MOST.toLocaleString("en")} cells can be selected`));
    return false;
  }
  for (const cell of added) cells.set(String(cell), cell);
  tell(said);
  return true;
}

// Pick all between where a range began and a place.
const pickRange = attempt(async (place, column) => {
  const mine = cells;
  const [[from] = [place]] = (await placesOf(new Set([anchor[0]]))) ?? [];
  const [top, bottom] = [Math.min(from, place), Math.max(from, place)];
  const seen = await seenRows();
  if (!seen || !mine || mine !== cells) return;
  const rows = order.sort === null || order.only ? seen.slice(top, bottom + 1) : between(top, bottom).map((one) => rowAt(one)?.row);
  if (rows.includes(undefined)) throw new Error("this range is too long to select in a sorted table; search for fewer rows first");
  pickMore(rows.flatMap((row) => between(anchor[1], column).map((one) => [row, one])), "Range selected");
});

function between(one, other) {
  return Array.from({ length: Math.abs(one - other) + 1 }, (_, n) => Math.min(one, other) + n);
}

function toggleRow(place) {
  const row = rowAt(place)?.row;
  if (row !== undefined) toggle(Array.from({ length: width }, (_, column) => [row, column]), `Row ${row + 1}`);
}

const toggleColumn = attempt(async (column) => {
  if (total > MOST) throw new Error(`this column has ${counted(total, "cell")}, and at most ${MOST.toLocaleString("en")} can be selected; search for fewer rows first`);
  const mine = cells;
  const rows = await seenRows();
  if (rows && mine && mine === cells) toggle(rows.map((row) => [row, column]), "Column");
});

function toggleCell(place, column) {
  const row = rowAt(place)?.row;
  if (row === undefined) return;
  anchor = [row, column];
  toggle([[row, column]]);
}

// After a search: what is picked stays picked, also where it is no longer seen.
async function onOrder() {
  cursor = [0, cursor[1]];
  hold(false);
  try {
    if (await findHidden()) tell();
  } catch (error) {
    fail(error);
  }
}

async function findHidden() {
  const mine = cells;
  const rows = new Set([...cells.values()].map(([row]) => row));
  const places = await placesOf(rows);
  if (!places || mine !== cells) return undefined;
  const found = new Set(places.map(([, row]) => row));
  hidden = new Set([...rows].filter((row) => order.search && !found.has(row)));
  return places;
}

// Cursor

function moveTo(place, column) {
  cursor = [Math.max(0, Math.min(total - 1, place)), Math.max(0, Math.min(width - 1, column))];
  scrollTo(...cursor);
  hold(true);
}

// The cursor's cell is the one that Tab reaches. Where it is not drawn, its table stands for it until it is.
function hold(isFocused) {
  const box = $("scroll");
  const cell = cellAt(...cursor);
  for (const other of $("body").querySelectorAll("td[tabindex='0']")) if (other !== cell) other.tabIndex = -1;
  if (cell) cell.tabIndex = 0;
  box.tabIndex = cell ? -1 : 0;
  if (isFocused || document.activeElement === box) (cell ?? box).focus({ preventScroll: true });
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// Move the cursor, and pick what it passes over from where the range began.
function extend([down, right]) {
  anchor ??= [rowAt(cursor[0])?.row, cursor[1]];
  if (anchor[0] === undefined) anchor = null;
  moveTo(cursor[0] + down, cursor[1] + right);
  if (anchor) pickRange(...cursor);
}

function actionOf({ key, ctrlKey, shiftKey }) {
  const [place, column] = cursor;
  if (shiftKey && ARROWS[key]) return () => extend(ARROWS[key]);
  const page = seenPlaces()[1] - 1;
  switch (key) {
    case "ArrowUp": return () => moveTo(place - 1, column);
    case "ArrowDown": return () => moveTo(place + 1, column);
    case "ArrowLeft": return () => moveTo(place, column - 1);
    case "ArrowRight": return () => moveTo(place, column + 1);
    case "PageUp": return () => moveTo(place - page, column);
    case "PageDown": return () => moveTo(place + page, column);
    case "Home": return () => moveTo(ctrlKey ? 0 : place, 0);
    case "End": return () => moveTo(ctrlKey ? total - 1 : place, width - 1);
    case "Enter": return onDone;
    case " ":
      if (ctrlKey) return () => toggleColumn(column);
      return () => (shiftKey ? toggleRow(place) : toggleCell(place, column));
    default: return undefined;
  }
}

$("scroll").addEventListener("keydown", (event) => {
  if (!cells || event.altKey || event.metaKey || event.target.closest("#head")) return;
  const action = actionOf(event);
  if (!action) return;
  event.preventDefault();
  if (event.key === " ") scrollTo(...cursor); // nothing is picked unseen
  action();
});

// Mouse and finger

let drag = null; // from a cell, mouse down: { place, column, isAdded, before, isMoved }

function cellOf(target) {
  return target.closest?.("td[data-cell]");
}

function columnOf(cell) {
  return Number(cell.getAttribute("aria-colindex")) - 2;
}

$("body").addEventListener("click", ({ target, shiftKey }) => {
  if (!cells || drag?.isMoved) return;
  const cell = cellOf(target);
  if (cell) {
    cursor = [placeOf(cell), columnOf(cell)];
    hold(true);
    if (shiftKey && anchor) pickRange(...cursor);
    else toggleCell(...cursor);
  } else if (target.closest("th.number")) {
    cursor = [placeOf(target), cursor[1]];
    hold(true);
    toggleRow(cursor[0]);
  }
});
$("body").addEventListener("pointerdown", ({ target, pointerType, button, shiftKey }) => {
  const cell = cells && pointerType === "mouse" && button === 0 && !shiftKey && cellOf(target);
  drag = cell ? { place: placeOf(cell), column: columnOf(cell), isAdded: !cells.has(cell.dataset.cell), before: new Map(cells), isMoved: false } : null;
});
$("body").addEventListener("pointerover", ({ target, buttons }) => {
  const cell = cells && drag && buttons === 1 && cellOf(target);
  if (!cell || (!drag.isMoved && placeOf(cell) === drag.place && columnOf(cell) === drag.column)) return;
  drag.isMoved = true;
  dragTo(placeOf(cell), columnOf(cell));
});
addEventListener("pointerup", () => setTimeout(() => { drag = null; })); // after the click that it may be

// Pick, or leave out, all between where the mouse went down and where it is.
function dragTo(place, column) {
  const rows = between(drag.place, place).map((one) => rowAt(one)?.row).filter((row) => row !== undefined);
  const over = rows.flatMap((row) => between(drag.column, column).map((one) => [row, one]));
  if (drag.isAdded && drag.before.size + over.length > MOST) return;
  cells.clear();
  for (const [key, cell] of drag.before) cells.set(key, cell);
  for (const cell of over) {
    if (drag.isAdded) cells.set(String(cell), cell);
    else cells.delete(String(cell));
  }
  tell();
}
