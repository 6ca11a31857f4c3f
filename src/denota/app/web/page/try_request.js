// Trying a request of the API: inputs for all it takes, the same as a curl command, and what the server answers.

import { copyButton } from "./copy.js";
import { $, make } from "./dom.js";
import { announce, attempt } from "./notices.js";
import { addressOf, curlOf, exampleOf, examplesOf, fieldsOf, isBinary, plain } from "./openapi.js";

const TOLD = ["ETag", "Retry-After", "Location", "WWW-Authenticate", "Content-Type", "Content-Disposition"];
const LONGEST = 100_000; // characters of an answer that are shown

let made = 0; // inputs so far, each with an id
let lastId = ""; // of the session that was begun last

export function tryOut(api, request) {
  const values = parameterInputs(api, request);
  const body = bodyInputs(api, request);
  const curl = make("pre", { className: "code", tabIndex: 0, role: "group", "aria-label": "The request as a curl command" });
  const send = make("button", { className: "main", text: "Send" });
  const answer = make("div", { className: "answered" });
  const form = make("form", { className: "try" }, make("h4", { text: "Try it" }), values.box, body.box,
    make("div", { className: "written" }, curl, copyButton("Copy the curl command", () => curl.textContent)), make("p", {}, send), answer);
  const refresh = () => { curl.textContent = curlOf(location.origin, request, values.given(), body.given()); };
  for (const name of ["input", "change"]) form.addEventListener(name, refresh);
  const submit = attempt(async () => {
    send.disabled = true;
    try {
      answer.replaceChildren(...await answerTo(request, values.given(), body.given()));
    } finally {
      send.disabled = false;
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!send.disabled) submit();
  });
  refresh();
  return form;
}

// Inputs. Those of parameters give { name: value }, those of a body what curlOf() takes.

function labelled(text, input, isRequired = false) {
  made += 1;
  Object.assign(input, { id: `input-${made}`, required: isRequired });
  return make("div", { className: "input" }, make("label", { htmlFor: input.id, text: isRequired ? `${text} (required)` : text }), input);
}

function parameterInputs(api, { parameters }) {
  const inputs = parameters.filter((one) => one.in !== "cookie").map((one) => ({ ...one, input: valueInput(api, one) }));
  const box = make("div", { className: "inputs short" }, ...inputs.map(({ name, input, required }) => labelled(name, input, required)));
  return { box, given: () => Object.fromEntries(inputs.map(({ name, input }) => [name, input.value])) };
}

function valueInput(api, { name, in: place, schema, example }) {
  const found = plain(api, schema);
  const kinds = [found, ...(found.anyOf ?? []).map((one) => plain(api, one))];
  const offered = kinds.some((one) => one.type === "boolean") ? [true, false] : kinds.flatMap((one) => one.enum ?? []);
  if (offered.length) return make("select", {}, ...["", ...offered].map((one) => make("option", { value: one, text: String(one) })));
  const input = make("input", { autocomplete: "off", spellcheck: false, placeholder: String(example ?? found.default ?? "") });
  if (place === "path" && name === "id") Object.assign(input, { className: "id", value: lastId });
  return input;
}

function bodyInputs(api, { body }) {
  const kinds = Object.keys(body?.contents ?? {});
  if (!kinds.length) return { box: "", given: () => undefined };
  const place = make("div", { className: "inputs" });
  let given;
  const choose = (kind) => { given = contentInputs(api, place, kind, body); };
  choose(kinds[0]);
  const several = kinds.length > 1 ? [labelled("Content-Type", chooser(kinds, choose))] : [];
  return { box: make("div", { className: "inputs" }, ...several, place), given: () => given() };
}

function chooser(names, choose) {
  const select = make("select", {}, ...names.map((text) => make("option", { text })));
  select.addEventListener("change", () => choose(select.value));
  return select;
}

