// Teaching: a person selects the cells that a question should have been answered with, says what becomes of them, or types the
// answer; how the question would then be read is shown before it is learnt.

import { call, change, of } from "./api.js";
import { $, counted, make, visible } from "./dom.js";
import { announce, attempt, fail } from "./notices.js";
import { clearPicked, MOST, pickedCells, pickMore, startPicking, stopPicking } from "./picking.js";
import { shownValue, typedValues } from "./values.js";

const PAUSE = 350; // milliseconds without a change before the reading is looked for
const LONG = 3000; // cells from which on that is not done: it would take as long as learning

let teaching = null; // { session, number, note, count, hidden, old, onTaught, onCancelled }
let ahead = null; // how it would be read: { key, lesson, program }, or { key, failed }
let looking = null; // the request for that
let isSending = false;

export function isTeaching() {
  return teaching !== null;
}

// Have the cells of a turn put right; `onTaught` gets what the server made of it.
export async function startTeaching(session, number, { onTaught, onCancelled }) {
  leaveTeaching();
  const { question, cells } = session.turns[number];
  const later = session.turns.length - 1 - number;
  const note = later ? `The ${later === 1 ? "question" : `${later} questions`} after it will be taken back.` : "";
  const old = cells.length > MOST ? [] : cells;
  teaching = { session, number, note, count: 0, hidden: 0, old, onTaught, onCancelled };
  ahead = null;
  document.body.classList.add("teaching");
  $("chat").inert = true;
  $("teaching").hidden = false;
  $("ways").open = false;
  $("old").hidden = !old.length;
  $("old").textContent = `Take the ${counted(old.length, "cell")} it answered with`;
  for (const id of ["typed", "teaching-as", "where-value"]) $(id).value = "";
  $("typed").rows = 1;
  fillWhere(session, cells);
  $("teaching-question").textContent = `“${visible(question)}”`;
  show(0);
  announce(`Select the right cells for ${visible(question)}. Arrow keys move, Space selects, Shift with arrows selects a range, Enter teaches, Escape cancels.`);
  await startPicking(session.columns.length, old, { changed, done: teach });
}

export function leaveTeaching() {
  if (!teaching) return;
  teaching = null;
  stopLooking();
  stopPicking();
  document.body.classList.remove("teaching");
  $("chat").inert = false;
  $("teaching").hidden = true;
  $("reading-ahead").replaceChildren();
}

export function cancelTeaching() {
  if (!teaching) return false;
  const { onCancelled } = teaching;
  leaveTeaching();
  announce("Cancelled");
  onCancelled();
  return true;
}

// Teach what is right of a turn, { cells } or { values }, or take another reading of it: "" is none of those there are.
export async function sendLesson(session, number, right, program = null) {
  const lesson = await change(session, "/teach", { turn: number, ...right, program });
  return { ...lesson, right, isNone: program === "" };
}

// What a person says is right: what they typed, or else the cells they clicked, or what those come to.
function given() {
  const values = typedValues($("typed").value);
  if (values.length) return { values };
  const cells = pickedCells();
  if (!cells.length) return null;
  return $("teaching-as").value ? { cells, of: $("teaching-as").value } : { cells };
}

async function rightOf(said, signal) {
  if (!said.of) return said;
  const { value, left_out: leftOut } = await call(of(teaching.session, "/total"), said, signal);
  $("teaching-total").textContent = `= ${shownValue(value)}${leftOut ? `, without ${counted(leftOut, "cell")} that state no number` : ""}`;
  return { values: [value] };
}

// How it would be read

function changed(count, hidden) {
  show(count, hidden);
  look();
}

function stopLooking() {
  clearTimeout(looking?.timer);
  looking?.controller.abort();
  looking = null;
}

function look() {
  stopLooking();
  const said = given();
  const key = JSON.stringify(said);
  if (ahead?.key === key) return show();
  ahead = null;
  if (!said || !$("teaching-as").value) $("teaching-total").textContent = "";
  if (said && !said.of && (said.cells ?? said.values).length > LONG) ahead = { key, failed: true };
  else if (said) looking = { controller: new AbortController(), timer: setTimeout(() => lookNow(said, key), PAUSE) };
  return show();
}

async function lookNow(said, key) {
  const mine = looking;
  const { session, number } = teaching;
  try {
    const right = await rightOf(said, mine.controller.signal);
    const lesson = await call(of(session, "/teach?limit=100"), { turn: number, ...right, program: null, preview: true }, mine.controller.signal);
    if (mine !== looking) return;
    ahead = { key, right, lesson, program: null };
    announce(`It would be read so: ${visible(readAs(lesson))}`);
  } catch (error) {
    if (mine !== looking || error.name === "AbortError") return;
    ahead = { key, failed: true };
    if (said.of) fail(error);
  }
  looking = null;
  show();
}

function readAs({ learnt, said, turn }) {
  return learnt ? turn.explanation : said;
}

