"""Program trees: what a question means, as frozen data.

A program selects cells: some columns of some rows. `scope` says which rows it starts from (the whole table, the previous answer's
rows, ...), `where` which of those it keeps. The printed form is in `text`, the meaning in `execute`.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Value:
    """A cell value, named by the text of a cell that has it."""

    text: str


@dataclass(frozen=True, slots=True)
class Word:
    """A word to look for inside cells, in lower case."""

    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number from the question."""

    value: float
    written: str = field(default="", compare=False)
    """As the question writes it."""


@dataclass(frozen=True, slots=True)
class Date:
    """A date from the question; parts it does not state are 0."""

    year: int
    month: int = 0
    day: int = 0
    written: str = field(default="", compare=False)


Argument = Value | Word | Number | Date


@dataclass(frozen=True, slots=True)
class Test:
    """One condition on rows: an operator, the column it looks at (None if it looks at row order), and its argument."""

    operator: str
    column: str | None = None
    argument: Argument | None = None

    __test__ = False  # not a test case, whatever pytest thinks of the name


@dataclass(frozen=True, slots=True)
class Or:
    """Rows that satisfy at least one of the parts."""

    parts: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class And:
    """Rows that satisfy all of the parts, each taken by itself on the rows of the scope."""

    parts: tuple[Test, ...]


Condition = Test | Or | And


@dataclass(frozen=True, slots=True)
class Program:
    """A whole program."""

    columns: tuple[str, ...] = ()
    """The columns selected; none means the previous answer's."""
    scope: str = "table"
    """The name of a scope operator."""
    where: Condition | None = None
    aggregate: str | None = None
    """The name of an aggregate operator, if the answer is a value and not cells."""

    @property
    def tests(self) -> tuple[Test, ...]:
        """The tests of its condition, all of them."""
        where = self.where
        return () if where is None else (where,) if isinstance(where, Test) else where.parts
