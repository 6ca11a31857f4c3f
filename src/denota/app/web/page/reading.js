// How a file was read, and reading it otherwise while the page still has it.

import { upload } from "./api.js";
import { $, make, visible } from "./dom.js";
import { attempt } from "./notices.js";

const OPTIONS = ["sheet", "header", "delimiter", "encoding"];

let kept = null; // the file of a session that was begun here
let begun; // what to do with a session

export function prepareReading(onBegun) {
  begun = onBegun;
}

export async function readFile(file, how = {}) {
  const session = await upload(file, how);
  kept = { id: session.id, file, how };
  return session;
}

export function showReading({ id, notes }) {
  const own = kept?.id === id ? kept : null;
  $("read").hidden = !notes.length && !own;
  $("read").open = false;
  $("read-notes").replaceChildren(...(notes.length ? notes : ["As it stands."]).map((note) => make("li", { text: visible(note) })));
  $("reread").hidden = !own;
  for (const name of OPTIONS) $(`read-${name}`).value = own?.how[name] ?? "";
}

$("reread").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const how = Object.fromEntries(OPTIONS.map((name) => [name, $(`read-${name}`).value.trim()]).filter(([, value]) => value));
    if (how.delimiter === "tab") how.delimiter = "\t";
    begun(await readFile(kept.file, how));
  })();
});
