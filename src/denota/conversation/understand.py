"""What a question means: question, conversation and table to ranked programs with a confidence.

Everything that answers and everything that measures calls `understand`, or `understand_all` for
many questions at once. STEPS is the whole pipeline; any step but `parse` and `take` can be left
out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from denota.conversation import steps
from denota.conversation.asked import Asked
from denota.conversation.confidence import chances_of, is_sure, share_with_before
from denota.conversation.rating import RatedProgram, alike
from denota.conversation.requests import computes
from denota.conversation.steps import Step
from denota.errors import ConfigError
from denota.model.parser import Parser

Rate = Callable[[Sequence[Asked]], list[tuple[RatedProgram, ...]]]
"""What rates the programs of questions, best first."""
PARSE: Final = Step("parse", "the parser rates programs")
TAKE: Final = Step("take", "the first program is taken, with the parser's confidence")
ONLY_MODEL: Final = (PARSE, TAKE)
"""The parser alone: the paper's runs are measured so."""
STEPS: Final = (
    Step("spelling", "mistyped words are read as the table's", steps.spelling),
    Step("mentions", "values, numbers and dates are found", steps.mentions),
    Step("requests", "counts, sums, averages are taken apart", steps.requests, cells_only=True),
    Step("groups", "the groups of a value are taken apart", steps.groups),
    Step("differences", "two rows to compare are taken apart", steps.differences, cells_only=True),
    Step("decline", "what no program can say is declined", steps.decline),
    Step("change_constant", '"and in 1907?" changes the last program', steps.change_constant),
    Step("repeat", '"how many is that?" is about the last answer', steps.repeat, cells_only=True),
    Step("scope", "a question that starts afresh is asked of the whole table", steps.scope),
    PARSE,
    Step("one_cell", "what is computed of one cell is that cell", steps.one_cell),
    Step("order", "readings that leave out less come first", steps.order),
    Step("coverage", "programs that use what is named come first", steps.coverage),
    Step("request_order", "order for a request", steps.request_order),
    Step("ties", "all tied rows are taken", each=steps.ties, cells_only=True),
    Step("compute", "the requested value is computed", each=steps.compute),
    TAKE,
    Step("doubt", "less sure of what leaves out something named", steps.doubt),
    Step("not_said", "what the table does not seem to say is declined", steps.not_said),
    Step("about_the_table", "questions off the topic are declined", steps.about_the_table),
    Step("ask_back", "two readings that are close are asked back", steps.ask_back),
)
"""All steps, in order. Those before `parse` change the question, those after it its programs."""


def steps_of(parser: Parser, without: Sequence[str] = ()) -> tuple[Step, ...]:
    """Return the steps for a parser, without some.

    Raises:
        ConfigError: there is no such step, or it cannot be left out.
    """
    names = [step.name for step in STEPS if step not in ONLY_MODEL]
    for name in without:
        if name not in names:
            raise ConfigError(f"there is no step {name}; the steps are {', '.join(names)}")
    can = computes(parser.language)
    return tuple(
        step for step in STEPS if step.name not in without and not (can and step.cells_only)
    )


def understand(asked: Asked, parser: Parser, rate: Rate, pipeline: Sequence[Step] = STEPS) -> Asked:
    """Return a question with its best program, its confidence, or the reason to decline it."""
    return understand_all([asked], parser, rate, pipeline)[0]


def understand_all(
    questions: Sequence[Asked], parser: Parser, rate: Rate, pipeline: Sequence[Step] = STEPS
) -> list[Asked]:
    """Understand questions of different conversations; the parser reads them together."""
    parse, take = pipeline.index(PARSE), pipeline.index(TAKE)
    before = [_changed(asked, parser, pipeline[:parse]) for asked in questions]
    rated = iter(rate([one for one in before if one.needs_parser]))
    found = []
    for asked in before:
        if asked.needs_parser:
            programs = next(rated)
            asked = replace(asked, rated=programs, ranked=programs)
            asked = _changed(asked, parser, pipeline[parse + 1 : take])
        asked = _taken(asked, parser, pipeline)
        found.append(_changed(asked, parser, pipeline[take + 1 :]))
    return found


def ways(asked: Asked, pipeline: Sequence[Step] = STEPS) -> Iterator[RatedProgram]:
    """Yield the programs in the order to take them, each as the `each` steps change it."""
    if asked.settled is not None:
        yield asked.settled
    for one in asked.ranked:
        way: RatedProgram | None = one
        for step in pipeline:
            if step.each is not None and way is not None:
                way = step.each(way, asked)
        if way is not None:
            yield way


def distinct_ways(asked: Asked, pipeline: Sequence[Step] = STEPS) -> Iterator[RatedProgram]:
    """Yield the programs in the order to take them, the first of each answer."""
    seen: list[RatedProgram] = []
    for way in ways(asked, pipeline):
        if not any(alike(way.answer, other.answer) for other in seen):
            seen.append(way)
            yield way


def _taken(asked: Asked, parser: Parser, pipeline: Sequence[Step]) -> Asked:
    found = [] if asked.reason else [*islice(distinct_ways(asked, pipeline), 2)]
    if not found:
        reason = asked.reason or steps.cannot_compute(asked.request)
        return replace(asked, reason=reason)
    way, other = found[0], found[1] if len(found) > 1 else None
    chances = chances_of(asked, way, other, parser)
    sure = asked.before.sure if way is asked.settled else is_sure(chances.right, parser)
    share = share_with_before(asked, way)
    return replace(
        asked,
        best=way,
        other=other,
        chances=chances,
        confidence=chances.right,
        sure=sure,
        share=share,
    )


def _changed(asked: Asked, parser: Parser, some: Sequence[Step]) -> Asked:
    for step in some:
        if step.change is not None:
            asked = step.change(asked, parser)
    return asked


def with_programs(
    asked: Asked, parser: Parser, rate: Rate, pipeline: Sequence[Step] = STEPS
) -> Asked:
    """Return a question with the parser's programs in order, where a step answered without them."""
    if asked.rated:
        return asked
    parse, take = pipeline.index(PARSE), pipeline.index(TAKE)
    programs = rate([asked])[0]
    asked = replace(asked, rated=programs, ranked=programs)
    return _changed(asked, parser, pipeline[parse + 1 : take])
