"""A question's space as sums of axis entries: what a scorer scores, and how those scores make up a program's.

A scorer gives one number for each entry of each block: a column as SELECT column, a value as the argument of =, a comparison with a number, a
fixed action such as STOP. A selection and a condition are each a sum of a few entries, a program is selection + condition + its program-level
features. So all programs are scored by two gathers and one broadcast, and nothing is ever computed per program in Python.

C columns, V values, K constants, S selections, N conditions, P programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from denota.programs.conditions import AND, EITHER, NONE, OR, PAIR, STEP, Conditions
from denota.programs.index import TableIndex
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS
from denota.programs.operators.equality import shared_values
from denota.programs.space import Family, ProgramSpace
from denota.programs.tree import Name

Ints = NDArray[np.int32]

BLOCKS: Final = (
    "select",  # (C,) SELECT column
    "where",  # (C,) WHERE column
    "follow_where",  # (C,) FOLLOW-UP WHERE column
    "equal",  # (V,) = value
    "not_equal",  # (V,) != value
    "follow_equal",  # (V,) = value in a follow-up
    "follow_not_equal",  # (V,) != value in a follow-up
    "compare",  # (4 K,) each constant with > >= < <=
    "word",  # (W,) a word to look for
    "constant",  # (K,) a number or date that is not compared with
    "ranked",  # (C,) the column of a superlative
    "compared",  # (C,) the column of a comparison
    "stated",  # (C,) the column of a test without an argument: is empty, is zero
    "outcome",  # (O,) how many rows are kept
    "relation",  # (5,) what they have to do with the rows of the previous answer
    "breadth",  # (4,) how many columns are selected: none of its own, one, two, more
    "fixed",  # (F,) actions without an argument
)
COMPARISONS: Final = ("greater", "at_least", "less", "at_most")
FIXED: Final = (
    "nothing",
    "stop",
    "same_as_previous",
    "or",
    "and",
    "columns_of_previous",
    *(scope for scope in SCOPES if scope not in ("table", "previous")),
    *(test for test in TESTS if test not in ("equal", "not_equal", *COMPARISONS)),
    *("either", "then", "versus"),
    *(step for step in STEPS if step not in TESTS),
    *AGGREGATES,
    *COMPARES,
)
"""The actions without an argument; `nothing` scores 0."""
_BLOCK: Final = {name: number for number, name in enumerate(BLOCKS)}
_FIXED: Final = {name: number for number, name in enumerate(FIXED)}
SIZES: Final = (1, 2, 3, 5, 9)
"""How many rows are kept, as classes: up to so many, more, and all there are; apart for follow-ups."""
OUTCOMES: Final = 2 * (len(SIZES) + 2)
RELATIONS: Final = 5
"""The rows kept, beside those of the previous answer: there was none; the same; some of them; none of them; some and others."""
BREADTHS: Final = 4
WIDTH: Final = 5
"""The most entries a condition is a sum of; what is over points at `nothing`."""
WIDER: Final = 15
"""The same in a language with steps: three for each of three tests, and six for what joins them and a step."""


class FamilySlice(NamedTuple):
    """A family's programs: selections [s0, s1) with the conditions of one axis."""

    scope: str
    s0: int
    s1: int
    conditions: Ints  #: (N,) the conditions of the family, as numbers on the condition axis
    start: int  #: the id of the first program
    none: int  #: the number of the scope's row set without a condition
    plain: bool = True
    """Whether the cells themselves are the answer."""

    @property
    def programs(self) -> int:
        """S times N."""
        return (self.s1 - self.s0) * len(self.conditions)


