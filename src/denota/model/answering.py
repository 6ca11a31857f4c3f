"""What a parser needs of a scorer to answer: scores of axis entries, as arrays.

Two kinds of scorer do this: modules of torch (`model.scorer`), which can be trained, and arrays
alone (`model.light`), which start in a fraction of the time. Nothing here knows of torch. B
questions, L axis entries, D dimensions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from denota.model.names import RowNames
from denota.search.axes import BLOCKS, BREADTHS, FIXED, OUTCOMES, RELATIONS
from denota.search.exact import Floats, Ids, RefineArrays
from denota.search.prepare import Prepared


@dataclass(frozen=True, eq=False)
class Scored:
    """The axes of questions that were scored together."""

    entries: Floats  #: (B, L) the score of each entry
    offsets: Ids  #: (blocks,) where each block begins
    asked: Floats | None  #: (B, D) what an encoder makes of the questions' words
    refine: RefineArrays | None
    """What adds to the scores of whole programs, for a scorer that refines."""
    said: Floats | None = None
    """(B,) whether the tables say what is asked for, in log-odds, for a scorer that tells."""


class AnswerScorer(Protocol):
    """Scores the axis entries of questions."""

    @property
    def outcome(self) -> bool:
        """Whether conditions are scored by what they would answer as well."""

    @property
    def refines(self) -> int:
        """How many of the best programs are refined, each looked at as a whole; 0 for none."""

    @property
    def recall_weight(self) -> float:
        """The weight of the recall feature."""

    @property
    def names(self) -> RowNames:
        """What the rows of its heads are called, and the operators that it is trained with."""

    def scored(self, questions: Sequence[Prepared]) -> Iterable[Scored]:
        """Score the axes of questions; those of a group lie one after the other."""

    def keep(self, most: int) -> None:
        """Set how many readings of questions and texts are kept."""

    def forget(self) -> None:
        """Forget words of tables that may be gone."""

    def knows(self, word: str) -> bool:
        """Say whether a word is known as it is; to one that is not, a like word may be meant."""

    def facts(self) -> dict[str, str]:
        """Return what a saved scorer needs besides its weights."""

    def weights(self) -> Mapping[str, NDArray[np.generic]]:
        """Return its weights as they are saved."""


def widths_of(questions: Sequence[Prepared], outcome: bool = False) -> dict[str, int]:
    """Return the width of each block that fits all questions, with or without outcome blocks."""
    columns = max(len(q.names) for q in questions)
    values = max(1, *(len(q.values) for q in questions))
    constants = max(1, *(len(q.before_constant) for q in questions))
    return {
        **dict.fromkeys(("select", "where", "follow_where"), columns),
        **dict.fromkeys(("equal", "not_equal", "follow_equal", "follow_not_equal"), values),
        "compare": 4 * constants,
        "word": max(1, *(_words(q) for q in questions)),
        "constant": constants,
        **dict.fromkeys(("ranked", "compared", "stated"), columns if outcome else 0),
        "outcome": OUTCOMES if outcome else 0,
        "relation": RELATIONS if outcome else 0,
        "breadth": BREADTHS if outcome else 0,
        "fixed": len(FIXED),
    }


def offsets_of(widths: Mapping[str, int]) -> Ids:
    """(blocks,) where each block begins on the joined axis."""
    return np.cumsum([0, *(widths[name] for name in BLOCKS[:-1])])


def _words(question: Prepared) -> int:
    block = question.axes.condition_block
    words = question.axes.condition_entry[block == BLOCKS.index("word")]
    return int(words.max(initial=0)) + 1
