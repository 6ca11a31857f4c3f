// An answer to take along: copied as text, as CSV, or printed.

import { viewOf } from "./answer.js";
import { of } from "./api.js";
import { copyButton } from "./copy.js";
import { make, visible } from "./dom.js";
import { shownAnswer } from "./values.js";

const MOST = 500; // values that are copied

export function shareOf(session, turn, number) {
  const link = (text, name) => make("a", { className: "link", text, href: of(session, `/${name}?turn=${number}`), download: name });
  const files = [link("Answer as CSV", "answer.csv")];
  if (turn.cells.length) files.push(link("Its rows as CSV, all columns", "rows.csv"));
  const copy = copyButton("Copy answer as text", () => textOf(turn, session.columns), "Copy answer");
  const paper = make("button", { className: "link", text: "Print", on: { click: () => print() } });
  return make("div", { className: "share", role: "group", "aria-label": "Take the answer along", hidden: true }, copy, ...files, paper);
}

// Question, sentence, values and SQL.
export function textOf(turn, columns) {
  const view = viewOf(turn, columns);
  const isWhole = view.rows.length > 0 && view.total <= view.rows.length;
  const rows = isWhole ? [view.columns, ...view.rows.map(({ cells }) => cells)].map((cells) => cells.map(visible).join("\t")) : shownAnswer(turn).slice(0, MOST).map(visible);
  const left = isWhole ? 0 : shownAnswer(turn).length - MOST;
  const among = turn.scope === "previous" && turn.among ? ` (among ${turn.among.toLocaleString("en")} found before)` : "";
  const parts = [
    visible(turn.question),
    visible(turn.explanation) + among,
    [visible(view.headline), visible(view.note)].filter(Boolean).join(". "),
    [...(rows.length === 1 && rows[0] === view.headline ? [] : rows), ...(left > 0 ? [`and ${left.toLocaleString("en")} more`] : [])].join("\n"),
    turn.sql,
  ];
  return `${parts.filter((part) => part.trim()).join("\n\n")}\n`;
}
