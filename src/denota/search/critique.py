"""The critique: how well a program's words go with the question's. Misra et al. (2018), §3, "Lexical Policy Shaping".

    match(y, x)    = distinct non-keyword tokens of y that occur in x, over all such tokens of y; 0 if y has none
    co_occur(y, x) = Σ over lexical pairs (token, keyword) of 1{token ∈ x and keyword ∈ y}
    critique       = match + co_occur

The same counts of tokens give the parser's recall feature. All are computed for all programs at once, from 0/1 matrices of tokens over the
axes: |A ∪ B| = |A| + |B| − |A ∩ B|, and the last is a matrix product. S selections, N conditions, T tokens, P programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from denota.errors import ConfigError
from denota.programs.conditions import AND, OR, Conditions
from denota.programs.operators import TESTS
from denota.programs.space import ProgramSpace
from denota.search.axes import BLOCKS, Axes
from denota.tokens import tokenise

Floats = NDArray[np.float32]
Lexicon = frozenset[tuple[str, str]]
"""Pairs of a token and the name of an operator."""


@dataclass(frozen=True, eq=False)
class Words:
    """What the tokens of every program say, in the order of the space's ids."""

    critique: Floats  #: (P,) match + co_occur
    co_occur: NDArray[np.int8]  #: (P,) lexical pairs met
    missed: Floats  #: (P,) |E1 \\ E2| / |E1|: question tokens that the table has and the program lacks, over those the table has
    partial_match: Floats  #: (S, C) match of an incomplete program: a selection with WHERE column
    partial_missed: Floats  #: (S, C) its recall feature

    @property
    def match(self) -> Floats:
        """(P,) share of the program's tokens that the question has."""
        return self.critique - self.co_occur


@lru_cache(maxsize=8)
def read_lexicon(path: str | None = None) -> Lexicon:
    """Read lexical pairs, a token and an operator a line; the project's own 40 unless a file is named.

    >>> ("most", "max") in read_lexicon(), len(read_lexicon())
    (True, 40)
    """
    source = Path(path) if path else files("denota.search").joinpath("lexicon.txt")
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"the lexicon {path} cannot be read: {error.strerror}") from None
    pairs = []
    for number, line in enumerate(lines, start=1):
        fields = line.split("#")[0].split()
        if fields and (len(fields) != 2 or fields[1] not in {*TESTS, "or", "and"}):
            raise ConfigError(
                f"line {number} of the lexicon is not a token and an operator: {line.strip()}"
            )
        if fields:
            pairs.append((fields[0], fields[1]))
    return frozenset(pairs)


def words_of(space: ProgramSpace, axes: Axes, question: str, lexicon: Lexicon) -> Words:
    """Count the tokens of all programs of a space against its question."""
    asked = frozenset(tokenise(question))
    entries, vocabulary = _entry_words(space, axes)
    in_question = np.array([token in asked for token in vocabulary], np.float32)  # (T,)
    known = space.table_index.vocabulary
    in_both = in_question * np.array([token in known for token in vocabulary], np.float32)
    select = _summed(entries, axes.select_block, axes.select_entry)  # (S, T)
    condition = _summed(entries, axes.condition_block, axes.condition_entry)  # (N, T)
    keywords = _co_occur(space, asked, lexicon)  # (N,)
    kinds = (np.ones_like(in_question), in_question, in_both)
    shared = np.flatnonzero(select.any(axis=0))  # only tokens of column names can be in both
    most = max(1.0, float(in_both.sum()))

    def against(lines: slice, tokens: Floats, sizes: list[Floats]) -> tuple[Floats, Floats]:
        """(S, N) match and missed share of some selections, each with every line of tokens."""
        a, b = select[lines][:, shared], tokens[:, shared]
        total, met, covered = (
            (select[lines] @ kind)[:, None] + size[None, :] - (a * kind[shared]) @ b.T
            for kind, size in zip(kinds, sizes, strict=True)
        )
        missed = (1 - covered / most) * bool(in_both.any())
        return (met / np.maximum(total, 1)).astype(np.float32), missed.astype(np.float32)

    sizes = [condition @ kind for kind in kinds]  # (N,) tokens of each kind
    found = []
    for place in axes.places:
        chosen = [size[place.conditions] for size in sizes]
        found.append(against(slice(place.s0, place.s1), condition[place.conditions], chosen))
    co_occur = np.concatenate([np.tile(keywords[p.conditions], p.s1 - p.s0) for p in axes.places])
    names = entries["where"]
    partial_match, partial_missed = against(slice(None), names, [names @ kind for kind in kinds])
    return Words(
        np.concatenate([match.ravel() for match, _ in found]) + co_occur,
        co_occur.astype(np.int8),
        np.concatenate([missed.ravel() for _, missed in found]),
        partial_match,
        partial_missed,
    )


