// What a person waits for: after a second it is said, with the seconds so far and a button that stops it.

import { $, make, visible } from "./dom.js";
import { announce } from "./notices.js";

const AFTER = 1000; // milliseconds before it is said
const OFTEN = 250; // milliseconds between looks at the clock

// Begin to wait. `onCancel` stops what is waited for; `box` is where it is said. Returns `tell`, which says how far it has come
// (`part` of 1, if that is known), and `end`.
export function wait(what, onCancel, box = $("waiting")) {
  const begun = performance.now();
  const said = make("span", { className: "what", text: visible(what) });
  const bar = make("progress", { "aria-label": visible(what) });
  const seconds = make("span", { className: "seconds", role: "timer" });
  const stop = make("button", { type: "button", text: "Cancel", on: { click: onCancel } });
  const line = make("div", { className: "wait" }, said, seconds, stop, bar);
  const tick = () => { seconds.textContent = `${Math.floor((performance.now() - begun) / 1000)} s`; };
  let ticking;
  const showing = setTimeout(() => {
    tick();
    ticking = setInterval(tick, OFTEN);
    box.append(line);
    line.scrollIntoView({ block: "nearest" });
    announce(`${said.textContent}. It can be cancelled.`);
  }, AFTER);
  return {
    tell(text, part) {
      said.textContent = visible(text);
      bar.setAttribute("aria-label", visible(text));
      if (part === undefined) bar.removeAttribute("value");
      else bar.value = part;
    },
    end() {
      clearTimeout(showing);
      clearInterval(ticking);
      line.remove();
    },
  };
}
