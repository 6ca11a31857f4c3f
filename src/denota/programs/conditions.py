"""All row sets of a scope as one axis: no condition, each test's candidates, several joined, and where steps lead from there.

Alternatives (`or`) join two values of one column: all pairs in `dynsp++`; with `any_of` only values the question names, and all of
them together; `either` joins two of the conditions that the question bears out best, whatever their columns. `and` joins one of those
with any other, where both matter; `three` joins three of them. A step (`then`) goes from the rows of one of these to others. A pair
(`versus`) is two row sets to compare. N row sets, R rows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations, permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.index import ROOM, Mask
from denota.programs.operators import STEPS, TESTS
from denota.programs.operators.declare import Block, Situation, StepOperator, TestOperator
from denota.programs.operators.equality import EQUAL, shared_values
from denota.programs.tree import And, Condition, Or, Test, leaves_of

NAMED: Final = 6
"""At most so many values of a column that a question names are joined in pairs."""
CONJOINED: Final = 20
"""At most so many conditions are joined in pairs by AND."""

TRIPLED: Final = 10
"""At most so many conditions are joined by threes, and two of different columns by OR."""
THREES: Final = 1000
"""At most so many are joined by threes."""
PAIRED: Final = 12
"""At most so many conditions are compared with each other in pairs: those that the question bears out best."""
FEW: Final = 3
"""A row that is named is one of at most so many."""

NONE, OR, AND, EITHER, STEP, PAIR = -1, -2, -3, -4, -5, -6


@dataclass(frozen=True)
class Chosen:
    """A use of a step operator."""

    step: StepOperator
    column: int
    first: int
    """What the step's `argument` turns into its argument."""
    grounded: bool

    def tree(self, situation: Situation) -> Test:
        """Return it as a tree."""
        name = situation.index.names[self.column] if self.step.has_column else None
        return Test(self.step.name, name, self.step.argument(situation, self.column, self.first))


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
    numbers: NDArray[np.int64] | None = None  #: (N,) which of those these are
    steps: tuple[Chosen, ...] = ()
    """What `second` of a STEP points at; its `first` is the row set it starts from. Of a PAIR both point at row sets."""

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
        """Return the step of a row set as a tree, if it has one."""
        if self.operator[number] != STEP:
            return None
        return self.steps[int(self.second[number])].tree(self.situation)

    def versus(self, number: int) -> Condition | None:
        """Return the condition that a pair compares with."""
        if self.operator[number] != PAIR:
            return None
        return (self.whole or self).condition(int(self.second[number]))

    def chosen(self, kept: NDArray[np.int64]) -> Conditions:
        """Return some of them."""
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
        """Return so many of them: those that the question bears out before the others, and of these steps last."""
        order = np.lexsort((self.operator == STEP, ~self.grounded))[: max(0, count)]
        return self.chosen(np.sort(order))

    @cached_property
    def supported(self) -> Conditions:
        """Those that the question bears out, and none; neither steps nor pairs."""
        return self.chosen(np.flatnonzero(self.grounded & (self.operator > STEP)))

    @cached_property
    def single(self) -> Conditions:
        """Those that the question bears out and that are one test, or values of one column."""
        return self.chosen(np.flatnonzero(self.grounded & (self.operator > AND)))

    @cached_property
    def plain(self) -> Conditions:
        """Those that are conditions alone: neither steps nor pairs."""
        return self.chosen(np.flatnonzero(self.operator > STEP))

    @cached_property
    def reached(self) -> Conditions:
        """Single row sets: all but pairs."""
        return self.chosen(np.flatnonzero(self.operator != PAIR))

    @cached_property
    def borne_out(self) -> Conditions:
        """Those that the question bears out, steps among them."""
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
        """Return the number of a row set, or None if it is not among these; the parts of AND and OR may come in any order."""
        ways = [condition]
        if isinstance(condition, And | Or) and len(condition.parts) <= 3:
            ways += [type(condition)(parts) for parts in permutations(condition.parts)]
        return next(
            (n for way in ways if (n := self._numbers.get((way, then, versus))) is not None), None
        )

    @cached_property
    def _numbers(self) -> dict[tuple[Condition | None, Test | None, Condition | None], int]:
        return {
            (self.condition(n), self.then(n), self.versus(n)): n
            for n in range(len(self) - 1, -1, -1)
        }


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
            _add_conjunctions(simple, situation, "nothing_left" in language)
        if "three" in language or "either" in language:
            _add_more_joined(simple, language)
        if "then" in language:
            _add_steps(simple, language)
        if "versus" in language:
            _add_pairs(simple)
    return simple.conditions()


