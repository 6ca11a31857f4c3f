"""What the tests of programs draw: tables with awkward cells and names, questions, previous
answers, program trees.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hypothesis import assume
from hypothesis import strategies as st

from denota.programs.denotation import Denotation
from denota.programs.operators import (
    AGGREGATES,
    COMPARES,
    LANGUAGES,
    SCOPES,
    STEPS,
    TESTS,
    language_of,
)
from denota.programs.operators.declare import StepOperator, TestOperator
from denota.programs.tree import (
    And,
    Argument,
    Condition,
    Date,
    Name,
    Number,
    Or,
    Program,
    Test,
    Value,
    Word,
    leaves_of,
)
from denota.tables import Column, Table
from denota.tokens import tokenise

EXAMPLES: Final = float(os.environ.get("DENOTA_TEST_EXAMPLES", "1"))
"""A factor on the number of random cases, for a longer search."""


SPOKEN: Final = {
    **{name: language for name, language in LANGUAGES.items() if name != "full"},
    "everything": language_of("full +cell +or"),
}
"""The languages, and in place of the largest one that has all there is."""


def examples(count: int) -> int:
    """Return how many random cases to try where `count` is the usual number."""
    return max(1, int(count * EXAMPLES))


NAMES: Final = (
    *("Name", "name", "NAME", "Year", "Date"),
    *("Points", "Opened", "Total", "Rank", "Straße", "STRASSE"),
    *("_row", "_ROW", "scope", "previous", "before"),
    *("value", "table", "rowid", "Name (text)", "a (2)"),
    *("SELECT", "where", "Or", "AND", "FIRST"),
    *("IS", "MAX", "FOLLOW-UP", "DATE", "Previous", "of"),
    *('say "hi"', "it's", "a;b", "a.b", "a/b", "a--b"),
    *("[x]", "(y)", "{column}", "%s", "x,y", "`tick`", "\\"),
    *("'; DROP TABLE t; --", '"" OR 1=1', "naïve", "日本"),
    *("🚀", "e\u0301", "two\nlines", "tab\tbed", " padded "),
)  # fmt: skip
"""Names of columns, hostile ones most of all."""

TEXTS: Final = (
    *("Oslo", "oslo", "OSLO", "New York", "new", "York"),
    *("Apollo 11", "Red", "Red, blue", "Blue", "yes", "no"),
    *("", " ", "-", "n/a", "?"),
    *("unknown", "Total", "TOTAL", "Grand total", "total:", "Total eclipse"),
    *("SELECT", "WHERE", "x OR y", "NULL", "null", "'"),
    *("''", '"', ";", "O'Neil", "'; DROP TABLE t; --", "%", "_"),
    *("\\", "\\n", "two\nlines", "tab\tbed", "[a]", "(b)", "{0}"),
    *("a,b", "été", "ÉTÉ", "日本", "🚀", "ﬁ", "ß"),
    *("ΟΔΟΣ", "İstanbul", "e\u0301té", "a b", "1,234 men"),
    *("5.5.", "v1.2", "12th", "1 (2)", "3-1", "x" * 40),
)  # fmt: skip
"""Texts of cells."""

_NUMBERS = (
    "0",
    "1",
    "1",
    "2",
    "2",
    "3",
    "5",
    "7",
    "10",
    "12",
    "-3",
    "0.5",
    "2.50",
    "1,234",
    "007",
    "15[a]",
)
_ODD_NUMBERS = (
    *("0", "-0", "3", "1e400", "1e-7"),
    *("1e16", "9 3/7", "9.428571428571429", "0.1", "123456789012345678"),
)
_MONEY = ("$5", "$5.00", "$640,000", "$1.2 million", "$0.64 million", "$2m", "$(3)", "$0")
_UNITS = ("12 km", "12.0 km", "7 km", "3,977 km", "5'11\"", "6 ft 2 in", "50%", "100%", "94.5%")
_YEARS = ("1993", "1994", "1998", "2003", "2003", "1893", "1905", "1993-94", "c. 1890")
_DATES = (
    *("May 17, 1993", "17 May 1993", "1993-05-17"),
    *("June 3, 1893", "3 June 2002", "2001-12-31", "1993-05-17 13:45"),
)
_PARTIAL_DATES = (
    *("May 1993", "1993", "May 17", "June 3"),
    *("May", "June 1994", "2003", "Dec 31, 2001", "May 17, 1993 24:00"),
)
_TIMES = ("1:23.45", "83.45", "21:40:12", "19:05:33", "2h 35m", "0:59", "1:00")
_RANKS = ("1st", "2nd", "3rd", "3", "T4", "DNF", "4th", "=5")
_GAPS = ("", "-", "n/a", "?", "Total", "unknown", "DNF")

CELLS: Final[dict[str, Sequence[str]]] = {
    "numbers": _NUMBERS,
    "odd numbers": _ODD_NUMBERS,
    "money": _MONEY,
    "units": _UNITS,
    "years": _YEARS,
    "dates": _DATES,
    "partial dates": _DATES[:3] + _PARTIAL_DATES,
    "times": _TIMES,
    "ranks": _RANKS,
    "texts": TEXTS,
    "few texts": ("Oslo", "New York", "Red", "O'Neil", "-"),
}
"""Cells that meet in one column of a table, by kind of column."""

texts: Final = st.one_of(
    st.sampled_from(TEXTS),
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=8),
)
"""Any text without NUL and lone surrogates, the awkward ones often."""

names: Final = st.one_of(
    st.sampled_from(NAMES),
    st.text(
        st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=8
    ),
)


@st.composite
def columns(draw: st.DrawFn, rows: int) -> tuple[str, ...]:
    """The cells of one column: of one kind, with ties, gaps and a stray text."""
    kind = draw(st.sampled_from(sorted(CELLS)))
    own = draw(st.lists(st.sampled_from(CELLS[kind]), min_size=1, max_size=5, unique=True))
    strange = draw(st.sampled_from((0, 0, 0, 1, 2)))
    pool = own * 3 + draw(st.lists(st.sampled_from(_GAPS), max_size=2))
    pool += draw(st.lists(texts, min_size=strange, max_size=strange))
    return tuple(draw(st.lists(st.sampled_from(pool), min_size=rows, max_size=rows)))


@st.composite
def tables(draw: st.DrawFn, max_columns: int = 6, max_rows: int = 8, min_rows: int = 1) -> Table:
    """A small table: 1 to `max_columns` columns of one kind each, with hostile names."""
    rows = draw(st.integers(min_rows, max_rows))
    own = draw(st.lists(names, min_size=1, max_size=max_columns, unique=True))
    named = draw(st.sampled_from(("table", "results.csv", "scope", "previous.tsv", 'a "b"; c', "")))
    return Table(tuple(Column(name, draw(columns(rows))) for name in own), named)


#: Parts of questions: numbers, dates and decades in digits and words, and trigger words.
PHRASES: Final = (
    *("the most", "the least", "highest", "lowest"),
    *("first", "last", "more than", "less than", "at least"),
    *("before", "after", "not", "other", "the same"),
    *("next", "top", "bottom", "second", "total", "which of those"),
    *("1", "2", "3", "0", "10", "1,234", "2.5"),
    *("$640,000", "1.2 million", "50%", "3rd", "12", "7", "0.5", "-3"),
    *("two", "three", "five", "twelve", "once"),
    *("third", "1993", "in 1994", "May 17, 1993", "in May", "June 1994"),
    *("17 May 1993", "1993-05-17", "the 90s", "1990s"),
    *("the 1890s", "2000's", "83 minutes", "2 hours", "21:40:12"),
    *("who", "which city", "name all", "how many", "?", "'"),
    *('"', ";", "SELECT", "日本", "İstanbul", "ΟΔΟΣ"),
)  # fmt: skip


@st.composite
def questions(draw: st.DrawFn, table: Table) -> str:
    """A question of phrases, with words of the table's cells and names among them."""
    phrases = draw(st.lists(st.sampled_from(PHRASES), max_size=5))
    own = [*table.names, *(text for column in table.columns for text in column.values)]
    phrases += draw(st.lists(st.sampled_from(own), max_size=3))
    return " ".join(draw(st.permutations(phrases)))


