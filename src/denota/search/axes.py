"""A question's space as sums of axis entries, which a scorer scores.

A scorer gives one number for each entry of each block: a column as SELECT column, a value as the
argument of =, a comparison with a number, a fixed action such as STOP. A selection and a condition
are each a sum of a few entries, a program is selection + condition + its program-level features. So
all programs are scored by two gathers and one broadcast, and nothing is ever computed per program
in Python.

C columns, V values, K constants, S selections, N conditions, P programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS

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
BLOCK_NUMBER: Final = {name: number for number, name in enumerate(BLOCKS)}
FIXED_NUMBER: Final = {name: number for number, name in enumerate(FIXED)}
SIZES: Final = (1, 2, 3, 5, 9)
"""Classes of how many rows are kept: at most each of these, more, all; apart for follow-ups."""
OUTCOMES: Final = 2 * (len(SIZES) + 2)
RELATIONS: Final = 5
"""The rows kept, beside those of the previous answer: there was none; the same; some of them;
none of them; some and others."""
BREADTHS: Final = 4
WIDTH: Final = 5
"""The most entries a condition is a sum of; what is over points at `nothing`."""
WIDER: Final = 15
"""The same in a language with steps: three for each of three tests, and six for what joins them
and a step."""


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

    @cached_property
    def families(self) -> NDArray[np.int64]:
        """(F, 4) of each family: its first program, programs, first selection and conditions."""
        lines = [(p.start, p.programs, p.s0, len(p.conditions)) for p in self.places]
        return np.array(lines, np.int64).reshape(len(lines), 4)

    @cached_property
    def scopes(self) -> tuple[tuple[FamilySlice, NDArray[np.int64]], ...]:
        """A family of each scope, and the conditions of all its families."""
        alike: dict[tuple[str, int], list[FamilySlice]] = {}
        found = []
        for place in self.places:
            alike.setdefault((place.scope, place.none), []).append(place)
        for places in alike.values():
            own = np.zeros(len(self.condition_test), bool)
            for place in places:
                own[place.conditions] = True
            found.append((places[0], np.flatnonzero(own)))
        return tuple(found)

    def places_of(self, ids: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(K,) the selection and (K,) the condition of some programs."""
        select, condition = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.int64)
        families = np.searchsorted(self.families[:, 0], ids, side="right") - 1
        for number in np.unique(families).tolist():
            place, own = self.places[number], families == number
            line, column = np.divmod(ids[own] - place.start, len(place.conditions))
            select[own], condition[own] = place.s0 + line, place.conditions[column]
        return select, condition
