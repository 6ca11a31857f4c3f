// The page: a conversation beside its table. Text from tables and questions is only ever put in as text, never as markup.

const ROW = 30; // pixels; rows are all as high, so that only those that are seen need to exist
const WINDOW = 100; // rows fetched at a time
const $ = (id) => document.getElementById(id);

const state = {
  session: null, // as the server tells it
  shown: -1, // the turn whose cells are marked
  sort: null,
  down: false,
  search: "",
  total: 0,
  windows: new Map(), // start -> rows, or a promise of them
  version: 0, // of sorting and searching: what was asked for before is thrown away
};

async function call(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("the server does not answer; is it still running?");
  }
  const found = await response.json().catch(() => ({}));
  if (!response.ok) {
    const detail = found.detail;
    throw new Error(typeof detail === "string" ? detail : "that cannot be sent as it is");
  }
  return found;
}

function make(kind, options = {}, ...children) {
  const element = document.createElement(kind);
  const { text, on, ...rest } = options;
  if (text !== undefined) element.textContent = text;
  for (const [name, action] of Object.entries(on ?? {})) element.addEventListener(name, action);
  for (const [name, value] of Object.entries(rest)) {
    if (name in element && name !== "list") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function fail(error) {
  $("error").textContent = error.message;
  $("error").hidden = false;
}

function attempt(action) {
  return async (...given) => {
    $("error").hidden = true;
    document.body.classList.add("busy");
    try {
      return await action(...given);
    } catch (error) {
      fail(error);
    } finally {
      document.body.classList.remove("busy");
    }
  };
}

// Beginning

async function begin(body) {
  open(await call("/api/sessions", body));
}

function open(session) {
  state.session = session;
  state.shown = session.turns.length - 1;
  Object.assign(state, { sort: null, down: false, search: "" });
  $("search").value = "";
  history.replaceState(null, "", `#${session.id}`);
  localStorage.setItem("denota", session.id);
  $("start").hidden = true;
  for (const id of ["work", "new", "export"]) $(id).hidden = false;
  $("export").href = `/api/sessions/${session.id}/export.jsonl`;
  const { name, rows, columns } = session;
  $("about").textContent = `${name}: ${rows.toLocaleString()} rows, ${columns.length} columns`;
  drawHead();
  refresh();
  drawTurns();
  $("question").focus();
}

function close() {
  state.session = null;
  localStorage.removeItem("denota");
  history.replaceState(null, "", location.pathname);
  $("start").hidden = false;
  for (const id of ["work", "new", "export"]) $(id).hidden = true;
  $("about").textContent = "Ask a table.";
}

async function start() {
  for (const name of await call("/api/samples")) {
    const pick = attempt(() => begin({ sample: name }));
    $("samples").append(make("li", {}, make("button", { text: name.replaceAll("-", " "), on: { click: pick } })));
  }
  const id = location.hash.slice(1) || localStorage.getItem("denota");
  if (id && /^[\w-]+$/.test(id)) {
    try {
      open(await call(`/api/sessions/${id}`));
    } catch {
      close(); // it is gone
    }
  }
}

async function useFile(file) {
  if (file) await begin({ content: await file.text(), name: file.name });
}

// Conversation

function drawTurns() {
  const { turns } = state.session;
  $("turns").replaceChildren(...turns.map(turnItem));
  $("undo").disabled = turns.length === 0;
  if (!turns.length) {
    const first = state.session.columns[0].name;
    $("turns").append(make("li", { className: "hint", text: `Ask in plain words, for example about ${first}. Then follow up: “of those, which ...?”` }));
  }
  $("turns").lastElementChild?.scrollIntoView({ block: "nearest" });
  drawRows();
}

function turnItem(turn, number) {
  const last = number === state.session.turns.length - 1;
  const answers = turn.answer.slice(0, 8).map((text) => make("span", { className: "cell", text: text || "(empty)" }));
  if (turn.answer.length > 8) answers.push(make("span", { text: `and ${turn.answer.length - 8} more` }));
  if (!turn.answer.length) answers.push(make("span", { className: "none", text: "nothing" }));
  const sure = turn.sure ? "" : ` Not sure (${Math.round(100 * turn.confidence)}%).`;
  const why = make("details", {}, make("summary", { text: "Program and SQL" }),
    make("pre", { text: turn.program }), make("pre", { text: turn.sql }));
  const item = make("li", { className: number === state.shown ? "turn shown" : "turn" },
    make("button", { className: "asked", text: turn.question, title: "Show its cells in the table", on: { click: () => show(number) } }),
    make("p", { className: "answer" }, ...answers),
    make("p", { className: turn.sure ? "said" : "said unsure", text: turn.explanation + sure }),
    why);
  if (last) {
    const others = make("div", { className: "others" });
    const open = make("button", { className: "small", text: "Other readings", "aria-expanded": "false" });
    open.addEventListener("click", attempt(async () => {
      const wanted = open.getAttribute("aria-expanded") === "false";
      open.setAttribute("aria-expanded", String(wanted));
      others.replaceChildren(...(wanted ? await readings() : []));
      others.querySelector("button")?.focus();
    }));
    item.append(make("p", {}, open, " ", make("a", { className: "small", text: "Answer as CSV", href: `/api/sessions/${state.session.id}/answer.csv`, download: "answer.csv" })), others);
    if (!turn.sure) open.textContent = "Did you mean something else?";
  }
  return item;
}

async function readings() {
  const found = await call(`/api/sessions/${state.session.id}/readings?count=4`);
  const rest = found.slice(1);
  if (!rest.length) return [make("p", { text: "There is no other reading." })];
  return rest.map((one) => make("button", {
    className: "reading",
    on: { click: attempt(() => choose(one.program)) },
  }, make("span", { text: one.explanation }), make("span", { className: "gives", text: one.answer.slice(0, 4).join(" · ") || "nothing" })));
}

async function ask(question) {
  const turn = await call(`/api/sessions/${state.session.id}/ask`, { question });
  state.session.turns.push(turn);
  show(state.session.turns.length - 1);
}

async function choose(program) {
  const turn = await call(`/api/sessions/${state.session.id}/choose`, { program });
  state.session.turns[state.session.turns.length - 1] = turn;
  show(state.session.turns.length - 1);
  $("question").focus();
}

async function undo() {
  state.session = await call(`/api/sessions/${state.session.id}/undo`, {});
  show(state.session.turns.length - 1);
  $("question").focus();
}

function show(number) {
  state.shown = number;
  drawTurns();
  const cells = state.session.turns[number]?.cells ?? [];
  if (cells.length && state.sort === null && !state.search) {
    const row = cells[0][0] * ROW;
    const scroll = $("scroll");
    const seen = row >= scroll.scrollTop && row < scroll.scrollTop + scroll.clientHeight - 2 * ROW;
    if (!seen) scroll.scrollTop = Math.max(0, row - 2 * ROW);
  }
}

// Table: of all rows only those that are seen are drawn

function drawHead() {
  const cells = state.session.columns.map((column, number) => {
    const arrow = state.sort === number ? (state.down ? " ▾" : " ▴") : "";
    const order = state.sort === number ? (state.down ? "descending" : "ascending") : "none";
    const kind = column.unit ? `${column.kind}, ${column.unit}` : column.kind;
    return make("th", { scope: "col", "aria-sort": order, title: kind },
      make("button", { text: column.name + arrow, on: { click: () => sortBy(number) } }));
  });
  $("head").replaceChildren(make("tr", {}, make("th", { scope: "col", text: "#" }), ...cells));
}

function sortBy(number) {
  if (state.sort !== number) Object.assign(state, { sort: number, down: false });
  else if (!state.down) state.down = true;
  else Object.assign(state, { sort: null, down: false });
  drawHead();
  refresh();
}

function refresh() {
  state.windows.clear();
  state.version += 1;
  state.total = state.search ? 0 : state.session.rows;
  $("scroll").scrollTop = 0;
  drawRows();
}

async function fetchWindow(start) {
  const version = state.version;
  const wanted = new URLSearchParams({ start, count: WINDOW, search: state.search, down: state.down });
  if (state.sort !== null) wanted.set("sort", state.sort);
  const found = await call(`/api/sessions/${state.session.id}/rows?${wanted}`);
  if (version !== state.version) return;
  state.windows.set(start, found.rows);
  state.total = found.total;
  drawRows();
}

function drawRows() {
  if (!state.session) return;
  const scroll = $("scroll");
  const first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - 10);
  const last = first + Math.ceil((scroll.clientHeight || 600) / ROW) + 20;
  for (let start = first - (first % WINDOW); start < last; start += WINDOW) {
    if (!state.windows.has(start) && (start < state.total || start === 0)) {
      state.windows.set(start, []);
      fetchWindow(start).catch(fail);
    }
  }
  const marked = new Set((state.session.turns[state.shown]?.cells ?? []).map(String));
  const end = Math.min(last, state.total);
  const lines = [];
  for (let place = first; place < end; place += 1) {
    const found = state.windows.get(place - (place % WINDOW))?.[place % WINDOW];
    lines.push(found ? rowLine(found, marked) : blankLine());
  }
  const before = make("tr", { className: "space" }, make("td"));
  const after = make("tr", { className: "space" }, make("td"));
  before.style.height = `${first * ROW}px`;
  after.style.height = `${Math.max(0, state.total - end) * ROW}px`;
  $("body").replaceChildren(before, ...lines, after);
  $("count").textContent = state.search ? `${state.total.toLocaleString()} rows found` : "";
}

function rowLine({ row, cells }, marked) {
  return make("tr", {}, make("th", { scope: "row", text: row + 1 }),
    ...cells.map((text, column) => make("td", {
      text,
      title: text,
      className: marked.has(`${row},${column}`) ? "marked" : "",
      "data-cell": `${row},${column}`,
    })));
}

function blankLine() {
  return make("tr", {}, make("th", { text: "…" }), make("td", { colSpan: state.session.columns.length }));
}

// What a person does

$("use").addEventListener("click", attempt(() => begin({ content: $("pasted").value, name: "pasted table" })));
$("file").addEventListener("change", attempt(() => useFile($("file").files[0])));
$("new").addEventListener("click", close);
$("undo").addEventListener("click", attempt(undo));
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const question = $("question").value.trim();
  if (!question) return;
  attempt(async () => {
    await ask(question);
    $("question").value = "";
    $("question").focus();
  })();
});
$("question").addEventListener("keydown", (event) => {
  if (event.key === "ArrowUp" && !$("question").value && state.session.turns.length) {
    $("question").value = state.session.turns.at(-1).question;
    event.preventDefault();
  }
});
let typing;
$("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    state.search = $("search").value.trim();
    refresh();
  }, 200);
});
let drawing = false;
$("scroll").addEventListener("scroll", () => {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    drawRows();
  });
});
addEventListener("resize", drawRows);
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  attempt(() => useFile(event.dataTransfer.files[0]))();
});
attempt(start)();
