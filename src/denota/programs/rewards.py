"""Rewards: how right a denotation is, for one program and for all programs of a space.

    R(y, z) = |A ∩ Z| / |A ∪ Z|

Gold cells are compared with the cells of a program that selects cells. Gold values are compared
with the values of any program, by the rule of their data set: as a set, or with repeats. The
values of a program that selects cells are their texts. So a lookup, a COUNT and a SUM that give
the gold value are all consistent. S selections, N row sets, R rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from denota.data.answer import Answer, Cells, Item, Values, item_key, partial
from denota.programs.denotation import Denotation, jaccard
from denota.programs.operators import AGGREGATES
from denota.programs.value_rewards import Floats, ValueRewards
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.programs.space import Family, ProgramSpace


def reward(found: Denotation, gold: Answer, table: Table) -> float:
    """Return the reward of a denotation.

    A program that finds nothing to compute is never right, even if the gold answer is empty. Groups
    are right only where the gold answer can be names with values.
    """
    if isinstance(gold, Cells):
        return jaccard(found.cells, gold.cells) if found.values is None else 0.0
    if found.values == () or (found.groups and not is_grouped(gold)):
        return 0.0
    return partial(denotation_items(found, table), gold)


def is_grouped(gold: Values) -> bool:
    """Say whether a gold answer can be names, each followed by a number.

    >>> is_grouped(Values(("Oslo", 3.0, "Moss", "2"))), is_grouped(Values(("Oslo", "Moss")))
    (True, False)
    """
    numbers = [isinstance(item_key(item), float) for item in gold.items[1::2]]
    return len(gold.items) == 2 * len(numbers) > 0 and all(numbers)


def denotation_items(found: Denotation, table: Table) -> tuple[Item, ...]:
    """Return the texts of a denotation's cells, or its values, each after its group if any."""
    if found.values is None:
        return tuple(table.cell(row, column) for row in found.rows for column in found.columns)
    if not found.groups:
        return found.values
    return tuple(item for pair in zip(found.groups, found.values, strict=True) for item in pair)


def family_rewards(space: ProgramSpace, gold: Answer) -> list[Floats]:
    """(S * N,) the rewards of each family's programs."""
    index = space.table_index
    if isinstance(gold, Cells):
        answer = np.zeros((index.rows, len(index.columns)), np.float32)
        cells = list(gold.cells)
        answer[[row for row, _ in cells], [column for _, column in cells]] = 1
        return [_cell_rewards(family, answer) for family in space.families]
    wanted = ValueRewards(index, gold)
    found = []
    for family in space.families:
        if family.aggregate is None:
            found.append(wanted.of_cells(family))
        elif AGGREGATES[family.aggregate].part is not None:
            found.append(wanted.of_parts(family))
        elif AGGREGATES[family.aggregate].names_column:
            found.append(wanted.of_names(space, family))
        elif AGGREGATES[family.aggregate].grouped:
            found.append(_one_by_one(space, family, gold))
        else:
            found.append(wanted.of_values(family))
    return found


def _cell_rewards(family: Family, answer: Floats) -> Floats:
    """(S * N,) rewards of a family for gold cells: one matrix product."""
    if family.aggregate is not None:
        return np.zeros(family.count, np.float32)
    widths = np.array([len(selection) for selection in family.selections], np.float32)  # (S,)
    per_row = np.stack([answer[:, list(s)].sum(axis=1) for s in family.selections])  # (S, R)
    rows = np.flatnonzero(answer.any(axis=1))  # only the answer's rows can be hit
    hits = per_row[:, rows] @ family.conditions.mask[:, rows].T.astype(np.float32)  # (S, N)
    sizes = widths[:, None] * family.conditions.sizes[None, :]  # (S, N)
    union = sizes + answer.sum() - hits
    rewards: Floats = np.divide(hits, union, out=np.ones_like(hits), where=union > 0)
    return rewards.ravel()


def _one_by_one(space: ProgramSpace, family: Family, gold: Values) -> Floats:
    """(S * N,) rewards computed program by program, zero unless the gold answer can be groups."""
    rewards = np.zeros(family.count, np.float32)
    if is_grouped(gold):
        for number in range(family.count):
            found = space.denotation(family.start + number)
            rewards[number] = reward(found, gold, space.table_index.table)
    return rewards
