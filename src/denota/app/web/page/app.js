// The page: a conversation beside its table. The address names the session, so that it is found again.

import { conversation, of } from "./api.js";
import { closeReadings, reset, showChat, toQuestion } from "./chat.js";
import { $, counted, make, visible } from "./dom.js";
import { attempt, dismiss, fail } from "./notices.js";
import { preparePanes } from "./panes.js";
import { showReading, tellColumns } from "./reading.js";
import { forget } from "./recent.js";
import { startAfresh } from "./scope.js";
import { drawRecents, prepareStart } from "./start.js";
import { clearSearch, showTable, toTop } from "./table.js";
import { cancelTeaching, isTeaching, leaveTeaching } from "./teach.js";
import { onSecondClick } from "./twice.js";

let current = null; // the session's id

function begun(session, question = "") {
  current = session.id;
  location.hash = session.id;
  open(session, question).catch(fail);
}

async function open(session, question = "") {
  const { name, rows, columns } = session;
  leaveTeaching();
  document.title = `${visible(name)} · denota`;
  $("about").replaceChildren(make("strong", { text: visible(name) }), make("span", { text: `${counted(rows, "row")}, ${counted(columns.length, "column")}` }));
  showReading(session);
  $("conversation").href = of(session, "/export.jsonl");
  $("whole").href = of(session, "/table.csv");
  const first = await showTable(session);
  if (!first || current !== session.id) return; // another was opened meanwhile
  switchTo("work");
  toTop();
  tellColumns(session);
  showChat(session, first);
  toQuestion();
  if (!question) return;
  $("question").value = question;
  $("form").requestSubmit();
}

function switchTo(page) {
  for (const id of ["start", "work"]) $(id).hidden = id !== page;
  for (const id of ["new", "export"]) $(id).hidden = page !== "work";
}

function close() {
  leaveTeaching();
  current = null;
  document.title = "denota";
  $("about").replaceChildren();
  drawRecents();
  switchTo("start");
  $("start").scrollTop = 0;
}

const follow = attempt(async () => {
  const id = location.hash.slice(1);
  if (id === (current ?? "")) return;
  if (!/^[\w-]{1,64}$/.test(id)) return close();
  try {
    const session = await conversation(id);
    current = id;
    await open(session);
  } catch (error) {
    if (error.status) {
      forget(id); // it is gone
      history.replaceState(null, "", location.pathname);
    }
    close();
    throw error;
  }
});

// Keys that work anywhere

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const isWriting = event.target.closest("input:not([type=file]), textarea");
  if (event.key === "/" && !isWriting && !$("work").hidden && !isTeaching()) {
    event.preventDefault();
    $("question").focus();
  } else if (event.key === "Escape" && !$("menu").matches(":popover-open")) {
    if (event.target === $("search") && clearSearch()) return;
    if (dismiss() || cancelTeaching() || closeReadings()) return;
    if (event.target === $("question") && !event.target.value) startAfresh();
  }
});

onSecondClick($("reset"), () => ({ short: "Forget all questions?", long: "Forget all questions? Click again to forget them" }), async () => {
  $("menu").hidePopover();
  await reset();
});
for (const id of ["conversation", "whole"]) $(id).addEventListener("click", () => $("menu").hidePopover());
addEventListener("hashchange", follow);

preparePanes();
attempt(prepareStart)(begun);
if (location.hash.length > 1) follow();
else close();
