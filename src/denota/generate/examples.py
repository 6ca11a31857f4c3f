"""Made-up conversations about given tables as examples, to learn from before the real ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from denota.data import Answer, Cells, Example, Question, Values
from denota.generate.conversation import TURNS, Conversation, Turn, generate
from denota.generate.kinds import is_wide
from denota.programs.operators import LANGUAGES
from denota.programs.rewards import denotation_items
from denota.tables.table import Table


def made_up_examples(
    tables: Sequence[Table],
    count: int,
    seed: int = 0,
    language: str = "extended",
    *,
    loose: float = 0.0,
    kinds: Mapping[str, float] | None = None,
    start: int = 0,
) -> tuple[Example, ...]:
    """Return whole conversations of at least `count` questions, each table as often as any other.

    The answer of a program that selects cells is those cells, that of one that computes values is
    the values. In a language with values (`full`) most conversations are a single question.
    The same seed gives the same questions.

    Args:
        tables: what is asked about.
        count: how many questions at least.
        seed: of the questions.
        language: the language of their programs.
        loose: the share worded as people type.
        kinds: the weights of kinds of questions.
        start: the number in the first id.

    >>> rows = [["Oslo", "709,037"], ["Bergen", "291,940"], ["Moss", "50,290"]]
    >>> table = Table.from_rows(["City", "People"], rows)
    >>> first, *_ = made_up_examples([table], 20)
    >>> first.question.id, len(first.cells) > 0
    ('made-0', True)
    """
    operators = LANGUAGES[language]
    turns = TURNS_WITH_VALUES if is_wide(operators) else TURNS
    made = generate(tables, seed, language=operators, turns=turns, loose=loose, kinds=kinds)
    return examples_from(first_of(made, count), start)


def first_of(made: Iterable[Conversation], count: int) -> list[Conversation]:
    """Return the first conversations, so many that they have at least `count` questions."""
    found: list[Conversation] = []
    questions = 0
    for one in made:
        if questions >= count:
            break
        found.append(one)
        questions += len(one.turns)
    return found


def examples_from(
    made: Iterable[Conversation], start: int = 0, programs: bool = False
) -> tuple[Example, ...]:
    """Return conversations as examples, their ids numbered from `start` on.

    With their programs, if these are to be known to who learns from them.
    """
    found: list[Example] = []
    for number, one in enumerate(made, start):
        asked: tuple[str, ...] = ()
        for position, turn in enumerate(one.turns):
            question = Question(
                f"made-{number}", "0", position, turn.question, one.table, one.table.name, asked
            )
            meant = turn.program if programs else None
            found.append(Example(question, _answer(turn, one.table), meant))
            asked = (*asked, turn.question)
    return tuple(found)


def _answer(turn: Turn, table: Table) -> Answer:
    """Return the answer to a question: cells, or values."""
    if turn.answer.values is None:
        return Cells(turn.answer.cells)
    return Values(denotation_items(turn.answer, table))


TURNS_WITH_VALUES: Final = (1, 1, 1, 1, 2, 2, 2, 3)
"""The numbers of turns to choose from in a language with values."""