@st.composite
def answers(draw: st.DrawFn, table: Table) -> Denotation | None:
    """A previous answer: none, one that a program can give, or any set of cells (an empty one
    too).
    """
    height, width = table.shape
    any_cell = st.tuples(st.integers(0, height - 1), st.integers(0, width - 1))
    cells = draw(
        st.one_of(
            st.none(),
            st.lists(any_cell, min_size=1, max_size=1),
            st.lists(any_cell, max_size=5),
            st.integers(0, width - 1).map(lambda c: [(row, c) for row in range(height)]),
        )
    )
    return None if cells is None else Denotation.of_cells(cells)


def golds(table: Table) -> st.SearchStrategy[frozenset[tuple[int, int]]]:
    """Right answers: sets of cells of a table, the empty one too."""
    height, width = table.shape
    return st.frozensets(
        st.tuples(st.integers(0, height - 1), st.integers(0, width - 1)), max_size=6
    )


@st.composite
def situations(
    draw: st.DrawFn, max_columns: int = 6, max_rows: int = 8
) -> tuple[str, Table, Denotation | None]:
    """A question, its table and the answer before."""
    table = draw(tables(max_columns, max_rows))
    return draw(questions(table)), table, draw(answers(table))


years: Final = st.integers(1, 9999)
dates: Final = st.one_of(
    st.builds(Date, years),
    st.builds(Date, st.one_of(st.just(0), years), st.integers(1, 12)),
    st.builds(Date, st.one_of(st.just(0), years), st.integers(1, 12), st.integers(1, 28)),
)
"""Dates with the parts that a date can state: a day only with its month."""

