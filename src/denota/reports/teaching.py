"""docs/teaching.md: teaching by the right cells or values, and what it brings.

Figures from results/teaching/, which `benchmarks/teaching.py` writes.

Usage: python -m denota.reports.teaching [--results DIR] [--docs DIR]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

from denota.reports.markdown import table

_TOP: Final = """# Teaching

A wrong answer is corrected by pointing at the right cells or by saying the right values, and the \
parser learns from that: at once, and for questions that are put otherwise as well.

| where | how |
| --- | --- |
| page | "Not right?" under an answer; click the right cells, rows or columns (Shift for a range, \
or use the keyboard), select them by value, have them counted, added up or averaged, or type the \
right answer, semicolons or lines between several, `group: value` for groups; it shows how the \
question would be read and which earlier answers would change, and learns when you press Teach. \
Each lesson about the table has an × that forgets it |
| terminal | `:teach Oslo, Bergen`, `:teach 4` or `:teach 0:1, 2:1` (row:column, counted from 0) \
after an answer; `:1` `:2` `:3` take another reading, `:teach none` none of them; `:right` says \
that the answer is right; `:lessons` lists what was taught of this table, `:forget NUMBER` takes \
one back, `:unteach` the last |
| Python | `chat.teach(turn, cells)` or `chat.teach(turn, values=[4])`, `chat.accept(turn)`, \
`chat.teacher.lessons(table=...)`, `chat.forget(id)`, `chat.unteach()` |
| REST | `POST /v1/sessions/{id}/teach` with `cells` or `values`, `/accept`, `/unteach`, \
`GET .../lessons` (`?all=true` for other tables too), `DELETE .../lessons/{lesson}`, \
`POST .../retrain` |
| file | `denota teach MODEL FILE.jsonl`, each turn with `cells` or an `answer`; a line for every \
turn that is kept and not learnt |

```python
import denota

parser = denota.load()
chat = parser.chat("examples/expeditions.csv")
turn = chat.ask("what was the complement of 1907-08?")
print(turn.program)  # SELECT Result WHERE Season = '1907-08'
taught = chat.teach(turn, [(6, 4)])
print(taught.said)  # I now read this as: The Crew where Season is 1907-08.
print(parser.ask("examples/expeditions.csv", "and the complement of 1899-00?").answer)  # ('19',)
```

## What is learnt, and how

The answer comes without a program, as in the data that the parser was trained on. So the search \
finds programs that give just these cells, or any that give these values, be it a lookup, a count \
or a sum, ranked under the shaped policy, and the same update as in training (MAVER for the \
default model) raises the
reference over whatever does not give them. What moves are weights of the table's own, beside the \
trained ones (`model/memory.py`, `teaching/lesson.py`):

```text
s(y | x) = log p(y | x) + Σ_l k(x, x_l) Σ_f a_lf        f: parts of the program y, its rows, its \
answer;  k: how near the questions are, by what the encoder makes of them
```

A lesson is about operators and columns, not about constants. Its parts name no constant: a value \
is said as named by the question or not, an operator with the word that calls for it. So "who is \
the oldest?" teaches `oldest`, and "who is the youngest?" stays as it was; "which Canadians ...?" \
teaches that countries are meant that a question names. Of the programs that give the answer, \
those come first whose values the question names and whose operators it calls for. Constants, and \
the answers of programs with a constant that the question does not name, carry over only to \
questions that have all words of the lesson's; without them a lesson never raises such a program, \
and it gives nothing to a value where the question names another of its column.

The weights a are 0 until something is taught of tables with the same columns; other tables are \
left exactly as they are. All lessons of a table are learnt together with accepted answers, so \
that what was right stays right. Silence is not consent: an answer is accepted by saying so, or by \
a follow-up that builds on it. An accepted answer that is about much the same as a lesson was \
rather overlooked, and does not count. What was asked in a conversation without lessons is not \
written down, unless it is accepted.

