"""The axes of a question made from its space: which entries each selection and condition sums.

C columns, V values, K constants, S selections, N conditions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from denota.programs.conditions import AND, EITHER, NONE, OR, PAIR, STEP, Conditions
from denota.programs.index import TableIndex
from denota.programs.operators import SCOPES, TESTS
from denota.programs.operators.equality import shared_values
from denota.programs.space import Family, ProgramSpace
from denota.programs.tree import Name
from denota.search.axes import (
    BLOCK_NUMBER,
    COMPARISONS,
    FIXED_NUMBER,
    WIDER,
    WIDTH,
    Axes,
    FamilySlice,
    Ints,
)


def axes_of(space: ProgramSpace) -> Axes:
    """Return the axes of a space."""
    families = space.families
    situation = families[0].conditions.situation
    columns, classes, _, _ = shared_values(situation)
    lookup = _ValuePlaces(space.table_index, columns, classes)
    count = len(situation.numbers) + len(situation.constants.dates)
    wide = space.wide
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
    width += 2 * wide
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
    """Where a (column, class) stands on the value axis.

    Values of short columns come first, in order, then the linked values of long columns.
    """

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
    """(N, 2) the conditions that an OR of values or an AND joins first, -1 for a simple one."""
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


def _numbers_in(whole: Conditions, chosen: Conditions) -> Ints:
    if chosen.numbers is None:
        return np.arange(len(whole), dtype=np.int32)
    return chosen.numbers.astype(np.int32)


def _select_entries(
    family: Family, space: ProgramSpace, width: int
) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """Selections are sums over their columns.

    Taking the previous answer's columns costs nothing by itself.
    """
    count = len(family.selections)
    block = np.full((count, width), BLOCK_NUMBER["fixed"], np.int8)
    entry = np.zeros((count, width), np.int16)
    if family.scope not in ("table", "previous"):
        entry[:, -1] = FIXED_NUMBER[family.scope]
    own = family.aggregate is not None or not space.takes_previous_columns(family)
    if own and family.scope == "previous":
        entry[:, -1] = FIXED_NUMBER["columns_of_previous"]
    for slot, operator in ((-2, family.aggregate), (-3, family.compare)):
        if operator is not None:
            entry[:, slot] = FIXED_NUMBER[operator]
    if own:
        for line, columns in enumerate(family.selections):
            for place, column in enumerate(columns):
                block[line, place], entry[line, place] = BLOCK_NUMBER["select"], column
    return block, entry


def _condition_entries(
    conditions: Conditions, scope: str, lookup: _ValuePlaces
) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """The entries of each condition: WHERE column, test and argument, OR and its second value."""
    count = len(conditions)
    block = np.full((count, WIDTH), BLOCK_NUMBER["fixed"], np.int8)
    entry = np.zeros((count, WIDTH), np.int16)
    follows = SCOPES[scope].follows
    where = BLOCK_NUMBER["follow_where" if follows else "where"]
    columns = conditions.column
    tests = np.flatnonzero((conditions.operator >= 0) & (columns >= 0))
    block[tests, 0], entry[tests, 0] = where, columns[tests]
    for number, test in enumerate(conditions.tests):
        here = np.flatnonzero(conditions.operator == number)
        if not len(here):
            continue
        if test.name in ("equal", "not_equal"):
            block[here, 1] = BLOCK_NUMBER[f"follow_{test.name}" if follows else test.name]
            entry[here, 1] = lookup(columns[here], conditions.first[here])
        elif test.name in COMPARISONS:
            block[here, 1] = BLOCK_NUMBER["compare"]
            first = conditions.first[here].astype(np.int16)
            kinds = [c.column.kind == "date" for c in conditions.situation.index.columns]
            dated = np.array(kinds, np.int16)[columns[here]]
            first = first + dated * len(conditions.situation.numbers)
            entry[here, 1] = 4 * first + COMPARISONS.index(test.name)
        else:
            entry[here, 1] = FIXED_NUMBER[test.name]
            if test.takes == "column":
                block[here, 2], entry[here, 2] = where, conditions.first[here]
            if test.takes == "word":
                block[here, 2], entry[here, 2] = BLOCK_NUMBER["word"], conditions.first[here]
            elif test.name == "date_is":
                block[here, 2] = BLOCK_NUMBER["constant"]
                entry[here, 2] = conditions.first[here] + len(conditions.situation.numbers)
            elif test.takes == "number" and test.name != "decade_is":
                block[here, 2], entry[here, 2] = BLOCK_NUMBER["constant"], conditions.first[here]
    none = np.flatnonzero(conditions.operator == NONE)
    entry[none, 0] = FIXED_NUMBER[
        "same_as_previous" if scope == "previous" else "nothing" if scope == "cell" else "stop"
    ]
    either = np.flatnonzero(conditions.operator == OR)
    if len(either):
        pairs = either[conditions.second[either] >= 0]
        equal = BLOCK_NUMBER["follow_equal" if follows else "equal"]
        block[either, 0], entry[either, 0] = where, columns[either]
        block[pairs, 1], entry[pairs, 1] = equal, lookup(columns[pairs], conditions.first[pairs])
        block[pairs, 2], entry[pairs, 2] = equal, lookup(columns[pairs], conditions.second[pairs])
        entry[either, 3] = FIXED_NUMBER["or"]
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
        entry[both, 4] = FIXED_NUMBER["and"]
    return block, entry


def _wider_entries(
    conditions: Conditions, scope: str, block: NDArray[np.int8], entry: NDArray[np.int16]
) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """The entries of each row set of a language with steps: its tests, what joins them, its step.

    Args:
        conditions: the row sets.
        scope: where they are.
        block: (N, WIDTH) of each test by itself; of what joins tests this starts anew.
        entry: (N, WIDTH) likewise.
    """
    count = len(conditions)
    blocks = np.full((count, WIDER), BLOCK_NUMBER["fixed"], np.int8)
    entries = np.zeros((count, WIDER), np.int16)
    single = conditions.operator > AND
    blocks[single, :WIDTH], entries[single, :WIDTH] = block[single], entry[single]
    operator, first, second = conditions.operator, conditions.first, conditions.second
    joined = np.isin(operator, (AND, EITHER, PAIR))
    three = joined & (operator[np.where(joined, first, 0)] == AND)
    for which in (joined & ~three, three):  # three are two and one more, so two come before
        own = np.flatnonzero(which)
        left = 7 if which is three else 3
        blocks[own, :left] = blocks[first[own], :left]
        entries[own, :left] = entries[first[own], :left]
        slots = slice(left, left + 3)
        blocks[own, slots], entries[own, slots] = blocks[second[own], :3], entries[second[own], :3]
        for kind, name in ((AND, "and"), (EITHER, "either"), (PAIR, "versus")):
            here = own[operator[own] == kind]
            entries[here, left + 3] = FIXED_NUMBER[name]
    where = BLOCK_NUMBER["follow_where" if SCOPES[scope].follows else "where"]
    step = np.flatnonzero(operator == STEP)
    blocks[step, : WIDER - 4] = blocks[first[step], : WIDER - 4]
    entries[step, : WIDER - 4] = entries[first[step], : WIDER - 4]
    for number, chosen in enumerate(conditions.steps):
        here = step[second[step] == number]
        entries[here, WIDER - 4] = FIXED_NUMBER["then"]
        entries[here, WIDER - 3] = FIXED_NUMBER[chosen.step.name]
        if chosen.step.has_column:
            blocks[here, WIDER - 2], entries[here, WIDER - 2] = where, chosen.column
        argument = chosen.step.argument(conditions.situation, chosen.column, chosen.first)
        if isinstance(argument, Name):
            blocks[here, WIDER - 1], entries[here, WIDER - 1] = (
                BLOCK_NUMBER["select"],
                ~chosen.first,
            )
        elif chosen.step.takes == "number":
            blocks[here, WIDER - 1], entries[here, WIDER - 1] = (
                BLOCK_NUMBER["constant"],
                chosen.first,
            )
    return blocks, entries
