// The server's REST API. What goes wrong is an Error with one sentence.

const LARGEST = 32 * 2 ** 20; // bytes of a file that is taken

export async function call(path, body, signal) {
  const options = body === undefined ? { signal } : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  };
  return answered(path, options);
}

export async function upload(file, how = {}) {
  if (file.size > LARGEST) throw new Error(`the file is larger than ${LARGEST >> 20} MB`);
  return answered(`/api/sessions/upload?${new URLSearchParams({ name: file.name, ...how })}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  });
}

export async function remove(id) {
  return answered(`/api/sessions/${id}`, { method: "DELETE" });
}

export function of(session, rest = "") {
  return `/api/sessions/${session.id}${rest}`;
}

async function answered(path, options) {
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
  return found;
}

function sentence(detail) {
  if (typeof detail === "string") return detail;
  const why = Array.isArray(detail) ? detail[0]?.msg : undefined;
  return why ? `that cannot be sent as it is: ${why}` : "the server could not do that";
}
