"""Made-up questions to learn from before the real ones: the generator's conversations about given tables, as examples."""

from __future__ import annotations

from collections.abc import Sequence

from denota.data import Cells, Example, Question
from denota.generate.conversation import generate
from denota.programs.operators import LANGUAGES
from denota.tables.table import Table


def made_up_examples(
    tables: Sequence[Table], count: int, seed: int = 0, language: str = "extended"
) -> tuple[Example, ...]:
    """Return at least so many questions about tables, whole conversations, each table as often as any other.

    Only programs that select cells are asked for. The same seed gives the same questions.

    >>> table = Table.from_rows(["City", "People"], [["Oslo", "709,037"], ["Bergen", "291,940"], ["Moss", "50,290"]])
    >>> first, *_ = made_up_examples([table], 20)
    >>> first.question.id, len(first.cells) > 0
    ('made-0', True)
    """
    found: list[Example] = []
    for number, one in enumerate(generate(tables, seed, language=LANGUAGES[language])):
        if len(found) >= count:
            break
        asked: tuple[str, ...] = ()
        for position, turn in enumerate(one.turns):
            question = Question(
                f"made-{number}", "0", position, turn.question, one.table, one.table.name, asked
            )
            found.append(Example(question, Cells(turn.answer.cells)))
            asked = (*asked, turn.question)
    return tuple(found)
