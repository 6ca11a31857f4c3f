// An OpenAPI description, read: references followed, types in words, examples, and the request to send.

const METHODS = ["get", "post", "put", "patch", "delete", "head", "options"];
const WORDS = { string: "text", integer: "whole number", number: "number", boolean: "boolean", null: "null", object: "object" };
const DEEPEST = 12; // an example of a schema within itself ends there

// The groups of the requests: [{ name, description, requests }], in the order of the description's tags.
export function groupsOf(api) {
  const groups = new Map((api.tags ?? []).map(({ name, description }) => [name, { name, description, requests: [] }]));
  for (const [path, item] of Object.entries(api.paths ?? {})) {
    for (const method of METHODS.filter((one) => item[one])) {
      const operation = item[method];
      const name = operation.tags?.[0] ?? "Requests";
      if (!groups.has(name)) groups.set(name, { name, requests: [] });
      groups.get(name).requests.push(requestOf(api, path, method, operation, item.parameters ?? []));
    }
  }
  return [...groups.values()].filter((group) => group.requests.length);
}

function requestOf(api, path, method, operation, shared) {
  const body = followed(api, operation.requestBody);
  return {
    path,
    method: method.toUpperCase(),
    summary: operation.summary ?? "",
    description: operation.description ?? "",
    isOld: Boolean(operation.deprecated),
    needsToken: (operation.security ?? api.security ?? []).some((one) => Object.keys(one).some((name) => isBearer(api, name))),
    parameters: [...shared, ...(operation.parameters ?? [])].map((one) => followed(api, one)),
    body: body && { isRequired: Boolean(body.required), description: body.description ?? "", contents: body.content ?? {} },
    responses: Object.entries(operation.responses ?? {}).map(([status, one]) => ({ status, ...followed(api, one) })),
  };
}

function isBearer(api, name) {
  const scheme = followed(api, api.components?.securitySchemes?.[name]);
  return scheme?.type === "http" && scheme.scheme?.toLowerCase() === "bearer";
}

export function asksForToken(api) {
  return Object.keys(api.components?.securitySchemes ?? {}).some((name) => isBearer(api, name));
}

// What a reference leads to; anything else is itself.
export function followed(api, one) {
  let found = one;
  for (let steps = 0; found?.$ref && steps < DEEPEST; steps += 1) {
    const parts = found.$ref.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    found = parts.reduce((within, part) => within?.[part], api);
  }
  return found;
}

// A schema with its reference followed and what it is made of put together: { name, ...schema }.
export function plain(api, schema) {
  if (schema === true || schema === undefined) return {};
  let found = { ...followed(api, schema) };
  for (const part of found.allOf ?? []) {
    const { properties, required, ...rest } = plain(api, part);
    found = { ...rest, ...found, properties: { ...properties, ...found.properties }, required: [...(required ?? []), ...(found.required ?? [])] };
  }
  return { name: schema.$ref?.split("/").at(-1), ...found };
}

function choices(schema) {
  return schema.anyOf ?? schema.oneOf;
}

function kindOf(schema) {
  const kinds = [schema.type ?? (schema.properties ? "object" : [])].flat();
  return kinds.find((one) => one !== "null") ?? kinds[0];
}

export function isBinary(schema) {
  return schema.format === "binary" || schema.contentMediaType === "application/octet-stream";
}

// The type in words: "list of whole number, at most 20".
export function typeWords(api, given) {
  const schema = plain(api, given);
  return [kindWords(api, schema), ...limits(schema)].filter(Boolean).join(", ");
}

function kindWords(api, schema) {
  if (choices(schema)) return [...new Set(choices(schema).map((one) => typeWords(api, one)))].join(" or ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return `${schema.enum.length > 1 ? "one of " : ""}${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`;
  if (isBinary(schema)) return "file";
  const kind = kindOf(schema);
  if (kind === "array" && schema.prefixItems) return `[${schema.prefixItems.map((one) => typeWords(api, one)).join(", ")}]`;
  if (kind === "array") return `list of ${schema.items ? inBrackets(typeWords(api, schema.items)) : "anything"}`;
  if (kind === "object") return schema.name ?? "object";
  const word = WORDS[kind] ?? "anything";
  return schema.format ? `${word} (${schema.format})` : word;
}

function inBrackets(words) {
  return / or |, /.test(words) && !words.startsWith("[") ? `(${words})` : words;
}

function limits(schema) {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, prefixItems, pattern } = schema;
  const lengths = (least, most, of) => {
    if (least && most) return `${number(least)} to ${number(most)}${of}`;
    if (most !== undefined) return `at most ${number(most)}${of}`;
    return least ? `at least ${number(least)}${of}` : "";
  };
  const span = minimum !== undefined && maximum !== undefined ? `${number(minimum)} to ${number(maximum)}` : lengths(minimum, maximum, "");
  return [span, lengths(minLength, maxLength, " characters"), prefixItems ? "" : lengths(minItems, maxItems, " items"), pattern ? `matching ${pattern}` : ""];
}

