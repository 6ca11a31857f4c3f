// Values as people read and type them.

const NUMBER = /^[+-]?((0|[1-9]\d{0,14}|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?|\.\d+)$/;

// A number with commas and no more decimals than tell something, yes or no, or a text.
export function shownValue(value) {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return value;
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 0.01)) return String(Number(value.toPrecision(6)));
  return value.toLocaleString("en", { maximumFractionDigits: 4 });
}

// The texts of an answer, computed numbers as above.
export function shownAnswer({ answer, values }) {
  if (!values.length) return answer;
  return values.map((value) => (Array.isArray(value) ? `${value[0]}: ${shownValue(value[1])}` : shownValue(value)));
}

const GROUP = /^(.*\S)\s*:\s+(\S.*)$/;

// What was typed as an answer: semicolons or lines between several, numbers as numbers; where all are `group: value`, groups.
export function typedValues(text) {
  const parts = text.split(/[;\n]/).map((part) => part.trim()).filter(Boolean);
  const value = (part) => (NUMBER.test(part) ? Number(part.replaceAll(",", "")) : part);
  const groups = parts.map((part) => part.match(GROUP));
  if (parts.length && groups.every(Boolean)) return groups.map(([, group, own]) => [group, value(own)]);
  return parts.map(value);
}
