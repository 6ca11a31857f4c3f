"""A question prepared for scoring and search: its space as arrays, independent of the model.

Made once for a question and a previous answer; a training run reads it thousands of times.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from denota.data.answer import Answer
from denota.programs.denotation import Denotation
from denota.programs.space import ProgramSpace, program_space
from denota.programs.tree import Date, Number
from denota.search.altered_tables import agreements
from denota.search.axes import BLOCKS, Axes
from denota.search.build_axes import axes_of
from denota.search.critique import LexicalScores, entry_words, lexical_scores
from denota.search.lexicon import Lexicon
from denota.search.outcome import outcome_entries, selection_entries
from denota.search.sought import ANY, Sought
from denota.search.surface import surface_features
from denota.search.token_counts import TokenCounts
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, tokenise

Floats = NDArray[np.float32]


class Rewarded(NamedTuple):
    """The programs that are rewarded: most are not."""

    ids: NDArray[np.int32]  #: (rewarded,) in order
    rewards: Floats  #: (rewarded,)

    @staticmethod
    def of(rewards: Floats) -> Rewarded:
        """Return the rewarded ones of all programs, given by (P,) rewards."""
        ids = np.flatnonzero(rewards > 0).astype(np.int32)
        return Rewarded(ids, rewards[ids])


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
    words: LexicalScores | TokenCounts
    """Critique and recall of all programs."""
    rewarded_programs: Rewarded | None
    """Which programs get some reward, and how much; None where the answer is not known."""
    previous: Denotation | None
    """The answer before it, as context."""
    text: str
    """The question as it was asked."""
    table: Table
    history: tuple[str, ...]
    """The questions before it, oldest first."""
    make_space: Callable[[], ProgramSpace]
    """Makes its programs as trees can be had from them."""
    agreement: Floats | None = None  #: (rewarded,) of the rewarded programs on altered tables

    @cached_property
    def space(self) -> ProgramSpace:
        """Its programs; search and training do without."""
        return self.make_space()

    def forget(self) -> None:
        """Forget what was worked out on the way; it is worked out again when it is asked for."""
        for own in (self, self.axes, self.words):
            for name, value in vars(type(own)).items():
                if isinstance(value, cached_property):
                    vars(own).pop(name, None)

    @property
    def rewards(self) -> Floats | None:
        """(P,) the rewards of all programs, None where the answer is not known."""
        if self.rewarded_programs is None:
            return None
        rewards = np.zeros(self.axes.programs, np.float32)
        rewards[self.rewarded_programs.ids] = self.rewarded_programs.rewards
        return rewards

    def rewards_of(self, ids: NDArray[np.int64]) -> Floats:
        """(K,) the rewards of some programs, the answer known."""
        assert self.rewarded_programs is not None
        return _looked_up(*self.rewarded_programs, ids)

    def policy_critique(
        self, ids: NDArray[np.int64], select: NDArray[np.int64], condition: NDArray[np.int64]
    ) -> Floats:
        """(K,) the critique of some programs, with their agreement on altered tables if known."""
        critique = self.words.critique_of(ids, select, condition)
        if self.agreement is None or self.rewarded_programs is None:
            return critique
        return critique + _looked_up(self.rewarded_programs.ids, self.agreement, ids)

    @cached_property
    def outcome(self) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """(N, 3) what the conditions would answer, as more entries of each."""
        return outcome_entries(self.axes, self.previous.rows if self.previous is not None else ())

    @cached_property
    def breadth(self) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """(S, 2) what the selections would answer, likewise."""
        return selection_entries(self.axes)

    def gives_cells(self, number: int) -> bool:
        """Say whether a program selects cells; others compute values."""
        return next(p for p in self.axes.places if p.start <= number < p.start + p.programs).plain

    def denotation(self, number: int) -> Denotation:
        """Return what a program means: its cells, or the values computed from them."""
        place = next(p for p in self.axes.places if p.start <= number < p.start + p.programs)
        if not place.plain:
            return self.space.denotation(number)
        line, condition = divmod(number - place.start, len(place.conditions))
        rows = np.flatnonzero(np.unpackbits(self.axes.rows[place.conditions[condition]]))
        chosen = self.axes.select_block[place.s0 + line] == BLOCKS.index("select")
        columns = tuple(self.axes.select_entry[place.s0 + line][chosen].tolist())
        if not columns and self.previous is not None:
            columns = self.previous.columns
        return Denotation(tuple(rows.tolist()), columns)

    def answer_digests(self, number: int) -> tuple[str, str]:
        """Return a digest of a program's rows, and one of its cells; equal answers share them."""
        place = next(p for p in self.axes.places if p.start <= number < p.start + p.programs)
        line, condition = divmod(number - place.start, len(place.conditions))
        rows = zlib.crc32(self.axes.rows[place.conditions[condition]].tobytes(), self._table_digest)
        chosen = self.axes.select_block[place.s0 + line] == BLOCKS.index("select")
        columns = self.axes.select_entry[place.s0 + line][chosen].tolist()
        if not columns and self.previous is not None:
            columns = list(self.previous.columns)
        return f"{rows:08x}", f"{rows:08x} {sorted(columns)}"

    @cached_property
    def _table_digest(self) -> int:
        texts = "\0".join(self.table.columns[0].text) if self.table.columns else ""
        return zlib.crc32(texts.encode("utf-8", "replace"))

    @cached_property
    def vacuous(self) -> NDArray[np.bool_]:
        """(N,) True for a condition that keeps every row of its scope."""
        rows = self.axes.rows
        found = np.zeros(len(rows), bool)
        for place, own in self.axes.scopes:
            same = (rows[own] == rows[place.none]).all(axis=1)
            found[own] |= same & (own != place.none)
        return found

    def is_vacuous(self, ids: NDArray[np.integer]) -> NDArray[np.bool_]:
        """(ids,) True for a program whose condition keeps every row of its scope."""
        _, condition = self.axes.places_of(ids)
        return self.vacuous[condition]

    def rewarded(self, count: int, vacuous: bool = True) -> NDArray[np.int64]:
        """Return the programs that can be among the first `count` by reward, ties included.

        Without vacuous ones where they are not wanted.
        """
        if (count, vacuous) not in self._rewarded:
            assert self.rewarded_programs is not None
            some, rewards = self.rewarded_programs
            if not vacuous:
                wanted = ~self.is_vacuous(some)
                some, rewards = some[wanted], rewards[wanted]
            if len(some) > count:
                cut = np.partition(rewards, len(some) - count)[len(some) - count]
                some = some[rewards >= cut]
            self._rewarded[count, vacuous] = some.astype(np.int64)
        return self._rewarded[count, vacuous]

    def rewarded_critique(self, count: int, vacuous: bool = True) -> Floats:
        """(Q,) the critique of these programs."""
        if (count, vacuous) not in self._rewarded_critique:
            ids = self.rewarded(count, vacuous)
            found = self.policy_critique(ids, *self.axes.places_of(ids))
            self._rewarded_critique[count, vacuous] = found
        return self._rewarded_critique[count, vacuous]

    @cached_property
    def _rewarded_critique(self) -> dict[tuple[int, bool], Floats]:
        return {}

    @cached_property
    def _rewarded(self) -> dict[tuple[int, bool], NDArray[np.int64]]:
        return {}


