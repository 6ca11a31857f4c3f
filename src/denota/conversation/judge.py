"""Answers to many questions, judged: what a confidence is fitted to and measured by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import Final

import numpy as np

from denota.conversation.answers import rating_with, understand_conversations
from denota.conversation.asked import Asked
from denota.conversation.doubt import ORDER, features_of
from denota.conversation.rating import RatedProgram
from denota.conversation.steps import Step
from denota.conversation.understand import STEPS, distinct_ways, steps_of
from denota.data.example import Example, Question, conversations
from denota.evaluation.calibration import Outcome
from denota.evaluation.judged import Judged, joined
from denota.evaluation.metrics import Key, is_answered
from denota.evaluation.order import Choices
from denota.evaluation.predict import gold_of, in_form_of, key_of
from denota.generate.unanswerable import drawn
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


def judge_examples(
    parser: Parser, data: str, examples: Sequence[Example], rng: Random
) -> list[Judged]:
    """Answer and judge questions of a data set, and unanswerable ones drawn from them."""
    gold = gold_of(examples)

    def right(question: Question, way: RatedProgram) -> bool:
        (answer,) = in_form_of(gold, {key_of(question): way.answer}).values()
        return is_answered(gold[key_of(question)], answer)

    found = judge(parser, data, [example.question for example in examples], right)
    return joined(found, judge_unsaid(parser, data, drawn(examples, rng)))


def choices_of(parser: Parser, data: str, examples: Sequence[Example]) -> list[Choices]:
    """Return the readings of a data set's questions, of which some is right, as they are rated."""
    gold = gold_of(examples)
    pipeline = steps_of(parser, (*OUTCOMES, "order"))
    found: list[Choices] = []
    for asked in _understood(parser, [one.question for one in examples], pipeline):
        for key, one in asked.items():
            answers = [{key: way.answer} for way in one.ranked]
            right = [is_answered(gold[key], in_form_of(gold, own)[key]) for own in answers]
            if any(right):
                features = [features_of(one, way, None, ORDER) for way in one.ranked]
                rated = np.array([way.probability for way in one.ranked])
                found.append(Choices(data, rated, np.array(features), np.array(right)))
    return found


def judge_unsaid(parser: Parser, data: str, unsaid: Sequence[tuple[str, Question]]) -> list[Judged]:
    """Answer questions that their tables do not answer, each with how it was made so."""
    ways = {question.id: way for way, question in unsaid}
    questions = [question for _, question in unsaid]
    return judge(parser, data, questions, lambda q, way: False, lambda q: ways[q.id])


def judge(
    parser: Parser,
    data: str,
    questions: Sequence[Question],
    is_right: IsRight,
    unsaid: Callable[[Question], str] = lambda question: "",
) -> list[Judged]:
    """Answer questions as a chat does and judge the readings of each.

    Args:
        parser: what answers.
        data: the name of the data set.
        questions: of any number of conversations.
        is_right: judges a reading.
        unsaid: how a question was made unanswerable, empty if it was not.
    """
    pipeline = steps_of(parser, OUTCOMES)
    found: list[Judged] = []
    asked: dict[Key, Asked] = {}
    for some in _understood(parser, questions, pipeline):
        asked |= some
    for talk in conversations(questions):
        last: int | None = None
        for question in talk:
            one = asked[key_of(question)]
            readings = [*islice(distinct_ways(one, pipeline), READINGS)] if one.best else []
            found.append(
                Judged(
                    data,
                    question.table_file,
                    question.text,
                    _features(one),
                    tuple(is_right(question, way) for way in readings),
                    unsaid(question),
                    last if _follows(one) else None,
                    one.confidence,
                    _told_of(one, parser),
                    declined=one.best is None,
                )
            )
            if one.best is not None:
                last = len(found) - 1
    return found


def _understood(
    parser: Parser, questions: Sequence[Question], pipeline: Sequence[Step]
) -> Iterator[dict[Key, Asked]]:
    """Yield questions as a chat understands them, a group of conversations at a time."""
    talks = conversations(questions)
    for start in range(0, len(talks), GROUP):
        group = [question for talk in talks[start : start + GROUP] for question in talk]
        preparer = Preparer.of(parser.config, kept=2 * GROUP, operators=parser.language)
        yield understand_conversations(group, parser, rating_with(parser, preparer), pipeline)


def _told_of(asked: Asked, parser: Parser) -> Outcome:
    """What the parser tells of an answer as it is."""
    for step in STEPS:
        if step.name in OUTCOMES and step.change is not None:
            asked = step.change(asked, parser)
    if asked.reason:
        return "declined"
    return "ask_back" if asked.asks_back else "sure" if asked.sure else "unsure"


def _features(asked: Asked) -> tuple[float, ...]:
    if asked.best is None:
        return ()
    return tuple(features_of(asked, asked.best, asked.other).tolist())


def _follows(asked: Asked) -> bool:
    """Whether an answer builds on the one before."""
    if asked.best is None:
        return False
    return asked.best is asked.settled or SCOPES[asked.best.program.scope].follows
