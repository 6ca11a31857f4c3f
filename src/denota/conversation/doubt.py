"""What an answer's confidence is computed from: named features of a question and its readings.

They say what a person sees: how far program and question cover each other, how close the next
reading is, whether the answer has the shape that the question asks for, what kind of table it is,
and how sure the answer before it was. `features_of` is all that the fitted confidence looks at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.conversation.asked import Asked
from denota.conversation.decline import reason_to_decline
from denota.conversation.mentions import unused
from denota.conversation.rating import RatedProgram, answer_key
from denota.conversation.words import words_of
from denota.inflect import singular
from denota.programs.lexicon import trigger_words
from denota.programs.lexicon import words_of as words_calling_for
from denota.programs.operators import SCOPES, TESTS
from denota.programs.tree import Date, Name, Number, Value, Word
from denota.tables.column import Column
from denota.tokens import FUNCTION_WORDS, tokenise

LEAST: Final = 1e-9
"""The smallest probability that is told from none."""


def features_of(asked: Asked, way: RatedProgram, other: RatedProgram | None) -> NDArray[np.float64]:
    """(F,) the features of a question's answer.

    Args:
        asked: the question, with the parser's programs.
        way: the program whose answer it is.
        other: the best program with another answer, if there is one.
    """
    seen = _Seen(asked, way, other)
    return np.array([float(feature(seen)) for feature in _FEATURES.values()])


def share_of(asked: Asked, way: RatedProgram) -> float:
    """Return how much of all probability the programs with a program's answer have."""
    return min(1.0, _Seen(asked, way, None).shares[0])


def unknown_words(asked: Asked, way: RatedProgram) -> tuple[str, ...]:
    """Return the words of a question that neither its program nor its table accounts for."""
    seen = _Seen(asked, way, None)
    unknown = seen.left_out - _known(seen)
    return tuple(dict.fromkeys(word for word in seen.first if _stem(word) in unknown))


@dataclass(frozen=True)
class _Seen:
    """A question, its answer and what both say, worked out once."""

    asked: Asked
    way: RatedProgram
    other: RatedProgram | None

    @cached_property
    def words(self) -> frozenset[str]:
        """The question's words that carry meaning, in the singular."""
        return frozenset(_stem(word) for word in tokenise(self.asked.text)) - FUNCTION_WORDS

    @cached_property
    def first(self) -> tuple[str, ...]:
        return tokenise(self.asked.text)

    @cached_property
    def text(self) -> str:
        return f" {' '.join(self.first)} "

    @cached_property
    def table_words(self) -> frozenset[str]:
        return words_of(self.asked.table).all

    @cached_property
    def names(self) -> tuple[frozenset[str], ...]:
        """The words of each column's name."""
        return tuple(_words(name) for name in self.asked.table.names)

    @cached_property
    def used(self) -> tuple[int, ...]:
        """The columns that the program speaks of, by place."""
        program, places = self.way.program, _places(self.asked)
        names = [*program.columns, *(test.column for test in program.tests if test.column)]
        names += [t.argument.text for t in program.tests if isinstance(t.argument, Name)]
        return tuple(dict.fromkeys(places[name] for name in names if name in places))

    @cached_property
    def said(self) -> frozenset[str]:
        """The words that the program accounts for: names, constants, and what calls for it."""
        program = self.way.program
        found = {word for place in self.used for word in self.names[place]}
        operators = [test.operator for test in program.tests]
        operators += [one for one in (program.aggregate, program.compare) if one]
        for operator in operators:
            for phrase in words_calling_for(operator):
                if f" {phrase.removeprefix('^')} " in self.text:
                    found |= _words(phrase)
        for constant in self.constants:
            found |= constant
        return frozenset(found)

    @cached_property
    def constants(self) -> tuple[frozenset[str], ...]:
        """The words of each constant of the program."""
        return tuple(
            _words(_written(test.argument))
            for test in self.way.program.tests
            if isinstance(test.argument, Value | Word | Number | Date)
        )

    @cached_property
    def left_out(self) -> frozenset[str]:
        """Words of the question that the program does not account for."""
        return frozenset(self.words - self.said)

    @cached_property
    def keys(self) -> tuple[Hashable, ...]:
        """The answer of each rated program, as what is compared."""
        answers = (one.model_answer for one in self.asked.rated)
        return tuple(one.rows if self.counts else answer_key(one) for one in answers)

    @cached_property
    def key(self) -> Hashable:
        """The answer of the program, likewise."""
        own = self.way.model_answer
        return own.rows if self.counts else answer_key(own)

    @cached_property
    def counts(self) -> bool:
        """Whether rules count cells that the parser picks: the same rows are the same answer."""
        program = self.way.program
        step = program.then.operator if program.then is not None else ""
        counted = program.aggregate in ("count", "count_per") or step in _COUNTING
        return self.way.model_answer.values is None and counted

    @cached_property
    def shares(self) -> tuple[float, float]:
        """The probability of the answer and of the best other answer, over all its programs."""
        found: dict[Hashable, float] = {}
        for key, one in zip(self.keys, self.asked.rated, strict=True):
            found[key] = found.get(key, 0.0) + one.probability
        own = found.pop(self.key, 0.0)
        return own, max(found.values(), default=0.0)

    @cached_property
    def answer_columns(self) -> tuple[Column, ...]:
        return tuple(self.asked.table.columns[place] for place in self.way.answer.columns)

    @cached_property
    def is_number(self) -> bool:
        values = self.way.answer.values
        if values is not None:
            return bool(values) and all(isinstance(value, float) for value in values)
        return bool(self.answer_columns) and all(c.kind == "number" for c in self.answer_columns)

    @property
    def cells(self) -> int:
        values = self.way.answer.values
        if values is not None:
            return len(values)
        return len(self.way.answer.rows) * len(self.way.answer.columns)

    def matched(self, place: int) -> float:
        """The share of a column name's words that the question has."""
        own = self.names[place]
        return len(own & self.words) / len(own) if own else 0.0

    def begins(self, *words: str) -> bool:
        return bool(self.first) and any(word in self.first[:3] for word in words)

    def asks(self, *phrases: str) -> bool:
        return any(f" {phrase} " in self.text for phrase in phrases)


