// The server's REST API. What goes wrong is an Error with one sentence; what takes long can be cancelled.

import { wait } from "./waiting.js";

const LARGEST = 32 * 2 ** 20; // bytes of a file that is taken
const MOST = 200000; // items of an answer that are told
const LEFT = 500; // milliseconds in which the server notices that nobody waits any more
const TRIES = 5; // how often what a busy server refused is asked again
const PAUSE = 250; // milliseconds before the first of them, twice as long each time
const AWAY = "the server does not answer; is it still running?";
const WAITED = { "/teach": "Learning", "/unteach": "Forgetting", "/choose": "Reading it so", "/undo": "Taking it back", "/reset": "Starting over" };
let showAgain = async () => {}; // shows a conversation as the server has it

export async function call(path, body, signal, what = path === "/v1/sessions" ? "Reading the table" : "") {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  return waited(what, signal, (own) => answered(path, { ...options, signal: own }));
}

// Change a conversation, if it is still as it is shown here; a request that is sent twice counts once. Without a `signal` to
// stop it, who waits for long is asked, and sees the conversation as it is then.
export async function change(session, rest, body = {}, signal = undefined) {
  const send = (own) => answered(of(session, `${rest}?limit=${MOST}`), {
    method: "POST",
    headers: { "Content-Type": "application/json", "If-Match": `"${session.version}"`, "Idempotency-Key": newKey() },
    body: JSON.stringify(body),
    signal: own,
  }, session);
  try {
    return await waited(WAITED[rest] ?? "", signal, send);
  } catch (error) {
    if (error.name === "AbortError" && !signal) await look(session);
    if (error.status !== 412) throw error;
    await showAgain(session);
    throw new Error("this conversation went on in another tab; it is now shown as it is");
  }
}

// After a change was cancelled: it may have been made already.
async function look(session) {
  if ((await afterLeaving(session.id)).version !== session.version) await showAgain(session);
}

// A conversation as it is once the server has noticed that a request was cancelled.
export async function afterLeaving(id) {
  await new Promise((done) => setTimeout(done, LEFT));
  return conversation(id);
}

export function whenGoneOn(show) {
  showAgain = show;
}

export async function conversation(id) {
  return call(`/v1/sessions/${id}?limit=${MOST}`, undefined, undefined, "Opening the conversation");
}

export async function upload(file, how = {}) {
  if (file.size > LARGEST) throw new Error(`the file is larger than ${LARGEST >> 20} MB`);
  const path = `/v1/sessions/upload?${new URLSearchParams([["name", file.name], ...Object.entries(how).flatMap(([key, value]) => [value].flat().map((one) => [key, one]))])}`;
  const { status, text, headers } = await sent(path, file);
  try {
    return understood(status, text, headers);
  } catch (error) {
    throw Object.assign(error, { isAboutFile: error.message.startsWith(file.name) });
  }
}

export async function remove(id, rest = "") {
  return answered(`/v1/sessions/${id}${rest}`, { method: "DELETE" });
}

export function of(session, rest = "") {
  return `/v1/sessions/${session.id}${rest}`;
}

function newKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}

// Do something that a person waits for, unless it has no name or whoever asks can stop it.
async function waited(what, signal, action) {
  if (!what || signal) return action(signal);
  const controller = new AbortController();
  const waiting = wait(what, () => controller.abort());
  try {
    return await action(controller.signal);
  } finally {
    waiting.end();
  }
}

// A file sent, with how much of it was; `fetch` cannot tell that.
function sent(path, file) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const waiting = wait(`Sending ${file.name}`, () => request.abort());
    const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(1);
    request.upload.addEventListener("progress", ({ loaded, total }) => waiting.tell(`Sending ${file.name}: ${megabytes(loaded)} of ${megabytes(total)} MB`, loaded / total));
    request.upload.addEventListener("load", () => waiting.tell(`Reading ${file.name}`));
    request.addEventListener("load", () => resolve({ status: request.status, text: request.responseText, headers: { get: (name) => request.getResponseHeader(name) } }));
    request.addEventListener("error", () => reject(new Error(AWAY)));
    request.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
    request.addEventListener("loadend", waiting.end);
    request.open("POST", path);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file);
  });
}

async function answered(path, options, session) {
  let response;
  let text;
  try {
    response = await fetch(path, options);
    for (let tries = 0; response.status === 429 && tries < TRIES; tries++) { // refused, not done: ask again
      await new Promise((done) => setTimeout(done, PAUSE * 2 ** tries));
      response = await fetch(path, options);
    }
    text = await response.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(AWAY);
  }
  const found = understood(response.status, text, response.headers);
  if (session) session.version = response.headers.get("ETag")?.replaceAll('"', "") ?? session.version;
  return found;
}

function understood(status, text, headers) {
  let found;
  try {
    found = text ? JSON.parse(text) : {};
  } catch {
    found = null; // a proxy's page, or a plain word
  }
  if (status >= 200 && status < 300 && found !== null) return found;
  throw Object.assign(new Error(sentence(status, found?.detail, headers)), { status });
}

function sentence(status, detail, headers) {
  if (typeof detail === "string") return detail;
  const why = Array.isArray(detail) ? detail[0]?.msg : undefined;
  if (why) return `that cannot be sent as it is: ${why}`;
  const later = Number(headers.get("Retry-After"));
  if (status === 429 || status === 503) return `the server has too much to do; try again in ${later > 0 ? `${later} s` : "a moment"}`;
  if (status === 502 || status === 504) return "the server took too long; try again in a moment";
  if (status >= 500) return "something went wrong inside the server; try again, and if it stays so, tell whoever runs it";
  return "the server could not do that";
}
