// How a file was read, column by column, and reading it otherwise while the page still has it.

import { upload } from "./api.js";
import { $, counted, make, visible } from "./dom.js";
import { describeColumns, typeName } from "./heads.js";
import { attempt, fail } from "./notices.js";
import { goTo } from "./table.js";

const OPTIONS = ["sheet", "header", "delimiter", "encoding"];
const KINDS = { csv: "Delimited text", tsv: "Tab-separated text", json: "JSON", jsonl: "JSON lines", parquet: "Parquet", excel: "Excel workbook" };
const MARKS = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" };

let kept = null; // the file of a session that was begun here, and how it was to be read
let begun; // what to do with a session
let shown = null; // the session whose reading is told

export function prepareReading(onBegun) {
  begun = onBegun;
}

export async function readFile(file, how = {}) {
  const session = await upload(file, how);
  kept = { id: session.id, file, how };
  return session;
}

export function showReading(session) {
  shown = session;
  const { id, notes, read } = session;
  const own = kept?.id === id ? kept : null;
  $("read").open = false;
  $("read-brief").textContent = briefly(session);
  $("read-notes").replaceChildren(...(notes.length ? notes : ["It was taken as it stands."]).map((note) => make("li", { text: visible(note) })));
  $("reread").hidden = !own;
  $("read-again").hidden = Boolean(own) || !read?.format;
  if (own) fillForm(own.how, read ?? {});
  $("read-columns").replaceChildren(...session.columns.map((column) => columnLine(column, null, own)));
}

// Fetch what the columns are about once the table is drawn.
export async function tellColumns(session) {
  const found = await describeColumns(session).catch(fail);
  if (!found || session !== shown) return;
  const own = kept?.id === session.id ? kept : null;
  const chosen = new Set(asText());
  $("read-columns").replaceChildren(...found.map((one, number) => columnLine(one, number, own)));
  for (const choice of $("read-columns").querySelectorAll("select")) if (chosen.has(choice.dataset.name)) choice.value = "text";
  const unread = found.reduce((sum, one) => sum + one.unread, 0);
  $("read-brief").textContent = [briefly(session), unread ? `${counted(unread, "cell")} could not be read` : ""].filter(Boolean).join(" · ");
}

function briefly({ read, notes }) {
  const { format, sheet, sheets = [], header, delimiter, encoding } = read ?? {};
  const parts = [
    sheets.length > 1 ? `sheet “${visible(sheet)}”` : "",
    delimiter && delimiter !== "," ? `${MARKS[delimiter] ?? visible(delimiter)} between cells` : "",
    encoding && !/^(utf-8|ascii)/i.test(encoding) ? visible(encoding) : "",
    header > 1 ? `names in row ${header.toLocaleString("en")}` : "",
    notes.length ? counted(notes.length, "note") : "",
  ].filter(Boolean);
  return [KINDS[format] ?? "", ...parts].filter(Boolean).join(" · ");
}

function fillForm(how, { format, sheet = "", sheets = [], header, delimiter = "", encoding = "" }) {
  const choices = sheets.length ? sheets : [sheet];
  $("read-sheet").replaceChildren(...choices.map((title) => make("option", { text: visible(title), value: title })));
  $("read-sheet").value = how.sheet ?? sheet;
  $("read-header").value = how.header ?? "";
  $("read-header").placeholder = header ? `${header} was taken` : "";
  $("read-delimiter").value = how.delimiter ?? "";
  $("read-delimiter").options[0].textContent = MARKS[delimiter] ? `Found out: ${MARKS[delimiter]}` : "Found out";
  $("read-encoding").value = how.encoding ?? "";
  $("read-encoding").placeholder = encoding || "utf-8, cp1252";
  const isText = format === "csv" || format === "tsv";
  const applies = { sheet: sheets.length > 1, header: isText || format === "excel", delimiter: isText, encoding: isText || /json/.test(format) };
  for (const name of OPTIONS) $(`read-${name}`).closest(".option").hidden = !applies[name];
}

function columnLine(one, number, own) {
  const { name, kind, unit, as_text: isText } = one;
  const found = typeName(kind, unit);
  const type = own && (kind !== "text" || isText)
    ? make("select", { "aria-label": `Read ${visible(name)} as`, "data-name": name },
      make("option", { value: "", text: isText ? "found out" : found }), make("option", { value: "text", text: "text" }))
    : make("span", { text: found });
  if (isText && own) type.value = "text";
  const cells = [make("th", { scope: "row", text: visible(name) }), make("td", {}, type)];
  if (number !== null) cells.push(make("td", { text: one.low ? `${visible(one.low)} … ${visible(one.high)}` : "" }), make("td", {}, ...unreadOf(one, number)));
  return make("tr", {}, ...cells);
}

// What could not be read, each a way to its cell.
function unreadOf({ unread, unread_cells: cells, missing }, column) {
  const parts = cells.slice(0, 5).map(([row, text]) => make("button", {
    type: "button", className: "link", text: `row ${(row + 1).toLocaleString("en")}: ${visible(text)}`,
    title: "Show this cell in the table", on: { click: attempt(() => goTo(row, column)) },
  }));
  if (unread > parts.length) parts.push(make("span", { text: `and ${(unread - parts.length).toLocaleString("en")} more` }));
  if (missing) parts.push(make("span", { text: `${missing.toLocaleString("en")} empty` }));
  return parts;
}

function asText() {
  return [...$("read-columns").querySelectorAll("select")].filter(({ value }) => value).map(({ dataset }) => dataset.name);
}

$("reread").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const given = OPTIONS.filter((name) => !$(`read-${name}`).closest(".option").hidden);
    const how = Object.fromEntries(given.map((name) => [name, $(`read-${name}`).value.trim()]).filter(([, value]) => value));
    if (how.sheet === shown.read?.sheet && !kept.how.sheet) delete how.sheet;
    if ($("read-delimiter").value === "\t") how.delimiter = "\t"; // which trimming takes away
    const isSame = ["sheet", "header", "delimiter"].every((name) => (how[name] ?? "") === (kept.how[name] ?? ""));
    how.text = isSame ? asText() : []; // other names, perhaps
    begun(await readFile(kept.file, how));
  })();
});
