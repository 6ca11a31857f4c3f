// The conversation: questions and answers, each answer with its reason, and the other ways to read the last question.

import { call, change, conversation, of, whenGoneOn } from "./api.js";
import { copyButton } from "./copy.js";
import { $, counted, make, visible } from "./dom.js";
import { choicesOf, drawLessons, inOrderOf } from "./lessons.js";
import { announce, attempt, fail } from "./notices.js";
import { remember } from "./recent.js";
import { firstQuestions, isComputed, nextQuestions } from "./suggestions.js";
import { bring, mark, preview } from "./table.js";
import { shownAnswer, shownValue } from "./values.js";
import { leaveTeaching, sendLesson, startTeaching } from "./teach.js";

const AT_FIRST = 12; // answers shown before all are asked for
const READINGS = 3;

let session = null;
let rows = []; // the table's first, for suggestions
let shown = -1; // the turn whose cells are marked
let recalled = 0; // how many questions back the question box is
let isAsking = false;
let taught = null; // the last lesson, which can be taken back

export function showChat(one, first) {
  session = one;
  rows = first;
  recalled = 0;
  taught = null;
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
  return mark(turn?.cells ?? [], Boolean(turn) && isComputed(turn)).catch(fail);
}

const ask = attempt(async (question) => {
  if (isAsking) return;
  isAsking = true;
  recalled = 0;
  const asked = session;
  const pending = make("li", { className: "turn pending", "aria-busy": "true" },
    make("h3", { className: "asked", text: visible(question) }), make("p", { className: "dots", "aria-label": "Working on it" }, make("i"), make("i"), make("i")));
  $("empty").hidden = true;
  $("suggestions").replaceChildren();
  remark();
  retire($("turns").lastElementChild);
  $("turns").append(pending);
  pending.scrollIntoView({ block: "nearest" });
  try {
    const turn = await change(session, "/ask", { question });
    if (asked !== session) return;
    session.turns.push(turn);
    if ($("question").value.trim() === question) $("question").value = "";
    pending.replaceWith(turnItem(turn, session.turns.length - 1));
    tell(turn);
  } catch (error) {
    if (asked !== session) return;
    pending.remove();
    redrawLast();
    if (!$("question").value) $("question").value = question;
    throw error;
  } finally {
    isAsking = false;
    if (asked === session) {
      settle();
      toQuestion();
    }
  }
});

const choose = attempt(async (program) => {
  const turn = await change(session, "/choose", { program });
  session.turns[session.turns.length - 1] = { ...turn, isChosen: true };
  redrawLast();
  tell(turn);
  settle();
  toQuestion();
});

const undo = attempt(async () => {
  const { question } = session.turns.at(-1);
  session.turns = (await change(session, "/undo")).turns;
  $("turns").lastElementChild.remove();
  redrawLast();
  if (!$("question").value) $("question").value = question;
  settle();
  toQuestion();
});

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
    isAsking = true;
    try {
      await action(...given);
    } finally {
      isAsking = false;
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
  for (const part of item?.querySelectorAll(".others, .undo, .unteach, .readings") ?? []) part.remove();
}

function tell(turn) {
  const doubt = turn.sure || !turn.program ? "" : " I am not sure.";
  const answer = turn.program ? `Answer: ${shownAnswer(turn).slice(0, 5).map(visible).join(", ") || "nothing"}. ` : "";
  announce(`${answer}${visible(turn.explanation)}${doubt}`);
}

// A turn