numbers: Final = st.one_of(
    st.integers(-3, 3000).map(lambda n: Number(float(n))),
    st.floats(allow_nan=False, allow_infinity=False).map(Number),
)
counts: Final = st.integers(1, 12).map(lambda k: Number(float(k)))
decades: Final = st.integers(150, 210).map(lambda d: Number(10.0 * d))


@st.composite
def arguments(
    draw: st.DrawFn, test: TestOperator | StepOperator, table: Table | None = None
) -> Argument | None:
    """An argument an operator takes, of the table's cells if there is one."""
    if test.takes is None:
        return None
    if test.takes == "number":
        return draw(decades if test.name == "decade_is" else counts)
    if test.takes == "column":
        return Name(draw(st.sampled_from(table.names) if table else st.one_of(names, st.just(""))))
    if test.takes == "constant":
        return draw(dates if test.name == "date_is" else st.one_of(numbers, dates))
    own = st.sampled_from([t for c in table.columns for t in c.values]) if table else st.nothing()
    text = draw(st.one_of(own, own, texts))
    if test.takes == "value":
        return Value(text)
    return Word(draw(st.sampled_from(tokenise(text) or ("oslo",))))


@st.composite
def conditions(
    draw: st.DrawFn, columns: st.SearchStrategy[str], table: Table | None = None
) -> Condition:
    """A test of any operator, or two or three joined."""

    def test(operators: Sequence[TestOperator] = tuple(TESTS.values())) -> Test:
        operator = draw(st.sampled_from(operators))
        column = draw(columns) if operator.has_column else None
        return Test(operator.name, column, draw(arguments(operator, table)))

    joint = draw(st.sampled_from((None, None, Or, And)))
    if joint is None:
        return test()
    count = range(draw(st.integers(2, 3)))
    if joint is Or and draw(st.booleans()):
        return Or(tuple(test([TESTS["equal"]]) for _ in count))
    return joint(tuple(test() for _ in count))