@dataclass(frozen=True, eq=False)
class Axes:
    """The axes of a question."""

    select_block: NDArray[np.int8]  #: (S, 1 + the most columns of a selection)
    select_entry: NDArray[np.int16]  #: likewise
    condition_block: NDArray[np.int8]  #: (N, WIDTH)
    condition_entry: NDArray[np.int16]  #: (N, WIDTH)
    condition_column: NDArray[np.int16]  #: (N,) the first column tested, -1 for none
    condition_test: NDArray[np.int8]  #: (N,) its place in TESTS; -1 for none, OR and AND
    condition_parts: NDArray[
        np.int32
    ]  #: (N, 2) the conditions an OR or AND joins first, -1 for a simple one
    rows: NDArray[np.uint8]  #: (N, R / 8) the rows each condition keeps, a bit each
    places: tuple[FamilySlice, ...]
    values: tuple[NDArray[np.int16], NDArray[np.int32]]  #: (V,) column and class of each value
    constants: int
    """K, numbers and dates together."""
    programs: int
    """P."""


def axes_of(space: ProgramSpace) -> Axes:
    """Return the axes of a space."""
    families = space.families
    situation = families[0].conditions.situation
    columns, classes, _, _ = shared_values(situation)
    lookup = _ValuePlaces(space.table_index, columns, classes)
    count = len(situation.numbers) + len(situation.constants.dates)
    wide = any(family.aggregate is not None for family in families)
    axes: dict[int, int] = {}
    blocks, entries, tested, tests, parts, rows = [], [], [], [], [], []
    total = 0
    for family in families:
        whole = family.conditions.whole or family.conditions
        if id(whole) not in axes:
            axes[id(whole)] = total
            block, entry = _condition_entries(whole, family.scope, lookup)
            if wide:
                block, entry = _wider_entries(whole, family.scope, block, entry)
            blocks.append(block)
            entries.append(entry)
            joined = _joined(whole, lookup)
            parts.append(np.where(joined >= 0, joined + total, -1).astype(np.int32))
            tested.append(_first_column(whole, joined))
            tests.append(_tests(whole))
            rows.append(np.packbits(whole.mask, axis=1))
            total += len(whole)
    select_blocks, select_entries, places = [], [], []
    width = 1 + max(len(selection) for family in families for selection in family.selections)
    width += 2 * any(family.aggregate is not None for family in families)
    s0 = 0
    for family in families:
        whole = family.conditions.whole or family.conditions
        block, entry = _select_entries(family, space, width)
        select_blocks.append(block)
        select_entries.append(entry)
        numbers = axes[id(whole)] + _numbers_in(whole, family.conditions)
        places.append(
            FamilySlice(
                family.scope,
                s0,
                s0 + len(block),
                numbers,
                family.start,
                axes[id(whole)],
                family.aggregate is None,
            )
        )
        s0 += len(block)
    return Axes(
        np.concatenate(select_blocks),
        np.concatenate(select_entries),
        np.concatenate(blocks),
        np.concatenate(entries),
        np.concatenate(tested),
        np.concatenate(tests),
        np.concatenate(parts),
        np.concatenate(rows),
        tuple(places),
        (columns, classes),
        count,
        len(space),
    )


class _ValuePlaces:
    """Where a (column, class) stands on the value axis: those of short columns in order, then the linked ones of long columns."""

    def __init__(
        self, index: TableIndex, columns: NDArray[np.int16], classes: NDArray[np.int32]
    ) -> None:
        self.starts, self.long = index.starts, np.isin(np.arange(len(index.columns)), index.long)
        short = len(index.classes[0])
        linked = zip(columns[short:].tolist(), classes[short:].tolist(), strict=True)
        self.linked = {key: short + place for place, key in enumerate(linked)}
        self.count = len(columns)

    def __call__(self, columns: NDArray[np.int16], classes: NDArray[np.int32]) -> NDArray[np.int16]:
        found = self.starts[columns] + classes
        for place in np.flatnonzero(self.long[columns]).tolist() if self.linked else ():
            found[place] = self.linked[int(columns[place]), int(classes[place])]
        return found.astype(np.int16)