function contentInputs(api, place, kind, { contents, isRequired }) {
  const schema = plain(api, contents[kind].schema);
  if (/^multipart\/|urlencoded/.test(kind)) return formInputs(api, place, kind, schema);
  if (isBinary(schema)) {
    const input = make("input", { type: "file" });
    place.replaceChildren(labelled("File", input, isRequired));
    return () => ({ kind, file: input.files[0] });
  }
  const examples = examplesOf(api, contents[kind]);
  const names = Object.keys(examples);
  const text = make("textarea", { spellcheck: false, autocapitalize: "off" });
  const show = (name) => {
    text.value = typeof examples[name] === "string" ? examples[name] : JSON.stringify(examples[name], null, 2);
    text.rows = Math.min(16, Math.max(3, text.value.split("\n").length));
  };
  show(names[0]);
  place.replaceChildren(...(names.length > 1 ? [labelled("Example", chooser(names, show))] : []), labelled("Body", text, isRequired));
  return () => ({ kind, text: text.value });
}

function formInputs(api, place, kind, schema) {
  const inputs = fieldsOf(api, schema).map(({ name, field, isRequired }) => {
    const isFile = isBinary(plain(api, field));
    const input = make("input", isFile ? { type: "file" } : { autocomplete: "off", value: isRequired ? exampleOf(api, field) : "" });
    return { name, isFile, isRequired, input };
  });
  place.replaceChildren(...inputs.map(({ name, input, isRequired }) => labelled(name, input, isRequired)));
  const valueOf = ({ isFile, input }) => (isFile ? input.files[0] : input.value);
  return () => ({ kind, fields: inputs.filter((one) => one.isRequired || valueOf(one)).map((one) => ({ ...one, value: valueOf(one) })) });
}

// Answers

async function answerTo(request, values, body) {
  const { path, headers } = addressOf(request, values);
  const options = { method: request.method, headers: Object.fromEntries(headers) };
  const token = $("token").value.trim();
  if (token) options.headers.Authorization = `Bearer ${token}`;
  if (body) options.body = body.fields ? formOf(body) : body.text ?? body.file;
  if (body && !body.fields) options.headers["Content-Type"] = body.kind;
  const begun = performance.now();
  const { response, text } = await answered(path, options);
  const milliseconds = Math.round(performance.now() - begun);
  announce(`Answered: ${statusOf(response)}`);
  const found = parsed(text);
  if (response.ok && !request.path.includes("{id}") && typeof found?.id === "string") fillIn(found.id);
  return answerParts(response, found === undefined ? text : JSON.stringify(found, null, 2), `${milliseconds.toLocaleString("en")} ms · ${text.length.toLocaleString("en")} characters`);
}

async function answered(path, options) {
  try {
    const response = await fetch(path, options);
    return { response, text: await response.text() };
  } catch {
    throw new Error("the server does not answer, or a header has characters that cannot be sent");
  }
}

function formOf({ kind, fields }) {
  const form = kind.includes("urlencoded") ? new URLSearchParams() : new FormData();
  for (const { name, value } of fields) form.append(name, value);
  return form;
}

function statusOf(response) {
  return `${response.status} ${response.statusText}`.trim();
}

function answerParts(response, text, size) {
  const parts = [make("p", {}, make("strong", { className: response.ok ? "status" : "status bad", text: statusOf(response) }), " ", make("span", { className: "fine", text: size }))];
  const headers = TOLD.filter((name) => response.headers.has(name));
  if (headers.length) parts.push(make("p", { className: "headers" }, ...headers.map((name) => make("code", { text: `${name}: ${response.headers.get(name)}` }))));
  if (!text) return parts;
  const shown = unhidden(text);
  parts.push(make("pre", { className: "code", tabIndex: 0, role: "group", "aria-label": "The answer’s body", text: shown.slice(0, LONGEST) }));
  if (shown.length > LONGEST) parts.push(make("p", { className: "fine", text: `The first ${LONGEST.toLocaleString("en")} characters of it.` }));
  return parts;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Characters that hide or turn the writing around are shown as JSON writes them.
function unhidden(text) {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// A session that was begun is the one that the other requests are tried with.
function fillIn(id) {
  for (const input of document.querySelectorAll("input.id")) {
    if (input.value && input.value !== lastId) continue; // somebody wrote it
    input.value = id;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
  lastId = id;
}
