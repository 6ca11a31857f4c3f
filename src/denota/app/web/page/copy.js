// A button that copies a text.

import { make } from "./dom.js";
import { attempt } from "./notices.js";

export function copyButton(label, textOf, text = "Copy") {
  const button = make("button", { type: "button", className: "link copy", text, "aria-label": label });
  button.addEventListener("click", attempt(async () => {
    try {
      await navigator.clipboard.writeText(textOf());
    } catch {
      throw new Error("the browser does not let the page copy; mark the text instead");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = text; }, 1500);
  }));
  return button;
}
