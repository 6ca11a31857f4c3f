// Elements made and found. Text from tables and questions goes in as text, never as markup.

export const $ = (id) => document.getElementById(id);

export function make(kind, options = {}, ...children) {
  const element = document.createElement(kind);
  const { text, on, ...rest } = options;
  if (text !== undefined) element.textContent = text;
  for (const [name, action] of Object.entries(on ?? {})) element.addEventListener(name, action);
  for (const [name, value] of Object.entries(rest)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// What a person sees of a text: one line, and nothing in it that would turn the writing around or hide.
export function visible(text) {
  return String(text)
    .replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

export function counted(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
