// Teaching: a person clicks the cells that a question should have been answered with, or types the answer.

import { change } from "./api.js";
import { $, counted, visible } from "./dom.js";
import { announce, attempt } from "./notices.js";
import { clearPicked, MOST, pickedCells, startPicking, stopPicking } from "./picking.js";
import { typedValues } from "./values.js";

let teaching = null; // { session, number, note, count, hidden, onTaught, onCancelled }
let isSending = false;

export function isTeaching() {
  return teaching !== null;
}

// Have the cells of a turn put right; `onTaught` gets what the server made of it.
export async function startTeaching(session, number, { onTaught, onCancelled }) {
  leaveTeaching();
  const { question, cells } = session.turns[number];
  const notes = [];
  const later = session.turns.length - 1 - number;
  if (later) notes.push(`The ${later === 1 ? "question" : `${later} questions`} after it will be taken back.`);
  if (cells.length > MOST) notes.push(`Its ${counted(cells.length, "cell")} are more than the ${MOST.toLocaleString("en")} that can be taught.`);
  const first = cells.length > MOST ? [] : cells;
  teaching = { session, number, note: notes.join(" "), count: 0, hidden: 0, onTaught, onCancelled };
  document.body.classList.add("teaching");
  $("chat").inert = true;
  $("teaching").hidden = false;
  $("typed").value = "";
  $("teaching-question").textContent = `“${visible(question)}”`;
  show(first.length);
  announce(`Select the right cells for ${visible(question)}. Arrow keys move, Space selects, Enter teaches, Escape cancels. ${counted(first.length, "cell")} selected`);
  await startPicking(session.columns.length, first, { changed: show, done: teach });
}

export function leaveTeaching() {
  if (!teaching) return;
  teaching = null;
  stopPicking();
  document.body.classList.remove("teaching");
  $("chat").inert = false;
  $("teaching").hidden = true;
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

// What a person says is right: what they typed, or else the cells they clicked.
function rightAnswer() {
  const values = typedValues($("typed").value);
  return values.length ? { values } : { cells: pickedCells() };
}

const teach = attempt(async () => {
  if (!teaching || isSending) return;
  const right = rightAnswer();
  if (right.cells && !right.cells.length) return;
  const mine = teaching;
  isSending = true;
  show();
  try {
    const lesson = await sendLesson(mine.session, mine.number, right);
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
  $("teach").disabled = (!count && !isTyped) || isSending;
  $("clear").disabled = !count || isSending;
  const note = [isTyped ? "The typed answer counts, not the cells." : "", hidden ? `${hidden.toLocaleString("en")} of them hidden by the search.` : "", teaching.note].filter(Boolean).join(" ");
  $("teaching-note").textContent = note;
  $("teaching-note").hidden = !note;
}

$("teach").addEventListener("click", () => teach());
$("typed").addEventListener("input", () => { if (teaching) show(); });
$("typed").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  teach();
});
$("cancel").addEventListener("click", cancelTeaching);
$("clear").addEventListener("click", () => {
  clearPicked();
  $("cancel").focus(); // what was clicked is disabled now
});
