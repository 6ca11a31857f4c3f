"""Many conversations answered at once, each question with the answers before it as its context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from denota.conversation.asked import Asked, Context
from denota.conversation.rating import RatedProgram, rate_all
from denota.conversation.steps import Step
from denota.conversation.understand import Rate, understand_all
from denota.data.example import Example, Question, conversations
from denota.evaluation.metrics import Key
from denota.evaluation.predict import key_of
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.search.preparer import Preparer

NOTHING = Denotation((), ())
"""The answer to a question that is declined."""


def understand_conversations(
    questions: Sequence[Question],
    parser: Parser,
    rate: Rate,
    pipeline: Sequence[Step],
    gold: Mapping[Key, Example] | None = None,
) -> dict[Key, Asked]:
    """Understand every question as a chat would that asks one after the other.

    Args:
        questions: of any number of conversations, in any order.
        parser: knows words and confidence.
        rate: rates the programs of questions, as `rating_with` does.
        pipeline: the steps of `understand`.
        gold: the examples, if the context is to be the right cells where they are known.
    """
    found: dict[Key, Asked] = {}
    turns = conversations(questions)
    contexts = [Context() for _ in turns]
    for turn in range(max(map(len, turns), default=0)):
        now = [number for number, own in enumerate(turns) if turn < len(own)]
        asked = [Asked.of(turns[n][turn].text, turns[n][turn].table, contexts[n]) for n in now]
        for number, one in zip(now, understand_all(asked, parser, rate, pipeline), strict=True):
            key = key_of(turns[number][turn])
            found[key] = one
            contexts[number] = _after(one, gold.get(key) if gold is not None else None)
    return found


def rating_with(parser: Parser, preparer: Preparer, cells: bool = False) -> Rate:
    """Return what rates programs by a parser.

    Args:
        parser: what rates them.
        preparer: makes questions ready for it.
        cells: whether answers are cells: programs that give values are left out, where others are.
    """

    def rate(asked: Sequence[Asked]) -> list[tuple[RatedProgram, ...]]:
        given = [(one.question, one.before.previous) for one in asked]
        found = rate_all(parser, preparer, given) if given else []
        return [_of_cells(programs) for programs in found] if cells else found

    return rate


def _of_cells(programs: tuple[RatedProgram, ...]) -> tuple[RatedProgram, ...]:
    return tuple(one for one in programs if one.answer.values is None) or programs


def answer_of(asked: Asked) -> Denotation:
    """Return the answer to a question, no cells if it was declined."""
    return NOTHING if asked.reason or asked.best is None else asked.best.answer


def _after(asked: Asked, gold: Example | None) -> Context:
    """The context of the next question."""
    known = gold.cells if gold is not None else None
    if known:
        questions = (*asked.before.questions, asked.plain)
        return replace(Context(questions), previous=Denotation.of_cells(known))
    if asked.reason or asked.best is None:
        return asked.before
    return asked.after(asked.best.program, asked.best.answer)
