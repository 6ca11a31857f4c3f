"""A lesson about one constant, and then the same question about another.

    python benchmarks/other_constants.py [--model MODEL] [--out results/teaching/constants.json]

Each of the lessons in tests/fixtures/lessons.tsv is taught by pointing at cells: all of a column
where another has a constant. Then the same question is asked about another constant of that column.
Its answer is right; or it is unsure, which is shown with other readings to choose from; or it is
wrong. It must never be the answer of the lesson. Beside that it is asked without the lesson. Writes
JSON.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from denota.app.paths import load_run
from denota.conversation.chat import Chat
from denota.conversation.turn import Turn
from denota.model.parser import Parser
from denota.tables.io import read_table
from denota.tables.table import Cell, Table
from denota.teaching.log import TeachingLog
from denota.teaching.teacher import Teacher

FIXTURES = Path(__file__).parents[1] / "tests" / "fixtures"


@dataclass(frozen=True)
class Case:
    """A lesson and the question after it, each with its right cells."""

    table: Table
    question: str
    cells: frozenset[Cell]
    other: str
    its_cells: frozenset[Cell]


@dataclass(frozen=True)
class Outcome:
    """What came of a lesson."""

    case: Case
    again: Turn
    """The lesson's question, asked again."""
    before: Turn
    """The other question without the lesson."""
    after: Turn
    """And with it."""

    @property
    def takes(self) -> bool:
        """Whether the question that was taught gives what was taught."""
        return frozenset(self.again.cells) == self.case.cells

    @property
    def answers_with_the_lesson(self) -> bool:
        """Whether the other question is answered with the rows of the lesson."""
        rows = {row for row, _ in self.after.cells}
        return rows == {row for row, _ in self.case.cells}

    @property
    def kind(self) -> str:
        """How the other question is answered: right, unsure or wrong."""
        return _kind(self.after, self.case)

    @property
    def kind_before(self) -> str:
        """How it is answered without the lesson."""
        return _kind(self.before, self.case)


def _kind(turn: Turn, case: Case) -> str:
    if frozenset(turn.cells) == case.its_cells:
        return "right"
    return "wrong" if turn.sure and not turn.declined else "unsure"


def cases() -> Iterator[Case]:
    """Yield the lessons of the fixture."""
    tables: dict[str, Table] = {}
    with (FIXTURES / "lessons.tsv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            name = line["table"]
            if name not in tables:
                tables[name] = read_table(FIXTURES / "lessons" / f"{name}.csv")
            table = tables[name]
            cells = (_cells(table, line, line[of]) for of in ("constant", "its_constant"))
            yield Case(table, line["question"], next(cells), line["other"], next(cells))


def _cells(table: Table, line: dict[str, str], constant: str) -> frozenset[Cell]:
    column = table.names.index(line["select"])
    found = [row for row, text in enumerate(table[line["where"]].text) if text == constant]
    assert found, line
    return frozenset((row, column) for row in found)


def taught(parser: Parser, case: Case) -> Outcome:
    """Teach a lesson and ask about the other constant, each in a conversation of its own."""
    before = Chat(parser, case.table).ask(case.other)
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, case.table, teacher=teacher)
    chat.ask(case.question)
    chat.teach(-1, case.cells)
    again, after = (
        Chat(parser, case.table, teacher=teacher).ask(text) for text in (case.question, case.other)
    )
    return Outcome(case, again, before, after)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", default="default")
    arguments.add_argument("--out", type=Path)
    arguments.add_argument("--verbose", action="store_true")
    given = arguments.parse_args()
    parser = load_run(given.model)
    found = [taught(parser, case) for case in cases()]
    for one in found if given.verbose else ():
        print(f"{one.kind_before:>6} {one.kind:>6}  {one.case.question}  {one.again.program}")
        print(f"{'':15}{one.case.other}  {one.after.program}")
    result = {
        "lessons": len(found),
        "take": sum(one.takes for one in found),
        "answer_with_the_lesson": sum(one.answers_with_the_lesson for one in found),
        "before": Counter(one.kind_before for one in found),
        "after": Counter(one.kind for one in found),
    }
    text = json.dumps(result, indent=1) + "\n"
    if given.out is not None:
        given.out.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