function drawAhead() {
  const box = $("reading-ahead");
  const isWanted = Boolean(looking || ahead?.lesson);
  box.hidden = !isWanted;
  if (!isWanted) return box.replaceChildren();
  if (looking) return box.replaceChildren(make("p", { className: "fine", text: "Finding how it would be read …" }));
  const { lesson, program } = ahead;
  const taken = program ?? (lesson.learnt ? lesson.turn.program : "");
  const choices = lesson.readings.map((one) => choice(visible(one.explanation), one.program, taken));
  const parts = [make("p", { text: lesson.readings.length > 1 ? "It would be read as one of these:" : visible(lesson.readings.length ? "It would be read so:" : lesson.said) }), ...choices];
  if (choices.length) parts.push(choice("None of these: keep it without learning", "", taken));
  if (lesson.contradicts) parts.push(make("p", { className: "contradicts", text: visible(lesson.contradicts) }));
  const changes = lesson.changes ?? [];
  if (lesson.learnt && changes.length) {
    const one = ({ question, answer }) => make("li", { text: `“${visible(question)}” would be answered ${answer.map(visible).join(", ") || "with nothing"}` });
    parts.push(make("p", { className: "contradicts", text: "Earlier answers would change:" }), make("ul", { className: "changes" }, ...changes.map(one)));
  }
  return box.replaceChildren(...parts);
}

function choice(text, program, taken) {
  const isTaken = program === taken;
  return make("button", {
    type: "button", className: "reading", text, "aria-pressed": String(isTaken),
    on: { click: () => { ahead = { ...ahead, program }; show(); $("reading-ahead").querySelector("[aria-pressed=true]")?.focus(); } },
  });
}

const teach = attempt(async () => {
  const said = teaching && given();
  if (!said || isSending) return;
  if (ahead?.key !== JSON.stringify(said)) return; // how it would be read is not known yet
  const mine = teaching;
  const { program = null } = ahead;
  isSending = true;
  show();
  try {
    const lesson = await sendLesson(mine.session, mine.number, ahead.right ?? await rightOf(said), program);
    if (mine !== teaching) return;
    isSending = false;
    leaveTeaching();
    mine.onTaught(lesson);
  } finally {
    isSending = false;
    if (teaching) show();
  }
});

// How many cells are selected, and how many of them the search hides.
function show(count = teaching.count, hidden = teaching.hidden) {
  Object.assign(teaching, { count, hidden });
  $("picked").textContent = counted(count, "cell");
  $("teach").textContent = isSending ? "Teaching…" : "Teach";
  const isTyped = typedValues($("typed").value).length > 0;
  $("teach").disabled = !ahead || isSending;
  $("clear").disabled = !count || isSending;
  const note = [isTyped ? "The typed answer counts, not the cells." : "", hidden ? `${hidden.toLocaleString("en")} of them hidden by the search.` : "", teaching.note].filter(Boolean).join(" ");
  $("teaching-note").textContent = note;
  $("teaching-note").hidden = !note;
  drawAhead();
}

// Select by value

function fillWhere({ columns }, cells) {
  const options = () => columns.map(({ name }, number) => make("option", { value: number, text: visible(name) }));
  $("where-take").replaceChildren(...options());
  $("where-column").replaceChildren(...options());
  const answered = cells[0]?.[1] ?? Math.max(0, columns.findIndex(({ kind }) => kind === "text"));
  $("where-take").value = answered;
  $("where-column").value = Math.max(0, columns.findIndex(({ kind }, number) => kind === "text" && number !== answered));
  fillValues();
}

async function fillValues() {
  $("where-values").replaceChildren();
  if (!teaching || !$("ways").open) return;
  teaching.columns ??= call(of(teaching.session, "/columns"));
  const found = (await teaching.columns)[Number($("where-column").value)];
  $("where-values").replaceChildren(...found.common.map(([value]) => make("option", { value })));
}

$("where").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const mine = teaching;
    const [take, column, value] = [Number($("where-take").value), $("where-column").value, $("where-value").value];
    if (!value.trim()) throw new Error("say which value the rows should have");
    const rows = await call(of(mine.session, `/rows/with?${new URLSearchParams({ column, value })}`));
    if (mine !== teaching) return;
    if (!rows.length) throw new Error(`no row has the ${visible(mine.session.columns[column].name)} ${visible(value)}`);
    pickMore(rows.map((row) => [row, take]), `${counted(rows.length, "row")} found`);
  })();
});
$("where-column").addEventListener("change", () => fillValues().catch(fail));
$("ways").addEventListener("toggle", () => fillValues().catch(fail));
$("old").addEventListener("click", () => pickMore(teaching.old, "The old cells are selected"));
$("teaching-as").addEventListener("change", () => { if (teaching) look(); });

$("teach").addEventListener("click", () => teach());
$("typed").addEventListener("input", () => {
  $("typed").rows = Math.min(4, $("typed").value.split("\n").length);
  if (teaching) look();
});
$("typed").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
  event.preventDefault();
  teach();
});
$("cancel").addEventListener("click", cancelTeaching);
$("clear").addEventListener("click", () => {
  clearPicked();
  $("cancel").focus(); // what was clicked is disabled now
});
