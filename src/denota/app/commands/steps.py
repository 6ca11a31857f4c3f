"""`denota evaluate --each-step`: what each step of `understand` brings, on any data set.

Every variant answers the same conversations, each with its own history. The parser rates a question
once for all variants that ask it the same in the same context.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from denota.app.paths import load_run
from denota.conversation.answers import answer_of, understand_conversations
from denota.conversation.asked import Asked
from denota.conversation.rating import RatedProgram, rate_all
from denota.conversation.steps import Step
from denota.conversation.understand import ONLY_MODEL, steps_of
from denota.data.example import Example, Question, conversations
from denota.evaluation.metrics import Key, is_answered
from denota.evaluation.predict import in_form_of
from denota.model.parser import Parser
from denota.search.preparer import Preparer

GROUP: Final = 32
"""Conversations that are answered together."""
Judge = Callable[[Key, Asked], bool]
"""Whether a question, as it was understood, is answered right."""


def measure_steps(
    run: str | Path,
    questions: Sequence[Question],
    is_right: Judge,
    progress: Callable[[int], None] = lambda done: None,
) -> list[dict[str, Any]]:
    """Return a line for the whole pipeline, for each step left out, and for the model alone.

    Args:
        run: its folder, a saved parser, or `default`.
        questions: of any number of conversations.
        is_right: judges an answer.
        progress: is told of questions answered since it was last told.
    """
    parser = load_run(run)
    variants = _variants(parser)
    found: dict[str, dict[Key, Asked]] = {name: {} for name in variants}
    talks = conversations(questions)
    for start in range(0, len(talks), GROUP):
        group = [question for talk in talks[start : start + GROUP] for question in talk]
        preparer = Preparer.of(parser.config, kept=2 * GROUP, operators=parser.language)
        rate = _Remembering(parser, preparer)
        for name, pipeline in variants.items():
            found[name] |= understand_conversations(group, parser, rate, pipeline)
        progress(len(group))
    right = {
        name: {key: is_right(key, one) for key, one in asked.items()}
        for name, asked in found.items()
    }
    return [_line(name, found[name], right[name], right["all steps"]) for name in variants]


def judge_by(gold: Mapping[Key, Example]) -> Judge:
    """Return what judges answers by their gold cells or values."""

    def is_right(key: Key, asked: Asked) -> bool:
        (answer,) = in_form_of(gold, {key: answer_of(asked)}).values()
        return is_answered(gold[key], answer)

    return is_right


def _variants(parser: Parser) -> dict[str, tuple[Step, ...]]:
    whole = steps_of(parser)
    left_out = [step.name for step in whole if step not in ONLY_MODEL]
    return {
        "all steps": whole,
        **{f"without {name}": steps_of(parser, [name]) for name in left_out},
        "only the model": ONLY_MODEL,
    }


def _line(
    name: str, found: Mapping[Key, Asked], right: Mapping[Key, bool], whole: Mapping[Key, bool]
) -> dict[str, Any]:
    sure = [right[key] for key, asked in found.items() if asked.sure and not asked.reason]
    return {
        "variant": name,
        "questions": len(right),
        "right": sum(right.values()),
        "accuracy": round(100 * sum(right.values()) / max(1, len(right)), 2),
        "gained": sum(whole[key] and not right[key] for key in right),
        "lost": sum(right[key] and not whole[key] for key in right),
        "declined": sum(bool(asked.reason) for asked in found.values()),
        "sure": len(sure),
        "sure_right": sum(sure),
    }


class _Remembering:
    """Rates each question once, whoever asks it in the same context."""

    def __init__(self, parser: Parser, preparer: Preparer) -> None:
        self.parser, self.preparer = parser, preparer
        self.known: dict[tuple[Any, ...], tuple[RatedProgram, ...]] = {}

    def __call__(self, asked: Sequence[Asked]) -> list[tuple[RatedProgram, ...]]:
        keys = [(id(a.table), a.plain, a.before.questions, a.before.previous) for a in asked]
        new = {key: one for key, one in zip(keys, asked, strict=True) if key not in self.known}
        if new:
            given = [(one.question, one.before.previous) for one in new.values()]
            self.known |= dict(zip(new, rate_all(self.parser, self.preparer, given), strict=True))
        return [self.known[key] for key in keys]
