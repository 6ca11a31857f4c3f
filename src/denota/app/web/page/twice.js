// A button for what cannot be undone: the first click asks, the second does it.

import { announce, attempt } from "./notices.js";

const PATIENCE = 6000; // milliseconds until it is as it was

export function onSecondClick(button, question, action) {
  let before = null; // its text and label while it asks
  let waiting;
  const calm = () => {
    clearTimeout(waiting);
    if (!before) return;
    [button.textContent] = before;
    if (before[1] === null) button.removeAttribute("aria-label");
    else button.setAttribute("aria-label", before[1]);
    button.classList.remove("asking");
    before = null;
  };
  button.addEventListener("click", () => {
    if (before) {
      calm();
      attempt(action)();
      return;
    }
    const { short, long } = question();
    before = [button.textContent, button.getAttribute("aria-label")];
    button.textContent = short;
    button.setAttribute("aria-label", long);
    button.classList.add("asking");
    announce(long);
    waiting = setTimeout(calm, PATIENCE);
  });
  button.addEventListener("blur", calm);
}
