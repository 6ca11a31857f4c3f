// Questions that a table could be asked, made from its columns and first rows in words that the parser knows well.

const RANKS = /^(rank|place|position|no\.?|number|id|row|lot|bib|entry|code|year|#)$/i;
const PARTICIPLE = /^(built|[a-z]+ed|made|born|written|won|sold)$/; // what happened at a time
const HALF = / [a-z]+ed$|\b(until|till|from|to|by|since|at|on|of|for)$|^(opens|closes|starts|ends|leaves|arrives|ripens|flowers)$/; // no noun, such as "contract until"

export function firstQuestions(session, rows) {
  const columns = described(session, rows);
  const subject = subjectOf(columns);
  if (!subject) return [];
  const found = [];
  const [group, other = group] = groupsOf(columns, subject);
  const [amount] = columns.filter((one) => one.amount && one !== subject).slice(-1);
  const time = columns.find((one) => one.time && one !== subject && !HALF.test(one.words));
  if (group) found.push(`which ${plural(subject.words)} have the ${group.words} ${group.common}?`);
  if (amount && group) found.push(`what is the average ${isCount(amount) ? "number of " : ""}${amount.words} for each ${group.words}?`);
  if (amount) found.push(`which ${subject.words} has the ${most(amount)} ${amount.words}?`);
  if (time && PARTICIPLE.test(time.words)) found.push(`which ${subject.words} was ${time.words} first?`);
  else if (time) found.push(`which ${subject.words} has the earliest ${time.words}?`);
  if (other) found.push(`how many ${plural(subject.words)} are there for each ${other.words}?`);
  return found;
}

export function nextQuestions(session, rows) {
  const columns = described(session, rows);
  const turn = session.turns.at(-1);
  if (!turn.program || !turn.cells.length || isComputed(turn)) {
    const asked = new Set(session.turns.map(({ question }) => question));
    return firstQuestions(session, rows).filter((question) => !asked.has(question)).slice(0, 2);
  }
  const answered = new Set(turn.cells.map(([, column]) => column));
  const others = columns.filter((column) => column.words && !answered.has(column.number) && !turn.program.includes(column.name));
  if (turn.cells.length > 1) {
    const amounts = others.filter((column) => column.amount).slice(0, 2);
    return amounts.map((column) => `of those, which has the ${most(column)} ${column.words}?`);
  }
  return others.slice(0, 2).map(({ words, time }) => (time && PARTICIPLE.test(words) ? `when was it ${words}?` : `what is its ${words}?`));
}

// An answer that is values computed from its cells, rather than the cells themselves.
export function isComputed(turn) {
  return turn.kind === "value" || turn.kind === "groups";
}

function described(session, rows) {
  return session.columns.map((column, number) => {
    const texts = rows.map((row) => row.cells[number]);
    const words = column.name.replace(/\s*[([].*?[)\]]/g, "").trim().toLowerCase();
    const time = column.kind === "date" || column.unit === "year";
    const counts = new Map();
    for (const text of texts) if (/[\p{L}\d]/u.test(text)) counts.set(text, (counts.get(text) ?? 0) + 1);
    const [common, times] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ["", 0];
    return {
      number, words: /^[\p{L}][^"<>{}\n/]{0,30}$/u.test(words) ? words : "", name: column.name, text: column.kind === "text", time,
      amount: column.kind === "number" && !time && words !== "" && !RANKS.test(words), unit: column.unit,
      distinct: counts.size, common: common.length <= 30 ? common : "", times, rows: rows.length,
    };
  });
}

// What a row is about: the first column of names that tells rows apart.
function subjectOf(columns) {
  const names = columns.filter((column) => column.text && column.words);
  const telling = names.filter((column) => column.distinct >= 0.9 * column.rows);
  return telling.find((column) => !RANKS.test(column.words)) ?? telling[0] ?? names[0];
}

function groupsOf(columns, subject) {
  return columns.filter((column) => column.text && column.words && column !== subject && column.common && !PARTICIPLE.test(column.words)
    && column.times > 1 && column.distinct > 1 && column.distinct < 0.7 * column.rows);
}

function most(column) {
  return isCount(column) ? "most" : "highest";
}

function isCount(column) {
  return /[^s]s$/.test(column.words) && !column.unit;
}

function plural(words) {
  if (/[^aeiou]y$/.test(words)) return `${words.slice(0, -1)}ies`;
  if (/s$/.test(words)) return words;
  return /(x|ch|sh)$/.test(words) ? `${words}es` : `${words}s`;
}
