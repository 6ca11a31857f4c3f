// What was taught: under a turn how it is read now and how else it could be, and a list of all of it.

import { call, of } from "./api.js";
import { $, counted, make, visible } from "./dom.js";
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

export async function drawLessons(session) {
  const lessons = await call(of(session, "/lessons"));
  $("lessons").hidden = !lessons.length;
  $("lessons-count").textContent = lessons.length ? `(${lessons.length.toLocaleString("en")})` : "";
  $("lessons-list").replaceChildren(...lessons.map(lessonItem));
}

function lessonItem({ question, program, learnt, cells, values }) {
  const isRead = learnt && program;
  const right = values ? visible(values.slice(0, 4).map(shownValue).join(", ")) || "nothing" : counted(cells, "cell");
  const read = make(isRead ? "code" : "span", { className: isRead ? "program" : "fine", text: isRead ? visible(program) : `${right}${learnt ? "" : ", kept for later"}` });
  return make("li", {}, make("span", { text: visible(question) }), read);
}