def _joined(conditions: Conditions, lookup: _ValuePlaces) -> NDArray[np.int64]:
    """(N, 2) the two conditions that an OR of values or an AND joins first, -1 for a simple condition."""
    found = np.full((len(conditions), 2), -1)
    both = np.isin(conditions.operator, (AND, EITHER, PAIR))
    found[both, 0], found[both, 1] = conditions.first[both], conditions.second[both]
    step = conditions.operator == STEP
    found[step] = conditions.first[step][:, None]
    either = np.flatnonzero(conditions.operator == OR)
    if len(either):
        equal = next(n for n, test in enumerate(conditions.tests) if test.name == "equal")
        here = np.flatnonzero(conditions.operator == equal)
        number_of = np.full(lookup.count, -1)  # of the condition that tests for a value
        number_of[lookup(conditions.column[here], conditions.first[here])] = here
        pairs = either[conditions.second[either] >= 0]
        for side, classes in enumerate((conditions.first, conditions.second)):
            found[pairs, side] = number_of[lookup(conditions.column[pairs], classes[pairs])]
        for number in either[conditions.second[either] < 0].tolist():
            column, classes_ = conditions.named[int(conditions.first[number])]
            two = np.array(classes_[:2], np.int32)
            found[number] = number_of[lookup(np.full(2, column, np.int16), two)]
    return found


def _first_column(conditions: Conditions, joined: NDArray[np.int64]) -> NDArray[np.int16]:
    """(N,) the column a condition's first test looks at."""
    columns = conditions.column.copy()
    for kind in (AND, AND, EITHER, PAIR):  # a conjunction of three begins with one of two
        own = conditions.operator == kind
        columns[own] = columns[joined[own, 0]]
    step = conditions.operator == STEP
    of_steps = np.array([chosen.column for chosen in conditions.steps], np.int16)
    columns[step] = of_steps[conditions.second[step]]
    return columns


def _tests(conditions: Conditions) -> NDArray[np.int8]:
    """(N,) which test each condition is."""
    order = list(TESTS)
    numbers = np.array([*(order.index(test.name) for test in conditions.tests), -1], np.int8)
    found = numbers[np.where(conditions.operator >= 0, conditions.operator, -1)]
    step = conditions.operator == STEP
    names = [chosen.step.name for chosen in conditions.steps]
    of_steps = np.array([order.index(n) if n in TESTS else -1 for n in names], np.int8)
    found[step] = of_steps[conditions.second[step]]
    return found