function number(value) {
  return value.toLocaleString("en");
}

// The schema of the object that a value is or is made of, if it is one: fields are listed of it.
export function objectOf(api, given) {
  const schema = plain(api, given);
  if (schema.properties && Object.keys(schema.properties).length) return schema;
  const within = choices(schema) ?? [schema.items, schema.additionalProperties].filter((one) => one && one !== true);
  for (const one of within) {
    const found = objectOf(api, one);
    if (found) return found;
  }
  return null;
}

export function fieldsOf(api, schema) {
  return Object.entries(schema.properties).map(([name, field]) => ({
    name, field, isRequired: (schema.required ?? []).includes(name), description: plain(api, field).description ?? "",
  }));
}

// The examples of a body or an answer, { name: value }: those it has, or one made from its schema.
export function examplesOf(api, content) {
  const named = Object.entries(content.examples ?? {}).map(([name, one]) => {
    const { summary, value } = followed(api, one);
    return [summary ?? name, value];
  });
  if (named.length) return Object.fromEntries(named);
  const given = plain(api, content.schema).examples ?? [];
  if (content.example === undefined && given.length > 1) return Object.fromEntries(given.map((value, n) => [`Example ${n + 1}`, value]));
  return { Example: content.example ?? exampleOf(api, content.schema) };
}

export function exampleOf(api, given, depth = 0) {
  const schema = plain(api, given);
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.length) return schema.examples[0];
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined && schema.default !== null) return schema.default;
  if (depth > DEEPEST) return null;
  if (choices(schema)) return exampleOf(api, choices(schema).find((one) => kindOf(plain(api, one)) !== "null") ?? {}, depth + 1);
  return exampleOfKind(api, schema, depth);
}

function exampleOfKind(api, schema, depth) {
  switch (kindOf(schema)) {
    case "string": return "text";
    case "integer": case "number": return schema.minimum ?? 0;
    case "boolean": return true;
    case "array": return (schema.prefixItems ?? [schema.items ?? {}]).map((one) => exampleOf(api, one, depth + 1));
    case "object": {
      const fields = fieldsOf(api, { properties: {}, ...schema });
      const needed = fields.filter((one) => one.isRequired);
      const shown = needed.length ? needed : fields.slice(0, 1);
      return Object.fromEntries(shown.map(({ name, field }) => [name, exampleOf(api, field, depth + 1)]));
    }
    default: return null;
  }
}

// The address and headers of a request; what was left empty is not sent, and in the path named: /sessions/ID.
export function addressOf(request, values) {
  const given = request.parameters.filter((one) => values[one.name] !== undefined && values[one.name] !== "");
  const of = (place) => given.filter((one) => one.in === place).map((one) => [one.name, values[one.name]]);
  const named = Object.fromEntries(of("path"));
  const path = request.path.replace(/\{([^}]+)\}/g, (_, name) => (name in named ? encodeURIComponent(named[name]) : name.toUpperCase()));
  const query = new URLSearchParams(of("query")).toString();
  return { path: query ? `${path}?${query}` : path, headers: of("header") };
}

// The request as a command for a shell. `body` is { kind, text }, { kind, file } or { kind, fields: [{ name, isFile, value }] }.
export function curlOf(origin, request, values, body) {
  const { path, headers } = addressOf(request, values);
  const parts = [`curl${request.method === "GET" ? "" : ` -X ${request.method}`} ${quoted(origin + path)}`];
  if (request.needsToken) parts.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of headers) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body?.fields) parts.push(...body.fields.map(({ name, isFile, value }) => (isFile ? `-F ${quoted(`${name}=@${value?.name ?? "FILE"}`)}` : `--form-string ${quoted(`${name}=${value}`)}`)));
  else if (body) parts.push(`-H ${quoted(`Content-Type: ${body.kind}`)}`, body.text === undefined ? `--data-binary ${quoted(`@${body.file?.name ?? "FILE"}`)}` : `-d ${quoted(body.text)}`);
  return parts.join(" \\\n  ");
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
