"""A question as an encoder reads it: one text of questions, column names and shared cells.

`[CLS] question [SEP] the one before [SEP] the one before that [SEP] name : cell , cell [SEP] name
[SEP] ...`. It depends on question, history and table, not on the previous answer, so it is made
once. T pieces, C columns, V values, K constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.kept import Kept
from denota.model.wordpieces import Wordpieces
from denota.programs.codes import stands_for_any
from denota.programs.constants import Constants, constants_in
from denota.programs.near_words import are_near
from denota.programs.tree import Date, Number
from denota.search.prepare import Prepared
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, tokenise

Ids = NDArray[np.int64]
LONGEST_QUESTION: Final = 60
"""Pieces of a question that are read."""
BEFORE: Final = 2
"""Earlier questions that are read, the last first."""
TABLE_START: Final = 1 + LONGEST_QUESTION + BEFORE * (1 + LONGEST_QUESTION // 2)
"""The place at which every column begins, behind the longest questions."""
NAME: Final = 16
"""Pieces of a column's name that are read."""
LONGEST_CELL: Final = 12
"""Pieces of a cell that are read."""
FEW: Final = 6
"""A column of at most so many different values has few."""
KEPT_READINGS: Final = 1 << 15
"""At most this many readings are kept, and as many lists of texts."""


@dataclass(frozen=True, eq=False)
class QuestionText:
    """The pieces of a text, and where in it things stand, each as [start, end)."""

    pieces: Ids  #: (T,)
    parts: Ids  #: (T,) 1 the question, 2 the one before, 3 earlier, 4 names, 5 cells, 0 marks
    places: Ids  #: (T,) the position of each; every column begins at the same one
    columns: Ids  #: (C, 2)
    shown: Ids  #: (M,) the values that are in the text
    cells: Ids  #: (M, 2)
    constants: Ids  #: (K, 2) where the question states each; (0, 0) if not found
    words: Ids  #: (the question's content words, 2)
    phrases: NDArray[
        np.float32
    ]  #: (V, 2) 1 where the question, and the one before, has a value's words one after the other


@dataclass(frozen=True, eq=False)
class Texts:
    """The pieces of some texts, end to end."""

    pieces: Ids
    owner: Ids  #: which text each belongs to


