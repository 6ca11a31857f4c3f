"""The space of a question: all its programs as arrays, with their denotations, rewards and groundedness.

A program is a family (a scope and a list of selections), one of the family's S selections and one of the scope's N conditions, so
its rows are one line of the scope's (N, R) mask and its cells those rows of the selected columns. Everything about all programs is
broadcast over these axes; `program` and `index` are the only bridge to trees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.conditions import Conditions, conditions_of
from denota.programs.constants import constants_in
from denota.programs.denotation import Denotation
from denota.programs.index import Mask, TableIndex, index_of
from denota.programs.lexicon import has_trigger
from denota.programs.operators import AGGREGATES, SCOPES
from denota.programs.operators.declare import Situation
from denota.programs.tree import Program
from denota.tables.table import Cell, Table

MOST_COLUMNS: Final = 12
"""Pairs of columns are offered in tables of at most this many columns."""


def program_space(
    question: str, table: Table, previous: Denotation | None, language: frozenset[str]
) -> ProgramSpace:
    """Return all programs of a question over a table, given the previous answer if there is one."""
    index = index_of(table)
    constants = constants_in(question)
    words = constants.number_words if "number_words" in language else ()
    numbers = tuple(dict.fromkeys((*constants.numbers, *words)))
    before = None
    if previous is not None and previous.rows:
        before = np.zeros(index.rows, dtype=bool)
        before[list(previous.rows)] = True
    families: list[Family] = []
    start = 0
    for name, scope in SCOPES.items():
        if name not in language or (scope.follows and before is None):
            continue
        if name == "cell" and (previous is None or len(previous.cells) != 1):
            continue
        rows = scope.rows(index, before)
        if not rows.any() or (name == "without_totals" and rows.all()):
            continue
        situation = Situation(index, rows, constants, numbers, before)
        conditions = conditions_of(situation, name, language)
        grounded = scope.needs == "nothing" or has_trigger(name, constants.text)
        for selections in _selections(index, name, previous, language):
            several = len(selections[0]) > 1 and selections != (previous and (previous.columns,))
            axis = conditions.supported if several else conditions
            family = Family(name, selections, axis, grounded, start)
            families.append(family)
            start += family.count
        for aggregate, columns in _aggregated(index, name, language):
            called = grounded and has_trigger(aggregate, constants.text)
            family = Family(name, columns, conditions, called, start, aggregate)
            families.append(family)
            start += family.count
    return ProgramSpace(index, tuple(families), previous)


def _selections(
    index: TableIndex, scope: str, previous: Denotation | None, language: frozenset[str]
) -> list[tuple[tuple[int, ...], ...]]:
    """The lists of selections a scope goes with: the previous answer's columns, and columns of its own."""
    single = tuple((column,) for column in range(len(index.columns)))
    several: tuple[tuple[int, ...], ...] = ()
    if "several_columns" in language and len(single) <= MOST_COLUMNS:
        several = tuple(chain.from_iterable(combinations(range(len(single)), n) for n in (2, 3)))
        several += (tuple(range(len(single))),) if len(single) > 3 else ()
    found: list[tuple[tuple[int, ...], ...]] = []
    if SCOPES[scope].alone and previous is not None:
        found.append((previous.columns,))
    if SCOPES[scope].with_columns or scope == "table":
        several = several if scope in ("table", "previous") else ()
        for own in (single, several):
            if SCOPES[scope].alone and previous is not None:  # the previous columns need no naming
                own = tuple(s for s in own if s != previous.columns)
            if scope == "previous" and "columns_of_previous" not in language:
                own = ()
            if own:
                found.append(own)
    return found


def _aggregated(
    index: TableIndex, scope: str, language: frozenset[str]
) -> list[tuple[str, tuple[tuple[int, ...], ...]]]:
    """The aggregates a scope goes with, each with the columns it can be taken of."""
    if scope not in ("table", "previous"):
        return []
    single = tuple((column,) for column in range(len(index.columns)))
    numeric = tuple(s for s in single if index.columns[s[0]].column.kind == "number")
    usable = ((n, numeric if a.numeric else single) for n, a in AGGREGATES.items() if n in language)
    return [(name, columns) for name, columns in usable if columns]


@dataclass(frozen=True, eq=False)
class Family:
    """Programs that share a scope: every one of S selections with every one of N conditions."""

    scope: str
    selections: tuple[tuple[int, ...], ...]  #: S tuples of columns
    conditions: Conditions
    grounded: bool
    """Whether the question bears the scope out."""
    start: int
    """The id of its first program; ids run over conditions within selections."""
    aggregate: str | None = None
    """The value computed from the cells, if any."""

    @property
    def count(self) -> int:
        """S times N."""
        return len(self.selections) * len(self.conditions)


