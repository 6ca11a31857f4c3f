"""Which operators the selections and the row sets of a question have, from its axes alone.

S selections, N row sets, O operators.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.search.axes import BLOCK_NUMBER, COMPARISONS, FIXED, Axes

OPERATORS: Final = (
    *(name for name in FIXED if name not in ("nothing", "stop", "same_as_previous")),
    *("equal", "not_equal", *COMPARISONS, "several_columns"),
)
"""The operators that a program's entries tell, by name."""
OPERATOR_NUMBER: Final = {name: number for number, name in enumerate(OPERATORS)}
Has = NDArray[np.float32]


def selection_operators(axes: Axes) -> Has:
    """(S, O) 1 for each operator that a selection has."""
    found = _operators(axes.select_block, axes.select_entry)
    columns = (axes.select_block == BLOCK_NUMBER["select"]).sum(axis=1)
    alone = found.sum(axis=1) == found[:, _SCOPES].sum(axis=1)  # an aggregate says its columns
    found[:, OPERATOR_NUMBER["several_columns"]] = (columns > 1) & alone
    return found


def condition_operators(axes: Axes) -> Has:
    """(N, O) 1 for each operator that a row set has."""
    return _operators(axes.condition_block, axes.condition_entry)


def _operators(block: NDArray[np.int8], entry: NDArray[np.int16]) -> Has:
    codes = _OF_BLOCK[block]
    fixed = block == BLOCK_NUMBER["fixed"]
    codes[fixed] = _OF_FIXED[entry[fixed]]
    compare = block == BLOCK_NUMBER["compare"]
    codes[compare] = OPERATOR_NUMBER[COMPARISONS[0]] + entry[compare] % 4
    found = np.zeros((len(block), len(OPERATORS) + 1), np.float32)  # the last is for none
    found[np.arange(len(block))[:, None], codes] = 1
    return found[:, :-1]


_OF_FIXED: Final = np.array([OPERATOR_NUMBER.get(name, len(OPERATORS)) for name in FIXED])
_OF_BLOCK: Final = np.array(
    [
        OPERATOR_NUMBER.get(name.removeprefix("follow_"), len(OPERATORS))
        if name.removeprefix("follow_") in ("equal", "not_equal")
        else len(OPERATORS)
        for name in BLOCK_NUMBER
    ]
)
_SCOPES: Final = [
    OPERATOR_NUMBER[name] for name in ("without_totals", "others", "next_row", "row_before", "cell")
]