class _Joined:
    """The condition axis while it is put together."""

    def __init__(self, situation: Situation, tests: tuple[TestOperator, ...]) -> None:
        self.situation, self.tests = situation, tests
        self.operators: list[NDArray[np.int16]] = []
        self.blocks: list[Block] = []
        self.seconds: list[NDArray[np.int32]] = []
        self.named: list[tuple[int, tuple[int, ...]]] = []
        self.steps: list[Chosen] = []

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
            steps=tuple(self.steps),
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


def _best_supported(so_far: Conditions, count: int, spread: bool = True) -> NDArray[np.int64]:
    """The simple conditions that the question bears out best, at most so many, in their order; if they are to be spread, a few of each test of each column."""
    usable = np.flatnonzero(so_far.grounded & (so_far.operator >= 0))
    support = np.array([_support(so_far, number, spread) for number in usable.tolist()])
    usable, support = usable[support > 0], support[support > 0]
    order = usable[np.argsort(-support, kind="stable")]
    if spread:
        taken: Counter[tuple[int, int]] = Counter()
        kept = []
        for number in order.tolist():
            use = int(so_far.column[number]), int(so_far.operator[number])
            test = so_far.tests[use[1]]
            taken[use] += 1
            by_place = test.row_order and test.needs == "nothing"
            if taken[use] <= max(3, count // 5) and not by_place:
                kept.append(number)
        order = np.array(kept, np.int64)
    return np.sort(order[:count])


def _add_conjunctions(joined: _Joined, situation: Situation, or_nothing: bool) -> None:
    """One of the best-supported conditions with any other, if together they keep fewer rows than either, and some; none, if that may be, of two that are supported."""
    so_far = joined.conditions()
    best = _best_supported(so_far, CONJOINED, spread=or_nothing)
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
    matter = (both > 0) & (both < sizes[left]) & (both < sizes[right])
    if (
        or_nothing
    ):  # what the question bears out is kept though one part says it all, or no row is left
        top = np.zeros(len(so_far), bool)
        top[best] = True
        kinds = [test.takes for test in so_far.tests]
        words = np.array([*(kind == "word" for kind in kinds), False])[so_far.operator[left]]
        limits = np.array([*(kind == "constant" for kind in kinds), False])
        between = limits[so_far.operator[left]] & limits[so_far.operator[right]]
        between &= so_far.operator[left] != so_far.operator[right]
        apart = (so_far.column[left] != so_far.column[right]) | words | between
        matter |= top[left] & top[right] & apart
    kept = np.flatnonzero(matter)
    left, right, mask = left[kept], right[kept], mask[kept]
    none = np.full(len(left), -1, np.int16)
    joined.add(
        AND,
        Block(none, left.astype(np.int32), mask, so_far.grounded[right]),
        right.astype(np.int32),
    )


def _add_more_joined(joined: _Joined, language: frozenset[str]) -> None:
    """The best-supported conditions by threes with AND, and two of different columns with OR."""
    so_far = joined.conditions()
    best = _best_supported(so_far, TRIPLED)
    sizes, columns = so_far.sizes, so_far.column
    if "three" in language:
        top = _best_supported(so_far, CONJOINED)
        pairs = np.flatnonzero(so_far.operator == AND)
        inside = np.isin(so_far.first[pairs], top) & np.isin(so_far.second[pairs], top)
        left, right = (side.ravel() for side in np.meshgrid(pairs[inside], best, indexing="ij"))
        one, two = so_far.first[left], so_far.second[left]
        once = (columns[right] != columns[one]) & (columns[right] != columns[two])
        once &= (columns[one] == columns[two]) | (right > np.maximum(one, two))
        left, right = left[once], right[once]
        mask = so_far.mask[left] & so_far.mask[right]
        both = np.count_nonzero(mask, axis=1)
        all_said = np.isin(so_far.first[left], best) & np.isin(so_far.second[left], best)
        kept = np.flatnonzero((both > 0) & (all_said | (both < sizes[left])))[
            : _most_threes(so_far)
        ]
        _add_joined(joined, AND, left[kept], right[kept], mask[kept])
    if "either" in language:
        said = [
            number
            for number, operator in zip(best.tolist(), so_far.operator[best].tolist(), strict=True)
            if so_far.tests[operator].takes in ("value", "word", "constant")
            and not so_far.tests[operator].negates
        ]
        joined_values = so_far.operator == OR
        parts = (so_far.column, so_far.first, so_far.second)
        known = set(zip(*(part[joined_values].tolist() for part in parts), strict=True))
        twos = [
            (a, b)
            for a, b in combinations(said, 2)
            if (int(columns[a]), int(so_far.first[a]), int(so_far.first[b])) not in known
        ]
        if twos:
            left, right = (np.array(side) for side in zip(*twos, strict=True))
            mask = so_far.mask[left] | so_far.mask[right]
            either = np.count_nonzero(mask, axis=1)
            kept = np.flatnonzero((either > sizes[left]) & (either > sizes[right]))
            _add_joined(joined, EITHER, left[kept], right[kept], mask[kept])


def _most_threes(so_far: Conditions) -> int:
    """How many are joined by threes: fewer in a long table."""
    return int(min(THREES, 1 + 2 * ROOM // max(1, so_far.mask.shape[1])))


def _add_joined(
    joined: _Joined, operator: int, left: NDArray[np.int64], right: NDArray[np.int64], mask: Mask
) -> None:
    """Add row sets made of two, both borne out by the question."""
    none = np.full(len(left), -1, np.int16)
    grounded = np.ones(len(left), bool)
    block = Block(none, left.astype(np.int32), mask, grounded)
    joined.add(operator, block, right.astype(np.int32))


def _add_steps(joined: _Joined, language: frozenset[str]) -> None:
    """Where every step leads from the row sets that it is offered after, if anywhere new."""
    situation, so_far = joined.situation, joined.conditions()
    starts = _starts(so_far)
    kept = {follows: so_far.mask[own] for follows, own in starts.items()}
    for name, step in STEPS.items():
        if name not in language:
            continue
        own = starts[step.follows]
        masks = kept[step.follows]
        grounded = situation.triggered(name)
        for column, first in step.choices(situation) if len(own) else ():
            reached = step.apply(situation, column, first, masks)
            new = reached.any(axis=1) & (reached != masks).any(axis=1)
            joined.steps.append(Chosen(step, column, first, grounded))
            number = np.full(int(new.sum()), len(joined.steps) - 1, np.int32)
            block = Block(
                so_far.column[own][new],
                own[new].astype(np.int32),
                reached[new],
                so_far.grounded[own][new] & grounded,
            )
            joined.add(STEP, block, number)


def _starts(so_far: Conditions) -> dict[str, NDArray[np.int64]]:
    """The row sets that steps are offered after: of several rows, of a few that are named, and several or all.

    A row set is one that the question bears out, or the rows of any one value; of conditions that are joined, those of the best supported.
    """
    sizes, operator = so_far.sizes, so_far.operator
    placed = np.array([test.ranks or not test.has_column for test in so_far.tests] + [False])
    equal = next((n for n, test in enumerate(so_far.tests) if test.name == "equal"), -9)
    simple = (operator >= 0) & ~placed[operator] & (so_far.grounded | (operator == equal))
    best = np.zeros(len(so_far), bool)
    best[_best_supported(so_far, TRIPLED)] = True
    both = np.isin(operator, (AND, EITHER))
    joined = (operator == OR) & so_far.grounded
    joined[both] = best[so_far.first[both]] & best[so_far.second[both]]
    room = ROOM // (8 * max(1, so_far.mask.shape[1]))
    several = np.flatnonzero((simple | joined) & (sizes > 1))
    if len(several) > room:
        several = several[so_far.grounded[several]][:room]
    named = so_far.grounded & ((operator >= 0) | joined)
    few = np.flatnonzero(named & (sizes > 0) & (sizes <= FEW))
    whole = np.flatnonzero(
        (named & ~placed[np.maximum(operator, -1)] & (sizes > 1)) | (operator == NONE)
    )
    return {"several": several, "few": few[:room], "any": whole[:room]}


def _add_pairs(joined: _Joined) -> None:
    """Two of the best-supported conditions, in both orders, if they keep different rows."""
    so_far = joined.conditions()
    best = _best_supported(so_far, PAIRED)
    left, right = (side.ravel() for side in np.meshgrid(best, best, indexing="ij"))
    other = (so_far.mask[left] != so_far.mask[right]).any(axis=1)
    left, right = left[other], right[other]
    _add_joined(joined, PAIR, left, right, so_far.mask[left] | so_far.mask[right])


def _most_joined(rows: int) -> int:
    """How many conditions can be joined in pairs without taking more room than there is."""
    return int((2 * ROOM / max(1, rows)) ** 0.5) + 1


def _support(conditions: Conditions, number: int, dates: bool) -> float:
    """How much of a condition the question has: words of the value, words of the column's name, a trigger, and a date or decade if that is to count."""
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
    stated = dates and test.needs == "lexical" and test.takes in ("constant", "number")
    if test.needs == "trigger" or test.takes == "word" or stated:
        support += 0.5
    return support