class Reader:
    """Turns prepared questions into readings, each once while its table lives.

    Args:
        wordpieces: what pieces there are.
        cells: how many cells of a table are read.
        usual: how many values of columns that have few are read, whatever was asked.
    """

    def __init__(self, wordpieces: Wordpieces, cells: int, usual: int = 0) -> None:
        self.wordpieces, self.cells, self.usual = wordpieces, cells, usual
        self._known = Kept[QuestionText](KEPT_READINGS)
        self._texts = Kept[tuple[object, Texts]](KEPT_READINGS)

    @cached_property
    def manner(self) -> tuple[str, int, int]:
        """All that a reading of a question depends on besides the question."""
        return self.wordpieces.tokenizer.to_str(), self.cells, self.usual

    def keep(self, most: int) -> None:
        """Set how many readings and lists of texts are kept, those not used for longest go."""
        self._known.keep(most)
        self._texts.keep(most)

    def __call__(self, question: Prepared) -> QuestionText:
        """Return a question's reading."""
        key = (question.question, question.history, len(question.values))
        found = self._known.get(question.table, key)
        return found or self._known.put(question.table, key, self._read(question))

    def texts(self, texts: tuple[tuple[str, ...], ...], table: Table) -> Texts:
        """Return the pieces of a table's names or values; kept while the same are asked for."""
        found = self._texts.get(table, id(texts))
        if found is None:
            lines = [[p for word in self.wordpieces.ids(text) for p in word] for text in texts]
            pieces = np.array([piece for line in lines for piece in line[:LONGEST_CELL]], np.int64)
            owner = np.repeat(
                np.arange(len(lines)), [min(LONGEST_CELL, len(line)) for line in lines]
            )
            found = self._texts.put(table, id(texts), (texts, Texts(pieces, owner)))
        return found[1]

    def _read(self, question: Prepared) -> QuestionText:
        text = _Text(self.wordpieces)
        asked = text.add(question.question, 1, LONGEST_QUESTION)
        earlier = [tokenise(line) for line in reversed(question.history)][:BEFORE]
        for place, line in enumerate(earlier):
            text.mark()
            text.add(line, 2 + min(place, 1), LONGEST_QUESTION // 2)
        shown = _shown(question, self.cells, self.usual)
        columns, cells, numbers = [], [], []
        for column, name in enumerate(question.names):
            text.begin(TABLE_START)
            text.mark()
            columns.append(text.span(name, 4, NAME))
            for value in shown.get(column, ()):
                text.mark(",")
                cells.append(text.span(question.values[value], 5, LONGEST_CELL))
                numbers.append(value)
        constants = constants_in(question.text)
        stated = [tokenise(c.written) for c in _stated(constants, len(question.before_constant))]
        return QuestionText(
            np.array(text.pieces, np.int64),
            np.array(text.parts, np.int64),
            np.array(text.places, np.int64),
            _spans(columns),
            np.array(numbers, np.int64),
            _spans(cells),
            _spans([_place(question.question, words, asked) for words in stated]),
            _spans([_place(question.question, (w.text,), asked) for w in constants.words]),
            _phrases(question),
        )


class _Text:
    """The text while it is put together."""

    def __init__(self, wordpieces: Wordpieces) -> None:
        self.wordpieces = wordpieces
        self.pieces, self.parts, self.places = [wordpieces.cls], [0], [0]
        self.place = 1

    def add(self, words: Sequence[str], part: int, longest: int) -> list[tuple[int, int]]:
        """Add words, at most `longest` pieces, and return where each stands."""
        places = []
        start = len(self.pieces)
        for pieces in self.wordpieces.ids(words):
            if len(self.pieces) + len(pieces) > start + longest:
                pieces = ()
            places.append((len(self.pieces), len(self.pieces) + len(pieces)))
            self._put(pieces, part)
        return places

    def span(self, words: Sequence[str], part: int, longest: int) -> tuple[int, int]:
        """Add words and return where they stand together."""
        start = len(self.pieces)
        self.add(words, part, longest)
        return start, len(self.pieces)

    def mark(self, sign: str = "") -> None:
        """Add what separates texts."""
        pieces = self.wordpieces.ids([sign])[0] if sign else (self.wordpieces.sep,)
        self._put(pieces, 0)

    def begin(self, place: int) -> None:
        """Let what comes stand from a place on."""
        self.place = place

    def _put(self, pieces: Sequence[int], part: int) -> None:
        self.pieces += pieces
        self.parts += [part] * len(pieces)
        self.places += range(self.place, self.place + len(pieces))
        self.place += len(pieces)


def _stated(constants: Constants, count: int) -> Sequence[Number | Date]:
    """The numbers and dates on a question's axis.

    Number words are among them where the language has them.
    """
    if len(constants.numbers) + len(constants.dates) == count:
        return (*constants.numbers, *constants.dates)
    numbers = dict.fromkeys((*constants.numbers, *constants.number_words))
    return (*numbers, *constants.dates)


def _spans(places: Sequence[tuple[int, int]]) -> Ids:
    return np.array(places, np.int64).reshape(len(places), 2)


def _place(
    tokens: Sequence[str], words: Sequence[str], places: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """Where the first of some words stands in the question."""
    for word in words[:1]:
        if word in tokens:
            return places[tokens.index(word)]
    return 0, 0


def _shown(question: Prepared, most: int, usual: int) -> dict[int, list[int]]:
    """The values that share most content words with the last two questions, by column.

    With them those of columns that have few, whatever was asked: "American" is told from `USA`
    only if both are read. They are sorted alphabetically within a column, so that row order cannot
    leak in.
    """
    asked = frozenset(question.question) - FUNCTION_WORDS
    before = frozenset(question.previous_question) - FUNCTION_WORDS
    near = np.flatnonzero(question.value_surface[:, 1] + question.value_surface[:, 3] > 0)
    rated = []
    for value in near.tolist():
        words = frozenset(question.values[value]) - FUNCTION_WORDS
        now, then = (len(words & some) or _near(words, some) for some in (asked, before))
        if now or then:
            rating = -(2 * now + then) / (1 + len(words))
            rated.append((rating, question.values[value], value))
    chosen = {value for _, _, value in sorted(rated)[:most]}
    chosen |= set(_usual(question, usual)) if usual else set()
    found: dict[int, list[int]] = {}
    columns = question.axes.values[0]
    for value in sorted(chosen, key=lambda value: (question.values[value], value)):
        found.setdefault(int(columns[value]), []).append(value)
    return found


def _near(words: frozenset[str], asked: frozenset[str]) -> float:
    """How many words are near a word that was asked, or codes for it, each counting half."""
    meant = (
        stands_for_any(word, asked) or any(are_near(word, one) for one in asked) for word in words
    )
    return sum(meant) / 2


def _usual(question: Prepared, most: int) -> list[int]:
    """The values of the columns that have few, those with the fewest first, at most so many."""
    columns, table = question.axes.values[0], question.table
    counts = [len(column.values) for column in table.columns]
    chosen: list[int] = []
    for column in sorted(range(len(counts)), key=counts.__getitem__):
        if 1 < counts[column] <= min(FEW, len(table) / 2, most - len(chosen)):
            chosen += np.flatnonzero(columns == column).tolist()
    return chosen


def _phrases(question: Prepared) -> NDArray[np.float32]:
    """(V, 2) whether a value's words stand in sequence in the question, and in the one before."""
    found = np.zeros((len(question.values), 2), np.float32)
    for side, tokens in enumerate((question.question, question.previous_question)):
        text = f" {' '.join(tokens)} "
        for value in np.flatnonzero(question.value_surface[:, 2 * side] > 0).tolist():
            found[value, side] = f" {' '.join(question.values[value])} " in text
    return found
