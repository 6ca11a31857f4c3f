"""An answer as a person reads it at a glance: a headline, a few rows with names, what decided."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

import numpy as np

from denota.conversation.naming import name_column, says_numbers
from denota.conversation.numerals import PLAIN, Style, numeral, style_of
from denota.conversation.plot import Plot
from denota.conversation.plotted import in_time, plot_of_groups, plot_of_rows, value_name
from denota.conversation.requests import request_in
from denota.conversation.turn import Pair, Turn
from denota.inflect import is_plural, plural, singular
from denota.programs.denotation import Value, value_text
from denota.programs.index import index_of
from denota.programs.operators import AGGREGATES, TESTS
from denota.programs.tree import Name, Number, Program, Test
from denota.tables.column_names import words_of
from denota.tables.table import Cell, Table

MOST_ROWS: Final = 8
"""Rows of the mini-table."""
MOST_COLUMNS: Final = 8
"""Columns of the mini-table."""
MOST_EVIDENCE: Final = 2_000
MOST_COUNTS: Final = 50
IN_HEADLINE: Final = 3
"""Values that a headline names; more are counted."""


@dataclass(frozen=True)
class ViewRow:
    """A row of the mini-table."""

    row: int | None
    """Its place in the table; None of a group."""
    cells: tuple[str, ...]
    marked: tuple[bool, ...]
    """Which of them are the answer, or what it was computed of."""


@dataclass(frozen=True)
class View:
    """An answer to be read at a glance."""

    headline: str = ""
    """What to read first."""
    columns: tuple[str, ...] = ()
    """The name of the row, the answer, and what decided."""
    rows: tuple[ViewRow, ...] = ()
    """The first rows."""
    total: int = 0
    """How many rows, or groups, the answer has."""
    counts: tuple[tuple[str, int], ...] = ()
    """Different values with how often each occurs, where some repeat; the most frequent first."""
    evidence: tuple[Cell, ...] = ()
    """The cells that decided."""
    note: str = ""
    """What a person should know besides, such as that rows are tied."""
    plot: Plot | None = None


def view_of(turn: Turn) -> View:
    """Return an answer as a person reads it; an empty view of a question that was declined."""
    table = turn.table
    if turn.declined or table is None:
        return View()
    if turn.shape == "groups":
        return _of_groups(turn, table)
    columns = _columns(turn)
    rows = _ordered(turn, table, sorted({row for row, _ in turn.cells}))
    name = name_column(table)
    shown = _shown_columns(turn, table, columns, name)
    total = max(len(rows), turn.rows)
    counts = _counts(turn, table, rows, columns)
    return View(
        _headline(turn, table, rows, columns, total),
        tuple(table.names[column] for column in shown),
        _rows(turn, table, rows[:MOST_ROWS], shown),
        total,
        counts,
        _evidence(turn, table, rows),
        _tied(turn, table, rows),
        plot_of_rows(turn, table, name, columns[-1] if columns else None),
    )


def _of_groups(turn: Turn, table: Table) -> View:
    """The view of a value for each group: the largest first, or in order of time."""
    by, *of = _columns(turn)
    column, computed = table.columns[by], table.columns[of[0]] if of else None
    pairs = [pair for pair in turn.values if isinstance(pair, tuple)]
    pairs = _groups_ordered(pairs, table, by)
    style, average = _value_style(turn, table)
    shown = [
        (group, "none" if value is None else _value(value, style, average))
        for group, value in pairs
    ]
    known = [float(value) for _, value in pairs if isinstance(value, float)]
    headline = ", ".join(f"{group}: {value}" for group, value in shown)
    if len(shown) > IN_HEADLINE:
        headline = f"{len(shown):,} {_several(column.name)}"
        if known:
            low, high = (_value(bound, style, average) for bound in (min(known), max(known)))
            headline += f", {low} to {high}" if low != high else f", {low} each"
    rows = sorted({row for row, _ in turn.cells})
    return View(
        headline,
        (column.name, value_name(turn.tree, computed)),
        tuple(ViewRow(None, pair, (False, True)) for pair in shown[:MOST_ROWS]),
        len(shown),
        evidence=_evidence(turn, table, rows),
        plot=plot_of_groups(turn, pairs, column, computed),
    )


def _columns(turn: Turn) -> tuple[int, ...]:
    """The columns of the answer, or of what it was computed of, in their order."""
    answered = {column for _, column in turn.cells}
    if turn.query is not None and set(turn.query.answer.columns) == answered:
        return turn.query.answer.columns
    return tuple(sorted(answered))


def _groups_ordered(pairs: Sequence[Pair], table: Table, by: int) -> list[Pair]:
    column = table.columns[by]
    if in_time(column) or column.kind == "number":
        order = index_of(table).columns[by].order
        if order is not None:
            at = {text: float(order[row]) for row, text in enumerate(column.text)}
            return sorted(pairs, key=lambda pair: _last_if_none(at.get(pair[0], math.nan)))
    return sorted(
        pairs, key=lambda p: -p[1] if isinstance(p[1], float) and p[1] == p[1] else math.inf
    )


def _last_if_none(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _ordered(turn: Turn, table: Table, rows: list[int]) -> list[int]:
    """Rows in the order of the table; of the top and the bottom ones in the order asked for."""
    test = _ranked(turn.tree)
    if test is None or test.operator not in ("top", "bottom"):
        return rows
    order = index_of(table).columns[table.names.index(test.column or "")].order
    if order is None:
        return rows
    return sorted(rows, key=lambda row: order[row] * (-1 if test.operator == "top" else 1))


def _ranked(program: Program | None) -> Test | None:
    """The test or step that goes by the order of a column, where it stands alone."""
    for test in (program.then, program.where) if program is not None else ():
        if isinstance(test, Test) and test.operator in TESTS and TESTS[test.operator].ranks:
            return test
    return None


def _tested(turn: Turn, table: Table) -> list[int]:
    """The columns that a program looks at to choose rows."""
    found: dict[int, None] = {}
    for test in turn.tree.tests if turn.tree is not None else ():
        argument = test.argument.text if isinstance(test.argument, Name) else None
        for name in (test.column, argument):
            if name in table.names:
                found[table.names.index(name)] = None
    return list(found)


def _shown_columns(turn: Turn, table: Table, columns: Sequence[int], name: int | None) -> list[int]:
    if not turn.cells:
        return []
    first = [] if name is None else [name]
    return list(dict.fromkeys([*first, *columns, *_tested(turn, table)]))[:MOST_COLUMNS]


def _rows(
    turn: Turn, table: Table, rows: Sequence[int], columns: Sequence[int]
) -> tuple[ViewRow, ...]:
    few = set(rows)
    cells = {cell for cell in turn.cells if cell[0] in few}
    return tuple(
        ViewRow(
            row,
            tuple(table.cell(row, column) for column in columns),
            tuple((row, column) in cells for column in columns),
        )
        for row in rows
    )


def _counts(
    turn: Turn, table: Table, rows: Sequence[int], columns: Sequence[int]
) -> tuple[tuple[str, int], ...]:
    if turn.shape != "cells" or len(columns) != 1:
        return ()
    text = table.columns[columns[0]].text
    found = Counter(text[row] for row in rows)
    if len(found) == len(rows):
        return ()
    return tuple(found.most_common(MOST_COUNTS))


def _evidence(turn: Turn, table: Table, rows: Sequence[int]) -> tuple[Cell, ...]:
    tested = sorted(_tested(turn, table))
    most = MOST_EVIDENCE // max(len(tested), 1)
    return tuple((row, column) for row in rows[:most] for column in tested)


def _tied(turn: Turn, table: Table, rows: Sequence[int]) -> str:
    """What there is to say of ties: rows that a superlative cannot tell apart."""
    test = _ranked(turn.tree)
    if test is None or turn.shape != "cells" or not rows or turn.tree is None:
        return ""
    if test.operator in ("max_ties", "min_ties"):
        return f"{len(rows):,} are tied." if len(rows) > 1 else ""
    if turn.tree.scope != "table" or turn.tree.then is not None or table.large is not None:
        return ""
    if test.operator not in ("top", "bottom") or not isinstance(test.argument, Number):
        return ""
    order = index_of(table).columns[table.names.index(test.column or "")].order
    if order is None:
        return ""
    last = order[rows[-1]]
    tied = int(np.count_nonzero(order == last)) - sum(order[row] == last for row in rows)
    if tied < 1:
        return ""
    more = "One more is" if tied == 1 else f"{tied:,} more are"
    return f"{more} tied with the last."


def _headline(
    turn: Turn, table: Table, rows: Sequence[int], columns: Sequence[int], total: int
) -> str:
    if turn.shape == "none" or not turn.answer:
        return "nothing"
    if turn.values:
        return _value_headline(turn, table)
    if len(rows) == 1 and total == 1:
        return ", ".join(table.cell(rows[0], column) for column in columns)
    if len(columns) == 1:
        text = table.columns[columns[0]].text
        different = [one for one, _ in Counter(text[row] for row in rows).most_common()]
        if len(different) <= IN_HEADLINE and total == len(rows):
            return ", ".join(different)
        if total == len(rows) and _are_things(table, columns[0]):
            things = f"{len(different):,} {_several(table.names[columns[0]])}"
            repeated = len(different) < len(rows)
            return f"{things} in {total:,} {_rows_noun(table, total)}" if repeated else things
    return f"{total:,} {_rows_noun(table, total)}"


def _are_things(table: Table, column: int) -> bool:
    """Whether the cells of a column stand for things, which can be counted by its name."""
    own = table.columns[column]
    return (own.kind == "text" or in_time(own)) and not says_numbers(own.name)


def _value_headline(turn: Turn, table: Table) -> str:
    style, average = _value_style(turn, table)
    shown = [_value(value, style, average) for value in turn.values if not isinstance(value, tuple)]
    more = len(shown) - 2 * IN_HEADLINE
    said = ", ".join(shown[: 2 * IN_HEADLINE]) + (f" and {more:,} more" if more > 0 else "")
    counts = turn.tree is not None and turn.tree.compare is None
    if counts and turn.tree is not None and turn.tree.aggregate in ("count", "count_distinct"):
        noun = _counted_noun(turn, table, turn.values[0] == 1.0)
        return f"{said} {noun}" if noun else said
    return said


def _value(value: Value, style: Style, average: bool) -> str:
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return value_text(value) if isinstance(value, str) else numeral(value, style, average)


def _value_style(turn: Turn, table: Table) -> tuple[Style, bool]:
    """How a program's values are written, and whether they are averages."""
    program, columns = turn.tree, _columns(turn)
    if program is None or program.aggregate is None:
        return Style(decimals=4), False
    aggregate = AGGREGATES[program.aggregate]
    kind = aggregate.per or aggregate.name
    if program.compare == "share":
        return Style(after="%", decimals=1), False
    if program.compare == "ratio":
        return Style(), False
    if kind == "day":
        return Style(after=" days", decimals=0), False
    if kind in ("count", "count_distinct", "longest_run"):
        return PLAIN, False
    if kind in ("sum", "average", "smallest", "largest") and columns:
        return style_of(table.columns[columns[-1]]), kind == "average"
    return Style(decimals=4), False