def _entry_words(space: ProgramSpace, axes: Axes) -> tuple[dict[str, Floats], list[str]]:
    """(entries, T) token matrices of each block, and the T tokens: the table's, then the constants'."""
    index = space.table_index
    situation = space.families[0].conditions.situation
    numbers = [number.written for number in situation.numbers]
    constants = [
        tokenise(text) for text in (*numbers, *(d.written for d in situation.constants.dates))
    ]
    words: list[tuple[str, ...]] = [(word.text,) for word in situation.constants.words]
    columns, classes = axes.values
    long = [
        tokenise(index.columns[c].texts[v])
        for c, v in zip(columns, classes, strict=True)
        if c in index.long
    ]
    vocabulary = dict(index.vocabulary)
    for tokens in (*constants, *words, *long):
        for token in tokens:
            vocabulary.setdefault(token, len(vocabulary))
    width = len(vocabulary)

    def matrix(texts: list[tuple[str, ...]]) -> Floats:
        found = np.zeros((len(texts), width), np.float32)
        for line, tokens in enumerate(texts):
            found[line, [vocabulary[token] for token in tokens]] = 1
        return found

    names = np.pad(index.name_words, ((0, 0), (0, width - index.name_words.shape[1])))
    values = np.pad(index.class_words, ((0, 0), (0, width - index.class_words.shape[1])))
    values = np.concatenate([values, matrix(long)])
    stated = matrix(constants)
    entries = {
        **dict.fromkeys(("select", "where", "follow_where"), names),
        **dict.fromkeys(("equal", "not_equal", "follow_equal", "follow_not_equal"), values),
        "compare": np.repeat(stated, 4, axis=0),
        "constant": stated,
        "word": matrix(words),
        "fixed": np.zeros((1, width), np.float32),
    }
    return entries, list(vocabulary)


def _summed(
    entries: dict[str, Floats], block: NDArray[np.int8], entry: NDArray[np.int16]
) -> Floats:
    """(lines, T) 1 where any of a line's entries has a token."""
    starts, total = [], 0
    for name in BLOCKS:
        starts.append(total)
        total += len(entries[name])
    stacked = np.concatenate([entries[name] for name in BLOCKS])
    fixed = BLOCKS.index("fixed")
    rows = np.array(starts)[block] + np.where(block == fixed, 0, entry)
    used = (block != fixed).any(axis=0)
    found: Floats = stacked[rows[:, 0]]
    for slot in range(1, block.shape[1]):
        if used[slot]:
            found = np.maximum(found, stacked[rows[:, slot]])
    return found


def _co_occur(space: ProgramSpace, asked: frozenset[str], lexicon: Lexicon) -> Floats:
    """(N,) the lexical pairs each condition of the axis meets."""
    weight: dict[str, int] = {}
    for token, keyword in lexicon:
        if token in asked:
            weight[keyword] = weight.get(keyword, 0) + 1
    done: dict[int, Floats] = {}
    for family in space.families:
        whole = family.conditions.whole or family.conditions
        if id(whole) not in done:
            done[id(whole)] = _pairs_met(whole, weight)
    return np.concatenate(list(done.values()))


def _pairs_met(conditions: Conditions, weight: dict[str, int]) -> Floats:
    met = np.zeros(len(conditions), np.float32)
    keyword = np.full(len(conditions), -1)
    for number, test in enumerate(conditions.tests):
        here = conditions.operator == number
        met[here] = weight.get(test.name, 0)
        keyword[here] = number
    met[conditions.operator == OR] = weight.get("or", 0) + weight.get("equal", 0)
    both = np.flatnonzero(conditions.operator == AND)
    first, second = conditions.first[both], conditions.second[both]
    other = np.where(keyword[first] == keyword[second], 0, met[second])  # a keyword counts once
    met[both] = met[first] + other + weight.get("and", 0)
    return met
