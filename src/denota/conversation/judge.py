"""Answers to many questions, judged: what a confidence is fitted to and measured by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from denota.conversation.answers import rating_with, understand_conversations
from denota.conversation.asked import Asked
from denota.conversation.doubt import features_of
from denota.conversation.rating import RatedProgram
from denota.conversation.understand import distinct_ways, steps_of
from denota.data.example import Question, conversations
from denota.evaluation.chances import Judged
from denota.evaluation.predict import key_of
from denota.model.parser import Parser
from denota.programs.operators import SCOPES
from denota.search.preparer import Preparer

READINGS: Final = 5
"""Readings of a question that are judged."""
GROUP: Final = 16
"""Conversations that are answered together."""
OUTCOMES: Final = ("not_said", "about_the_table", "ask_back")
"""The steps that decide by the confidence; they are left out while it is looked at."""
IsRight = Callable[[Question, RatedProgram], bool]
"""Whether a reading of a question answers it."""


def judge(
    parser: Parser,
    data: str,
    questions: Sequence[Question],
    is_right: IsRight,
    unsaid: Callable[[Question], str] = lambda question: "",
    progress: Callable[[int], None] = lambda done: None,
) -> list[Judged]:
    """Answer questions as a chat does and judge the readings of each.

    Args:
        parser: what answers.
        data: the name of the data set.
        questions: of any number of conversations.
        is_right: judges a reading.
        unsaid: how a question was made unanswerable, empty if it was not.
        progress: is told of questions answered since it was last told.
    """
    pipeline = steps_of(parser, OUTCOMES)
    found: list[Judged] = []
    talks = conversations(questions)
    for start in range(0, len(talks), GROUP):
        group = talks[start : start + GROUP]
        preparer = Preparer.of(parser.config, kept=2 * GROUP, operators=parser.language)
        rate = rating_with(parser, preparer)
        every = [question for talk in group for question in talk]
        asked = understand_conversations(every, parser, rate, pipeline)
        for talk in group:
            last: int | None = None
            for question in talk:
                one = asked[key_of(question)]
                own = (data, question.table_file, question.text)
                if one.best is None:
                    found.append(Judged(*own, (), (), unsaid(question), declined=True))
                    continue
                follows = SCOPES[one.best.program.scope].follows or one.best is one.settled
                readings = [*islice(distinct_ways(one, pipeline), READINGS)]
                right = tuple(is_right(question, way) for way in readings)
                found.append(
                    Judged(
                        *own,
                        tuple(seen(one)),
                        right,
                        unsaid(question),
                        last if follows else None,
                        one.confidence,
                        one.sure,
                    )
                )
                last = len(found) - 1
        progress(len(every))
    return found


def seen(asked: Asked) -> Iterator[float]:
    """Yield the features of a question's answer."""
    assert asked.best is not None
    return iter(features_of(asked, asked.best, asked.other).tolist())
