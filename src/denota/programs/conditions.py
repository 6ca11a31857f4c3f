"""All conditions of a scope as one axis: no condition, each test's candidates, and pairs of them.

Alternatives (`or`) join two values of one column: all pairs in `dynsp++`; with `any_of` only values the question names, and all of
them together. `and` joins one of the conditions that the question bears out best with any other, where both matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.index import ROOM, Mask
from denota.programs.operators import TESTS
from denota.programs.operators.declare import Block, Situation, TestOperator
from denota.programs.operators.equality import EQUAL, shared_values
from denota.programs.tree import And, Condition, Or, Test

NAMED: Final = 6
"""At most so many values of a column that a question names are joined in pairs."""
CONJOINED: Final = 20
"""At most so many conditions are joined in pairs by AND."""

NONE, OR, AND = -1, -2, -3


@dataclass(frozen=True, eq=False)
class Conditions:
    """N conditions over the rows of one scope."""

    situation: Situation
    tests: tuple[TestOperator, ...]
    operator: NDArray[np.int16]  #: (N,) position in `tests`, or one of NONE, OR, AND
    column: NDArray[np.int16]  #: (N,)
    first: NDArray[np.int32]  #: (N,) a test's argument; a value class; a condition
    second: NDArray[np.int32]  #: (N,) the other value class or condition
    mask: Mask  #: (N, R)
    grounded: Mask  #: (N,)
    named: tuple[tuple[int, tuple[int, ...]], ...]
    """(column, value classes) of the alternatives of more than two values; `second` is -1 there and `first` the place here."""
    whole: Conditions | None = None
    """The conditions these were chosen from, to which the parts of conjunctions point."""

    def __len__(self) -> int:
        """N."""
        return len(self.operator)

    @cached_property
    def sizes(self) -> NDArray[np.float32]:
        """(N,) how many rows each keeps."""
        sizes: NDArray[np.float32] = np.asarray(np.count_nonzero(self.mask, axis=1), np.float32)
        return sizes

    def condition(self, number: int) -> Condition | None:
        """Return the tree of a condition."""
        operator, column = int(self.operator[number]), int(self.column[number])
        first, second = int(self.first[number]), int(self.second[number])
        names = self.situation.index.names
        if operator == NONE:
            return None
        if operator == AND:
            whole = self.whole or self
            parts = (whole.condition(first), whole.condition(second))
            return And(tuple(part for part in parts if isinstance(part, Test)))
        if operator == OR:
            classes = (first, second) if second >= 0 else self.named[first][1]
            values = (EQUAL.argument(self.situation, column, value) for value in classes)
            return Or(tuple(Test("equal", names[column], value) for value in values))
        test = self.tests[operator]
        argument = test.argument(self.situation, column, first)
        return Test(test.name, names[column] if test.has_column else None, argument)

    @cached_property
    def supported(self) -> Conditions:
        """Those that the question bears out, and none."""
        kept = np.flatnonzero(self.grounded)
        return replace(
            self,
            operator=self.operator[kept],
            column=self.column[kept],
            first=self.first[kept],
            second=self.second[kept],
            mask=self.mask[kept],
            grounded=self.grounded[kept],
            whole=self.whole or self,
        )

    def index(self, condition: Condition | None) -> int | None:
        """Return the number of a tree, or None if it is not among these; the parts of an AND may come in any order."""
        found = self._numbers.get(condition)
        if found is None and isinstance(condition, And):
            found = self._numbers.get(And(condition.parts[::-1]))
        return found

    @cached_property
    def _numbers(self) -> dict[Condition | None, int]:
        return {self.condition(number): number for number in range(len(self) - 1, -1, -1)}


def conditions_of(situation: Situation, scope: str, language: frozenset[str]) -> Conditions:
    """Return every condition the language has in a situation; FOLLOW-UP CELL takes none."""
    tests = tuple(test for name, test in TESTS.items() if name in language)
    blocks = [test.candidates(situation) for test in tests] if scope != "cell" else []
    simple = _Joined(situation, tests)
    simple.add(NONE, _no_condition(situation))
    for position, found in enumerate(blocks):
        simple.add(position, found)
    if scope != "cell":
        if "or" in language:
            _add_pairs_of_values(simple, situation)
        if "any_of" in language:
            _add_named_values(simple, situation, pairs="or" not in language)
        if "and" in language:
            _add_conjunctions(simple, situation)
    return simple.conditions()


class _Joined:
    """The condition axis while it is put together."""

    def __init__(self, situation: Situation, tests: tuple[TestOperator, ...]) -> None:
        self.situation, self.tests = situation, tests
        self.operators: list[NDArray[np.int16]] = []
        self.blocks: list[Block] = []
        self.seconds: list[NDArray[np.int32]] = []
        self.named: list[tuple[int, tuple[int, ...]]] = []

    def add(self, operator: int, block: Block, second: NDArray[np.int32] | None = None) -> None:
        count = len(block.first)
        if count:
            self.operators.append(np.full(count, operator, np.int16))
            self.blocks.append(block)
            self.seconds.append(np.full(count, -1, np.int32) if second is None else second)

    def conditions(self) -> Conditions:
        return Conditions(
            self.situation,
            self.tests,
            np.concatenate(self.operators),
            np.concatenate([block.column for block in self.blocks]),
            np.concatenate([block.first for block in self.blocks]),
            np.concatenate(self.seconds),
            np.concatenate([block.mask for block in self.blocks]),
            np.concatenate([block.grounded for block in self.blocks]),
            tuple(self.named),
        )


def _no_condition(situation: Situation) -> Block:
    return Block(
        np.full(1, -1, np.int16), np.zeros(1, np.int32), situation.scope[None, :], np.ones(1, bool)
    )


def _add_pairs_of_values(joined: _Joined, situation: Situation) -> None:
    """Every two values of a column, in the order in which the column has them."""
    columns, classes, masks, grounded = shared_values(situation)
    masks = masks & situation.scope
    here = masks.any(axis=1)
    columns, classes, masks, grounded = columns[here], classes[here], masks[here], grounded[here]
    if len(columns) * _most_joined(masks.shape[1]) * masks.shape[1] > 10 * ROOM:
        columns, classes, masks, grounded = (
            columns[grounded],
            classes[grounded],
            masks[grounded],
            grounded[grounded],
        )
    lefts, rights = [], []
    for column in np.unique(columns):
        places = np.flatnonzero(columns == column)[: _most_joined(masks.shape[1])]
        left, right = _pairs_of(len(places))
        lefts.append(places[left])
        rights.append(places[right])
    if not lefts:
        return
    left, right = np.concatenate(lefts), np.concatenate(rights)
    block = Block(
        columns[left], classes[left], masks[left] | masks[right], grounded[left] & grounded[right]
    )
    joined.add(OR, block, classes[right])


@lru_cache(maxsize=256)
def _pairs_of(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The two sides of every pair of so many things, smaller first."""
    left, right = np.triu_indices(count, k=1)
    return left, right


