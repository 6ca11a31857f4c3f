// What was taught: under a turn how it is read now and how else it could be, and a list of all of it.

import { call, of, remove } from "./api.js";
import { $, counted, make, visible } from "./dom.js";
import { copyButton } from "./copy.js";
import { announce, attempt } from "./notices.js";
import { shownValue } from "./values.js";

// The readings that give the taught answer, one of which is taken; `onChosen` gets the program of another, "" for none.
export function choicesOf(lesson, onChosen) {
  const { readings, isNone, turn } = lesson;
  const box = make("div", { className: "readings choices", role: "group", "aria-label": "Readings that give this answer" });
  if (!readings.length) return box;
  const isTaken = ({ program }) => !isNone && program === turn.program;
  const choice = (text, more, program, isPressed) => make("button", {
    className: "reading", "aria-pressed": String(isPressed), on: { click: () => { if (!isPressed) onChosen(program); } },
  }, make("span", { text }), ...more);
  if (readings.length > 1 || isNone) {
    box.append(make("p", { className: "fine", text: "These all give your answer. Which did you mean?" }));
    for (const one of readings) box.append(choice(visible(one.explanation), [make("code", { className: "program", text: visible(one.program) })], one.program, isTaken(one)));
  }
  box.append(choice(readings.length > 1 || isNone ? "None of these" : "That is not what I meant", [], "", isNone));
  return box;
}

// After another reading was taken: the choices stay where they are.
export function inOrderOf(before, lesson) {
  const programs = (readings) => readings.map(({ program }) => program).sort().join("\n");
  const isSame = !lesson.readings.length || programs(before.readings) === programs(lesson.readings);
  return isSame ? { ...lesson, readings: before.readings } : lesson;
}

const SEVERAL = 3; // lessons from which on a retraining is offered

let shown = null; // the session whose lessons are listed
let canRetrain = true; // until the server says that it does not know how

// List the lessons about tables like this one, each with a way to forget it.
export async function drawLessons(session) {
  shown = session;
  const lessons = await call(of(session, "/lessons"));
  if (session !== shown) return;
  $("lessons").hidden = !lessons.length;
  $("lessons-count").textContent = lessons.length ? `(${lessons.length.toLocaleString("en")})` : "";
  $("lessons-list").replaceChildren(...lessons.map((lesson) => lessonItem(session, lesson)));
  $("retrain").hidden = !canRetrain || lessons.filter(({ learnt }) => learnt).length < SEVERAL;
  $("retrain-offer").hidden = true;
}

function forgetButton(session, { id, question }) {
  const forget = attempt(async () => {
    await remove(session.id, `/lessons/${encodeURIComponent(id)}`);
    announce(`Forgotten: ${visible(question)}`);
    await drawLessons(session);
    ($("lessons-list").querySelector("button") ?? $("question")).focus();
  });
  return make("button", { className: "icon", text: "×", title: "Forget this lesson", "aria-label": `Forget the lesson on ${visible(question)}`, on: { click: forget } });
}

// What a retraining takes, and how it is done: on the command line, where there is time for it.
$("retrain").addEventListener("click", attempt(async () => {
  const session = shown;
  let found;
  try {
    found = await call(of(session, "/retrain"), { preview: true });
  } catch (error) {
    if (![404, 405, 422].includes(error.status)) throw error;
    canRetrain = false;
    $("retrain").hidden = true;
    throw new Error("this server cannot retrain");
  }
  const close = () => { $("retrain-offer").hidden = true; $("retrain").focus(); };
  $("retrain-offer").replaceChildren(
    make("p", { text: visible(found.said) }),
    make("div", { className: "written" }, make("pre", { className: "sql", text: found.command, tabIndex: 0, "aria-label": "Command" }), copyButton("Copy the command", () => found.command)),
    make("button", { text: "Close", on: { click: close } }),
  );
  $("retrain-offer").hidden = false;
}));

function lessonItem(session, lesson) {
  const { id, question, program, learnt, cells, values } = lesson;
  const isRead = learnt && program;
  const right = values ? visible(values.slice(0, 4).map(shownValue).join(", ")) || "nothing" : counted(cells, "cell");
  const read = make(isRead ? "code" : "span", { className: isRead ? "program" : "fine", text: isRead ? visible(program) : `${right}${learnt ? "" : ", kept for later"}` });
  const forget = id === undefined ? [] : [forgetButton(session, lesson)];
  return make("li", {}, make("span", { text: visible(question) }), read, ...forget);
}
