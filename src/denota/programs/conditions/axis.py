"""The row sets of one scope as arrays: N row sets over R rows, with the trees they stand for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from denota.programs.index import Mask
from denota.programs.operators.declare import Situation, StepOperator, TestOperator
from denota.programs.operators.equality import EQUAL
from denota.programs.tree import And, Condition, Or, Test, leaves_of

NONE, OR, AND, EITHER, STEP, PAIR = -1, -2, -3, -4, -5, -6
"""Operators of row sets that are not a single test; a single test has its number in `tests`."""


@dataclass(frozen=True)
class StepUse:
    """A step operator with its column and argument."""

    step: StepOperator
    column: int
    first: int
    """The step's `argument` function turns this into the argument."""
    grounded: bool

    def tree(self, situation: Situation) -> Test:
        """Return the step as a tree."""
        name = situation.index.names[self.column] if self.step.has_column else None
        return Test(self.step.name, name, self.step.argument(situation, self.column, self.first))


@dataclass(frozen=True, eq=False)
class Conditions:
    """N row sets of one scope.

    `first` and `second` depend on the operator. A test has its argument in `first`. OR has two
    value classes, or in `first` a number in `named` and -1 in `second`. AND, EITHER and PAIR have
    the numbers of two row sets. STEP has the row set it starts from and a number in `steps`.
    """

    situation: Situation
    tests: tuple[TestOperator, ...]
    operator: NDArray[np.int16]  #: (N,) a number in `tests`, or a code such as NONE or OR
    column: NDArray[np.int16]  #: (N,)
    first: NDArray[np.int32]  #: (N,)
    second: NDArray[np.int32]  #: (N,)
    mask: Mask  #: (N, R)
    grounded: Mask  #: (N,) whether the question supports the row set
    named: tuple[tuple[int, tuple[int, ...]], ...]
    """The (column, value classes) of alternatives of more than two values."""
    whole: Conditions | None = None
    """The axis these row sets were chosen from; `first` and `second` number its row sets."""
    numbers: NDArray[np.int64] | None = None  #: (N,) the number of each row set in `whole`
    steps: tuple[StepUse, ...] = ()

    def __len__(self) -> int:
        """N."""
        return len(self.operator)

    @cached_property
    def sizes(self) -> NDArray[np.float32]:
        """(N,) the number of rows each keeps."""
        sizes: NDArray[np.float32] = np.asarray(np.count_nonzero(self.mask, axis=1), np.float32)
        return sizes

    def condition(self, number: int) -> Condition | None:
        """Return the condition of a row set as a tree.

        Of a pair, the condition of its left side.
        """
        operator, column = int(self.operator[number]), int(self.column[number])
        first, second = int(self.first[number]), int(self.second[number])
        names = self.situation.index.names
        if operator == NONE:
            return None
        if operator in (AND, EITHER, STEP, PAIR):
            whole = self.whole or self
            left = whole.condition(first)
            if operator in (STEP, PAIR):
                return left
            parts = (*leaves_of(left), *leaves_of(whole.condition(second)))
            return And(parts) if operator == AND else Or(parts)
        if operator == OR:
            classes = (first, second) if second >= 0 else self.named[first][1]
            values = (EQUAL.argument(self.situation, column, value) for value in classes)
            return Or(tuple(Test("equal", names[column], value) for value in values))
        test = self.tests[operator]
        argument = test.argument(self.situation, column, first)
        return Test(test.name, names[column] if test.has_column else None, argument)

    def then(self, number: int) -> Test | None:
        """Return the step of a row set as a tree, None if it has no step."""
        if self.operator[number] != STEP:
            return None
        return self.steps[int(self.second[number])].tree(self.situation)

    def versus(self, number: int) -> Condition | None:
        """Return the condition of a pair's right side, None for any other row set."""
        if self.operator[number] != PAIR:
            return None
        return (self.whole or self).condition(int(self.second[number]))

    def chosen(self, kept: NDArray[np.int64]) -> Conditions:
        """Return the row sets with these numbers."""
        if len(kept) == len(self):
            return self
        return replace(
            self,
            operator=self.operator[kept],
            column=self.column[kept],
            first=self.first[kept],
            second=self.second[kept],
            mask=self.mask[kept],
            grounded=self.grounded[kept],
            whole=self.whole or self,
            numbers=kept if self.numbers is None else self.numbers[kept],
        )

    def at_most(self, count: int) -> Conditions:
        """Return at most `count` row sets: supported ones first, and steps last among equals."""
        order = np.lexsort((self.operator == STEP, ~self.grounded))[: max(0, count)]
        return self.chosen(np.sort(order))

    @cached_property
    def supported(self) -> Conditions:
        """The conditions that the question supports, no condition included; no steps, no pairs."""
        return self.chosen(np.flatnonzero(self.grounded & (self.operator > STEP)))

    @cached_property
    def single(self) -> Conditions:
        """The supported conditions of one test, or of values of one column."""
        return self.chosen(np.flatnonzero(self.grounded & (self.operator > AND)))

    @cached_property
    def plain(self) -> Conditions:
        """The conditions alone: no steps, no pairs."""
        return self.chosen(np.flatnonzero(self.operator > STEP))

    @cached_property
    def reached(self) -> Conditions:
        """All row sets but pairs."""
        return self.chosen(np.flatnonzero(self.operator != PAIR))

    @cached_property
    def borne_out(self) -> Conditions:
        """All row sets that the question supports, steps included."""
        return self.chosen(np.flatnonzero(self.grounded))

    @cached_property
    def pairs(self) -> Conditions:
        """The pairs, each in both orders."""
        return self.chosen(np.flatnonzero(self.operator == PAIR))

    @cached_property
    def unordered_pairs(self) -> Conditions:
        """The pairs, each in one order."""
        return self.chosen(np.flatnonzero((self.operator == PAIR) & (self.first < self.second)))

    def index(
        self, condition: Condition | None, then: Test | None = None, versus: Condition | None = None
    ) -> int | None:
        """Return the number of a row set, None if it is not here; AND and OR in any order."""
        ways = [condition]
        if isinstance(condition, And | Or) and len(condition.parts) <= 3:
            ways += [type(condition)(parts) for parts in permutations(condition.parts)]
        for number in np.flatnonzero(self._alike(condition, then, versus)).tolist():
            sides = self.then(number) == then and self.versus(number) == versus
            if sides and self.condition(number) in ways:
                return number
        return None

    def _alike(
        self, condition: Condition | None, then: Test | None, versus: Condition | None
    ) -> Mask:
        """(N,) True for the row sets that can be the one with these trees, which few are."""
        operator = self.operator
        alike: Mask
        if then is not None:
            uses = [n for n, use in enumerate(self.steps) if use.tree(self.situation) == then]
            alike = (operator == STEP) & np.isin(self.second, uses)
        elif versus is not None or condition is None:
            alike = operator == (NONE if versus is None else PAIR)
        elif isinstance(condition, Or):
            alike = np.isin(operator, (OR, EITHER))
        elif isinstance(condition, And):
            whole = self.whole or self
            last = np.zeros(len(whole), bool)
            for part in leaves_of(condition):
                last |= whole._is_test(part)
            alike = operator == AND
            alike[alike] = last[self.second[alike]]
        else:
            alike = self._is_test(condition)
        return alike

    def _is_test(self, test: Test) -> Mask:
        """(N,) True for simple tests with an operator on a column."""
        number = next((n for n, one in enumerate(self.tests) if one.name == test.operator), -9)
        found: Mask = self.operator == number
        if test.column is not None:
            found &= self.column == self.situation.index.position.get(test.column, -9)
        return found