function turnItem(turn, number) {
  const isLast = number === session.turns.length - 1;
  const asked = make("h3", { className: "asked" },
    make("button", { text: visible(turn.question), title: "Show its cells in the table", "aria-pressed": "false", on: { click: () => show(number) } }));
  const isDeclined = turn.kind === "declined";
  const item = make("li", { className: isDeclined ? "turn declined" : "turn" }, asked);
  const actions = make("p", { className: "actions" });
  const csv = () => make("a", { className: "link", text: "CSV", "aria-label": "This answer as CSV", href: of(session, `/answer.csv?turn=${number}`), download: "answer.csv" });
  if (turn.program) {
    const sql = sqlOf(turn);
    item.append(answerOf(turn, number), reasonOf(turn), ...warningOf(turn), make("code", { className: "program", text: visible(turn.program) }), actions, sql);
    const toggle = make("button", { className: "link", text: "SQL", "aria-expanded": "false" });
    toggle.addEventListener("click", () => {
      sql.hidden = !sql.hidden;
      toggle.setAttribute("aria-expanded", String(!sql.hidden));
    });
    actions.append(toggle, csv());
  } else if (isDeclined) {
    item.append(make("p", { className: "said", text: visible(turn.explanation) }), actions);
  } else {
    item.append(answerOf(turn, number), reasonOf(turn), ...warningOf(turn), actions);
    actions.append(csv());
  }
  actions.append(make("button", {
    className: "link wrong", text: isDeclined ? "Show it the right answer" : "Not right?", title: "Click the right cells in the table, or type the answer", on: { click: () => correct(number) },
  }));
  if (isLast && (turn.program || isDeclined) && !turn.lesson) addReadings(item, actions, turn);
  if (isLast && turn.lesson && turn.lesson === taught) {
    actions.append(make("button", { className: "link unteach", text: "Undo teaching", on: { click: unteach } }));
    item.append(choicesOf(turn.lesson, (program) => relearn(number, turn.lesson, program)));
  }
  if (isLast) actions.append(make("button", { className: "link undo", text: "Undo", title: "Take this question back", on: { click: undo } }));
  return item;
}

function warningOf({ lesson }) {
  return lesson?.contradicts ? [make("p", { className: "contradicts", text: visible(lesson.contradicts) })] : [];
}

function addReadings(item, actions, turn) {
  const readings = make("div", { className: "readings", role: "group", "aria-label": "Ways to read the question", hidden: true });
  const others = make("button", { className: "link others", text: turn.program ? "Other readings" : "Closest I can do", "aria-expanded": "false" });
  others.addEventListener("click", attempt(() => toggleReadings(turn, others, readings)));
  actions.prepend(others);
  item.append(readings);
  if (!turn.sure && !turn.isChosen) toggleReadings(turn, others, readings).catch(fail);
}

function answerOf(turn, number) {
  const box = make("p", { className: "answer" });
  if (!turn.answer.length) {
    box.append(make("span", { className: "none", text: "Nothing in the table fits." }));
  } else if (turn.kind === "groups") {
    return groupsOf(turn);
  } else if (isComputed(turn)) {
    const from = turn.program ? [make("span", { className: "fine", text: `from ${counted(turn.cells.length, "cell")}` })] : [];
    box.append(make("strong", { className: "value", text: shownAnswer(turn).slice(0, AT_FIRST).map(visible).join(", ") }), ...from);
    if (turn.values.length > AT_FIRST) box.append(make("span", { className: "fine", text: `and ${counted(turn.values.length - AT_FIRST, "more", "more")}; the CSV has all of them.` }));
  } else {
    const answers = lines(turn);
    const button = ({ text, cell }) => make("button", {
      className: "cell", text: visible(text) || "(empty)", title: `Show row ${cell[0] + 1} in the table`,
      on: { click: async () => { await show(number); bring(...cell).catch(fail); } },
    });
    box.append(...answers.slice(0, AT_FIRST).map(button));
    if (answers.length > AT_FIRST) {
      const rest = answers.slice(AT_FIRST, 500);
      const more = make("button", { className: "link", text: `and ${(answers.length - AT_FIRST).toLocaleString("en")} more` });
      more.addEventListener("click", () => {
        const added = rest.map(button);
        more.replaceWith(...added, answers.length > 500 ? make("span", { className: "fine", text: "The CSV has all of them." }) : "");
        added[0].focus();
      });
      box.append(more);
    }
  }
  return box;
}

