// The line between the conversation and the table, which can be moved by mouse, finger or arrow keys.

import { $ } from "./dom.js";

const KEY = "denota.pane";
const [LEAST, MOST] = [20, 75]; // percent of the window that the conversation may have
const NARROW = matchMedia("(max-width: 52rem)"); // one below the other

let parts = kept(); // { beside, below }: percent, or nothing where it is as it came

function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return Object.fromEntries(Object.entries(found ?? {}).filter(([, value]) => value >= LEAST && value <= MOST));
  } catch {
    return {}; // storage is off, or holds something else
  }
}

function way() {
  return NARROW.matches ? "below" : "beside";
}

function percentNow() {
  const [chat, work] = [$("chat").getBoundingClientRect(), $("work").getBoundingClientRect()];
  return Math.round(100 * (NARROW.matches ? chat.height / work.height : chat.width / work.width)) || 0;
}

function draw() {
  for (const name of ["beside", "below"]) {
    if (parts[name]) $("work").style.setProperty(`--${name}`, `${parts[name]}%`);
    else $("work").style.removeProperty(`--${name}`);
  }
  tell();
}

function tell() {
  $("divider").setAttribute("aria-orientation", NARROW.matches ? "horizontal" : "vertical");
  $("divider").setAttribute("aria-valuenow", Math.min(MOST, Math.max(LEAST, percentNow() || 40)));
}

function move(percent) {
  parts = { ...parts, [way()]: Math.round(Math.min(MOST, Math.max(LEAST, percent))) };
  draw();
  try {
    localStorage.setItem(KEY, JSON.stringify(parts));
  } catch {
    // it lasts as long as the page
  }
}

export function preparePanes() {
  const line = $("divider");
  for (const [name, value] of [["aria-valuemin", LEAST], ["aria-valuemax", MOST]]) line.setAttribute(name, value);
  line.addEventListener("keydown", (event) => {
    const more = NARROW.matches ? { ArrowUp: 5, ArrowDown: -5 } : { ArrowLeft: -5, ArrowRight: 5 };
    const wanted = { Home: LEAST, End: MOST }[event.key] ?? (more[event.key] && percentNow() + more[event.key]);
    if (wanted === undefined) return;
    event.preventDefault();
    move(wanted);
  });
  line.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    line.focus();
    line.setPointerCapture(event.pointerId);
  });
  line.addEventListener("pointermove", (event) => {
    if (!line.hasPointerCapture(event.pointerId)) return;
    const { left, width, top, height } = $("work").getBoundingClientRect();
    move(NARROW.matches ? 100 - (100 * (event.clientY - top)) / height : (100 * (event.clientX - left)) / width);
  });
  line.addEventListener("dblclick", () => {
    parts = {};
    draw();
    try {
      localStorage.removeItem(KEY);
    } catch {
      // nothing was kept
    }
  });
  NARROW.addEventListener("change", draw);
  new ResizeObserver(tell).observe($("work"));
  draw();
}