def outcome_entries(
    axes: Axes, before: tuple[int, ...]
) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """(N, 3) more entries of every condition: its column as what kind of test looks at it, how many rows it keeps, and whether those are the rows before.

    A scorer that looks at what a program would answer scores these too; the paper's does not.
    """
    block = np.full((len(axes.condition_test), 3), _BLOCK["fixed"], np.int8)
    entry = np.zeros(block.shape, np.int16)
    kinds = _KIND[axes.condition_test]
    there = (kinds != _BLOCK["fixed"]) & (axes.condition_column >= 0)
    block[there, 0], entry[there, 0] = kinds[there], axes.condition_column[there]
    kept = np.bitwise_count(axes.rows).sum(axis=1)
    block[:, 1] = _BLOCK["outcome"]
    entry[:, 1] = np.searchsorted(SIZES, kept)
    for place in axes.places:
        own = place.conditions
        everything = kept[place.none]
        entry[own, 1] = np.where(kept[own] == everything, len(SIZES) + 1, entry[own, 1])
        if SCOPES[place.scope].follows:
            entry[own, 1] = entry[own, 1] % (OUTCOMES // 2) + OUTCOMES // 2
    block[:, 2] = _BLOCK["relation"]
    if before:
        rows = np.zeros(8 * axes.rows.shape[1], bool)
        rows[list(before)] = True
        again = np.bitwise_count(axes.rows & np.packbits(rows)).sum(axis=1)
        inside = np.where(again == len(before), 1, 2)
        entry[:, 2] = np.where(again == kept, inside, np.where(again == 0, 3, 4))
    return block, entry


def selection_entries(axes: Axes) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """(S, 2) two more entries of every selection: how many columns it names, and nothing."""
    block = np.full((len(axes.select_block), 2), _BLOCK["fixed"], np.int8)
    entry = np.zeros(block.shape, np.int16)
    named = (axes.select_block == _BLOCK["select"]).sum(axis=1)
    block[:, 0], entry[:, 0] = _BLOCK["breadth"], np.minimum(named, BREADTHS - 1)
    return block, entry


_KIND: Final = np.array(
    [
        _BLOCK[
            "ranked"
            if TESTS[name].ranks
            else "compared"
            if name in COMPARISONS
            else "stated"
            if TESTS[name].takes is None and TESTS[name].has_column
            else "fixed"
        ]
        for name in TESTS
    ]
    + [_BLOCK["fixed"]],
    np.int8,
)
"""The block that a test's column stands in besides WHERE, by its place in TESTS; the last is for none."""


def _numbers_in(whole: Conditions, chosen: Conditions) -> Ints:
    if chosen.numbers is None:
        return np.arange(len(whole), dtype=np.int32)
    return chosen.numbers.astype(np.int32)


def _select_entries(
    family: Family, space: ProgramSpace, width: int
) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """Selections are sums over their columns; taking the previous answer's columns costs nothing by itself."""
    count = len(family.selections)
    block = np.full((count, width), _BLOCK["fixed"], np.int8)
    entry = np.zeros((count, width), np.int16)
    if family.scope not in ("table", "previous"):
        entry[:, -1] = _FIXED[family.scope]
    own = family.aggregate is not None or not space.takes_previous_columns(family)
    if own and family.scope == "previous":
        entry[:, -1] = _FIXED["columns_of_previous"]
    for slot, operator in ((-2, family.aggregate), (-3, family.compare)):
        if operator is not None:
            entry[:, slot] = _FIXED[operator]
    if own:
        for line, columns in enumerate(family.selections):
            for place, column in enumerate(columns):
                block[line, place], entry[line, place] = _BLOCK["select"], column
    return block, entry


def _condition_entries(
    conditions: Conditions, scope: str, lookup: _ValuePlaces
) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """The entries of every condition: WHERE column, the test and its argument, OR and its second value."""
    count = len(conditions)
    block = np.full((count, WIDTH), _BLOCK["fixed"], np.int8)
    entry = np.zeros((count, WIDTH), np.int16)
    follows = SCOPES[scope].follows
    where = _BLOCK["follow_where" if follows else "where"]
    columns = conditions.column
    tests = np.flatnonzero((conditions.operator >= 0) & (columns >= 0))
    block[tests, 0], entry[tests, 0] = where, columns[tests]
    for number, test in enumerate(conditions.tests):
        here = np.flatnonzero(conditions.operator == number)
        if not len(here):
            continue
        if test.name in ("equal", "not_equal"):
            block[here, 1] = _BLOCK[f"follow_{test.name}" if follows else test.name]
            entry[here, 1] = lookup(columns[here], conditions.first[here])
        elif test.name in COMPARISONS:
            block[here, 1] = _BLOCK["compare"]
            first = conditions.first[here].astype(np.int16)
            kinds = [c.column.kind == "date" for c in conditions.situation.index.columns]
            dated = np.array(kinds, np.int16)[columns[here]]
            first = first + dated * len(conditions.situation.numbers)
            entry[here, 1] = 4 * first + COMPARISONS.index(test.name)
        else:
            entry[here, 1] = _FIXED[test.name]
            if test.takes == "column":
                block[here, 2], entry[here, 2] = where, conditions.first[here]
            if test.takes == "word":
                block[here, 2], entry[here, 2] = _BLOCK["word"], conditions.first[here]
            elif test.name == "date_is":
                block[here, 2] = _BLOCK["constant"]
                entry[here, 2] = conditions.first[here] + len(conditions.situation.numbers)
            elif test.takes == "number" and test.name != "decade_is":
                block[here, 2], entry[here, 2] = _BLOCK["constant"], conditions.first[here]
    none = np.flatnonzero(conditions.operator == NONE)
    entry[none, 0] = _FIXED[
        "same_as_previous" if scope == "previous" else "nothing" if scope == "cell" else "stop"
    ]
    either = np.flatnonzero(conditions.operator == OR)
    if len(either):
        pairs = either[conditions.second[either] >= 0]
        equal = _BLOCK["follow_equal" if follows else "equal"]
        block[either, 0], entry[either, 0] = where, columns[either]
        block[pairs, 1], entry[pairs, 1] = equal, lookup(columns[pairs], conditions.first[pairs])
        block[pairs, 2], entry[pairs, 2] = equal, lookup(columns[pairs], conditions.second[pairs])
        entry[either, 3] = _FIXED["or"]
        for number in either[conditions.second[either] < 0].tolist():
            column, classes = conditions.named[int(conditions.first[number])]
            chosen = np.array(classes[: WIDTH - 2], np.int32)
            slots = lookup(np.full(len(chosen), column, np.int16), chosen)
            for slot, value in zip((1, 2, 4), slots, strict=False):
                block[number, slot], entry[number, slot] = equal, value
    both = np.flatnonzero(conditions.operator == AND)
    if len(both):
        for slot, part in ((0, conditions.first[both]), (2, conditions.second[both])):
            block[both, slot : slot + 2] = block[part, :2]
            entry[both, slot : slot + 2] = entry[part, :2]
        entry[both, 4] = _FIXED["and"]
    return block, entry


def _wider_entries(
    conditions: Conditions, scope: str, block: NDArray[np.int8], entry: NDArray[np.int16]
) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """The entries of every row set of a language with steps: those of its tests, what joins them, and those of a step.

    Args:
        conditions: the row sets.
        scope: where they are.
        block: (N, WIDTH) of each test by itself; of what joins tests this starts anew.
        entry: (N, WIDTH) likewise.
    """
    count = len(conditions)
    blocks = np.full((count, WIDER), _BLOCK["fixed"], np.int8)
    entries = np.zeros((count, WIDER), np.int16)
    single = conditions.operator > AND
    blocks[single, :WIDTH], entries[single, :WIDTH] = block[single], entry[single]
    operator, first, second = conditions.operator, conditions.first, conditions.second
    joined = np.isin(operator, (AND, EITHER, PAIR))
    three = joined & (operator[np.where(joined, first, 0)] == AND)
    for which in (joined & ~three, three):  # three are two and one more, so two come before
        own = np.flatnonzero(which)
        left = 7 if which is three else 3
        blocks[own, :left], entries[own, :left] = blocks[first[own], :left], entries[first[own], :left]  # fmt: skip
        slots = slice(left, left + 3)
        blocks[own, slots], entries[own, slots] = blocks[second[own], :3], entries[second[own], :3]
        for kind, name in ((AND, "and"), (EITHER, "either"), (PAIR, "versus")):
            here = own[operator[own] == kind]
            entries[here, left + 3] = _FIXED[name]
    where = _BLOCK["follow_where" if SCOPES[scope].follows else "where"]
    step = np.flatnonzero(operator == STEP)
    blocks[step, : WIDER - 4] = blocks[first[step], : WIDER - 4]
    entries[step, : WIDER - 4] = entries[first[step], : WIDER - 4]
    for number, chosen in enumerate(conditions.steps):
        here = step[second[step] == number]
        entries[here, WIDER - 4], entries[here, WIDER - 3] = _FIXED["then"], _FIXED[chosen.step.name]  # fmt: skip
        if chosen.step.has_column:
            blocks[here, WIDER - 2], entries[here, WIDER - 2] = where, chosen.column
        argument = chosen.step.argument(conditions.situation, chosen.column, chosen.first)
        if isinstance(argument, Name):
            blocks[here, WIDER - 1], entries[here, WIDER - 1] = _BLOCK["select"], ~chosen.first
        elif chosen.step.takes == "number":
            blocks[here, WIDER - 1], entries[here, WIDER - 1] = _BLOCK["constant"], chosen.first
    return blocks, entries