// A value for each group, as a small table.
function groupsOf(turn) {
  const line = ([group, value]) => make("tr", {}, make("th", { scope: "row", text: visible(group) }), make("td", { text: visible(shownValue(value)) }));
  const body = make("tbody", {}, ...turn.values.slice(0, AT_FIRST).map(line));
  const box = make("div", { className: "answer" }, make("table", { className: "groups", "aria-label": "A value for each group" }, body));
  const rest = turn.values.slice(AT_FIRST, 500);
  if (!rest.length) return box;
  const more = make("button", { className: "link", text: `and ${(turn.values.length - AT_FIRST).toLocaleString("en")} more` });
  more.addEventListener("click", () => {
    body.append(...rest.map(line));
    more.replaceWith(turn.values.length > 500 ? make("span", { className: "fine", text: "The CSV has all of them." }) : "");
  });
  box.append(more);
  return box;
}

// What is one answer: the cells of a row, where several columns were asked for.
function lines(turn) {
  const found = new Map();
  turn.cells.forEach((cell, n) => {
    const text = turn.answer[n] ?? "";
    const same = found.get(cell[0]);
    if (same) same.text += ` · ${text}`;
    else found.set(cell[0], { text, cell });
  });
  return [...found.values()];
}

function reasonOf(turn) {
  if (turn.lesson) {
    const learnt = turn.lesson.learnt ? [make("span", { className: "sure", text: "as you taught" })] : [];
    return make("p", { className: "said taught", text: `${visible(turn.lesson.said)} ` }, ...learnt);
  }
  if (!turn.program) return make("p", { className: "said", text: visible(turn.explanation) });
  const percent = `${Math.round(100 * turn.confidence)}%`;
  let text = `${percent} sure`;
  if (turn.isChosen) text = "your reading";
  else if (!turn.sure) text = `not sure, ${percent}`;
  const doubt = make("span", { className: turn.sure || turn.isChosen ? "sure" : "sure not", text });
  return make("p", { className: "said", text: `${visible(turn.explanation)} ` }, doubt);
}

function sqlOf(turn) {
  return make("div", { className: "written", hidden: true }, make("pre", { className: "sql", text: turn.sql, tabIndex: 0, "aria-label": "SQL" }), copyButton("Copy the SQL", () => turn.sql));
}

// Readings

async function toggleReadings(turn, others, box) {
  const isOpen = others.getAttribute("aria-expanded") === "false";
  others.setAttribute("aria-expanded", String(isOpen));
  box.hidden = !isOpen;
  preview();
  if (!isOpen || box.childElementCount) return;
  const found = await call(of(session, `/readings?limit=200000&count=${turn.sure ? READINGS + 1 : READINGS}`));
  const listed = found.filter((one) => one.program);
  const isAlone = listed.every((one) => one.program === turn.program);
  if (isAlone && !turn.program) {
    others.remove();
    box.remove();
    return;
  }
  let title = "It could also mean";
  if (isAlone) title = "There is no other reading.";
  else if (!turn.program) title = "The closest I can do";
  else if (!turn.sure && !turn.isChosen) title = "I am not sure. Which did you mean?";
  box.replaceChildren(make("p", { className: "fine", text: title }), ...(isAlone ? [] : listed.map((one) => readingItem(one, turn))));
  if (box.getBoundingClientRect().bottom > $("talk").getBoundingClientRect().bottom) reveal();
}

function readingItem(one, turn) {
  const isTaken = one.program === turn.program;
  const gives = shownAnswer(one).slice(0, 4).map((text) => visible(text) || "(empty)").join(" · ") + (one.answer.length > 4 ? ` and ${one.answer.length - 4} more` : "");
  const button = make("button", { className: "reading", "aria-pressed": String(isTaken) },
    make("span", { text: visible(one.explanation) }), make("span", { className: "gives", text: gives || "nothing" }));
  const look = () => preview(one.cells, isComputed(one));
  for (const name of ["mouseenter", "focus"]) button.addEventListener(name, look);
  for (const name of ["mouseleave", "blur"]) button.addEventListener(name, () => preview());
  button.addEventListener("click", () => (isTaken ? closeReadings() : choose(one.program)));
  return button;
}

$("unteach").addEventListener("click", unteach);

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