def _written(argument: Value | Word | Number | Date | Name | None) -> str:
    if isinstance(argument, Value | Word | Name):
        return argument.text
    return argument.written if argument is not None else ""


def _words(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in tokenise(text)) - FUNCTION_WORDS


def _stem(word: str) -> str:
    return singular(word)


def _places(asked: Asked) -> Mapping[str, int]:
    return {name: place for place, name in enumerate(asked.table.names)}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _log(value: float) -> float:
    return math.log(max(value, LEAST))


def _known(seen: _Seen) -> frozenset[str]:
    """Words that the table has or that call for an operator."""
    return frozenset(w for w in seen.words if w in seen.table_words or w in trigger_words())


def _unused(seen: _Seen) -> int:
    return len(unused(seen.asked.named, seen.way.program))


def _siblings(seen: _Seen) -> int:
    """Other columns with a word by which the question names a column of the program."""
    by = {word for place in seen.used for word in seen.names[place] & seen.words}
    return sum(bool(own & by) for n, own in enumerate(seen.names) if n not in seen.used)


def _better(seen: _Seen) -> bool:
    """Whether the question has the whole name of a column that the program passes over."""
    used = {word for place in seen.used for word in seen.names[place]}
    return any(
        own and own <= seen.words and not own <= used
        for place, own in enumerate(seen.names)
        if place not in seen.used
    )


def _by_one_word(seen: _Seen) -> int:
    """Columns of the program whose name has several words, of which the question has one."""
    return sum(
        len(seen.names[place]) > 1 and len(seen.names[place] & seen.words) == 1
        for place in seen.used
    )


def _unmatched(seen: _Seen) -> float:
    """The share of the constants' words that the question does not have."""
    words = [word for constant in seen.constants for word in constant]
    return _share(sum(word not in seen.words for word in words), len(words))


def _entropy(seen: _Seen) -> float:
    some = np.array([one.probability for one in seen.asked.rated]) + LEAST
    rest = max(0.0, 1.0 - float(some.sum())) + LEAST
    every = np.append(some, rest)
    every = every / every.sum()
    return float(-(every * np.log(every)).sum())


def _distinct(seen: _Seen) -> int:
    return len(set(seen.keys[:5]))


def _rank(seen: _Seen) -> float:
    keys = seen.keys
    return math.log1p(keys.index(seen.key) if seen.key in keys else len(keys))


def _select(seen: _Seen) -> float:
    places = _places(seen.asked)
    own = [seen.matched(places[name]) for name in seen.way.program.columns if name in places]
    return max(own, default=0.0)


def _best_name(seen: _Seen) -> float:
    return max((seen.matched(place) for place in range(len(seen.names))), default=0.0)


def _wants_count(seen: _Seen) -> bool:
    return seen.asks("how many", "number of", "how often", "how much", "total", "average", "sum")


def _not_yes_or_no(seen: _Seen) -> bool:
    """Whether yes or no is asked for, and cells are the answer."""
    program = seen.way.program
    asks = bool(seen.first) and seen.first[0] in _ASKS_WHETHER
    return asks and program.aggregate is None and program.compare is None


def _tests(seen: _Seen, *operators: str) -> bool:
    return any(test.operator in operators for test in seen.way.program.tests)


