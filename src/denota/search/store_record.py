"""A prepared question as bytes: a header of shapes, then its arrays one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.index import index_of
from denota.programs.operators import SCOPES
from denota.programs.space import program_space
from denota.search.axes import Axes, FamilySlice
from denota.search.critique import LexicalScores
from denota.search.prepare import Prepared, Rewarded
from denota.search.task import Task
from denota.search.token_counts import TokenCounts
from denota.tokens import tokenise

_WORDS: Final = tuple(field.name for field in fields(LexicalScores))


_COUNTS: Final = tuple(field.name for field in fields(TokenCounts) if field.name != "axes")


_AXES: Final = (
    *("select_block", "select_entry"),
    *("condition_block", "condition_entry", "condition_column", "condition_test"),
    *("condition_parts", "rows"),
)


_KINDS: Final[dict[str, str]] = {
    "column_surface": "f4",
    "value_surface": "f4",
    "rewarded_ids": "i4",
    "rewards": "f4",
    "places": "i4",
    "place_conditions": "i4",
    "value_columns": "i2",
    "value_classes": "i4",
    "select_block": "i1",
    "select_entry": "i2",
    "condition_block": "i1",
    "condition_entry": "i2",
    "condition_column": "i2",
    "condition_test": "i1",
    "condition_parts": "i4",
    "rows": "u1",
    "critique": "f4",
    "co_occur": "i1",
    "recall_missed": "f4",
    "partial_match": "f4",
    "partial_missed": "f4",
    "select_sizes": "i2",
    "condition_sizes": "i2",
    "select_names": "u8",
    "condition_names": "u8",
    "name_kinds": "u8",
    "select_called": "f4",
    "condition_called": "f4",
    "shared": "i2",
    "agreement": "f4",
}
"""The arrays of a record, in order, each with its type; all have one or two axes. Of a large
language there are no words of programs, of a small one no counts."""


def record_arrays(ready: Prepared) -> Iterable[NDArray[Any]]:
    """A record: the shapes, then the arrays."""
    axes, words = ready.axes, ready.words
    scopes = list(SCOPES)
    places = [
        (scopes.index(p.scope), p.s0, p.s1, len(p.conditions), p.start, p.none, p.plain)
        for p in axes.places
    ]
    rewarded = ready.rewarded_programs or Rewarded(np.zeros(0, np.int32), np.zeros(0, np.float32))
    more = {
        "column_surface": ready.column_surface,
        "value_surface": ready.value_surface,
        "rewarded_ids": rewarded.ids,
        "rewards": rewarded.rewards,
        "agreement": ready.agreement if ready.agreement is not None else np.zeros(0),
        "places": np.array(places),
        "place_conditions": np.concatenate([p.conditions for p in axes.places]),
        "value_columns": axes.values[0],
        "value_classes": axes.values[1],
    }
    arrays = []
    for name, kind in _KINDS.items():
        owner = axes if name in _AXES else words
        array = more[name] if name in more else getattr(owner, name, np.zeros(0))
        if isinstance(words, TokenCounts) and name in _WORDS:
            array = np.zeros(0)
        arrays.append(np.asarray(array, f"<{kind}"))
    shapes = [(*a.shape, *((-1,) if a.ndim == 1 else ())) for a in arrays]
    yield np.array([*sum(shapes, ()), axes.constants, axes.programs], "<i8")
    yield from arrays


class StoreRecord:
    """The arrays of one question, as views of a shard."""

    def __init__(self, shard: NDArray[np.uint8], start: int) -> None:
        numbers = 2 * len(_KINDS) + 2
        header = shard[start : start + 8 * numbers].view("<i8").tolist()
        self.constants, self.programs = header[-2:]
        self.arrays: dict[str, NDArray[Any]] = {}
        place = start + 8 * numbers
        for line, (name, kind) in enumerate(_KINDS.items()):
            first, second = header[2 * line : 2 * line + 2]
            shape = (first,) if second < 0 else (first, second)
            size = int(kind[1]) * first * max(1, second) if second else 0
            if place + size > len(shard):
                raise ValueError("the store is cut short")
            self.arrays[name] = np.ndarray(shape, f"<{kind}", shard, place)
            place += size + -size % 8

    def prepared(
        self,
        task: Task,
        values: tuple[tuple[str, ...], ...],
        before: tuple[tuple[str, ...], ...],
        has_number: bool,
        language: frozenset[str],
    ) -> Prepared:
        """Return the question as it was prepared, its arrays views of the shard."""
        arrays, asked = self.arrays, task.question
        scopes = list(SCOPES)
        places, end = [], 0
        for scope, s0, s1, count, start, none, plain in arrays["places"].tolist():
            conditions = arrays["place_conditions"][end : end + count]
            places.append(FamilySlice(scopes[scope], s0, s1, conditions, start, none, bool(plain)))
            end += count
        axes = Axes(
            **{name: arrays[name] for name in _AXES},
            places=tuple(places),
            values=(arrays["value_columns"], arrays["value_classes"]),
            constants=self.constants,
            programs=self.programs,
        )
        words: LexicalScores | TokenCounts = LexicalScores(
            **{name: arrays[name] for name in _WORDS}
        )
        if len(arrays["shared"]):
            words = TokenCounts(**{name: arrays[name] for name in _COUNTS}, axes=axes)
        return Prepared(
            tokenise(asked.text),
            tokenise(asked.history[-1]) if asked.history else (),
            index_of(asked.table).name_tokens,
            values,
            arrays["column_surface"],
            arrays["value_surface"],
            before,
            has_number,
            axes,
            words,
            Rewarded(arrays["rewarded_ids"], arrays["rewards"])
            if task.answer is not None
            else None,
            task.previous,
            asked.text,
            asked.table,
            asked.history,
            partial(program_space, asked.text, asked.table, task.previous, language),
            arrays["agreement"] if len(arrays["agreement"]) else None,
        )
