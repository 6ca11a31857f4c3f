// A question back: which of two readings is meant, each one click or key from its answer; and the offer to correct an answer
// that was not sure before going on from it.

import { make, visible } from "./dom.js";
import { emphasised } from "./readings.js";

const SHOWN = 3; // items of an answer

// The readings to choose from. `onChosen` gets a program.
export function askBackOf(turn, onChosen) {
  const [first, second] = turn.readings;
  const cards = turn.readings.map((one, n) => {
    const other = n ? first : second;
    const gives = one.answer.slice(0, SHOWN).map((text) => visible(text) || "(empty)").join(" · ") + (one.answer.length > SHOWN ? " …" : "");
    return make("button", {
      type: "button", className: "reading", title: `Take this one (Alt ${n + 1})`, "aria-keyshortcuts": `Alt+${n + 1}`, on: { click: () => onChosen(one.program) },
    }, make("span", {}, ...emphasised(visible(one.explanation), visible(other?.explanation ?? ""))), make("span", { className: "gives", text: gives || "nothing" }));
  });
  return make("div", { className: "ask-back", role: "group", "aria-label": "Which do you mean?" }, ...cards);
}

// What says that an answer builds on one that was not sure; `onCorrect` goes back to that one.
export function buildsOn(turn, before, onCorrect) {
  if (!before) return [];
  const button = make("button", { type: "button", className: "link correct-first", text: "Correct that first", on: { click: onCorrect } });
  return [make("p", { className: "builds-on", text: `It builds on “${visible(before.question)}”, which was not sure. ` }, button)];
}

// Alt 1 and Alt 2 take a reading that is asked back.
addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey) return;
  const place = ["Digit1", "Digit2"].indexOf(event.code);
  const card = document.querySelectorAll(".turn:last-child .ask-back .reading")[place];
  if (!card) return;
  event.preventDefault();
  card.click();
});
