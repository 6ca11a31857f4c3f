"""The space of a question: all its programs as arrays, with denotations and rewards.

A program is a family (a scope, what is asked, and a list of selections), one of the family's S
selections and one of the scope's N row sets, so its rows are one line of the scope's (N, R) mask
and its cells those rows of the selected columns. Everything about all programs is broadcast over
these axes; `program` and `index` are the only bridge to trees.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.data.answer import Answer
from denota.programs.conditions import Conditions, conditions_of
from denota.programs.constants import constants_in
from denota.programs.denotation import Denotation
from denota.programs.execute import execute, looked_at
from denota.programs.index import LINKED, LONG, Mask, TableIndex, index_of
from denota.programs.lexicon import has_trigger, is_called
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES
from denota.programs.operators.declare import AggregateOperator, Situation
from denota.programs.rewards import family_rewards
from denota.programs.tree import Program
from denota.tables.table import Table

MOST_COLUMNS: Final = 12
"""Pairs of columns are offered in tables of at most this many columns."""
MOST_PROGRAMS: Final = 200_000
"""The most programs of a question; families with more row sets keep the supported ones first."""


def program_space(
    question: str, table: Table, previous: Denotation | None, language: frozenset[str]
) -> ProgramSpace:
    """Return all programs of a question over a table, given the previous answer if there is one."""
    index = index_of(table, LINKED if "linked_values" in language else LONG)
    constants = constants_in(question)
    if "near_words" in language:
        near = index.near(constants.content)
        constants = replace(constants, content=constants.content | near)
    words = constants.number_words if "number_words" in language else ()
    numbers = tuple(dict.fromkeys((*constants.numbers, *words)))
    before = None
    if previous is not None and previous.rows:
        before = np.zeros(index.rows, dtype=bool)
        before[list(previous.rows)] = True
    families: list[Family] = []
    start, bounded = 0, False
    scopes = dict(_scopes(index, previous, before, language))
    for place, (name, rows) in enumerate(scopes.items(), start=1):
        scope, most = SCOPES[name], MOST_PROGRAMS * place // len(scopes)
        situation = Situation(index, rows, constants, numbers, before)
        conditions = conditions_of(situation, name, language)
        grounded = scope.needs == "nothing" or has_trigger(name, constants.text)
        for asked in _asked(index, name, previous, conditions, language):
            axis = asked.conditions
            room = min(asked.most // len(scopes), most - start) // len(asked.selections)
            if "then" in language and len(axis) > room:
                bounded = True
                axis = axis.at_most(room)
            if not len(axis):
                continue
            operator = asked.compare or asked.aggregate
            called = grounded and (operator is None or is_called(operator, constants.text))
            family = Family(
                name, asked.selections, axis, called, start, asked.aggregate, asked.compare
            )
            families.append(family)
            start += family.count
    wide = "then" in language or not language.isdisjoint((*AGGREGATES, *COMPARES))
    return ProgramSpace(index, tuple(families), previous, bounded, wide)


def _scopes(
    index: TableIndex,
    previous: Denotation | None,
    before: Mask | None,
    language: frozenset[str],
) -> Iterator[tuple[str, Mask]]:
    """The scopes that a question has, each with its rows."""
    for name, scope in SCOPES.items():
        if name not in language or (scope.follows and before is None):
            continue
        if name == "cell" and (previous is None or len(previous.cells) != 1):
            continue
        rows = scope.rows(index, before)
        if rows.any() and not (name == "without_totals" and rows.all()):
            yield name, rows


@dataclass(frozen=True, eq=False)
class _Asked:
    """Selections, or a value computed of them, over some row sets."""

    selections: tuple[tuple[int, ...], ...]
    conditions: Conditions
    aggregate: str | None = None
    compare: str | None = None
    most: int = MOST_PROGRAMS // 20
    """The most programs."""


def _asked(
    index: TableIndex,
    scope: str,
    previous: Denotation | None,
    conditions: Conditions,
    language: frozenset[str],
) -> Iterator[_Asked]:
    """All that is asked in a scope: cells, values, two values compared."""
    reached, plain = conditions.reached, conditions.plain
    for selections in _selections(index, scope, previous, language):
        several = len(selections[0]) > 1 and selections != (previous and (previous.columns,))
        own = conditions.single if "then" in language else conditions.supported
        most = MOST_PROGRAMS // 20 if several else 2 * MOST_PROGRAMS // 5
        yield _Asked(selections, own if several else reached, most=most)
    if scope not in ("table", "previous", "without_totals"):
        return
    if scope != "previous":
        yield from _compared(index, conditions, language)
    for name, aggregate in AGGREGATES.items():
        columns = _taken(index, aggregate) if name in language and not aggregate.compared else []
        if columns:
            own = plain if aggregate.of else reached
            if aggregate.grouped or aggregate.names_column:
                own = plain.supported
            elif aggregate.part is not None:
                own = reached.borne_out
            most = MOST_PROGRAMS // (80 if aggregate.part is not None else 20)
            yield _Asked(tuple(columns), own, name, most=most)


def _taken(index: TableIndex, aggregate: AggregateOperator) -> list[tuple[int, ...]]:
    """The columns that an aggregate can be taken of."""
    every = range(len(index.columns))
    numeric = [c for c in every if index.columns[c].column.kind == "number"]
    if not aggregate.of:
        return [()] if not aggregate.names_column or len(numeric) > 1 else []
    if aggregate.part is not None:
        return [(c,) for c in every if index.columns[c].has_part(aggregate.name, aggregate.part)]
    if aggregate.grouped:
        groups = [c for c in every if 1 < index.columns[c].count < index.rows]
        if len(aggregate.of) == 1:
            return [(group,) for group in groups]
        return [(group, c) for group in groups for c in numeric if c != group]
    return [(c,) for c in (every if aggregate.of == ("any",) else numeric)]


def _compared(
    index: TableIndex, conditions: Conditions, language: frozenset[str]
) -> Iterator[_Asked]:
    """Two counts or sums compared: of two row sets, of two columns, of a part and the whole."""
    kinds = [own.column.kind for own in index.columns]
    numeric = [c for c, kind in enumerate(kinds) if kind == "number"]
    of_dates: list[tuple[int, ...]] = [(c,) for c, kind in enumerate(kinds) if kind == "date"]
    text = conditions.situation.constants.text
    for name, compare in COMPARES.items():
        if name not in language or (compare.gives == "word" and not is_called(name, text)):
            continue
        whole = "whole" in compare.sides
        rows = conditions.pairs if compare.ordered else conditions.unordered_pairs
        if whole:
            rows = conditions.plain.supported
        sums: list[tuple[int, ...]] = [(c,) for c in numeric]
        days = [] if whole or name == "ratio" else of_dates
        values: list[tuple[str, list[tuple[int, ...]]]]
        averages = sums if not whole and is_called("average", text) else []
        values = [("count", [()]), ("sum", sums), ("average", averages), ("day", days)]
        for aggregate, columns in values:
            if aggregate in language and columns and len(rows):
                yield _Asked(tuple(columns), rows, aggregate, name, MOST_PROGRAMS // 40)
        two = tuple(permutations(numeric, 2) if compare.ordered else combinations(numeric, 2))
        if "columns" in compare.sides and two and len(numeric) <= MOST_COLUMNS:
            yield _Asked(two, conditions.plain.supported, "sum", name, MOST_PROGRAMS // 40)


def _selections(
    index: TableIndex, scope: str, previous: Denotation | None, language: frozenset[str]
) -> list[tuple[tuple[int, ...], ...]]:
    """Return a scope's lists of selections: the previous answer's columns, and columns by name."""
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


@dataclass(frozen=True, eq=False)
class Family:
    """Programs of one scope and question form: each of S selections with each of N row sets."""

    scope: str
    selections: tuple[tuple[int, ...], ...]  #: S tuples of columns
    conditions: Conditions
    grounded: bool
    """Whether the question bears the scope out."""
    start: int
    """The id of its first program; ids run over conditions within selections."""
    aggregate: str | None = None
    """The value computed from the cells, if any."""
    compare: str | None = None
    """The comparing operator, where two values are compared."""

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
    bounded: bool = False
    """Whether programs were left out because there were too many."""
    wide: bool = False
    """Whether the language has steps or values."""

    def __len__(self) -> int:
        """Count the programs."""
        return sum(family.count for family in self.families)

    def rewards(self, gold: Answer) -> NDArray[np.float32]:
        """(P,) the reward of every program: that of its denotation, see `programs.rewards`."""
        parts = family_rewards(self, gold)
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    @cached_property
    def grounded(self) -> Mask:
        """(P,) True where the question has a word for each constant and operator of a program."""
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
        axis = family.conditions
        return Program(
            columns,
            family.scope,
            axis.condition(condition),
            family.aggregate,
            axis.then(condition),
            axis.versus(condition),
            family.compare,
        )

    def index(self, program: Program) -> int | None:
        """Return the id of a tree, or None if it is not in the space."""
        position = self.table_index.position
        asked = (program.scope, program.aggregate, program.compare)
        for family in self.families:
            if (family.scope, family.aggregate, family.compare) != asked:
                continue
            columns = tuple(position.get(name, -1) for name in program.columns)
            if not family.aggregate and self.takes_previous_columns(family):
                if columns:
                    continue
                columns = self._previous_columns
            if columns not in family.selections:
                continue
            sides = (program.where, program.versus)
            condition = family.conditions.index(sides[0], program.then, sides[1])
            if condition is None and program.compare and not COMPARES[program.compare].ordered:
                condition = family.conditions.index(sides[1], program.then, sides[0])
            if condition is not None:
                return (
                    family.start
                    + family.selections.index(columns) * len(family.conditions)
                    + condition
                )
        return None

    def denotation(self, number: int) -> Denotation:
        """Return what a program means: its cells, or the values computed from them."""
        family, selection, condition = self._place(number)
        table = self.table_index.table
        rows = tuple(np.flatnonzero(family.conditions.mask[condition]).tolist())
        columns = family.selections[selection]
        if family.aggregate is None:
            return Denotation(rows, columns)
        program = self.program(number)
        if family.compare is not None or AGGREGATES[family.aggregate].grouped:
            return execute(program, table, self.previous)
        if not columns:
            follows = SCOPES[family.scope].follows
            columns = self._previous_columns if follows else looked_at(program, table)
        values = AGGREGATES[family.aggregate].meaning(table, rows, family.selections[selection])
        return Denotation(rows, columns, values)

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

    @cached_property
    def _starts(self) -> list[int]:
        """The id of the first program of each family."""
        return [family.start for family in self.families]

    def _place(self, number: int) -> tuple[Family, int, int]:
        family = self.families[bisect_right(self._starts, number) - 1] if number >= 0 else None
        if family is None or number >= family.start + family.count:
            raise IndexError(f"there is no program {number} among {len(self)}")
        selection, condition = divmod(number - family.start, len(family.conditions))
        return family, selection, condition
