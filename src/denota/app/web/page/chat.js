// The conversation: questions and answers, each answer with its reason, and the other ways to read the last question.

import { answerOf, howOf, reasonOf } from "./answer.js";
import { askBackOf, buildsOn } from "./ask_back.js";
import { afterLeaving, call, change, conversation, of, whenGoneOn } from "./api.js";
import { $, make, visible } from "./dom.js";
import { choicesOf, drawLessons, inOrderOf } from "./lessons.js";
import { announce, attempt, fail } from "./notices.js";
import { readingsOf } from "./readings.js";
import { remember } from "./recent.js";
import { drawScope, nextScope, scopeOf, startAfresh } from "./scope.js";
import { shareOf } from "./share.js";
import { firstQuestions, isComputed, nextQuestions } from "./suggestions.js";
import * as table from "./table.js";
import { leaveTeaching, sendLesson, startTeaching } from "./teach.js";
import { shownAnswer, shownValue } from "./values.js";
import { wait } from "./waiting.js";

const ALL = 500; // rows of an answer that are listed

let session = null;
let rows = []; // the table's first, for suggestions
let shown = -1; // the turn whose cells are marked
let recalled = 0; // how many questions back the question box is
let isAsking = false;
let taught = null; // the last lesson, which can be taken back
let only = -1; // the turn whose rows alone are seen in the table
let afterwards = null; // what to ask again when an earlier answer is corrected
let canAccept = true; // until the server says that it does not know how

export function showChat(one, first) {
  session = one;
  rows = first;
  recalled = 0;
  taught = null;
  only = -1;
  afterwards = null;
  $("question").value = "";
  $("lessons").hidden = true;
  drawTurns();
  settle();
  drawLessons(session).catch(fail);
}

whenGoneOn(async (one) => {
  if (one !== session) return;
  leaveTeaching();
  Object.assign(session, await conversation(session.id));
  showChat(session, rows);
});

function drawTurns() {
  $("turns").replaceChildren(...session.turns.map(turnItem));
}

export async function reset() {
  leaveTeaching();
  Object.assign(session, await change(session, "/reset"));
  showChat(session, rows);
  toQuestion();
}

// On a phone its keyboard would cover what is to be read.
export function toQuestion() {
  if (matchMedia("(pointer: coarse)").matches) $("question").blur();
  else $("question").focus({ preventScroll: true });
}

export function closeReadings() {
  const open = $("turns").querySelector(".others[aria-expanded=true]");
  if (!open) return false;
  const had = open.closest(".turn").contains(document.activeElement);
  open.click();
  if (had) open.focus();
  return true;
}

// After the turns have changed: the last is shown, and what could be asked next.
function settle() {
  remember(session);
  $("empty").hidden = session.turns.length > 0;
  const questions = session.turns.length ? nextQuestions(session, rows) : firstQuestions(session, rows);
  $("suggestions").replaceChildren(...questions.map((text) => make("button", { className: "chip", text: visible(text), on: { click: () => ask(text) } })));
  drawScope(session.turns);
  if (only >= 0) showOnly(-1).catch(fail);
  show(session.turns.length - 1);
  reveal();
}

// Scroll to the end, but no further than the last question.
function reveal() {
  const talk = $("talk");
  talk.scrollTop = talk.scrollHeight;
  const above = talk.getBoundingClientRect().top + 12 - ($("turns").lastElementChild?.getBoundingClientRect().top ?? Infinity);
  if (above > 0) talk.scrollTop -= above;
}

function show(number) {
  shown = number;
  [...$("turns").children].forEach((item, n) => {
    item.classList.toggle("shown", n === number);
    item.querySelector(".asked button")?.setAttribute("aria-pressed", String(n === number));
  });
  const turn = session.turns[number];
  if (only >= 0 && only !== number) showOnly(-1).catch(fail);
  return table.mark(turn?.cells ?? [], Boolean(turn) && isComputed(turn), turn?.view?.evidence ?? []).catch(fail);
}

// See the rows of a turn alone, or, without one, all rows.
async function showOnly(number) {
  only = number;
  [...$("turns").children].forEach((item, n) => item.querySelector(".only")?.setAttribute("aria-pressed", String(n === number)));
  await table.showOnly?.(number < 0 ? null : rowsOf(session.turns[number]));
}

