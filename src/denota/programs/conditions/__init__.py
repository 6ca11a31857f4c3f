"""The condition axis of a scope: every row set that a program of the scope can start from.

`axis` holds the row sets as arrays, `build` makes them. A row set is no condition at all, one test,
several tests joined (`join`), the rows a step leads to (`steps`), or two row sets to compare
(`pairs`). N row sets, R rows.
"""

from denota.programs.conditions.axis import AND, EITHER, NONE, OR, PAIR, STEP, Conditions
from denota.programs.conditions.build import conditions_of
from denota.programs.conditions.join import CONJOINED, NAMED, THREES, TRIPLED
from denota.programs.conditions.pairs import PAIRED
from denota.programs.conditions.steps import FEW

__all__ = [
    "AND",
    "CONJOINED",
    "Conditions",
    "EITHER",
    "FEW",
    "NAMED",
    "NONE",
    "OR",
    "PAIR",
    "PAIRED",
    "STEP",
    "THREES",
    "TRIPLED",
    "conditions_of",
]
