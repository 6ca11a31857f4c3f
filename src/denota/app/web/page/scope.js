// What a question is about: the whole table, or the rows of the answer above. It is said beside an answer that was narrowed and
// beside the question box, and can be taken away at both.

import { $, make } from "./dom.js";

const GONE = ["Delete", "Backspace"];

let answered = null; // the turn that the next question may be about
let isAfresh = false; // the next question is about the whole table

// What says that an answer was narrowed, nothing where it is about the whole table; `onWiden` asks the whole table instead.
export function scopeOf(turn, onWiden = null) {
  if (turn.scope !== "previous") return [];
  const said = turn.among === 1 ? "about the one above" : `among the ${turn.among.toLocaleString("en")} above`;
  const chip = make("span", { className: "scope", text: turn.among ? said : "about the answer above" });
  if (onWiden) chip.append(dropButton(onWiden));
  return [make("p", { className: "scoped" }, chip)];
}

function dropButton(onDrop) {
  const label = "Ask the whole table instead";
  const button = make("button", { type: "button", className: "drop", text: "×", title: label, "aria-label": label, on: { click: onDrop } });
  button.addEventListener("keydown", (event) => {
    if (!GONE.includes(event.key)) return;
    event.preventDefault();
    onDrop();
  });
  return button;
}

// Say what the next question may be about.
export function drawScope(turns) {
  answered = turns.findLast((turn) => turn.kind !== "declined") ?? null;
  isAfresh = false;
  draw();
}

export function nextScope() {
  return isAfresh ? "table" : "auto";
}

// Have the next question be about the whole table; false if it is already.
export function startAfresh() {
  if (!answered || isAfresh) return false;
  isAfresh = true;
  draw();
  return true;
}

function draw() {
  $("about-next").hidden = !answered;
  $("next").hidden = isAfresh;
  $("whole-table").hidden = !isAfresh;
  $("afresh").setAttribute("aria-pressed", String(isAfresh));
  if (answered) $("next-rows").textContent = nameOf(answered);
}

function nameOf(turn) {
  const rows = new Set(turn.cells.map(([row]) => row)).size;
  if (turn.kind !== "cells" || !rows) return "the answer above";
  return rows === 1 ? "the one above" : `the ${rows.toLocaleString("en")} above`;
}

function dropNext() {
  startAfresh();
  $("question").focus();
}

$("next").append(dropButton(dropNext));
$("afresh").addEventListener("click", () => {
  if (!startAfresh()) {
    isAfresh = false;
    draw();
  }
  $("question").focus();
});
$("question").addEventListener("keydown", (event) => {
  if (event.key === "Backspace" && !event.target.value && !event.repeat && startAfresh()) event.preventDefault();
});
addEventListener("keydown", (event) => {
  const isShortcut = event.altKey && !event.ctrlKey && !event.metaKey && event.code === "KeyN"; // Option N writes ˜ on a Mac
  if (!isShortcut || $("work").hidden || $("chat").inert) return;
  event.preventDefault();
  dropNext();
});
