// The API's page: every request of /openapi.json, what it takes and answers, and a form to try it.
// All text goes in as text, never as markup.

import { $, make } from "./dom.js";
import { attempt } from "./notices.js";
import { asksForToken, fieldsOf, groupsOf, objectOf, plain, typeWords } from "./openapi.js";
import { tryOut } from "./try_request.js";

let api = null; // the description

// Texts of the description: paragraphs, lists, and `code`.

function prose(text) {
  return text.trim().split(/\n\s*\n/).filter(Boolean).map((part) => {
    const lines = part.split("\n").map((line) => line.trim());
    if (!lines.every((line) => /^[-*] /.test(line))) return make("p", {}, ...words(lines.join(" ")));
    return make("ul", { className: "points" }, ...lines.map((line) => make("li", {}, ...words(line.slice(2)))));
  });
}

function words(text) {
  return text.split(/`+([^`]+)`+/).map((part, n) => (n % 2 ? make("code", { text: part }) : part));
}

// Groups and requests

function groupSection({ name, description, requests }) {
  const id = `group-${name.toLowerCase().replace(/\W+/g, "-")}`;
  const title = make("h2", { id: `${id}-title`, text: name[0].toUpperCase() + name.slice(1) });
  $("groups-list").append(make("a", { className: "button", href: `#${id}`, text: title.textContent }));
  return make("section", { id, "aria-labelledby": title.id }, title, ...prose(description ?? ""), ...requests.map(requestItem));
}

function requestItem(request) {
  const { method, path, summary, isOld } = request;
  const id = `${method} ${path}`.toLowerCase().replace(/[^a-z0-9.]+/g, "-").replace(/-$/, "");
  const title = make("h3", {}, make("span", { className: `method ${method.toLowerCase()}`, text: method }), " ", make("code", { className: "path", text: path }));
  const old = isOld ? [make("span", { className: "fine", text: "old" })] : [];
  const item = make("details", { id, className: "request" }, make("summary", {}, title, make("span", { className: "summary", text: summary }), ...old));
  item.addEventListener("toggle", () => {
    if (item.open && item.childElementCount === 1) item.append(make("div", { className: "parts" }, told(request), tryOut(api, request)));
  });
  return item;
}

// What a request takes and answers

function told(request) {
  const { description, parameters, body, responses } = request;
  const box = make("div", { className: "told" }, ...prose(description));
  if (parameters.length) box.append(make("h4", { text: "Parameters" }), make("ul", { className: "fields" }, ...parameters.map(parameterItem)));
  if (body) box.append(make("h4", { text: `Body${body.isRequired ? "" : ", if any"}` }), ...prose(body.description), ...Object.entries(body.contents).flatMap(contentParts));
  if (responses.length) box.append(make("h4", { text: "Responses" }), make("ul", { className: "responses" }, ...responses.map(responseItem)));
  return box;
}

function parameterItem({ name, in: place, required, description, schema }) {
  return fieldItem({ name, field: withoutNull(schema ?? {}), isRequired: required, description: description ?? plain(api, schema).description ?? "", place });
}

// A parameter is left out, not null.
function withoutNull(schema) {
  return schema.anyOf ? { ...schema, anyOf: schema.anyOf.filter((one) => one.type !== "null") } : schema;
}

function contentParts([kind, { schema }]) {
  const object = objectOf(api, schema);
  return [
    make("p", { className: "kind" }, make("code", { text: kind }), ` ${typeWords(api, schema)}`),
    ...(object ? [...prose(object.description ?? ""), fieldList(object, [object.name])] : []),
  ];
}

// The fields of an object; those of objects within can be opened, but not within themselves.
function fieldList(object, outer, isAnswer = false) {
  return make("ul", { className: "fields" }, ...fieldsOf(api, object).map((one) => fieldItem(one, outer, isAnswer)));
}

function fieldItem({ name, field, isRequired, description, place }, outer = [], isAnswer = false) {
  const { default: usual } = plain(api, field);
  const facts = [place, typeWords(api, field), usual === undefined || usual === null ? "" : `else ${JSON.stringify(usual)}`].filter(Boolean);
  const item = make("li", {}, make("code", { className: "name", text: name }), isRequired && !isAnswer ? make("strong", { className: "needed", text: "required" }) : "",
    make("span", { className: "fine", text: facts.join(" · ") }), ...prose(description));
  const within = objectOf(api, field);
  if (within && !(within.name && outer.includes(within.name))) {
    item.append(make("details", { className: "within" }, make("summary", { text: `Fields of ${within.name ?? name}` }), fieldList(within, [...outer, within.name], isAnswer)));
  }
  return item;
}

function responseItem({ status, description, content, headers }) {
  const item = make("li", {}, make("code", { className: "name", text: status }), make("span", { text: description ?? "" }));
  for (const [name, one] of Object.entries(headers ?? {})) item.append(make("p", { className: "fine" }, make("code", { text: name }), ` ${one.description ?? ""}`));
  for (const [kind, { schema }] of Object.entries(content ?? {})) {
    const object = objectOf(api, schema);
    const fields = object ? fieldsOf(api, object) : [];
    if (fields.length > 1) {
      item.append(make("details", { className: "within" }, make("summary", { text: `${kind}: ${typeWords(api, schema)}` }), ...prose(object.description ?? ""), fieldList(object, [object.name], true)));
    } else {
      const text = fields.length ? `{${fields[0].name}: ${typeWords(api, fields[0].field)}}` : typeWords(api, schema);
      item.append(make("p", { className: "fine", text: `${kind}: ${text}` }));
    }
  }
  return item;
}

// The page

const show = attempt(async () => {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`the description of the API cannot be had (${response.status})`);
  api = await response.json();
  const { title, version, summary, description } = api.info;
  document.title = `${title} API`;
  $("title").textContent = `${title} API`;
  $("version").textContent = version;
  $("intro").replaceChildren(...prose(summary ?? ""), ...prose(description ?? ""));
  $("access").hidden = !asksForToken(api);
  const groups = groupsOf(api);
  $("groups").replaceChildren(...groups.map(groupSection));
  $("groups-list").hidden = groups.length < 2;
  follow();
});

// An address with # opens its request.
function follow() {
  const found = $(location.hash.slice(1));
  if (!found) return;
  if (found.matches("details")) found.open = true;
  found.scrollIntoView();
}

$("token-form").addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", follow);
show();
