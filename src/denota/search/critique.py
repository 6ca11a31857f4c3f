"""The critique: how well a program's words go with the question's.

Misra et al. (2018), §3, "Lexical Policy Shaping".

    match(y, x)    = share of y's distinct non-keyword tokens that occur in x; 0 if y has none
                     (in either number, with `search.stems`)
    co_occur(y, x) = Σ over lexical pairs (token, keyword) of 1{token ∈ x and keyword ∈ y}
    critique       = match + co_occur
                     (+ g 1{the condition of y is grounded}, with `search.grounded`)

Differs from the paper: match counts distinct tokens, over all of the program's; and g, which the
paper does not have, serves languages with many operators.

The same counts of tokens give the parser's recall feature. All are computed for all programs at
once, from sets of tokens over the axes, as |A ∪ B| = |A| + |B| − |A ∩ B|, each a count of bits.
S selections, N conditions, T tokens, P programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from denota.programs.conditions import AND, EITHER, NONE, OR, PAIR, STEP, Conditions
from denota.programs.index import Bits, bits_of
from denota.programs.space import ProgramSpace
from denota.programs.tree import Date, Number
from denota.search.axes import BLOCKS, Axes
from denota.search.lexicon import Lexicon
from denota.search.operators_of_axes import OPERATORS, condition_operators, selection_operators
from denota.search.token_counts import TokenCounts, size_of
from denota.tokens import tokenise

Floats = NDArray[np.float32]
Counts = NDArray[np.int16]
Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LexicalScores:
    """What the tokens of every program say, in the order of the space's ids."""

    critique: Floats  #: (P,)
    co_occur: NDArray[np.int8]  #: (P,) lexical pairs met
    recall_missed: Floats  #: (P,) |E1 \\ E2| / |E1|
    """Of the question tokens that the table has, the share that the program lacks."""
    partial_match: Floats  #: (S, C) match of an incomplete program: a selection with WHERE column
    partial_missed: Floats  #: (S, C) its recall feature

    @property
    def match(self) -> Floats:
        """(P,) match, plus the bonus of a grounded condition."""
        return self.critique - self.co_occur

    def critique_of(self, ids: Ids, select: Ids, condition: Ids) -> Floats:
        """(K,) the critique of K programs."""
        return self.critique[ids]

    def missed_by(self, ids: Ids, select: Ids, condition: Ids) -> Floats:
        """(K,) the recall feature of K programs."""
        return self.recall_missed[ids]


@dataclass(frozen=True, eq=False)
class EntryWords:
    """The tokens of every axis entry, as sets of bits: W words of 64 tokens."""

    vocabulary: Mapping[str, int]
    """The T tokens: those of column names first, then the values', then the constants'."""
    known: int
    """How many of them the table has."""
    names: Bits  #: (C, W) of the columns
    values: Bits  #: (V, W) of the values
    constants: Bits  #: (K, W) of the numbers and dates
    words: Bits  #: (the question's words, W) of the words to look for
    value_tokens: tuple[tuple[str, ...], ...]
    """(V,) the tokens of the values, in order."""

    def asked(self, tokens: Iterable[str]) -> Bits:
        """(W,) the tokens of a question that are in the vocabulary."""
        asked: Bits = bits_of([tuple(tokens)], self.vocabulary)[0]
        return asked


