"""Declarations of operators: spelling, meaning, SQL, English and the candidates they offer.

Printer, parser, executor, SQL, English, the space and the docs are derived from these declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from denota.programs.constants import Constants
from denota.programs.denotation import Value
from denota.programs.index import ColumnIndex, Mask, TableIndex
from denota.programs.lexicon import has_trigger
from denota.programs.tree import Argument, Number, Test
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.programs.sql import Names

Meaning = Callable[[Table, Sequence[int], Test, Sequence[int]], list[int]]
"""(table, rows in table order, test, previous answer's rows) -> the rows the test keeps."""
Needs = Literal["lexical", "trigger", "nothing"]
"""What grounds a use of an operator: words shared with its constant, a trigger, or nothing."""
Side = Literal["rows", "columns", "whole"]
"""What a comparing operator compares: two row sets, two columns, or a part with the whole."""
Takes = Literal["value", "word", "number", "constant", "column"] | None
"""The kind of argument an operator takes besides its column."""


@dataclass(frozen=True, eq=False)
class Situation:
    """A question, a table and the rows of a scope: an operator offers candidates for these."""

    index: TableIndex
    scope: Mask  #: (R,) the rows to choose from
    constants: Constants
    numbers: tuple[Number, ...]
    """The numbers a program may use, number words too where the language has them."""
    previous: Mask | None  #: (R,) the previous answer's rows

    def triggered(self, operator: str) -> bool:
        """Say whether the question has a word or phrase that calls for the operator."""
        return has_trigger(operator, self.constants.text)


Choices = Callable[[Situation], Sequence[tuple[int, int]]]
"""situation -> the (column, first) of every use of a step; `argument` makes `first` an argument."""
Apply = Callable[[Situation, int, int, Mask], Mask]
"""(situation, column, first, (N, R) rows kept) -> (N, R) the rows a step leads to."""


@dataclass(frozen=True, eq=False)
class Block:
    """Candidate conditions of one operator: N of them over R rows."""

    column: NDArray[np.int16]  #: (N,) the column tested, -1 for none
    first: NDArray[np.int32]  #: (N,) what `argument` turns into the argument
    mask: Mask  #: (N, R) the rows of the scope each keeps
    grounded: Mask  #: (N,) whether the question supports the condition


@dataclass(frozen=True, eq=False)
class TestOperator:
    """An operator that tests rows."""

    name: str
    keywords: tuple[str, ...]
    """As written behind the column."""
    english: str
    """With {column}, {argument}, {ordinal} for `2nd `, {at} for `in` or `on` a date."""
    meaning: Meaning
    """The rows the test keeps, as the reference executor sees it."""
    sql: Callable[[Test, Names], Any]
    """The condition as a sqlglot expression over the scope, or a `Ranking` of its rows."""
    candidates: Callable[[Situation], Block]
    """All conditions the operator offers in a situation, those that keep no row left out."""
    argument: Callable[[Situation, int, int], Argument | None] = lambda situation, column, first: (
        None
    )
    """The argument of a candidate: (situation, column, first) -> argument."""
    takes: Takes = None
    has_column: bool = True
    needs: Needs = "nothing"
    row_order: bool = False
    """Whether the meaning depends on the order of rows (a tie broken by it counts)."""
    ranks: bool = False
    """Whether it goes by a column's order; the order of rows then matters only for ties."""
    ties: str = ""
    """The operator that keeps all tied rows where this one keeps one of them."""
    one_row: bool = False
    """Whether it keeps one row by its place."""
    negates: bool = False
    """Whether it keeps the rows that another test does not."""
    words: tuple[str, ...] = ()
    """Words and phrases of a question that call for it, besides those of `lexicon.toml`."""
    english_of_dates: str = ""
    """Another English form where it is about dates."""
    example: str = ""
    __test__ = False


@dataclass(frozen=True, eq=False)
class ScopeOperator:
    """An operator that says which rows a program starts from."""

    name: str
    alone: str
    """As written before WHERE to select the previous answer's columns; empty if it cannot."""
    with_columns: str
    """As written behind SELECT and its columns; empty if they cannot be."""
    english: str
    """The rows as a noun; empty for all."""
    meaning: Callable[[Table, tuple[int, ...] | None], list[int]]
    """(table, previous rows) -> the rows in table order."""
    sql: Callable[[Names], Any]
    """The condition on rows as a sqlglot expression, None for all rows, or the rows themselves."""
    rows: Callable[[TableIndex, Mask | None], Mask]
    """(R,) the same rows as a mask."""
    follows: bool = True
    """Whether it needs a previous answer."""
    needs: Needs = "nothing"
    row_order: bool = False
    words: tuple[str, ...] = ()
    example: str = ""


@dataclass(frozen=True, eq=False)
class StepOperator:
    """An operator from the rows that a condition keeps to those asked about: `THEN NEXT ROW`."""

    name: str
    keywords: tuple[str, ...]
    english: str
    """As a test's, or the rows or the group that it leads to as a noun, with {those} for the rows
    it starts from and {times} for `twice`."""
    meaning: Meaning
    """(table, rows kept, step, rows of the scope) -> rows."""
    choices: Choices
    apply: Apply
    sql: Callable[[Test, Names], Any]
    """The condition on rows, as a sqlglot expression, or a `Ranking` of the rows kept."""
    follows: Literal["several", "few", "any"] = "several"
    """The row sets it is offered after: of two rows or more, of a few named rows, or of any."""
    widens: bool = False
    """Whether its rows need not be among those kept."""
    argument: Callable[[Situation, int, int], Argument | None] = lambda situation, column, first: (
        None
    )
    takes: Takes = None
    has_column: bool = True
    needs: Needs = "trigger"
    row_order: bool = False
    words: tuple[str, ...] = ()
    example: str = ""


@dataclass(frozen=True, eq=False)
class AggregateOperator:
    """An operator that computes values from the selected cells."""

    name: str
    keyword: str
    english: str
    """With {rows}, or with {cells} of a column, and {group}."""
    meaning: Callable[[Table, Sequence[int], Sequence[int]], tuple[Value, ...]]
    """(table, rows, columns) -> the values, none if there is nothing to compute them from."""
    sql: Callable[[Names, Sequence[str]], Any]
    """(names, columns) -> the value as a sqlglot expression over the rows, or as a whole query."""
    over: Callable[[Sequence[ColumnIndex], Mask], NDArray[np.float64]] | None = None
    """(columns, (N, R) rows) -> (N,) the value of each row set, NaN for none.

    Without this array form the space calls `meaning` for each row set."""
    of: tuple[Literal["any", "number", "date"], ...] = ("number",)
    """The columns it takes; none where it counts rows."""
    compared: bool = False
    """Whether it is asked for only to compare two of them."""
    yes_no: bool = False
    """Whether its value is yes or no."""
    grouped: bool = False
    """Whether it gives a value for each group of rows that share the first column's value."""
    per: str = ""
    """The aggregate that it takes of each group."""
    noun: str = "the {}"
    """The name of its value in a comparison, with {} for the column."""
    part: Callable[[str], Value | None] | None = None
    """The part of each cell's text that it gives, where it gives parts."""
    most_common: bool = False
    """Whether it gives only the parts that occur most."""
    row_order: bool = False
    """Whether its value depends on the order of rows."""
    names_column: bool = False
    """Whether its value is the name of a column."""
    needs: Needs = "trigger"
    words: tuple[str, ...] = ()
    example: str = ""

    @property
    def is_number(self) -> bool:
        """Whether its value is one number."""
        return not (self.grouped or self.yes_no or self.names_column or self.part is not None)


@dataclass(frozen=True, eq=False)
class CompareOperator:
    """An operator on two values: of two row sets, of two columns, or of a part and the whole."""

    name: str
    keyword: str
    english: str
    """With {left} and {right}."""
    over: Callable[[Any, Any], Any]
    """(left, right) -> the result, for numbers and for arrays; ignored where one of them is NaN.

    An operator that names a side or a word gives 1 for the first, 2 for the second, 0 for none."""
    sql: Callable[[Any, Any], Any]
    sides: frozenset[Side]
    gives: Literal["number", "yes_no", "side", "word"] = "number"
    answers: tuple[str, str] = ("", "")
    """The word for a larger and for a smaller left side, where it gives one."""
    ordered: bool = False
    """Whether it matters which side comes first."""
    needs: Needs = "trigger"
    words: tuple[str, ...] = ()
    example: str = ""


@dataclass(frozen=True, eq=False)
class Feature:
    """A part of a language that is no operator: OR, AND, several columns, number words."""

    name: str
    english: str
    needs: Needs = "nothing"
    words: tuple[str, ...] = ()
    example: str = ""


def block(
    parts: Sequence[tuple[int, NDArray[np.int32], Mask, Mask]], rows: int, scope: Mask
) -> Block:
    """Join candidates, (column, first, mask, grounded) each; drop those that keep no row."""
    if not parts:
        return Block(
            np.zeros(0, np.int16),
            np.zeros(0, np.int32),
            np.zeros((0, rows), bool),
            np.zeros(0, bool),
        )
    column = np.concatenate([np.full(len(first), c, np.int16) for c, first, _, _ in parts])
    mask = np.concatenate([m for _, _, m, _ in parts]) & scope
    kept = mask.any(axis=1)
    return Block(
        column[kept],
        np.concatenate([first for _, first, _, _ in parts])[kept].astype(np.int32),
        mask[kept],
        np.concatenate([g for _, _, _, g in parts])[kept],
    )