- The same question again gives what was taught: about a table with the same columns the program, \
about the very same table the very cells or values.
- If no program of the parser's language gives the answer, that is said; the correction is kept in \
the log, and is the answer to that question about that table alone.
- Told a value, the default model learns the programs that compute it. For a model that picks \
cells, rules count and add up: told the value, it learns the cells behind it, if a program that \
the question bears out picks cells that give it; else the value is remembered for that question \
about that table. Cells that are pointed at are counted.
- A lesson that says otherwise than an earlier one about the same question is pointed out; the \
newer counts.
- `None of these` keeps the lesson without learning it. A program that does not give the taught \
answer is refused.
- A lesson has at most 10,000 cells or values.

## The log

Lessons are records in a file that is only ever added to (SQLite, written through before a lesson \
is acknowledged, for its owner's eyes alone; [ask.md](ask.md#where-things-are-kept) says where). \
What a model was taught is a function
of its log: undoing adds a record, and so does a reset. A record that is damaged is passed over, \
and `--log` says how many are. Records name the session they were made in, and \
`TeachingLog.erase(session)` removes a session's records and tables from the disk, so that no byte \
of them is left in the files; what was taught elsewhere stays in force. What a \
person teaches a server is theirs alone, told by a cookie or token, and goes when its session is \
deleted; `denota serve --share-lessons` makes it everybody's.

```sh
denota teach default examples/expeditions.jsonl
denota teach default --log
denota teach default --undo
denota teach default --export lessons.jsonl --save taught.safetensors
denota ask examples/expeditions.csv "which season had the largest crew?" --model taught.safetensors
denota teach default --reset
```

Several processes may use one log: a `Teacher` sees by a look at its index whether a person's \
records have changed, and learns again only then. Where one process writes for all, the others \
teach over a `PendingLog`, whose
`taken()` gives what was added as values that can be sent, and `TeachingLog.write(entries)` writes \
them, all or none:

```python
from pathlib import Path
from tempfile import mkdtemp

import denota
from denota.conversation.chat import Chat
from denota.teaching.log import TeachingLog
from denota.teaching.pending import PendingLog
from denota.teaching.teacher import Teacher

path = Path(mkdtemp()) / "lessons.sqlite"
written, pending = TeachingLog(path), PendingLog(path)
parser = denota.load().parser
chat = Chat(parser, "examples/expeditions.csv", teacher=Teacher(parser, pending), session="s")
chat.teach(chat.ask("what was the complement of 1907-08?"), [(6, 4)])
print(len(pending.lessons()), len(written.lessons()))  # 1 0
written.write(pending.taken())
print(len(pending.lessons()), len(written.lessons()))  # 1 1
print(written.erase("s"), len(pending.lessons()))  # 1 0
```

`denota teach default --forget 3` takes one lesson back; `--log` shows the numbers. `--save` \
writes one file to share. Where there are several lessons of a kind, \
`--retrain taught.safetensors` trains on them and on the bundled sample, and tells how many \
percent of the lessons, of accepted answers and of the sample's dev questions are right before \
and after; with `--preview` it only says how long that takes. `--export` writes the lessons as data:

```text
denota train experiments/own.toml --init default --data lessons.jsonl --out runs/taught
```
"""

_TRIED: Final = """## What was tried

| what | expected | what came of it, on the half to choose by (some rows: an earlier parser) |
| --- | --- | --- |
| weights for constants, rows and answers by nearness alone, as before | more than with gates | \
most of what later questions gain is answers that come back; but a lesson about Canadians answers \
about Mexicans, and the oldest is the age of 37 |
| constants and answers only for questions with the same words | a loss | later questions gain \
about a third less, first questions of a conversation more |
| answers by nearness, except of programs with a constant that the question does not name | the \
best of both | about three quarters of the gain of later questions is kept, and all of that of \
first ones; taken, for nothing else is safe |
| those too, for questions that are built differently | more | a little more, and no safety for \
constants that the question says in words that the table has not; left out |
| the square of the nearness | less harm elsewhere | less gain everywhere |
| a margin of 3, of 1 | 3 firmer | 3 helps first questions and costs others; 1 loses |
| three times as many rounds | firmer | no more |
| columns with each unknown word of the question | words learnt | first questions lose |
| no acceptance by asking on | a loss | the same figures to the last question |
| fine-tuning the trained weights on single lessons | generalises | later answers worse, on the \
same table and on others, however small the steps |
"""


def teaching_page(results: Path) -> str:
    """Return the page."""
    apart, tuned, before, constants = (
        json.loads((results / "teaching" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("apart", "tuned", "before", "constants")
    )
    measured = _measured(apart, tuned, before)
    parts = [_TOP, "## What it brings", "", measured, "", _constants(constants)]
    return "\n".join([*parts, "", _TRIED, ""])


def _measured(apart: dict[str, Any], tuned: dict[str, Any], before: dict[str, Any]) -> str:
    head = ("questions", "of", "not learnt", "taught", "gain")
    lines = [(*head, "gain when constants were learnt by nearness")]
    for what, name in (
        ("later questions about the same table", "later"),
        ("of these, first questions of a conversation", "first"),
        ("questions about a table before it was taught", "before"),
        ("other tables, in the end", "others"),
    ):
        lines.append(
            (
                what,
                f"{apart[name]:,}",
                f"{apart[f'{name}_control_accuracy']:.1f}",
                f"{apart[f'{name}_taught_accuracy']:.1f}",
                f"{apart[f'{name}_gain']:+.1f}",
                f"{before[f'{name}_gain']:+.1f}",
            )
        )
    return (
        "A simulated person asks the questions of SQA's split-1 dev, table by table, of a parser "
        "that never saw them, and corrects every wrong answer with the gold cells; it never says "
        "that an answer is right. Beside them "
        "somebody does the same and nothing is learnt: "
        "the corrections set their conversations right all the same. Percent of answers right:\n\n"
        + table(*lines)
        + f"\n\n{apart['lessons']:,} lessons, of which {apart['kept_for_later']:,} no program "
        f"gives; asked again at once, {apart['again']:,} give what was taught. A lesson takes "
        f"{apart['median_s']:.2f} s (median; {apart['slowest_s']:.1f} s at most) on a busy core. "
        "These are the tables of every second file name, from the second on, measured once; "
        "features were chosen on the others" + _tuned(tuned) + ". Again:\n\n"
        "```text\npython benchmarks/teaching.py --model RUN --data SQA --parts 4 --only 1 3 "
        "--out results/teaching/apart.json\n"
        "python benchmarks/teaching.py --model RUN --data SQA --parts 4 --only 0 2 --out "
        "results/teaching/tuned.json\n```"
    )


def _tuned(tuned: dict[str, Any]) -> str:
    """What the other half gains, where it was measured with the same version."""
    if "again" not in tuned:
        return ""
    return (
        f", where later questions gain {tuned['later_gain']:+.1f} "
        f"({tuned['later_control_accuracy']:.1f} to {tuned['later_taught_accuracy']:.1f} of "
        f"{tuned['later']:,}) and first ones {tuned['first_gain']:+.1f}"
    )


def _constants(found: dict[str, Any]) -> str:
    before, after = found["before"], found["after"]
    lines = [("the other question is", "without the lesson", "with it")]
    for kind in ("right", "unsure", "wrong"):
        lines.append((kind, str(before.get(kind, 0)), str(after.get(kind, 0))))
    return (
        f"{found['lessons']} lessons about one constant are each followed by the same question "
        f"about another (`benchmarks/other_constants.py`): {found['take']} of the lessons take, "
        f"and {found['answer_with_the_lesson']} of the other questions are answered with the "
        "lesson's rows.\n\n" + table(*lines)
    )


def main() -> None:
    """Write the page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--results", type=Path, default=Path("results"))
    arguments.add_argument("--docs", type=Path, default=Path("docs"))
    given = arguments.parse_args()
    page = teaching_page(given.results)
    (given.docs / "teaching.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
