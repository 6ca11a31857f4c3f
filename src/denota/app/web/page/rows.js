// The rows of a table as they are sorted, searched and filtered now: fetched by windows when they are wanted. A row's place is
// where it is seen; its number in the table, which answers go by, comes with it.

import { call, of } from "./api.js";
import { fail } from "./notices.js";

const WINDOW = 100; // rows fetched at a time
const SETTLED = 60; // milliseconds after which rows that are still wanted are asked for; what was asked for is let come
const KEPT = 80; // windows kept
const LARGEST = 500; // rows that the server gives at a time

let session = null;
let taken = 0; // how many orders were asked for: only the last counts
let version = 0; // of the order: rows that were asked for in an earlier one are thrown away
let sequence = null; // the rows that are seen, in their order, where only some are
let windows = new Map(); // start -> rows, or the controller of a request for them

export const AS_IT_IS = { sort: null, down: false, search: "", only: null };
export let order = AS_IT_IS;
export let total = 0;

// Take another order, of another table perhaps; resolves to its first rows, or to nothing if yet another was asked for meanwhile.
export async function takeOrder(one, wanted) {
  taken += 1;
  const mine = taken;
  const own = wanted.only && await sequenceOf(one, wanted);
  const found = await fetchRows(one, wanted, own, 0, WINDOW);
  if (mine !== taken) return undefined;
  sequence = own;
  for (const window of windows.values()) window.abort?.();
  windows = new Map([[0, found.rows]]);
  [session, order, total] = [one, wanted, own?.length ?? found.total];
  version += 1;
  return found.rows;
}

// The last rows of a table as it is, beyond the first window.
export async function lastRows(one) {
  if (one.rows <= WINDOW) return [];
  return (await fetchRows(one, AS_IT_IS, null, Math.max(WINDOW, one.rows - WINDOW), WINDOW)).rows;
}

export function rowAt(place) {
  const found = windows.get(place - (place % WINDOW));
  return Array.isArray(found) ? found[place % WINDOW] : undefined;
}

// Have the rows of some places fetched, and forget requests for others: they were scrolled past.
export function want(first, end, onArrived) {
  const from = first - (first % WINDOW);
  const isFar = (start) => start < from || start >= end;
  for (const [start, one] of windows) {
    if (one.abort && isFar(start)) {
      one.abort();
      windows.delete(start);
    }
  }
  for (let start = from; start < end; start += WINDOW) if (!windows.has(start)) fetchWindow(start, onArrived);
  for (const start of windows.keys()) {
    if (windows.size <= KEPT) break;
    if (isFar(start)) windows.delete(start);
  }
}

// The places of rows, as [place, row] in the order seen: those that are not hidden by the search.
export async function placesOf(wanted) {
  if (sequence) return [...sequence.entries()].filter(([, row]) => wanted.has(row));
  if (order.sort === null && !order.search) return [...wanted].sort((one, other) => one - other).map((row) => [row, row]);
  const mine = version;
  const found = await call(of(session, "/places"), { ...asSeen(order), rows: [...wanted] });
  return mine === version ? found : undefined;
}

// The numbers in the table of all rows that are seen, or nothing if others are seen by then.
export async function seenRows() {
  if (sequence) return sequence;
  if (!order.search) return Array.from({ length: total }, (_, row) => row);
  const mine = version;
  const found = [];
  while (found.length < total) {
    const { rows } = await fetchRows(session, order, null, found.length, LARGEST);
    if (mine !== version || !rows.length) return undefined;
    found.push(...rows.map(({ row }) => row));
  }
  return found;
}

// The rows that are seen now, as CSV with all columns: where to find it, or what to ask for it with.
export function asFile() {
  return { path: of(session, "/rows.csv"), body: { ...asSeen(order), rows: sequence ?? [] } };
}

function asSeen({ sort, down, search }) {
  return { sort, down, search };
}

// The rows of a filter, in the order seen.
async function sequenceOf(one, { only, ...rest }) {
  if (rest.sort === null && !rest.search) return [...only].sort((a, b) => a - b);
  return (await call(of(one, "/places"), { ...asSeen(rest), rows: [...only] })).map(([, row]) => row);
}

function fetchRows(one, { sort, down, search }, own, start, count, signal) {
  if (own) return call(of(one, "/rows"), { sort, down, search, rows: own.slice(start, start + count), count }, signal);
  const wanted = new URLSearchParams({ start, count, search, down });
  if (sort !== null) wanted.set("sort", sort);
  return call(of(one, `/rows?${wanted}`), undefined, signal);
}

async function fetchWindow(start, onArrived) {
  const mine = version;
  const controller = new AbortController();
  windows.set(start, controller);
  try {
    await new Promise((done) => setTimeout(done, SETTLED));
    if (controller.signal.aborted) return;
    const found = await fetchRows(session, order, sequence, start, WINDOW);
    if (mine !== version) return;
    windows.delete(start); // to the end: the map is in order of use
    windows.set(start, found.rows);
    onArrived();
  } catch (error) {
    if (windows.get(start) === controller) windows.delete(start);
    fail(error);
  }
}
