// Tables that were opened in this browser, the latest first. The server has them; this only remembers where.

const KEY = "denota.recent";
const MOST = 12;

export function recent() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => /^[\w-]{1,64}$/.test(one?.id)) : [];
  } catch {
    return []; // storage is off, or holds something else
  }
}

export function remember(session) {
  const { id, name, rows, columns, turns } = session;
  const names = columns.slice(0, 6).map((column) => column.name);
  keep([{ id, name, rows, names, columns: columns.length, questions: turns.length }, ...without(id)]);
}

export function forget(id) {
  keep(without(id));
}

function without(id) {
  return recent().filter((one) => one.id !== id);
}

function keep(list) {
  try {
    localStorage.setItem(KEY, JSON.stringify(list.slice(0, MOST)));
  } catch {
    // the page works without
  }
}
