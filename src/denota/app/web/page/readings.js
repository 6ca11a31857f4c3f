// Other ways to read the last question: those that differ, with what differs in bold.

import { call, of } from "./api.js";
import { make, visible } from "./dom.js";
import { attempt } from "./notices.js";
import { isComputed } from "./suggestions.js";
import { preview } from "./table.js";
import { shownAnswer } from "./values.js";

const AT_FIRST = 3; // readings shown before more are asked for
const FOUND = 12; // asked of the server
const CELLS = 20000; // of each, to be shown while one looks

// A button and the box it opens. `onChosen` gets a program, `onNone` that none is right, `onShown` the box when it has opened.
export function readingsOf(session, turn, { onChosen, onNone, onShown }) {
  const box = make("div", { className: "readings", role: "group", "aria-label": "Ways to read the question", hidden: true });
  const button = make("button", { className: "link others", text: turn.program ? "Other readings" : "Closest I can do", "aria-expanded": "false" });
  const toggle = attempt(async () => {
    const isOpen = button.getAttribute("aria-expanded") === "false";
    button.setAttribute("aria-expanded", String(isOpen));
    box.hidden = !isOpen;
    preview();
    if (!isOpen || box.childElementCount) return;
    const found = await call(of(session, `/readings?limit=${CELLS}&count=${FOUND}`), undefined, undefined, "Looking for other readings");
    const [first, more] = different(found, turn);
    if (!first.length && !turn.program) {
      button.remove();
      box.remove();
      return;
    }
    draw(box, turn, first, more, { onChosen, onNone });
    onShown(box);
  });
  button.addEventListener("click", toggle);
  return { button, box, open: toggle };
}

// The readings to show at first and those for who wants more, without the one that is taken. Of those that differ in a number
// alone one is enough, and those with other rows come before those with the same.
export function different(found, taken) {
  const rowsOf = (one) => `${isComputed(one) ? one.kind : ""} ${[...new Set(one.cells.map(([row]) => row))]}`;
  const shapeOf = (one) => visible(one.explanation).replace(/\d[\d.,:-]*/g, "0");
  const shapes = new Set(taken.program ? [shapeOf(taken)] : []);
  const rows = new Map(taken.program ? [[rowsOf(taken), 0]] : []); // how often they were shown
  const first = [];
  const more = [];
  for (const one of found) {
    if (!one.program || one.program === taken.program || shapes.has(shapeOf(one))) continue;
    shapes.add(shapeOf(one));
    const times = rows.get(rowsOf(one)) ?? 0;
    rows.set(rowsOf(one), times + 1);
    (times || first.length >= AT_FIRST ? more : first).push(one);
  }
  return [[...first, ...more.splice(0, AT_FIRST - first.length)], more];
}

function draw(box, turn, first, more, { onChosen, onNone }) {
  let title = "It could also mean";
  if (!first.length) title = "There is no other reading.";
  else if (!turn.program) title = "The closest I can do";
  else if (!turn.sure && !turn.isChosen) title = "I am not sure. Did you mean one of these?";
  const base = turn.program ? turn.explanation : first[0].explanation;
  const card = (one) => cardOf(one, one === first[0] && !turn.program ? one.explanation : base, onChosen);
  const none = make("button", { className: "link none-of-these", text: first.length ? "None of these: show the right cells" : "Show the right cells", on: { click: onNone } });
  const end = make("p", { className: "ends" }, none);
  if (more.length) {
    const button = make("button", { className: "link more", text: "More" });
    button.addEventListener("click", () => {
      const added = more.map(card);
      end.before(...added);
      button.remove();
      added[0].focus();
    });
    end.prepend(button);
  }
  box.replaceChildren(make("p", { className: "fine", text: title }), ...first.map(card), end);
}

function cardOf(one, base, onChosen) {
  const texts = shownAnswer(one);
  const some = texts.slice(0, 3).map((text) => visible(text) || "(empty)").join(" · ") + (texts.length > 3 ? " …" : "");
  const headline = one.view ? visible(one.view.headline) : "";
  const isSaid = headline && texts.length > 0 && headline.includes(visible(texts[0]));
  const gives = [headline, isSaid || texts.length === 1 ? "" : some].filter(Boolean).join(": ") || some;
  const button = make("button", { className: "reading" }, make("span", {}, ...emphasised(visible(one.explanation), visible(base))), make("span", { className: "gives", text: gives || "nothing" }));
  const look = () => preview(one.cells, isComputed(one));
  for (const name of ["mouseenter", "focus"]) button.addEventListener(name, look);
  for (const name of ["mouseleave", "blur"]) button.addEventListener(name, () => preview());
  button.addEventListener("click", () => onChosen(one.program));
  return button;
}

// A sentence with the words that another one does not have, in its order, in bold.
export function emphasised(text, base) {
  const [words, others] = [text.split(" "), base.split(" ")];
  const bare = (word) => word.replace(/[.,;]+$/, "").toLowerCase();
  const isSame = (n, m) => bare(words[n]) === bare(others[m]);
  const longest = Array.from({ length: words.length + 1 }, () => new Array(others.length + 1).fill(0));
  for (let n = words.length - 1; n >= 0; n -= 1) {
    for (let m = others.length - 1; m >= 0; m -= 1) longest[n][m] = isSame(n, m) ? longest[n + 1][m + 1] + 1 : Math.max(longest[n + 1][m], longest[n][m + 1]);
  }
  const parts = []; // [words, whether they differ]
  for (let [n, m] = [0, 0]; n < words.length;) {
    if (m < others.length && isSame(n, m)) {
      take(words[n], false);
      n += 1;
      m += 1;
    } else if (m < others.length && longest[n][m + 1] >= longest[n + 1][m]) {
      m += 1;
    } else {
      take(words[n], true);
      n += 1;
    }
  }
  function take(word, differs) {
    if (parts.at(-1)?.[1] === differs) parts.at(-1)[0].push(word);
    else parts.push([[word], differs]);
  }
  return parts.flatMap(([some, differs], n) => [n ? " " : "", differs ? make("strong", { text: some.join(" ") }) : some.join(" ")]);
}
