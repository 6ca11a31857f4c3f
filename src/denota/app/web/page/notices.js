// What the page tells by itself: that it is at work, what went wrong, and, for who cannot see it, what the answer is.

import { $, visible } from "./dom.js";

let busy = 0;

export function fail(error) {
  if (error.name === "AbortError") return;
  $("error").firstElementChild.textContent = asSentence(visible(error.message || error), error.isAboutFile);
  $("error").hidden = false;
}

// A sentence begins with a capital; a name that it begins with stays as it is.
export function asSentence(text, isName = false) {
  const begun = !isName && /^[a-z]+(?![\w./\\-])/.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
  return begun + (/[.?!]$/.test(text) ? "" : ".");
}

export function dismiss() {
  const shown = !$("error").hidden;
  $("error").hidden = true;
  return shown;
}

export function announce(text) {
  $("announce").textContent = text;
}

// An action of a person's: progress is shown while it lasts, and what goes wrong is said.
export function attempt(action) {
  return async (...given) => {
    dismiss();
    busy += 1;
    document.body.classList.add("busy");
    try {
      return await action(...given);
    } catch (error) {
      fail(error);
      return undefined;
    } finally {
      busy -= 1;
      if (!busy) document.body.classList.remove("busy");
    }
  };
}

$("error").querySelector("button").addEventListener("click", dismiss);