table.whenAllShown(() => showOnly(-1).catch(fail));

function rowsOf(turn) {
  return [...new Set(turn.cells.map(([row]) => row))];
}

const ask = attempt(async (question, scope = nextScope()) => {
  if (isAsking) return;
  const asked = session;
  const controller = new AbortController();
  const pending = make("li", { className: "turn pending", "aria-busy": "true" },
    make("h3", { className: "asked", text: visible(question) }), make("p", { className: "dots", "aria-label": "Working on it", role: "img" }, make("i"), make("i"), make("i")));
  beBusy(true);
  recalled = 0;
  if ($("question").value.trim() === question) $("question").value = "";
  $("empty").hidden = true;
  $("suggestions").replaceChildren();
  remark();
  retire($("turns").lastElementChild);
  $("turns").append(pending);
  pending.scrollIntoView({ block: "nearest" });
  const waiting = wait("Working on it", () => controller.abort(), pending);
  try {
    const turn = await change(session, "/ask", { question, scope }, controller.signal);
    if (asked !== session) return;
    session.turns.push(turn);
    pending.replaceWith(turnItem(turn, session.turns.length - 1));
    tell(turn);
  } catch (error) {
    if (asked !== session) return;
    pending.remove();
    redrawLast();
    if (!$("question").value) $("question").value = question;
    if (error.name === "AbortError") await takeBackUnseen();
    throw error;
  } finally {
    waiting.end();
    beBusy(false);
    if (asked === session) {
      settle();
      if (scope === "table" && $("question").value === question) startAfresh();
      toQuestion();
    }
  }
});

function beBusy(isBusy) {
  isAsking = isBusy;
  $("ask").disabled = isBusy;
}

// A question that was cancelled, if it was answered all the same.
async function takeBackUnseen() {
  announce("Cancelled");
  const { turns, version } = await afterLeaving(session.id);
  if (turns.length <= session.turns.length) return;
  session.version = version;
  session.turns = (await change(session, "/undo")).turns;
}

const choose = attempt(async (program) => {
  const turn = await change(session, "/choose", { program });
  session.turns[session.turns.length - 1] = { ...turn, isChosen: true };
  redrawLast();
  tell(turn);
  settle();
  toQuestion();
  const again = afterwards;
  afterwards = null;
  if (again) await ask(again);
});

// Go back to the answer that the last one builds on; when a reading of it is chosen, the question is asked again.
async function correctFirst() {
  const { question, builds_on: place } = session.turns.at(-1);
  await alone(async () => {
    while (session.turns.length > place + 1) await takeBack();
  })();
  afterwards = question;
  settle();
  $("turns").lastElementChild?.querySelector(".reading, .others")?.focus();
}

const undo = alone(async () => {
  const { question } = session.turns.at(-1);
  await takeBack();
  if (!$("question").value) $("question").value = question;
  settle();
  toQuestion();
});

async function takeBack() {
  session.turns = (await change(session, "/undo")).turns;
  $("turns").lastElementChild.remove();
  redrawLast();
}

// Ask the last question again, of the whole table.
async function widen() {
  const { question } = session.turns.at(-1);
  const asked = session;
  await alone(takeBack)();
  if (asked === session && session.turns.at(-1)?.question !== question) await ask(question, "table");
}

// Say that an answer is right.
const accept = alone(async (number, button) => {
  try {
    await change(session, "/accept", { turn: number });
  } catch (error) {
    if (error.status !== 404 && error.status !== 405) throw error;
    canAccept = false;
    for (const other of $("turns").querySelectorAll(".right-answer")) other.remove();
    return;
  }
  session.turns[number].accepted = true;
  acknowledge(button);
  announce("The answer is kept as right.");
  toQuestion();
});

function acknowledge(button) {
  button.textContent = "Right ✓";
  button.disabled = true;
}

// Teaching

const correct = attempt(async (number) => {
  if (isAsking) return;
  await show(number);
  const onCancelled = () => $("turns").children[number]?.querySelector(".wrong")?.focus();
  await startTeaching(session, number, { onTaught: (lesson) => learn(number, lesson), onCancelled });
});

