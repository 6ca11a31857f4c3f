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
| page | "Not right?" under an answer, click the right cells, rows or columns (or use the \
keyboard), or type the right answer, semicolons between several; Teach; it says which reading it \
took, and offers others that give the same |
| terminal | `:teach Oslo, Bergen`, `:teach 4` or `:teach 0:1, 2:1` (row:column, counted from 0) \
after an answer; `:1` `:2` `:3` take another reading, `:teach none` none of them; `:unteach` |
| Python | `chat.teach(turn, cells)` or `chat.teach(turn, values=[4])`, `chat.unteach()` |
| REST | `POST /api/sessions/{id}/teach` with `cells` or `values`, `/unteach`, `GET .../lessons` |
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
s(y | x) = log p(y | x) + Σ_f W_f · φ(x)        f: parts of the program y, what it computes among \
them, its rows, its answer;  φ(x): what the encoder makes of the question, first or follow-up
```

W is 0 until something is taught of tables with the same columns; other tables are left exactly as \
they are. All lessons of a table are learnt together with accepted answers, so that what was right \
stays right: with a lesson, the answers
before it in the same conversation are accepted, and on a table that was taught, asking on accepts \
the answer before. An accepted answer that is about much the same as a lesson was rather \
overlooked, and does not count. What was asked in a conversation without lessons is not written \
down. Fine-tuning the trained weights on single lessons was tried first and made later answers \
worse, on the same table and on others, however small the steps were.

- If no program of the parser's language gives the answer, the correction stands in the \
conversation, is kept in the log for later, and that is said.
- The default model picks cells, and rules count and add up for it. So a value that such a rule \
computed is kept and not learnt: point at the cells that should have been counted. A parser whose \
language computes (`full`) learns it.
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

`--save` writes one file to share; `--export` writes the lessons as data, to train on all of them \
anew:

```text
denota train experiments/encoder.toml --init default --data lessons.jsonl --out runs/taught --set \
data.train=all data.dev= train.epochs=4 train.average=0
```
"""


def teaching_page(results: Path) -> str:
    """Return the page."""
    apart, tuned = (
        json.loads((results / "teaching" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("apart", "tuned")
    )
    return "\n".join([_TOP, "## What it brings", "", _measured(apart, tuned), ""])


def _measured(apart: dict[str, Any], tuned: dict[str, Any]) -> str:
    lines = [("questions", "of", "not learnt", "taught", "gain")]
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
            )
        )
    return (
        "A simulated person asks the questions of SQA's split-1 dev, table by table, of a parser "
        "that never saw them, and corrects every wrong answer with the gold cells. Beside them "
        "somebody does the same and nothing is learnt: "
        "the corrections set their conversations right all the same. Percent of answers right:\n\n"
        + table(*lines)
        + f"\n\n{apart['lessons']:,} lessons, of which {apart['kept_for_later']:,} no program "
        f"gives; a lesson takes {apart['median_s']:.2f} s (median; {apart['slowest_s']:.1f} s "
        "at most) on one core. "
        "These are the tables of every second file name, from the second on; rate, margin, "
        "rounds and features were chosen on the others, where later questions gain "
        f"{tuned['later_gain']:+.1f} ({tuned['later_control_accuracy']:.1f} to "
        f"{tuned['later_taught_accuracy']:.1f} of {tuned['later']:,}). "
        "The first half is not quite untouched either: two versions were measured on it before "
        "this one, and gained less (+2.3 and +2.6); they did not keep answers that were not "
        "sure, nor first questions and follow-ups apart. Again:\n\n"
        "```text\npython benchmarks/teaching.py --model RUN --data SQA --parts 4 --only 1 3 "
        "--out results/teaching/apart.json\n"
        "python benchmarks/teaching.py --model RUN --data SQA --parts 4 --only 0 2 --out "
        "results/teaching/tuned.json\n```"
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
