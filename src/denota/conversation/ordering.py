"""The order in which a question's programs are taken: the parser's, corrected by what is named.

The parser's second choice is often better where its first passes over a value that the question
names. Each function is a step of `understand`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from denota.conversation.asked import Asked
from denota.conversation.doubt import features_of
from denota.conversation.mentions import unused
from denota.conversation.rating import RatedProgram
from denota.conversation.requests import OF_THOSE, AggregateRequest
from denota.evaluation.order import Order
from denota.programs.operators import SCOPES, TESTS
from denota.programs.tree import Program

Programs = tuple[RatedProgram, ...]
CERTAIN: Final = 0.9
"""From this probability on the best program stays the best: on no data set that orders were tried
on did another become it, and what a parser was taught has more."""
LIKELY: Final = 0.6
"""The least share of the best program's probability with which another may be taken first."""
LIKELY_COMPUTED: Final = 0.15
"""The same for a parser that computes, which has many more programs to share out probability to.
Of 0.6, 0.3, 0.15, 0.1 and 0.05 it gained the most right answers, those that it lost counted off,
over questions of six data sets, the part of the real tables to choose by among them."""
POSSIBLE: Final = 0.02
"""The same where a value is computed: nobody notices rows too many or too few in a sum."""


def by_evidence(asked: Asked, known: Order) -> Programs:
    """Order the programs by how they are rated and how much of the question they leave out."""
    ways = asked.ranked
    rated = np.array([way.probability for way in ways])
    features = np.array([features_of(asked, way, None, known.features) for way in ways])
    order = np.argsort(-known.scores(rated, features), kind="stable")
    return tuple(ways[place] for place in order)


def by_mentions(ways: Programs, named: Sequence[str], likely_from: float = LIKELY) -> Programs:
    """Of the likely programs put those first that leave out the least of what is named."""

    def left_out(way: RatedProgram) -> int:
        likely = way.probability >= likely_from * ways[0].probability
        return len(unused(named, way.program)) if likely else len(named) + 1

    return tuple(sorted(ways, key=left_out))


def for_request(
    ways: Programs, question: str, named: Sequence[str], request: AggregateRequest
) -> Programs:
    """Order the programs whose cells a value is computed of.

    Programs that the question bears out come first; those that go on with the last answer, if the
    question says "of those", before the others; those that single out a row by rank come last. All
    rows are taken only if no possible program says more of the question, because a parser learns
    that first questions often ask for whole columns.
    """
    those = OF_THOSE.search(question) is not None
    best = ways[0].probability

    def rank(way: RatedProgram) -> tuple[bool, int, bool]:
        possible = way.probability >= POSSIBLE * best
        follows = SCOPES[way.program.scope].follows
        one_row = len(way.answer.rows) == 1 and _has(way.program, _BY_RANK)
        ranks = request.kind != "count" and one_row
        left_out = len(unused(named, way.program)) if possible else len(named) + 1
        return those and not follows, left_out, not (possible and way.grounded and not ranks)

    order = sorted(ways, key=rank)
    first = order[0]
    if first.program.where is not None:
        return tuple(order)
    possible = [way for way in order if way.probability >= POSSIBLE * first.probability]
    chosen = min(possible, key=lambda way: (rank(way), way.recall_missed))
    return (chosen, *(way for way in order if way is not chosen))


def _has(program: Program, operators: Sequence[str]) -> bool:
    return any(test.operator in operators for test in program.tests)


_BY_RANK: Final = tuple(name for name, test in TESTS.items() if test.one_row)