def _aggregate(seen: _Seen, *names: str) -> bool:
    return seen.way.program.aggregate in names


_ASKS_WHETHER: Final = frozenset("is are was were do does did has have had can could".split())
_COUNTING: Final = ("most_common", "least_common")
_SUPERLATIVES: Final = tuple(name for name, test in TESTS.items() if test.one_row)
_FEATURES: Final[dict[str, Callable[[_Seen], float]]] = {
    # how the parser rates it
    "log_share": lambda s: _log(s.shares[0]),
    "log_odds": lambda s: _log(s.shares[0]) - _log(s.shares[1]),
    "log_best": lambda s: _log(s.way.probability),
    "entropy": _entropy,
    "answers": _distinct,
    "rank": _rank,
    "critique": lambda s: s.way.critique,
    "recall_missed": lambda s: s.way.recall_missed,
    "ungrounded": lambda s: not s.way.grounded,
    # how far program and question cover each other
    "named_unused": lambda s: min(2, _unused(s)),
    "left_out": lambda s: min(6, len(s.left_out)),
    "left_out_share": lambda s: _share(len(s.left_out), len(s.words)),
    "left_out_known": lambda s: min(4, sum(w in s.table_words for w in s.left_out)),
    "left_out_unknown": lambda s: min(5, len(s.left_out - _known(s))),
    "unknown_share": lambda s: 1 - _share(len(_known(s)), len(s.words)),
    "constants_unmatched": _unmatched,
    "selected_named": _select,
    "columns_unnamed": lambda s: sum(not s.matched(place) for place in s.used),
    "by_one_word": _by_one_word,
    "siblings": lambda s: min(3, _siblings(s)),
    "better_column": _better,
    "best_name": _best_name,
    "words": lambda s: math.log1p(len(s.first)),
    "respelled": lambda s: bool(s.asked.respelled),
    "rule_declines": lambda s: bool(
        reason_to_decline(s.asked.text, s.asked.table, s.asked.request, computes=True)
    ),
    # the shape of the answer against the question
    "cells": lambda s: math.log1p(s.cells),
    "empty": lambda s: not s.cells,
    "one_of_many": lambda s: (
        s.cells > 1 and s.begins("who", "is", "was", "what") and not s.asks("are", "were", "all")
    ),
    "many_of_one": lambda s: (
        s.cells > 1 and s.asks("which one", "what is the", "what was the", "who is", "who was")
    ),
    "who_number": lambda s: s.begins("who") and s.is_number,
    "count_text": lambda s: _wants_count(s) and not s.is_number,
    "number_unasked": lambda s: s.way.program.aggregate is not None and not _wants_count(s),
    "when_other": lambda s: (
        s.begins("when") and not any(c.kind == "date" or c.unit == "year" for c in s.answer_columns)
    ),
    "yes_no_other": _not_yes_or_no,
    "sum_of_one": lambda s: _aggregate(s, "sum", "average") and len(s.way.answer.rows) <= 1,
    "counts_none": lambda s: s.way.answer.value == 0.0,
    "all_rows": lambda s: (
        s.way.program.where is None
        and s.way.program.then is None
        and not SCOPES[s.way.program.scope].follows
    ),
    "many_rows": lambda s: _share(len(s.way.answer.rows), len(s.asked.table)),
    # the kind of program
    "conditions": lambda s: len(s.way.program.tests),
    "superlative": lambda s: _tests(s, *_SUPERLATIVES),
    "count": lambda s: _aggregate(s, "count", "count_distinct"),
    "sum": lambda s: _aggregate(s, "sum", "average"),
    "groups": lambda s: bool(s.way.answer.groups),
    "compares": lambda s: s.way.program.compare is not None,
    "step": lambda s: s.way.program.then is not None,
    "negates": lambda s: any(
        t.operator in TESTS and TESTS[t.operator].negates for t in s.way.program.tests
    ),
    # the next reading
    "other_critique": lambda s: s.other.critique if s.other is not None else 0.0,
    "other_unused": lambda s: (
        min(2, len(unused(s.asked.named, s.other.program))) if s.other is not None else 0.0
    ),
    "other_recall": lambda s: s.other.recall_missed if s.other is not None else 1.0,
    # the table
    "rows": lambda s: math.log1p(s.asked.table.count),
    "columns": lambda s: math.log1p(len(s.asked.table.columns)),
    "numeric": lambda s: _share(
        sum(c.kind == "number" for c in s.asked.table.columns), len(s.asked.table.columns)
    ),
    # what it builds on
    "later": lambda s: bool(s.asked.before.questions),
    "follows": lambda s: SCOPES[s.way.program.scope].follows,
}
FEATURES: Final = tuple(_FEATURES)
"""The names of the features, in their order."""
