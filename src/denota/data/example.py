"""Questions and examples: what the readers of `data` give and everything after them takes.

A `Question` never holds an answer, so code that is handed questions cannot look at one; an
`Example` is a question with its answer. Questions of one conversation share `sequence` and are
ordered by `position`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from denota.data.answer import Answer, Cells
from denota.tables.table import Cell, Table

if TYPE_CHECKING:
    from denota.programs.tree import Program

LONGEST: Final = 2000
"""The most characters of a question that is answered."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a table, with the questions asked before it.

    >>> table = Table.from_rows(["city"], [["Oslo"], ["Bergen"]])
    >>> Question("q1", "0", 1, "which is larger?", table, "city.csv", ("which cities?",)).sequence
    ('q1', '0')
    """

    id: str
    annotator: str
    position: int  #: 0 for the first question of a conversation
    text: str
    table: Table = field(
        repr=False, hash=False
    )  # equal tables are compared; hashing one would walk all its cells
    table_file: str  #: as the dataset writes it
    history: tuple[str, ...] = ()  #: the earlier questions of the conversation, oldest first
    line: int = field(default=0, compare=False)  #: of its file, counted from 1; 0 if not known

    @property
    def sequence(self) -> tuple[str, str]:
        """The key of the conversation: `(id, annotator)`."""
        return self.id, self.annotator


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its answer."""

    question: Question
    answer: Answer
    meant: Program | None = field(default=None, compare=False)
    """Its program, where that is known: of a made-up question."""
    language: str = field(default="", compare=False)
    """The language that its program is looked for in, if it is a smaller one than the parser's."""

    @property
    def cells(self) -> frozenset[Cell]:
        """The cells that answer it; none where the answer is values."""
        return self.answer.cells if isinstance(self.answer, Cells) else frozenset()


Turn = TypeVar("Turn", Question, Example)


def conversations(turns: Iterable[Turn]) -> tuple[tuple[Turn, ...], ...]:
    """Group questions or examples into conversations, each ordered by position.

    Conversations come in the order of their first turn; the turns of one need not stand together.

    >>> table = Table.from_rows(["city"], [["Oslo"]])
    >>> asked = [("a", 1), ("b", 0), ("a", 0)]
    >>> turns = [Question(id, "0", position, "?", table, "t.csv") for id, position in asked]
    >>> [[(q.id, q.position) for q in turns] for turns in conversations(turns)]
    [[('a', 0), ('a', 1)], [('b', 0)]]
    """
    groups: dict[tuple[str, str], list[Turn]] = {}
    for turn in turns:
        groups.setdefault(_question(turn).sequence, []).append(turn)
    return tuple(
        tuple(sorted(group, key=lambda turn: _question(turn).position)) for group in groups.values()
    )


def _question(turn: Question | Example) -> Question:
    return turn.question if isinstance(turn, Example) else turn
