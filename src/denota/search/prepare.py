"""A question made ready for scoring and search: its space turned into arrays that do not depend on the model.

Made once for a question and a previous answer; a training run reads it thousands of times.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from denota.programs.denotation import Denotation
from denota.programs.space import ProgramSpace, program_space
from denota.programs.tree import Date, Number
from denota.search.axes import Axes, axes_of
from denota.search.critique import Lexicon, Words, words_of
from denota.tables.table import Cell, Table
from denota.tokens import tokenise

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A question's programs as arrays. C columns, V values, K constants, P programs."""

    question: tuple[str, ...]
    """Its tokens."""
    previous_question: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    """(C,) the tokens of the column names."""
    values: tuple[tuple[str, ...], ...]
    """(V,) the tokens of the values."""
    column_surface: (
        Floats  #: (C, 6) exact, overlap, related with the question, then with the previous one
    )
    value_surface: Floats  #: (V, 4) exact, overlap with the question, then with the previous one
    before_constant: tuple[tuple[str, ...], ...]
    """(K,) the two words before each constant."""
    has_number: bool
    axes: Axes
    words: Words
    """Critique and recall of all programs."""
    rewards: Floats | None  #: (P,) None where the answer is not known
    space: ProgramSpace

    def all_words(self) -> frozenset[str]:
        """The words a scorer needs vectors for."""
        texts = (self.question, self.previous_question, *self.names, *self.values)
        return frozenset(chain.from_iterable(texts))

    def rewarded(self, count: int) -> NDArray[np.int64]:
        """Return the programs that can be among the first so many by reward: those no worse than the last of them."""
        if count not in self._rewarded:
            assert self.rewards is not None
            some = np.flatnonzero(self.rewards > 0)
            if len(some) > count:
                cut = np.partition(self.rewards[some], len(some) - count)[len(some) - count]
                some = some[self.rewards[some] >= cut]
            self._rewarded[count] = some
        return self._rewarded[count]

    @cached_property
    def _rewarded(self) -> dict[int, NDArray[np.int64]]:
        return {}

    def is_forbidden(self, scope: str) -> bool:
        """Say whether DynSP's "of those" rule forbids a scope: a fresh SELECT in a question that speaks of the answer before it."""
        if scope not in ("table", "without_totals") or not self.previous_question:
            return False
        text = f" {' '.join(self.question)} "
        return any(f" {words} " in text for words in ("of those", "which one", "which ones"))

    def forbidden(self, of_those: bool) -> NDArray[np.bool_] | None:
        """(P,) True for programs the rule forbids, None if there are none."""
        places = self.axes.places
        if not of_those or not any(self.is_forbidden(p.scope) for p in places):
            return None
        if all(self.is_forbidden(p.scope) for p in places):
            return None
        sizes = [(p.s1 - p.s0) * len(p.conditions) for p in places]
        return np.repeat([self.is_forbidden(p.scope) for p in places], sizes)


def prepare(
    question: str,
    table: Table,
    history: tuple[str, ...],
    previous: Denotation | None,
    answer: Iterable[Cell] | None,
    language: frozenset[str],
    lexicon: Lexicon,
) -> Prepared:
    """Turn a question into arrays.

    Args:
        question: its text.
        table: what it is about.
        history: the questions before it.
        previous: the answer before it, as context.
        answer: the gold cells, for training.
        language: the operators of the program language.
        lexicon: the pairs of the critique.
    """
    space = program_space(question, table, previous, language)
    axes = axes_of(space)
    words: Words = words_of(space, axes, question, lexicon)
    index = space.table_index
    before = tokenise(history[-1]) if history else ()
    asked = tokenise(question)
    columns, classes = axes.values
    values = tuple(
        tokenise(index.columns[c].texts[v]) for c, v in zip(columns, classes, strict=True)
    )
    names = tuple(tokenise(name) for name in index.names)
    now, then = frozenset(asked), frozenset(before)
    situation = space.families[0].conditions.situation
    constants: list[Number | Date] = [*situation.numbers, *situation.constants.dates]
    return Prepared(
        asked,
        before,
        names,
        values,
        np.concatenate(
            [_column_surface(names, values, columns, words_) for words_ in (now, then)], axis=1
        ),
        np.concatenate([_surface(values, words_) for words_ in (now, then)], axis=1),
        tuple(_two_before(asked, tokenise(constant.written)) for constant in constants),
        bool(situation.numbers),
        axes,
        words,
        space.rewards(answer) if answer is not None else None,
        space,
    )


def _surface(texts: tuple[tuple[str, ...], ...], words: frozenset[str]) -> Floats:
    """(texts, 2) exact: all tokens occur in the question; overlap: at least one."""
    found = np.zeros((len(texts), 2), np.float32)
    for line, tokens in enumerate(texts):
        hits = sum(token in words for token in tokens)
        found[line] = (hits == len(tokens) > 0, hits > 0)
    return found


def _column_surface(
    names: tuple[tuple[str, ...], ...],
    values: tuple[tuple[str, ...], ...],
    columns: NDArray[np.int16],
    words: frozenset[str],
) -> Floats:
    """(C, 3) exact and overlap of the name; related: a token of the question occurs in some cell of the column."""
    found = np.zeros((len(names), 3), np.float32)
    found[:, :2] = _surface(names, words)
    overlaps = _surface(values, words)[:, 1]
    np.maximum.at(found[:, 2], columns, overlaps)
    return found


def _two_before(tokens: tuple[str, ...], constant: tuple[str, ...]) -> tuple[str, ...]:
    """The two tokens before a constant's first token, where it occurs."""
    if constant and constant[0] in tokens:
        place = tokens.index(constant[0])
        return tokens[max(0, place - 2) : place]
    return ()