def entry_words(space: ProgramSpace, axes: Axes) -> EntryWords:
    """Return the tokens of every axis entry of a space."""
    index = space.table_index
    situation = space.families[0].conditions.situation
    stated: list[Number | Date] = [*situation.numbers, *situation.constants.dates]
    constants = [tokenise(constant.written) for constant in stated]
    words = [(word.text,) for word in situation.constants.words]
    columns, classes = axes.values
    short = len(index.classes[0])
    linked = zip(columns[short:].tolist(), classes[short:].tolist(), strict=True)
    long = [tokenise(index.columns[c].texts[v]) for c, v in linked]
    vocabulary = index.vocabulary
    new = {t for text in (*constants, *words, *long) for t in text if t not in vocabulary}
    if new:
        vocabulary = dict(vocabulary)
        for token in sorted(new):
            vocabulary[token] = len(vocabulary)
    width = max(1, -(-len(vocabulary) // 64))
    values = _widened(index.class_bits, width)
    if long:
        values = np.concatenate([values, bits_of(long, vocabulary)])
    return EntryWords(
        vocabulary,
        len(index.vocabulary),
        _widened(index.name_bits, width),
        values,
        bits_of(constants, vocabulary),
        bits_of(words, vocabulary),
        (*index.class_tokens, *long) if long else index.class_tokens,
    )


def lexical_scores(
    space: ProgramSpace,
    axes: Axes,
    tokens: EntryWords,
    question: str,
    lexicon: Lexicon,
    near: frozenset[str] = frozenset(),
) -> LexicalScores | TokenCounts:
    """Count the tokens of all programs of a space against its question.

    Words of the table that are near the question's count as if they were asked.
    """
    words = tokenise(question)
    asked = frozenset(words) | near
    wide = space.wide
    everything = np.full(tokens.names.shape[1], ~np.uint64(0))
    in_question = tokens.asked(lexicon.matched(asked, tokens.vocabulary))  # (W,)
    in_both = tokens.asked(
        t for t in asked if tokens.vocabulary.get(t, tokens.known) < tokens.known
    )
    kinds = (everything, in_question, in_both)
    select = _summed(tokens, axes.select_block, axes.select_entry)  # (S, W)
    condition = _summed(tokens, axes.condition_block, axes.condition_entry)  # (N, W)
    if lexicon.weights is not None:
        called, keywords = weighed(axes, lexicon.weight_of_operators(words))  # (S,), (N,)
    else:
        called = _called(space) if wide else np.zeros(0, np.float32)
        keywords = _co_occur(space, lexicon.said(words), lexicon.pairs)
    shared = max(1, -(-len(frozenset().union(*space.table_index.name_tokens)) // 64))
    if wide:
        asked_for = keywords + np.float32(lexicon.grounded) * _grounded(space)
        return TokenCounts(
            np.stack([size_of(select & kind) for kind in kinds], axis=1),
            np.stack([size_of(condition & kind) for kind in kinds], axis=1),
            select[:, :shared],
            condition[:, :shared],
            np.stack([kind[:shared] for kind in kinds]),
            called - np.float32(lexicon.length) * _parts_asked(space),
            (asked_for - np.float32(lexicon.length) * _parts_tested(space)).astype(np.float32),
            np.array([size_of(in_both)], np.int16),
            axes,
        )
    most = max(1, int(size_of(in_both)))

    def against(lines: slice, others: Bits, sizes: list[Counts]) -> tuple[Floats, Floats]:
        """(S, N) match and missed share of some selections, each with every set of tokens."""
        both = select[lines, None, :shared] & others[None, :, :shared]  # only names are in both
        total, met, covered = (
            size_of(select[lines] & kind)[:, None] + size[None, :] - size_of(both & kind[:shared])
            for kind, size in zip(kinds, sizes, strict=True)
        )
        missed = (1 - covered / most) * bool(in_both.any())
        return (met / np.maximum(total, 1)).astype(np.float32), missed.astype(np.float32)

    sizes = [size_of(condition & kind) for kind in kinds]  # (N,) tokens of each kind
    found = []
    for place in axes.places:
        chosen = [size[place.conditions] for size in sizes]
        found.append(against(slice(place.s0, place.s1), condition[place.conditions], chosen))
    co_occur = _of_programs(axes, keywords)
    critique = np.concatenate([match.ravel() for match, _ in found]) + co_occur
    if lexicon.weights is not None:  # they are no counts of pairs
        critique += np.concatenate(
            [np.repeat(called[p.s0 : p.s1], len(p.conditions)) for p in axes.places]
        )
        co_occur = np.zeros_like(co_occur)
    if lexicon.grounded:
        critique += np.float32(lexicon.grounded) * _of_programs(axes, _grounded(space))
    names = tokens.names
    partial_match, partial_missed = against(slice(None), names, [size_of(names & k) for k in kinds])
    return LexicalScores(
        critique,
        co_occur.astype(np.int8),
        np.concatenate([missed.ravel() for _, missed in found]),
        partial_match,
        partial_missed,
    )


def weighed(axes: Axes, weights: Mapping[str, float]) -> tuple[Floats, Floats]:
    """(S,) and (N,) what the operators of selections and row sets add, by a lexicon of weights."""
    of_operator = np.array([weights.get(name, 0.0) for name in OPERATORS], np.float32)
    return selection_operators(axes) @ of_operator, condition_operators(axes) @ of_operator


def _called(space: ProgramSpace) -> Floats:
    """(S,) 1 for a selection whose aggregate or comparison the question has a word for."""
    lines = [
        np.full(len(f.selections), float(f.aggregate is not None and f.grounded), np.float32)
        for f in space.families
    ]
    return np.concatenate(lines)


def _parts_asked(space: ProgramSpace) -> Floats:
    """(S,) how many operators what is asked has, each column after the first counted too."""
    lines = [
        [
            (f.aggregate is not None) + (f.compare is not None) + max(0, len(s) - 1)
            for s in f.selections
        ]
        for f in space.families
    ]  # fmt: skip
    return np.array([count for line in lines for count in line], np.float32)


def _parts_tested(space: ProgramSpace) -> Floats:
    """(N,) how many operators each row set has: its tests, and a step."""
    counts = []
    for whole in _wholes(space):
        operator, first, second = whole.operator, whole.first, whole.second
        found = (operator != NONE).astype(np.float32)
        found[operator == OR] = 2
        for kind in (AND, AND, EITHER, PAIR, STEP):  # a conjunction of three begins with one of two
            own = operator == kind
            found[own] = found[first[own]] + (
                1 if kind == STEP else found[np.where(own, second, 0)][own]
            )
        counts.append(found)
    return np.concatenate(counts)


def _widened(sets: Bits, width: int) -> Bits:
    return np.pad(sets, ((0, 0), (0, width - sets.shape[1])))


def _summed(tokens: EntryWords, block: NDArray[np.int8], entry: NDArray[np.int16]) -> Bits:
    """(lines, W) the tokens of any of a line's entries."""
    nothing = np.zeros((1, tokens.names.shape[1]), np.uint64)
    parts = (nothing, tokens.names, tokens.values, tokens.constants, tokens.words)
    starts = np.cumsum([0, *map(len, parts[:-1])])
    of_block = {
        **dict.fromkeys(("select", "where", "follow_where"), starts[1]),
        **dict.fromkeys(("equal", "not_equal", "follow_equal", "follow_not_equal"), starts[2]),
        **dict.fromkeys(("compare", "constant"), starts[3]),
        "word": starts[4],
    }
    fixed, compare = BLOCKS.index("fixed"), BLOCKS.index("compare")
    own = np.where(block == compare, entry // 4, np.where(block == fixed, 0, entry))
    rows = np.array([of_block.get(name, 0) for name in BLOCKS])[block] + own
    stacked = np.concatenate(parts)
    found: Bits = stacked[rows[:, 0]]
    for slot in range(1, block.shape[1]):
        if rows[:, slot].any():
            found = found | stacked[rows[:, slot]]
    return found


def _of_programs(axes: Axes, of_conditions: Floats) -> Floats:
    """(P,) what the (N,) conditions of the axis have, program by program."""
    return np.concatenate([np.tile(of_conditions[p.conditions], p.s1 - p.s0) for p in axes.places])


def _co_occur(
    space: ProgramSpace, asked: frozenset[str], pairs: frozenset[tuple[str, str]]
) -> Floats:
    """(N,) the lexical pairs each condition of the axis meets, those of its scope with them."""
    weight: dict[str, int] = {}
    for token, keyword in pairs:
        if token in asked:
            weight[keyword] = weight.get(keyword, 0) + 1
    scopes = {id(f.conditions.whole or f.conditions): f.scope for f in space.families}
    of_scope = [np.float32(weight.get(scopes[id(whole)], 0)) for whole in _wholes(space)]
    met = [_pairs_met(whole, weight) for whole in _wholes(space)]
    return np.concatenate([own + more for own, more in zip(met, of_scope, strict=True)])


def _grounded(space: ProgramSpace) -> Floats:
    """(N,) 1 for each condition of the axis that is grounded."""
    return np.concatenate([whole.grounded for whole in _wholes(space)]).astype(np.float32)


def _wholes(space: ProgramSpace) -> list[Conditions]:
    """The conditions that the axis is made of, one after the other."""
    wholes = (family.conditions.whole or family.conditions for family in space.families)
    return list({id(whole): whole for whole in wholes}.values())


def _pairs_met(conditions: Conditions, weight: dict[str, int]) -> Floats:
    """(N,) the pairs each row set meets; a step counts 1 if the question has a word for it."""
    met = np.zeros(len(conditions), np.float32)
    keyword = np.full(len(conditions), -1)
    operator, first, second = conditions.operator, conditions.first, conditions.second
    for number, test in enumerate(conditions.tests):
        here = operator == number
        met[here] = weight.get(test.name, 0)
        keyword[here] = number
    met[operator == OR] = weight.get("or", 0) + weight.get("equal", 0)
    joined = np.isin(operator, (AND, EITHER, PAIR))
    three = joined & (operator[np.where(joined, first, 0)] == AND)
    for both in (np.flatnonzero(joined & ~three), np.flatnonzero(three)):
        one, two = first[both], second[both]
        other = np.where(keyword[one] == keyword[two], 0, met[two])  # a keyword counts once
        met[both] = met[one] + other + weight.get("and", 0) * (operator[both] == AND)
    step = np.flatnonzero(operator == STEP)
    if len(step):
        called = np.array([chosen.grounded for chosen in conditions.steps], np.float32)
        met[step] = met[first[step]] + called[second[step]]
    return met