function learn(number, lesson) {
  taught = lesson;
  session.turns = [...session.turns.slice(0, number), { ...lesson.turn, lesson }];
  remark();
  drawTurns();
  settle();
  announce([lesson.said, lesson.contradicts ?? ""].map(visible).join(" "));
  toQuestion();
  drawLessons(session).catch(fail);
}

// One at a time, and none while a question is asked.
function alone(action) {
  return attempt(async (...given) => {
    if (isAsking) return;
    beBusy(true);
    try {
      await action(...given);
    } finally {
      beBusy(false);
    }
  });
}

const relearn = alone(async (number, before, program) => {
  const asked = session;
  const lesson = await sendLesson(session, number, before.right, program);
  if (asked === session) learn(number, inOrderOf(before, lesson));
});

const unteach = alone(async () => {
  const asked = session;
  const { said, turns } = await change(session, "/unteach");
  if (asked !== session) return;
  session.turns = turns;
  taught = null;
  drawTurns();
  remark(said);
  settle();
  announce(visible(said));
  toQuestion();
  drawLessons(session).catch(fail);
});

// Something said about the conversation, until it goes on.
function remark(text = "") {
  $("remark").textContent = visible(text);
  $("remark").hidden = !text;
}

function redrawLast() {
  $("turns").lastElementChild?.replaceWith(turnItem(session.turns.at(-1), session.turns.length - 1));
}

// A turn that is no longer the last can neither be read otherwise nor taken back.
function retire(item) {
  for (const part of item?.querySelectorAll(".others, .undo, .unteach, .readings, .drop, .ask-back, .builds-on") ?? []) part.remove();
}

function tell(turn) {
  if (turn.kind === "ask_back") {
    announce(visible(turn.explanation));
    return;
  }
  const doubt = turn.sure || !turn.program ? "" : " I am not sure.";
  const texts = turn.view?.total > 1 ? [turn.view.headline, ...shownAnswer(turn).slice(0, 5)] : shownAnswer(turn).slice(0, 5);
  const answer = turn.program ? `Answer: ${texts.map(visible).join(", ") || "nothing"}. ` : "";
  const among = turn.scope === "previous" ? " It is about the answer before." : "";
  announce(`${answer}${visible(turn.explanation)}${among}${doubt}`);
}

// A turn

function turnItem(turn, number) {
  const isLast = number === session.turns.length - 1;
  const isDeclined = turn.kind === "declined";
  const asksBack = turn.kind === "ask_back" && isLast;
  const asked = make("h3", { className: "asked" },
    make("button", { text: visible(turn.question), title: "Show its cells in the table", "aria-pressed": "false", on: { click: () => show(number) } }));
  const item = make("li", { className: isDeclined ? "turn declined" : "turn" }, asked, ...scopeOf(turn, isLast ? widen : null), reasonOf(turn), ...warningOf(turn));
  if (isLast) item.append(...buildsOn(turn, session.turns[turn.builds_on ?? -1], correctFirst));
  if (asksBack) item.append(askBackOf(turn, choose));
  else if (!isDeclined) {
    const onRow = async (row) => {
      await show(number);
      table.bring(row, turn.cells.find((cell) => cell[0] === row)?.[1] ?? 0).catch(fail);
    };
    item.append(answerOf(turn, { columns: session.columns, onRow, fetchAll: () => allRows(turn, number) }));
  }
  const actions = make("p", { className: "actions" });
  item.append(actions, ...panelsOf(turn, number, actions));
  addActions(turn, number, item, actions);
  return item;
}

