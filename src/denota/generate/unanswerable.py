"""Questions that a table does not answer, made from questions that it does.

What a question needs is taken out of its table, a column or the rows it names; a question is asked
of another table; or something is asked that no program says. Each way returns None where the
question might still have an answer. Parsers learn from these to tell what a table does not say
(`data.unanswerable`), and doubt is measured on others, in wordings that no parser has learnt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from denota.data.answer import Cells, item_key, items_of
from denota.data.example import Example, Question
from denota.programs.tree import Program, Value, leaves_of
from denota.tables.column import Column
from denota.tables.table import Cell, Table
from denota.tokens import content, tokenise

WAYS: Final = {"column": 0.4, "rows": 0.2, "other table": 0.3, "beyond": 0.1}
"""How questions are made unanswerable, and the part that each way has of those that are drawn."""
SHARE: Final = 0.4
"""Unanswerable questions drawn for each answerable one."""


def drawn(
    examples: Sequence[Example], rng: Random, learnt: bool = False
) -> list[tuple[str, Question]]:
    """Return some unanswerable questions made of examples, each with its way.

    Args:
        examples: answerable ones.
        rng: draws them.
        learnt: whether to learn from them; wordings are held out else.
    """
    made = unanswerable(examples, rng, learnt)
    rng.shuffle(made)
    most = SHARE * len(examples)
    return [
        entry
        for way, part in WAYS.items()
        for entry in [one for one in made if one[0] == way][: round(part * most)]
    ]


def unanswerable(
    examples: Sequence[Example], rng: Random, learnt: bool = False
) -> list[tuple[str, Question]]:
    """Return questions made of first questions in every way that does, each with its way."""
    first = [example for example in examples if not example.question.position]
    tables = list({one.question.table_file: one.question.table for one in first}.values())
    ways: dict[str, Callable[[Example], Question | None]] = {
        "column": without_column,
        "rows": without_rows,
        "other table": lambda example: of_another_table(example.question, rng.choice(tables)),
        "beyond": lambda example: beyond(example.question, rng, learnt),
    }
    found = []
    for example in first:
        for way in WAYS:
            made = ways[way](example)
            if made is not None:
                own = f"not-{way}-{made.id}"
                found.append((way, replace(made, id=own, history=())))
    return found


def without_column(example: Example) -> Question | None:
    """Return a question without the column that it asks for, or that it tests.

    >>> table = Table.from_rows(["City", "People"], [["Oslo", "709"], ["Moss", "50"]])
    >>> asked = Question("1", "0", 0, "how many people live in Oslo?", table, "t.csv")
    >>> made = without_column(Example(asked, Cells(frozenset({(0, 1)}))))
    >>> made.table.names
    ('City',)
    """
    table = example.question.table
    needed = _needed_column(example)
    if needed is None or len(table.columns) < 2:
        return None
    columns = tuple(column for column in table.columns if column.name != needed)
    if _still_says(example, Table(columns, table.name), table[needed]):
        return None
    return replace(example.question, table=Table(columns, table.name))


def without_rows(example: Example) -> Question | None:
    """Return a question without the rows whose value it names.

    >>> table = Table.from_rows(["City", "People"], [["Oslo", "709"], ["Moss", "50"]])
    >>> asked = Question("1", "0", 0, "how many people live in Oslo?", table, "t.csv")
    >>> made = without_rows(Example(asked, Cells(frozenset({(0, 1)}))))
    >>> made.table["City"].text
    ('Moss',)
    """
    question, table = example.question, example.question.table
    named = _named_value(example)
    if named is None or not items_of(example.answer, table):
        return None
    column, text = named
    kept = [row for row, own in enumerate(column.text) if own != text]
    left = _with_rows(table, kept)
    there = {word for own in left.columns for cell in own.values for word in content(cell)}
    if not kept or not content(text) - there:
        return None  # some row may still be meant
    return replace(question, table=left)


def of_another_table(question: Question, table: Table) -> Question | None:
    """Return a question asked of a table that has few of its words; None if it has some.

    >>> table = Table.from_rows(["City"], [["Oslo"]])
    >>> asked = Question("1", "0", 0, "who scored in the final?", table, "t.csv")
    >>> other = Table.from_rows(["Player", "Final"], [["Ada", "won"]])
    >>> of_another_table(asked, other), of_another_table(asked, table)
    (None, None)
    """
    if not len(table) or table is question.table:
        return None
    words = content(question.text)
    names = {word for name in table.names for word in content(name)}
    cells = {
        word for c in table.columns if c.kind == "text" for v in c.values for word in content(v)
    }
    if len(words) < 2 or words & names or len(words & cells) > len(words) / 3:
        return None
    return replace(question, table=table)


def beyond(question: Question, rng: Random, learnt: bool = False) -> Question | None:
    """Return a question for what no program says, about a column of a question's table.

    Of every two wordings one is learnt, and the other is for measuring what was.
    """
    name = rng.choice(question.table.names)
    text = rng.choice(BEYOND[learnt::2]).format(" ".join(tokenise(name)))
    return replace(question, text=text)


BEYOND: Final = (
    "why is the {} so high?",
    "what is the median {}?",
    "how will the {} develop next year?",
    "which {} do you like best?",
    "is there a correlation between {} and the rest?",
    "what is the standard deviation of the {}?",
    "who decided on the {}?",
    "what does {} mean?",
    "who collected this data?",
    "how reliable is the {}?",
    "what would the {} be if prices doubled?",
    "what caused the change in {}?",
    "where can I read more about the {}?",
    "which {} should I choose?",
    "what is the growth rate of the {}?",
    "can you draw the {} as a chart?",
    "how was the {} measured?",
    "is the {} fair?",
)
"""Asks for reasons, opinions, statistics, the future and where the data is from."""


def _needed_column(example: Example) -> str | None:
    """The column that a question cannot do without, as far as that is known."""
    table, program = example.question.table, example.meant
    if program is not None:
        tested = [test.column for test in leaves_of(program.where) if test.column]
        needed = [*tested[:1], *program.columns[:1]]
        return needed[0] if needed and needed[0] in table.names else None
    columns = {column for _, column in _answer_cells(example)}
    return table.names[columns.pop()] if len(columns) == 1 else None


def _answer_cells(example: Example) -> frozenset[Cell]:
    """The cells that answer a question; none where its values may be from elsewhere."""
    if isinstance(example.answer, Cells):
        return example.answer.cells
    keys = {item_key(item) for item in example.answer.items}
    found: list[frozenset[Cell]] = []
    for place, column in enumerate(example.question.table.columns):
        known = {text: item_key(text) for text in column.values}
        if keys and keys <= set(known.values()):
            hits = (row for row, text in enumerate(column.text) if known[text] in keys)
            found.append(frozenset((row, place) for row in hits))
    names = example.question.table.columns
    if len(found) != 1 or any(names[place].kind == "number" for _, place in found[0]):
        return frozenset()  # a number may be counted or computed
    return found[0]


def _still_says(example: Example, left: Table, gone: Column) -> bool:
    """Whether what is left of a table may still give the answer, or has a column of that name."""
    gold = {item_key(item) for item in items_of(example.answer, example.question.table)}
    if example.meant is None and any(gold <= set(map(item_key, c.values)) for c in left.columns):
        return True
    words = content(gone.name)
    return any(words & content(name) for name in left.names)


def _named_value(example: Example) -> tuple[Column, str] | None:
    """The value of a text column that a question names and its answer depends on."""
    table, program = example.question.table, example.meant
    if program is not None:  # that there is none, or that they are 0, is an answer
        return _tested_value(program, table) if program.aggregate is None else None
    cells = _answer_cells(example)
    rows, answers = {row for row, _ in cells}, {column for _, column in cells}
    asked = f" {' '.join(tokenise(example.question.text))} "
    for place, column in enumerate(table.columns):
        if place in answers or column.kind != "text":
            continue
        for text in sorted({column.text[row] for row in rows}):
            words = " ".join(tokenise(text))
            if len(words) > 3 and f" {words} " in asked:
                return column, text
    return None


def _tested_value(program: Program, table: Table) -> tuple[Column, str] | None:
    for test in leaves_of(program.where):
        if test.operator == "equal" and isinstance(test.argument, Value) and test.column:
            return table[test.column], test.argument.text
    return None


def _with_rows(table: Table, rows: Sequence[int]) -> Table:
    columns = (
        replace(column, text=tuple(column.text[row] for row in rows)) for column in table.columns
    )
    return Table(tuple(columns), table.name)