@dataclass(frozen=True, eq=False)
class ProgramSpace:
    """All programs of a question."""

    table_index: TableIndex
    families: tuple[Family, ...]
    previous: Denotation | None

    def __len__(self) -> int:
        """Count the programs."""
        return sum(family.count for family in self.families)

    def rewards(self, gold: Iterable[Cell], value: float | None = None) -> NDArray[np.float32]:
        """(P,) the reward of every program.

        Args:
            gold: the right cells; a program that selects cells gets |A ∩ Z| / |A ∪ Z|.
            value: the right value, where the answer is one; a program that computes it gets 1, all others 0.
        """
        if value is not None:
            parts = [_value_rewards(f, self.table_index, value) for f in self.families]
            return np.concatenate(parts or [_NOTHING])
        cells = list(gold)
        answer = np.zeros((self.table_index.rows, len(self.table_index.columns)), np.float32)
        answer[[row for row, _ in cells], [column for _, column in cells]] = 1
        return np.concatenate([_rewards(family, answer) for family in self.families] or [_NOTHING])

    @cached_property
    def grounded(self) -> Mask:
        """(P,) True where every constant and operator of the program has a word of the question to stand on."""
        parts = [
            np.tile(f.conditions.grounded & f.grounded, len(f.selections)) for f in self.families
        ]
        return np.concatenate(parts or [np.zeros(0, bool)])

    def program(self, number: int) -> Program:
        """Return the tree of a program."""
        family, selection, condition = self._place(number)
        names = self.table_index.names
        own = family.aggregate or not self.takes_previous_columns(family)
        columns = tuple(names[column] for column in family.selections[selection]) if own else ()
        where = family.conditions.condition(condition)
        return Program(columns, family.scope, where, family.aggregate)

    def index(self, program: Program) -> int | None:
        """Return the id of a tree, or None if it is not in the space."""
        position = self.table_index.position
        for family in self.families:
            if (family.scope, family.aggregate) != (program.scope, program.aggregate):
                continue
            columns = tuple(position.get(name, -1) for name in program.columns)
            if not family.aggregate and self.takes_previous_columns(family):
                if columns:
                    continue
                columns = self._previous_columns
            if columns not in family.selections:
                continue
            condition = family.conditions.index(program.where)
            if condition is not None:
                return (
                    family.start
                    + family.selections.index(columns) * len(family.conditions)
                    + condition
                )
        return None

    def denotation(self, number: int) -> Denotation:
        """Return the cells of a program."""
        family, selection, condition = self._place(number)
        rows = np.flatnonzero(family.conditions.mask[condition]).tolist()
        columns = family.selections[selection]
        value = None
        if family.aggregate is not None:
            cells = [(row, column) for row in rows for column in columns]
            value = AGGREGATES[family.aggregate].meaning(self.table_index.table, cells)
        return Denotation(tuple(rows), columns, value)

    def is_grounded(self, number: int) -> bool:
        """Say whether the question names the operator and the constants of a program."""
        family, _, condition = self._place(number)
        return bool(family.grounded and family.conditions.grounded[condition])

    def takes_previous_columns(self, family: Family) -> bool:
        """Whether the family's programs name no columns of their own."""
        return bool(SCOPES[family.scope].alone) and family.selections == (self._previous_columns,)

    @property
    def _previous_columns(self) -> tuple[int, ...]:
        return self.previous.columns if self.previous is not None else ()

    def _place(self, number: int) -> tuple[Family, int, int]:
        for family in self.families:
            if family.start <= number < family.start + family.count:
                selection, condition = divmod(number - family.start, len(family.conditions))
                return family, selection, condition
        raise IndexError(f"there is no program {number} among {len(self)}")


_NOTHING: Final = np.zeros(0, np.float32)


def _rewards(family: Family, answer: NDArray[np.float32]) -> NDArray[np.float32]:
    """(S * N,) rewards of a family for gold cells: one matrix product."""
    if family.aggregate is not None:
        return np.zeros(family.count, np.float32)
    widths = np.array([len(selection) for selection in family.selections], np.float32)  # (S,)
    per_row = np.stack([answer[:, list(s)].sum(axis=1) for s in family.selections])  # (S, R)
    rows = np.flatnonzero(answer.any(axis=1))  # only the answer's rows can be hit
    hits = per_row[:, rows] @ family.conditions.mask[:, rows].T.astype(np.float32)  # (S, N)
    sizes = widths[:, None] * family.conditions.sizes[None, :]  # (S, N)
    rewards: NDArray[np.float32] = hits / (sizes + answer.sum() - hits)
    return rewards.ravel()


def _value_rewards(family: Family, index: TableIndex, value: float) -> NDArray[np.float32]:
    """(S * N,) 1 where an aggregate family's program computes the value."""
    if family.aggregate is None:
        return np.zeros(family.count, np.float32)
    found = [_values(family, index, columns[0]) for columns in family.selections]
    return np.isclose(np.concatenate(found), value, rtol=1e-9, atol=0).astype(np.float32)


def _values(family: Family, index: TableIndex, column: int) -> NDArray[np.float64]:
    """(N,) the value of an aggregate over a column under every condition, NaN where there is none."""
    mask = family.conditions.mask
    if family.aggregate == "count":
        counts: NDArray[np.float64] = mask.sum(axis=1).astype(np.float64)
        return counts
    numbers = index.columns[column].column.numbers
    stated = mask & ~np.isnan(numbers)
    some = stated.any(axis=1)
    if family.aggregate in ("smallest", "largest"):
        worst = np.inf if family.aggregate == "smallest" else -np.inf
        kept = np.where(stated, numbers, worst)
        best = kept.min(axis=1) if family.aggregate == "smallest" else kept.max(axis=1)
        return np.where(some, best, np.nan)
    total = stated @ np.nan_to_num(numbers)
    if family.aggregate == "average":
        total = total / np.maximum(stated.sum(axis=1), 1)
    return np.where(some, total, np.nan)
