// The server's REST API. What goes wrong is an Error with one sentence.

const LARGEST = 32 * 2 ** 20; // bytes of a file that is taken
const MOST = 200000; // items of an answer that are told
let showAgain = async () => {}; // shows a conversation as the server has it

export async function call(path, body, signal) {
  const options = body === undefined ? { signal } : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  };
  return answered(path, options);
}

// Change a conversation, if it is still as it is shown here; a request that is sent twice counts once.
export async function change(session, rest, body = {}) {
  try {
    return await answered(of(session, `${rest}?limit=${MOST}`), {
      method: "POST",
      headers: { "Content-Type": "application/json", "If-Match": `"${session.version}"`, "Idempotency-Key": newKey() },
      body: JSON.stringify(body),
    }, session);
  } catch (error) {
    if (error.status !== 412) throw error;
    await showAgain(session);
    throw new Error("this conversation went on in another tab; it is now shown as it is");
  }
}

export function whenGoneOn(show) {
  showAgain = show;
}

export async function conversation(id) {
  return call(`/v1/sessions/${id}?limit=${MOST}`);
}

export async function upload(file, how = {}) {
  if (file.size > LARGEST) throw new Error(`the file is larger than ${LARGEST >> 20} MB`);
  return answered(`/v1/sessions/upload?${new URLSearchParams({ name: file.name, ...how })}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  });
}

export async function remove(id) {
  return answered(`/v1/sessions/${id}`, { method: "DELETE" });
}

export function of(session, rest = "") {
  return `/v1/sessions/${session.id}${rest}`;
}

function newKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}

async function answered(path, options, session) {
  let response;
  let found;
  try {
    response = await fetch(path, options);
    const text = await response.text();
    found = text ? JSON.parse(text) : {};
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer; is it still running?");
  }
  if (!response.ok) throw Object.assign(new Error(sentence(found.detail)), { status: response.status });
  if (session) session.version = response.headers.get("ETag")?.replaceAll('"', "") ?? session.version;
  return found;
}

function sentence(detail) {
  if (typeof detail === "string") return detail;
  const why = Array.isArray(detail) ? detail[0]?.msg : undefined;
  return why ? `that cannot be sent as it is: ${why}` : "the server could not do that";
}