// The rows of an answer as far as they are listed, those of its view first.
const allRows = attempt(async (turn, number) => {
  const { columns, rows } = turn.view;
  if (turn.kind === "groups") {
    const isShown = new Set(rows.map(({ cells }) => cells[0]));
    const rest = turn.values.filter(([group]) => !isShown.has(visible(group)));
    if (turn.view.plot?.kind !== "line") rest.sort((one, other) => other[1] - one[1]);
    return [...rows, ...rest.map(([group, value]) => ({ row: null, cells: [group, shownValue(value)], marked: [false, true] }))].slice(0, ALL);
  }
  const found = await call(of(session, `/rows?turn=${number}&count=${ALL}`), undefined, undefined, "Fetching the rows");
  const places = columns.map((name) => session.columns.findIndex((column) => column.name === name));
  const isShown = new Set(rows.map(({ row }) => row));
  const isAnswer = new Set(turn.cells.map(String));
  const rest = found.rows.filter(({ row }) => !isShown.has(row));
  return [...rows, ...rest.map(({ row, cells }) => ({ row, cells: places.map((place) => cells[place] ?? ""), marked: places.map((place) => isAnswer.has(`${row},${place}`)) }))];
});

// What opens under an answer, each by a button.
function panelsOf(turn, number, actions) {
  const panels = [];
  const add = (text, panel) => {
    const toggle = make("button", { className: "link", text, "aria-expanded": "false" });
    toggle.addEventListener("click", () => {
      panel.hidden = !panel.hidden;
      toggle.setAttribute("aria-expanded", String(!panel.hidden));
    });
    actions.append(toggle);
    panels.push(panel);
  };
  if (turn.kind === "declined") return panels;
  if (turn.program) add("How", howOf(turn));
  add("Share", shareOf(session, turn, number));
  return panels;
}

function addActions(turn, number, item, actions) {
  const isLast = number === session.turns.length - 1;
  const isDeclined = turn.kind === "declined";
  const first = [];
  const asksBack = isLast && turn.kind === "ask_back";
  if (canAccept && turn.program && !turn.lesson && !asksBack) {
    const right = make("button", { className: "link right-answer", text: "Right", title: "Keep this answer as right, to learn from" });
    right.addEventListener("click", () => accept(number, right));
    if (turn.accepted) acknowledge(right);
    first.push(right);
  }
  first.push(make("button", {
    className: "link wrong", text: isDeclined ? "Show it the right answer" : asksBack ? "Neither" : "Not right?", title: "Click the right cells in the table, or type the answer", on: { click: () => correct(number) },
  }));
  if (isLast && (turn.program || isDeclined) && !turn.lesson) {
    const { button, box, open } = readingsOf(session, turn, { onChosen: choose, onNone: () => correct(number), onShown: seeWhole });
    first.push(button);
    item.append(box);
    if (!turn.sure && !turn.isChosen && !asksBack) open();
  }
  if (table.showOnly && turn.cells.length && !asksBack) {
    const toggle = attempt(async () => {
      await show(number);
      await showOnly(only === number ? -1 : number);
    });
    first.push(make("button", { className: "link only", text: "Only these rows", title: "See only the rows of this answer in the table", "aria-pressed": String(only === number), on: { click: toggle } }));
  }
  actions.prepend(...first);
  if (isLast && turn.lesson && turn.lesson === taught) {
    actions.append(make("button", { className: "link unteach", text: "Undo teaching", on: { click: unteach } }));
    item.append(choicesOf(turn.lesson, (program) => relearn(number, turn.lesson, program)));
  }
  if (isLast) actions.append(make("button", { className: "link undo", text: "Undo", title: "Take this question back", on: { click: undo } }));
}

function warningOf({ lesson }) {
  return lesson?.contradicts ? [make("p", { className: "contradicts", text: visible(lesson.contradicts) })] : [];
}

function seeWhole(box) {
  if (box.getBoundingClientRect().bottom > $("talk").getBoundingClientRect().bottom) reveal();
}

$("unteach").addEventListener("click", unteach);
table.whenAllShown?.(() => showOnly(-1).catch(fail));

// Asking

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const question = $("question").value.trim();
  if (question) ask(question);
  else $("question").focus();
});
$("question").addEventListener("keydown", (event) => {
  const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (!by || event.isComposing) return;
  const to = recalled + by;
  if (to < 0 || to > session.turns.length) return;
  if (!recalled && $("question").value) return; // something is being written
  recalled = to;
  $("question").value = to ? session.turns.at(-to).question : "";
  event.preventDefault();
});
$("question").addEventListener("input", () => { recalled = 0; });