def _counted_noun(turn: Turn, table: Table, one: bool) -> str:
    """What was counted, in the words of the question, of the column or of the table."""
    program = turn.tree
    request = request_in(turn.question, table)
    if request is not None:
        words = request.noun
        ends = [place for place, word in enumerate(words) if is_plural(word) or word in _PEOPLE]
        if ends:
            noun = " ".join(words[: ends[0] + 1])
            return singular(noun) if one else noun
    if program is not None and program.columns and program.aggregate == "count_distinct":
        return _several(program.columns[0], one)
    return _rows_noun(table, 1 if one else 2)


def _rows_noun(table: Table, count: int) -> str:
    """What the rows of a table are: `orders` where it is called so."""
    words = words_of(PurePath(table.name).stem.replace("-", " "))
    named = len(words) <= 24 and words.replace(" ", "").isalpha() and is_plural(words)
    noun = words if named else "rows"
    return singular(noun) if count == 1 else noun


def _several(name: str, one: bool = False) -> str:
    """The name of a column for several of its values."""
    words = name if name.isupper() else " ".join(name.replace("_", " ").split())
    words = words if name.isupper() else words[:1].lower() + words[1:]
    if one:
        return singular(words)
    return words if is_plural(words) else plural(words)


_PEOPLE: Final = frozenset(("people", "men", "women", "children"))
