"""A question prepared for another previous answer: only what follows up is made anew.

Programs that start from the whole table are most of a space and do not depend on the answer before.
S selections, N conditions, P programs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from denota.data.answer import Answer
from denota.programs.denotation import Denotation
from denota.programs.space import program_space
from denota.search.axes import BLOCKS, Axes
from denota.search.critique import LexicalScores
from denota.search.lexicon import Lexicon
from denota.search.prepare import Prepared, Rewarded, prepare
from denota.search.sought import ANY, Sought
from denota.tables.table import Table

LOOKS_BACK = "same_value"
"""The test that looks at the previous answer wherever it stands; in a language with it nothing
can be taken over."""


def prepare_with_new_previous(
    known: Prepared,
    question: str,
    table: Table,
    history: tuple[str, ...],
    previous: Denotation | None,
    answer: Answer | None,
    language: frozenset[str],
    lexicon: Lexicon,
    sought: Sought = ANY,
) -> Prepared:
    """Turn a question into arrays as `prepare` does, from what it was with another previous answer.

    Args:
        known: the question made ready, with rewards if an answer is given.
        question: and the rest: as in `prepare`.
        table: what it is about.
        history: the questions before it.
        previous: the answer before it, as context.
        answer: the gold cells, for training.
        language: the operators of the program language.
        lexicon: the pairs of the critique.
        sought: which of the programs that give the answer are rewarded.
    """
    if LOOKS_BACK in language or "without_totals" in language or lexicon.altered:
        return prepare(question, table, history, previous, answer, language, lexicon, sought=sought)
    table_part = _table_part(known)
    base = replace(
        table_part,
        previous=previous,
        make_space=partial(program_space, question, table, previous, language),
        rewarded_programs=table_part.rewarded_programs if answer is not None else None,
    )
    if previous is None or not previous.rows:
        return base
    rest = prepare(
        question, table, history, previous, answer, language - {"table"}, lexicon, sought=sought
    )
    return _joined(base, rest)


def _table_part(known: Prepared) -> Prepared:
    """The programs of a question that start from the whole table: they come first on every axis."""
    axes, words = known.axes, known.words
    assert isinstance(words, LexicalScores)
    places = tuple(place for place in axes.places if place.scope == "table")
    if len(places) == len(axes.places):
        return known
    s, programs = places[-1].s1, places[-1].start + places[-1].programs
    n = int(axes.places[len(places)].conditions.min())
    return replace(
        known,
        axes=replace(
            axes,
            select_block=axes.select_block[:s],
            select_entry=axes.select_entry[:s],
            condition_block=axes.condition_block[:n],
            condition_entry=axes.condition_entry[:n],
            condition_column=axes.condition_column[:n],
            condition_test=axes.condition_test[:n],
            condition_parts=axes.condition_parts[:n],
            rows=axes.rows[:n],
            places=places,
            programs=programs,
        ),
        words=LexicalScores(
            words.critique[:programs],
            words.co_occur[:programs],
            words.recall_missed[:programs],
            words.partial_match[:s],
            words.partial_missed[:s],
        ),
        rewarded_programs=_up_to(known.rewarded_programs, programs),
    )


def _joined(base: Prepared, rest: Prepared) -> Prepared:
    """Two parts of one question, the second behind the first on every axis."""
    one, two = base.axes, rest.axes
    s, n = len(one.select_block), len(one.condition_block)
    width = max(one.select_block.shape[1], two.select_block.shape[1])
    parts = two.condition_parts
    places = tuple(
        place._replace(
            s0=place.s0 + s,
            s1=place.s1 + s,
            conditions=place.conditions + n,
            start=place.start + one.programs,
            none=place.none + n,
        )
        for place in two.places
    )
    axes = Axes(
        _stacked(one.select_block, two.select_block, width, BLOCKS.index("fixed")),
        _stacked(one.select_entry, two.select_entry, width, 0),
        np.concatenate([one.condition_block, two.condition_block]),
        np.concatenate([one.condition_entry, two.condition_entry]),
        np.concatenate([one.condition_column, two.condition_column]),
        np.concatenate([one.condition_test, two.condition_test]),
        np.concatenate([one.condition_parts, np.where(parts >= 0, parts + n, -1)]),
        np.concatenate([one.rows, two.rows]),
        (*one.places, *places),
        one.values,
        one.constants,
        one.programs + two.programs,
    )
    words = LexicalScores(
        *(
            np.concatenate([getattr(base.words, name), getattr(rest.words, name)])
            for name in ("critique", "co_occur", "recall_missed", "partial_match", "partial_missed")
        )
    )
    rewarded = None
    if base.rewarded_programs is not None and rest.rewarded_programs is not None:
        (ids, rewards), (more_ids, more) = base.rewarded_programs, rest.rewarded_programs
        both = np.concatenate([ids, more_ids + np.int32(one.programs)])
        rewarded = Rewarded(both, np.concatenate([rewards, more]))
    return replace(base, axes=axes, words=words, rewarded_programs=rewarded)


def _up_to(rewarded: Rewarded | None, programs: int) -> Rewarded | None:
    """Those among the first `programs`."""
    if rewarded is None:
        return None
    count = int(np.searchsorted(rewarded.ids, programs))
    return Rewarded(rewarded.ids[:count], rewarded.rewards[:count])


def _stacked(
    one: NDArray[np.generic], two: NDArray[np.generic], width: int, nothing: int
) -> NDArray[Any]:
    """One matrix on the other, lines filled up to a width.

    Where an entry stands in its line does not matter.
    """
    if one.shape[1] == two.shape[1]:
        return np.concatenate([one, two])
    return np.concatenate(
        [
            np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=nothing)
            for part in (one, two)
        ]
    )
