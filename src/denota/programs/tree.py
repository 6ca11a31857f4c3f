"""Program trees: what a question means, as frozen data.

A program asks something of a set of rows. `scope` says which rows it starts from (the whole table,
the previous answer's rows, ...), `where` which of those it keeps, `then` which rows it goes on to
from there. What is asked is some columns' cells, or an aggregate of them, or two aggregates
compared. The printed form is in `text`, the meaning in `execute`.
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


@dataclass(frozen=True, slots=True)
class Name:
    """Another column, by its name."""

    text: str


Argument = Value | Word | Number | Date | Name


@dataclass(frozen=True, slots=True)
class Test:
    """One test of rows, or one step from rows to rows: an operator, its column and its argument.

    The column is None for operators that look at row order.
    """

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
    """The columns selected; empty for the previous answer's columns, and where rows are counted."""
    scope: str = "table"
    """The name of a scope operator."""
    where: Condition | None = None
    aggregate: str | None = None
    """The name of an aggregate operator, if the answer is a value and not cells."""
    then: Test | None = None
    """A step operator, from the rows that `where` keeps to the rows that are asked about."""
    versus: Condition | None = None
    """The condition of the second row set, where two are compared."""
    compare: str | None = None
    """The name of a comparing operator, if two values are compared."""

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Its conditions: that of its rows and that of the rows they are compared with."""
        return tuple(one for one in (self.where, self.versus) if one is not None)

    @property
    def tests(self) -> tuple[Test, ...]:
        """The tests of its conditions and its step, all of them."""
        tests = [test for condition in self.conditions for test in leaves_of(condition)]
        return (*tests, self.then) if self.then is not None else tuple(tests)


def leaves_of(condition: Condition | None) -> tuple[Test, ...]:
    """Return the tests of a condition.

    >>> leaves_of(None), len(leaves_of(And((Test("max", "Crew"), Test("first")))))
    ((), 2)
    """
    if condition is None:
        return ()
    return (condition,) if isinstance(condition, Test) else condition.parts