def rewarded_for(answer: Answer, space: ProgramSpace, sought: Sought = ANY) -> Rewarded:
    """Return the programs of a space that an answer rewards, of those that are looked for.

    Where the program itself is known, no other is executed.
    """
    if sought.meant is not None:
        place = space.index(sought.meant)
        ids = np.array([] if place is None else [place], np.int32)
        return Rewarded(ids, np.ones(len(ids), np.float32))
    every = Rewarded.of(space.rewards(answer))
    if sought is ANY:
        return every
    wanted = sought.among(space, every.ids)
    return Rewarded(every.ids[wanted], every.rewards[wanted])


def _looked_up(known: NDArray[np.int32], values: Floats, ids: NDArray[np.int64]) -> Floats:
    """(K,) the values of some programs of those that are known, in order; 0 for any other."""
    if not len(known):
        return np.zeros(len(ids), np.float32)
    place = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    return np.where(known[place] == ids, values[place], np.float32(0))


def _agreement(
    space: ProgramSpace, axes: Axes, words: LexicalScores | TokenCounts, some: Rewarded, count: int
) -> Floats:
    """(rewarded,) how consistent programs agree on altered tables; 0 for those that are not."""
    found = np.zeros(len(some.ids), np.float32)
    right = some.rewards >= 1
    ids = some.ids[right].astype(np.int64)
    critique = words.critique_of(ids, *axes.places_of(ids))
    found[right] = agreements(space, ids, critique, count)
    return found


def prepare(
    question: str,
    table: Table,
    history: tuple[str, ...],
    previous: Denotation | None,
    answer: Answer | None,
    language: frozenset[str],
    lexicon: Lexicon,
    keep_space: bool = False,
    sought: Sought = ANY,
) -> Prepared:
    """Turn a question into arrays.

    Args:
        question: its text.
        table: what it is about.
        history: the questions before it.
        previous: the answer before it, as context.
        answer: the gold answer, for training.
        language: the operators of the program language.
        lexicon: the pairs of the critique.
        keep_space: whether to keep its programs, which take memory, rather than make them again
            when trees are asked for.
        sought: which of the programs that give the answer are rewarded.
    """
    space = program_space(question, table, previous, language)
    axes = axes_of(space)
    tokens = entry_words(space, axes)
    asked, before = tokenise(question), tokenise(history[-1]) if history else ()
    situation = space.families[0].conditions.situation
    constants: list[Number | Date] = [*situation.numbers, *situation.constants.dates]
    near = _near(space, asked, language), _near(space, before, language)
    surfaces = [
        surface_features(tokens, axes.values[0], (*words, *more))
        for words, more in zip((asked, before), near, strict=True)
    ]
    make_space = partial(program_space, question, table, previous, language)
    words = lexical_scores(space, axes, tokens, question, lexicon, near[0])
    rewarded = rewarded_for(answer, space, sought) if answer is not None else None
    agreement = None
    if lexicon.altered and rewarded is not None:
        agreement = _agreement(space, axes, words, rewarded, lexicon.altered)
    return Prepared(
        asked,
        before,
        space.table_index.name_tokens,
        tokens.value_tokens,
        np.concatenate([of_columns for of_columns, _ in surfaces], axis=1),
        np.concatenate([of_values for _, of_values in surfaces], axis=1),
        tuple(_two_before(asked, tokenise(constant.written)) for constant in constants),
        bool(situation.numbers),
        axes,
        words,
        rewarded,
        previous,
        question,
        table,
        history,
        (lambda: space) if keep_space else make_space,
        agreement,
    )


def _near(space: ProgramSpace, asked: tuple[str, ...], language: frozenset[str]) -> frozenset[str]:
    """The table's words that are near those of a question, where the language has them."""
    if "near_words" not in language:
        return frozenset()
    return space.table_index.near(frozenset(asked) - FUNCTION_WORDS)


def _two_before(tokens: tuple[str, ...], constant: tuple[str, ...]) -> tuple[str, ...]:
    """The two tokens before a constant's first token, where it occurs."""
    if constant and constant[0] in tokens:
        place = tokens.index(constant[0])
        return tokens[max(0, place - 2) : place]
    return ()
