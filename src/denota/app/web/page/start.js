// The first page: a table is picked, dropped, pasted, found again or taken from the samples.

import { call, remove } from "./api.js";
import { $, counted, make, visible } from "./dom.js";
import { attempt, fail } from "./notices.js";
import { prepareExample } from "./example.js";
import { prepareReading, readFile } from "./reading.js";
import { forget, recent } from "./recent.js";
import { onSecondClick } from "./twice.js";

const AT_FIRST = 4; // samples shown before all are asked for

let begun; // what to do with a session that was begun here

export async function prepareStart(onBegun) {
  begun = onBegun;
  prepareReading(onBegun);
  const [samples, tables] = await Promise.all([call("/v1/samples/about"), call("/v1/tables")]);
  $("offers").replaceChildren(...tables.map(offeredItem));
  $("offered").hidden = !tables.length;
  $("samples").replaceChildren(...samples.map(sampleItem));
  $("all").textContent = `Show all ${samples.length}`;
  $("all").hidden = samples.length <= AT_FIRST;
  prepareExample(begin).catch(fail);
  for (const one of document.querySelectorAll("#askable dd button")) one.onclick = attempt(() => begin("castles", one.textContent));
}

// Begin with a sample, and ask it something.
async function begin(sample, question = "") {
  begun(await call("/v1/sessions", { sample }), question);
}

export function drawRecents() {
  const items = recent().map(recentItem);
  $("recents").replaceChildren(...items);
  $("recent").hidden = !items.length;
}

function offeredItem(name) {
  const pick = attempt(async () => begun(await call("/v1/sessions", { table: name })));
  return make("li", {}, make("button", { text: visible(name), on: { click: pick } }));
}

function sampleItem({ name, about, question }, number) {
  const title = visible(name).replaceAll("-", " ");
  const button = make("button", { className: "sample", on: { click: attempt(() => begin(name)) } },
    make("strong", { text: title[0].toUpperCase() + title.slice(1) }), make("span", { text: visible(about) }));
  const try_ = question ? [make("button", { className: "link", text: `“${visible(question)}”`, title: "Open the table and ask this", on: { click: attempt(() => begin(name, question)) } })] : [];
  return make("li", { className: number < AT_FIRST ? "" : "later" }, button, ...try_);
}

function recentItem({ id, name, rows, columns, names, questions }) {
  const size = `${counted(rows ?? 0, "row")}, ${counted(columns ?? 0, "column")}, ${counted(questions ?? 0, "question")}`;
  const open = make("a", { href: `#${id}` },
    make("strong", { text: visible(name) }), make("span", { text: size }),
    make("span", { className: "fine", text: visible((names ?? []).join(" · ")) }));
  const drop = make("button", { className: "icon", text: "×", title: "Forget", "aria-label": `Forget ${visible(name)}` });
  onSecondClick(drop, () => ({ short: "Forget?", long: `Forget ${visible(name)} and its conversation? Click again to forget them` }), async () => {
    const place = [...$("recents").children].indexOf(drop.parentElement);
    await remove(id).catch((error) => {
      if (error.status !== 404) throw error; // it was gone already
    });
    forget(id);
    drawRecents();
    const left = $("recents").children;
    (left[Math.min(place, left.length - 1)]?.querySelector("a") ?? $("file")).focus();
  });
  return make("li", {}, open, drop);
}

const open = attempt(async (file) => {
  if (file) begun(await readFile(file));
});

$("file").addEventListener("change", async () => {
  await open($("file").files[0]);
  $("file").value = ""; // so that the same file can be picked again
});
$("paste").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const content = $("pasted").value;
    if (!content.trim()) throw new Error("there is nothing to use yet; paste some rows first");
    begun(await readFile(new File([content], "pasted table", { type: "text/plain" })));
    $("pasted").value = "";
  })();
});
$("all").addEventListener("click", () => {
  const first = $("samples").querySelector(".later button");
  for (const item of $("samples").children) item.className = "";
  $("all").hidden = true;
  first?.focus();
});

// A table can be pasted and a file dropped anywhere

addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain");
  if ($("start").hidden || event.target.closest?.("input, textarea") || !text) return;
  $("pasted").value = text;
  $("pasted").focus();
});

let over = 0; // elements that the dragged file is over, one in another

function carriesFile(event) {
  return [...(event.dataTransfer?.types ?? [])].includes("Files");
}

addEventListener("dragenter", (event) => {
  if (!carriesFile(event)) return;
  over += 1;
  $("drop").hidden = false;
});
addEventListener("dragleave", () => {
  over = Math.max(0, over - 1);
  if (!over) $("drop").hidden = true;
});
addEventListener("dragover", (event) => {
  if (carriesFile(event)) event.preventDefault();
});
addEventListener("drop", (event) => {
  over = 0;
  $("drop").hidden = true;
  if (!carriesFile(event)) return;
  event.preventDefault();
  if (event.dataTransfer.files.length > 1) fail(new Error("one table at a time; the first file is opened"));
  open(event.dataTransfer.files[0]);
});
