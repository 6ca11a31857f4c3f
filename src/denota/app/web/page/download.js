// Files that are made for what a person sees now: asked for with a body, and kept by the browser.

import { make } from "./dom.js";

export async function download(path, body, name) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).catch(() => {
    throw new Error("the server does not answer; is it still running?");
  });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? "the server could not do that");
  const address = URL.createObjectURL(await answer.blob());
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
