"""What the tokens of every program say, in a language with too many programs for an array of each.

Counts over the axes take its place. There are three kinds of tokens: all, those of the question,
and those that question and table share. Only names of columns can be in selection and condition
both. S selections, N conditions, P programs, W words of 64 tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from denota.kept import Kept
from denota.programs.index import Bits
from denota.search.axes import Axes

Floats = NDArray[np.float32]
Counts = NDArray[np.int16]
Ids = NDArray[np.int64]
SIZE_BITS: Final = 16
"""Of a number of tokens."""
BROADCAST: Final = 128
"""The number of questions whose words are kept: a batch asks for them twice."""


class Missed(NamedTuple):
    """The recall feature of all programs, by classes of selections and conditions."""

    select: NDArray[np.int16]  #: (S,) the class of each selection
    condition: NDArray[np.int16]  #: (N,) the class of each condition
    table: Floats  #: (classes, classes) the share missed


@dataclass(frozen=True, eq=False)
class TokenCounts:
    """Counts of tokens over the axes; what programs have is computed when it is asked for."""

    select_sizes: NDArray[np.int16]  #: (S, 3) tokens of each kind
    condition_sizes: NDArray[np.int16]  #: (N, 3)
    select_names: Bits  #: (S, W) the tokens of column names
    condition_names: Bits  #: (N, W)
    name_kinds: Bits  #: (3, W) which of them are of each kind
    select_called: Floats  #: (S,) what the question's words for a selection's operators add
    condition_called: Floats  #: (N,) likewise for a row set
    shared: NDArray[np.int16]  #: (1,) how many tokens question and table share
    axes: Axes

    @property
    def critique(self) -> Floats:
        """(P,)."""
        found = _CRITIQUES.get(self)
        return found if found is not None else _CRITIQUES.put(self, None, _critique(self))

    @property
    def recall_missed(self) -> Floats:
        """(P,)."""
        found = _MISSED.get(self)
        return found if found is not None else _MISSED.put(self, None, _recall_missed(self))

    @cached_property
    def missed(self) -> Missed:
        """The recall feature by classes: few names and sizes are shared with the question."""
        kind, shared = self.name_kinds[2], int(self.shared[0])
        selections = _classes(self.select_names & kind, self.select_sizes[:, 2])
        conditions = _classes(self.condition_names & kind, self.condition_sizes[:, 2])
        both = selections.names[:, None] & conditions.names
        covered = selections.sizes[:, None] + conditions.sizes - size_of(both)
        table = (1 - covered / max(1, shared)) * bool(shared)
        return Missed(selections.of, conditions.of, table.astype(np.float32))

    def critique_of(self, ids: Ids, select: Ids, condition: Ids) -> Floats:
        """(K,) the critique of K programs, which have these selections and conditions."""
        both = self.select_names[select] & self.condition_names[condition]
        total, met = (
            self.select_sizes[select, kind]
            + self.condition_sizes[condition, kind]
            - size_of(both & self.name_kinds[kind])
            for kind in range(2)
        )
        called = self.select_called[select] + self.condition_called[condition]
        found: Floats = (met / np.maximum(total, 1) + called).astype(np.float32)
        return found

    def missed_by(self, ids: Ids, select: Ids, condition: Ids) -> Floats:
        """(K,) the recall feature of K programs, likewise."""
        of_select, of_condition, table = self.missed
        return table[of_select[select], of_condition[condition]]


def size_of(sets: Bits) -> Counts:
    """(...) the number of tokens of each set of (..., W) bits."""
    counts: Counts = np.bitwise_count(sets).sum(axis=-1, dtype=np.int16)
    return counts


class _Classes(NamedTuple):
    """Lines of names and sizes, those that are alike taken together."""

    of: NDArray[np.int16]  #: (lines,) the class of each
    names: Bits  #: (classes, W)
    sizes: Counts  #: (classes,)


def _classes(names: Bits, sizes: Counts) -> _Classes:
    free = np.uint64(64 - SIZE_BITS)
    if names.shape[1] == 1 and not (names >> free).any():  # names and size fit into one number
        both, of = np.unique(names[:, 0] | sizes.astype(np.uint64) << free, return_inverse=True)
        own = both & ~(~np.uint64(0) << free)
        return _Classes(of.astype(np.int16), own[:, None], (both >> free).astype(np.int16))
    lines = np.column_stack([names, sizes.astype(np.uint64)])
    whole = np.ascontiguousarray(lines).view(f"V{8 * lines.shape[1]}").ravel()
    _, first, of = np.unique(whole, return_index=True, return_inverse=True)
    return _Classes(of.astype(np.int16), names[first], sizes[first])


_CRITIQUES: Final = Kept[Floats](BROADCAST)
_MISSED: Final = Kept[Floats](BROADCAST)


def _critique(counts: TokenCounts) -> Floats:
    """(P,) the critique of all programs."""
    axes, kinds = counts.axes, counts.name_kinds
    critique = np.empty(axes.programs, np.float32)
    for place in axes.places:
        own, chosen = slice(place.s0, place.s1), place.conditions
        both = counts.select_names[own, None] & counts.condition_names[chosen]
        sizes = counts.condition_sizes[chosen]
        total, met = (
            counts.select_sizes[own, None, kind] + sizes[:, kind] - size_of(both & kinds[kind])
            for kind in range(2)
        )
        called = counts.select_called[own, None] + counts.condition_called[chosen]
        there = slice(place.start, place.start + place.programs)
        critique[there] = (met / np.maximum(total, 1) + called).ravel()
    return critique


def _recall_missed(counts: TokenCounts) -> Floats:
    """(P,) the recall feature of all programs."""
    select, condition, table = counts.missed
    missed = np.empty(counts.axes.programs, np.float32)
    for place in counts.axes.places:
        own = missed[place.start : place.start + place.programs].reshape(place.s1 - place.s0, -1)
        lines = table[select[place.s0 : place.s1]]
        np.take(lines, condition[place.conditions], axis=1, out=own, mode="clip")
    return missed
