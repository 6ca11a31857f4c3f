"""The rows of a scorer's heads by name, so that a saved parser outlives changes of the language.

A head has a row for each entry that it scores: "fixed/max", "compare/greater", "outcome/3"; heads
of columns and values have one for each block of the axis. A scorer keeps its own list of names for
each head, saved with its weights, and places its scores into the order of the axis by name. An
entry without a row scores 0; a row whose name the axis no longer has is left out. Operators that a
parser was not trained with are not searched (`Parser.language`).

Nothing here knows of torch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final

from denota.search.axes import BREADTHS, COMPARISONS, FIXED, OUTCOMES, RELATIONS

NAMES: Final = "names"
"""The key of the names in the metadata of a saved parser."""


@dataclass(frozen=True)
class RowNames:
    """What the rows of a scorer's heads are called."""

    operators: frozenset[str]
    """Those that the scorer is trained with."""
    heads: Mapping[str, tuple[str, ...]]
    """The rows of each head, in order."""

    def rows(self, head: str, wanted: Sequence[str]) -> tuple[int, ...]:
        """Return the row of each wanted name in a head, -1 for those it lacks."""
        return _rows(self.heads[head], tuple(wanted))

    def entries(self, head: str, block: str) -> tuple[int, ...]:
        """Return the row of each entry of a block in a head, -1 for those it lacks."""
        return self.rows(head, _full_names(block))

    def grown(self, operators: frozenset[str], blocks: Mapping[str, Sequence[str]]) -> RowNames:
        """Return the names of a scorer for more operators: those it has, then what is new, sorted.

        Args:
            operators: of the language it is to be trained with.
            blocks: the blocks whose entries each head scores.
        """
        more: dict[str, set[str]] = {
            head: {f"{block}/{name}" for block in own for name in brought_by(operators, block)}
            for head, own in blocks.items()
        }
        for block, (head, needed_by) in LATER_BLOCKS.items():
            for own in (head, "kinds") if head in self.heads and needed_by & operators else ():
                more.setdefault(own, set()).add(block)
        heads = {
            head: (*own, *sorted(more.get(head, set()) - {*own}))
            for head, own in self.heads.items()
        }
        return RowNames(self.operators | operators, heads)

    def to_json(self) -> str:
        """Return the names as they are saved."""
        return json.dumps({"operators": sorted(self.operators), **self.heads})


def entries_of(block: str) -> tuple[str, ...]:
    """Return the names of those entries of a block that are fixed, in the order of the axis.

    >>> entries_of("relation")
    ('0', '1', '2', '3', '4')
    """
    named = {"fixed": FIXED, "compare": COMPARISONS}
    counts = {"outcome": OUTCOMES, "relation": RELATIONS, "breadth": BREADTHS}
    return named[block] if block in named else tuple(map(str, range(counts[block])))


@cache
def _full_names(block: str) -> tuple[str, ...]:
    return tuple(f"{block}/{entry}" for entry in entries_of(block))


@lru_cache(maxsize=256)
def _rows(own: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[int, ...]:
    row_of = {name: row for row, name in enumerate(own)}
    return tuple(row_of.get(name, -1) for name in wanted)


def brought_by(operators: frozenset[str], block: str) -> list[str]:
    """Return the entries of a block that some operators need.

    They are the operators' own, or all, where a block does not stand for operators.
    """
    if block in ("fixed", "compare"):
        return [name for name in entries_of(block) if name in operators]
    return list(entries_of(block))


def read_names(facts: Mapping[str, str], legacy: RowNames) -> RowNames:
    """Return the names of a saved scorer.

    Files that have none were written when the rows were those of `legacy`.
    """
    if NAMES not in facts:
        return legacy
    heads = {head: tuple(names) for head, names in json.loads(facts[NAMES]).items()}
    return RowNames(frozenset(heads.pop("operators")), heads)


def new_names(operators: frozenset[str], legacy: RowNames) -> RowNames:
    """Return the names a new scorer begins with: the rows of `legacy`, in any language."""
    return replace(legacy, operators=operators)


LATER_BLOCKS: Final[Mapping[str, tuple[str, frozenset[str]]]] = {}
"""Blocks of the axis that came after the legacy ones: the head that scores each, and the
operators that need it."""
LEGACY_OPERATORS: Final = frozenset(
    """
    table previous cell without_totals others next_row row_before
    equal not_equal greater at_least less at_most max min contains not_contains date_is decade_is
    is_empty is_not_empty is_zero is_positive max_ties min_ties top bottom kth_max kth_min
    first last first_k last_k distinct same_value
    or any_of and several_columns columns_of_previous number_words
    """.split()
)
"""The operators there were when files did not yet name theirs."""
_FIXED: Final = tuple(
    f"fixed/{name}"
    for name in """
    nothing stop same_as_previous or and columns_of_previous
    cell without_totals others next_row row_before
    max min contains not_contains date_is decade_is is_empty is_not_empty is_zero is_positive
    max_ties min_ties top bottom kth_max kth_min first last first_k last_k distinct same_value
    """.split()
)
_COMPARE: Final = tuple(f"compare/{name}" for name in ("greater", "at_least", "less", "at_most"))
_ACTIONS: Final = (
    *_FIXED,
    *(f"outcome/{number}" for number in range(14)),
    *(f"relation/{number}" for number in range(5)),
    *(f"breadth/{number}" for number in range(4)),
    *(f"aggregate/{name}" for name in ("count", "sum", "average", "smallest", "largest")),
)
LEGACY_ENCODER: Final = RowNames(
    LEGACY_OPERATORS,
    {
        "columns": ("select", "where", "follow_where", "ranked", "compared", "stated"),
        "values": ("equal", "not_equal", "follow_equal", "follow_not_equal"),
        "constants": (*_COMPARE, "constant"),
        "words": ("word",),
        "actions": _ACTIONS,
        "acts": (*_ACTIONS, *_COMPARE),
        "kinds": (
            *("select", "where", "follow_where"),
            *("equal", "not_equal", "follow_equal", "follow_not_equal"),
            *("compare", "word", "constant", "ranked", "compared", "stated"),
            *("outcome", "relation", "breadth", "aggregate", "fixed"),
        ),
    },
)
"""The rows of `encoder` when files did not yet name theirs, and the first rows of every new one."""
LEGACY_DYNSP: Final = RowNames(LEGACY_OPERATORS, {"actions": _FIXED, "compare": _COMPARE})
"""Likewise of `dynsp` and `cues`; `actions` names the rows of its biases too."""