def _add_named_values(joined: _Joined, situation: Situation, pairs: bool) -> None:
    """Values most of whose words the question has: all of a column together, and each two of them if asked for."""
    columns, classes, masks, grounded = shared_values(situation)
    masks = masks & situation.scope
    words = situation.constants.content
    by_column: dict[int, list[int]] = {}
    for place in np.flatnonzero(grounded & masks.any(axis=1)).tolist():
        column = situation.index.columns[int(columns[place])]
        own = column.class_content(int(classes[place]))
        if own <= words or len(own & words) * 2 > len(own):
            by_column.setdefault(int(columns[place]), []).append(place)
    for column_id, places in by_column.items():
        if pairs and len(places) > 1:
            twos = combinations(places[:NAMED], 2)
            left, right = (np.array(side) for side in zip(*twos, strict=True))
            mask = masks[left] | masks[right]
            joined.add(
                OR,
                Block(columns[left], classes[left], mask, np.ones(len(left), bool)),
                classes[right],
            )
        if len(places) > 2:
            joined.named.append((column_id, tuple(int(classes[place]) for place in places)))
            first = np.full(1, len(joined.named) - 1, np.int32)
            mask = masks[places].max(axis=0, keepdims=True)
            joined.add(OR, Block(columns[places[:1]], first, mask, np.ones(1, bool)))


def _add_conjunctions(joined: _Joined, situation: Situation) -> None:
    """One of the best-supported conditions with any other, if together they keep fewer rows than either, and some."""
    so_far = joined.conditions()
    usable = np.flatnonzero(so_far.grounded & (so_far.operator >= 0))
    support = np.array([_support(so_far, number) for number in usable.tolist()])
    usable, support = usable[support > 0], support[support > 0]
    best = np.sort(usable[np.argsort(-support, kind="stable")[:CONJOINED]])
    if not len(best):
        return
    others = np.flatnonzero(so_far.operator >= 0)
    if len(best) * len(others) * so_far.mask.shape[1] > 10 * ROOM:
        best = others = best[: _most_joined(so_far.mask.shape[1])]
    left, right = (side.ravel() for side in np.meshgrid(best, others, indexing="ij"))
    is_best = np.zeros(len(so_far), bool)
    is_best[best] = True
    once = ~is_best[right] | (left < right)
    left, right = left[once], right[once]
    mask = so_far.mask[left] & so_far.mask[right]
    sizes = np.asarray(so_far.sizes)
    both = np.asarray(np.count_nonzero(mask, axis=1))
    kept = np.flatnonzero((both > 0) & (both < sizes[left]) & (both < sizes[right]))
    left, right, mask = left[kept], right[kept], mask[kept]
    none = np.full(len(left), -1, np.int16)
    joined.add(
        AND,
        Block(none, left.astype(np.int32), mask, so_far.grounded[right]),
        right.astype(np.int32),
    )


def _most_joined(rows: int) -> int:
    """How many conditions can be joined in pairs without taking more room than there is."""
    return int((2 * ROOM / max(1, rows)) ** 0.5) + 1


def _support(conditions: Conditions, number: int) -> float:
    """How much of a condition the question has: words of the value, words of the column's name, a trigger."""
    situation = conditions.situation
    test = conditions.tests[int(conditions.operator[number])]
    column_id = int(conditions.column[number])
    words = situation.constants.content
    support = 0.0
    if column_id >= 0:
        column = situation.index.columns[column_id]
        support += 0.5 * len(column.name_content & words) / max(1, len(column.name_content))
        if test.takes == "value":
            own = column.class_content(int(conditions.first[number]))
            support += len(own & words) / max(1, len(own)) - (test.name == "not_equal") * 0.25
    if test.needs == "trigger" or test.takes == "word":
        support += 0.5
    return support