@st.composite
def steps(draw: st.DrawFn, columns: st.SearchStrategy[str], table: Table | None = None) -> Test:
    """A step of any operator."""
    operator = draw(st.sampled_from(sorted(STEPS.values(), key=lambda step: step.name)))
    column = draw(columns) if operator.has_column else None
    return Test(operator.name, column, draw(arguments(operator, table)))


@st.composite
def programs(
    draw: st.DrawFn, table: Table | None = None, first: bool = False, aggregates: bool = True
) -> Program:
    """Any program that can be written.

    Args:
        draw: hypothesis's.
        table: over whose columns and cells; any names and values if there is none.
        first: whether it must not follow anything up.
        aggregates: whether it may compute a value.
    """
    column = st.sampled_from(table.names) if table else st.one_of(names, st.just(""))
    scopes = [s for s in SCOPES.values() if not (first and s.follows)]
    scope = draw(st.sampled_from(scopes))
    selectable = scope.with_columns or scope.name == "table"
    bare = bool(scope.alone) and (not selectable or draw(st.booleans()))
    selected = () if bare else tuple(draw(st.lists(column, min_size=1, max_size=3, unique=True)))
    where = draw(st.one_of(st.none(), conditions(column, table), conditions(column, table)))
    aggregate = draw(st.sampled_from((None, None, None, *AGGREGATES))) if aggregates else None
    if aggregate is not None and table is not None and not bare:
        fitting = _columns_for(aggregate, table)
        selected = draw(fitting) if fitting is not None else selected
        aggregate = aggregate if fitting is not None else None
    then = draw(st.one_of(st.none(), st.none(), steps(column, table)))
    program = Program(selected, scope.name, where, aggregate, then)
    if aggregate is not None and not AGGREGATES[aggregate].of and draw(st.booleans()):
        free = ("table", "without_totals")
        program = replace(program, columns=(), scope=draw(st.sampled_from(free)))
    if aggregate is not None and _can_be_compared(aggregate) and draw(st.booleans()):
        program = draw(compared(program, column, table))
    assume(not (first and speaks_of_previous(program)))
    return program


def _columns_for(name: str, table: Table) -> st.SearchStrategy[tuple[str, ...]] | None:
    """The columns that an aggregate can be computed of, None where a table has none."""
    choices = []
    for kind in AGGREGATES[name].of or ("any",):
        fitting = [c.name for c in table.columns if kind in ("any", c.kind)]
        if not fitting:
            return None
        choices.append(st.sampled_from(fitting))
    return st.tuples(*choices)


def _can_be_compared(name: str) -> bool:
    aggregate = AGGREGATES[name]
    return not aggregate.grouped and not aggregate.yes_no and len(aggregate.of) < 2


@st.composite
def compared(
    draw: st.DrawFn, program: Program, columns: st.SearchStrategy[str], table: Table | None
) -> Program:
    """A program that computes a value, as one that compares two."""
    compare = draw(st.sampled_from(sorted(COMPARES)))
    versus = None
    if "rows" in COMPARES[compare].sides and program.where is not None and draw(st.booleans()):
        versus = draw(conditions(columns, table))
    return replace(program, compare=compare, versus=versus)


def speaks_of_previous(program: Program) -> bool:
    """Say whether a program needs a previous answer."""
    rows_alone = program.aggregate is not None and not AGGREGATES[program.aggregate].of
    return (
        SCOPES[program.scope].follows
        or not (program.columns or rows_alone)
        or any(test.operator == "same_value" for test in conjuncts(program))
    )


def conjuncts(program: Program) -> tuple[Test, ...]:
    """Return the tests of a program's conditions."""
    return tuple(test for condition in program.conditions for test in leaves_of(condition))


def table_of(columns: dict[str, Sequence[str]], name: str = "table") -> Table:
    """Return a table by its columns."""
    return Table(tuple(Column(own, tuple(cells)) for own, cells in columns.items()), name)
