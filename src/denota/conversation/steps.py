"""The steps of `understand`: each takes a question and returns it with more known about it.

A step is a pure function of the question and the parser. `each` steps change one program at a time,
so that only the programs that somebody looks at are changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from denota.conversation import ordering
from denota.conversation.asked import Asked, Context
from denota.conversation.change_constant import with_another_constant
from denota.conversation.confidence import less_where_left_out, sees_doubt
from denota.conversation.decline import (
    CAN,
    NO_GROUPS,
    not_said_of,
    nothing_found,
    off_topic,
    reason_to_decline,
)
from denota.conversation.differences import difference_request
from denota.conversation.doubt import unknown_words
from denota.conversation.grouping import group_request
from denota.conversation.mentions import named_in
from denota.conversation.one_cell import as_cell
from denota.conversation.rating import RatedProgram
from denota.conversation.requests import (
    AggregateRequest,
    computed,
    computes,
    gives_groups,
    plain_question,
    repeated,
    request_in,
    singles_out,
)
from denota.conversation.scope import starts_afresh
from denota.conversation.spelling import respelled
from denota.conversation.ties import with_ties
from denota.errors import DataError, ProgramError
from denota.evaluation.calibration import Outcome
from denota.model.parser import Parser
from denota.programs.execute import execute
from denota.tokens import tokenise

Change = Callable[[Asked, Parser], Asked]
ChangeEach = Callable[[RatedProgram, Asked], RatedProgram | None]
UNLIKELY = 0.35
"""The confidence below which a question without a word of the table is about something else."""
_THEIRS = frozenset("their they them these those its".split())
"""Words for the last answer's rows."""


@dataclass(frozen=True)
class Step:
    """A named step."""

    name: str
    help: str
    change: Change | None = None
    """Changes the question as a whole."""
    each: ChangeEach | None = None
    """Changes one program; None drops it."""
    cells_only: bool = False
    """Whether it is for parsers that pick cells and compute nothing."""


def spelling(asked: Asked, parser: Parser) -> Asked:
    """Write mistyped words as the table does."""
    text, changed = respelled(asked.typed, asked.table, parser.scorer.knows)
    return replace(asked, text=text, plain=text, respelled=changed)


def scope(asked: Asked, parser: Parser) -> Asked:
    """Forget what was before, where the question has nothing to do with it."""
    before = asked.before
    rows = len(before.previous.rows) if before.previous is not None else 0
    if not asked.needs_parser or not before.questions:
        return asked
    if starts_afresh(asked.text, asked.table, before.questions, rows):
        return replace(asked, before=Context())
    return asked


def mentions(asked: Asked, parser: Parser) -> Asked:
    """Find the values, numbers and dates that the question names."""
    return replace(asked, named=named_in(asked.text, asked.table))


def requests(asked: Asked, parser: Parser) -> Asked:
    """Take a question for a count, sum or average apart: the value, and a question for cells."""
    request = request_in(asked.text, asked.table)
    plain = plain_question(asked.text, request, asked.table)
    return replace(asked, request=request, plain=plain)


def groups(asked: Asked, parser: Parser) -> Asked:
    """Take a question for a value of each group apart: the groups, and a question for cells.

    A parser that computes is asked the whole question where it opens a subject: its readings say
    which rows are meant. Which group has the most in all is left to it; of the largest average,
    which it cannot say, it is asked for the cells.
    """
    request = group_request(asked.text, asked.table)
    if request is None:
        return asked
    can = computes(parser.language)
    if can and request.rank:
        return asked
    before = asked.before if _goes_on(asked.text, request) else Context()
    whole = can and not before.questions and not request.every
    plain = asked.plain if whole else request.question
    return replace(asked, request=request, plain=plain, before=before)


def _goes_on(text: str, request: AggregateRequest) -> bool:
    """Whether groups are wanted of the last answer: its rows are meant, or none are named."""
    return not request.says_more or not _THEIRS.isdisjoint(tokenise(text))


def differences(asked: Asked, parser: Parser) -> Asked:
    """Take a question for the difference between two rows apart: the rows, and what to compare."""
    request = difference_request(asked.text, asked.table)
    if request is None:
        return asked
    return replace(asked, request=request, plain=request.question, before=Context())


def decline(asked: Asked, parser: Parser) -> Asked:
    """Decline what no program can say."""
    can = computes(parser.language)
    reason = reason_to_decline(asked.text, asked.table, asked.request, can)
    return replace(asked, reason=reason or "")


def change_constant(asked: Asked, parser: Parser) -> Asked:
    """Answer "and in 1907?" after a computed value with the last program and the new constant."""
    before = asked.before
    if not asked.needs_parser or before.program is None or before.program.aggregate is None:
        return asked
    program = with_another_constant(asked.text, before.program, asked.table)
    try:
        found = execute(program, asked.table) if program is not None else None
    except ProgramError:
        return asked
    if program is None or found is None:
        return asked
    return replace(asked, request=None, settled=RatedProgram.certain(program, found, found))


def repeat(asked: Asked, parser: Parser) -> Asked:
    """Answer "how many is that?" with a value of the last answer."""
    request, previous = asked.request, asked.before.previous
    if not asked.needs_parser or request is None or request.says_more:
        return asked
    try:
        program = repeated(request, asked.table, previous)
    except DataError as error:
        return replace(asked, reason=str(error))
    found = execute(program, asked.table, previous)
    value = computed(program, found, request, asked.table)
    if value is None:
        return replace(asked, reason=cannot_compute(request))
    return replace(asked, settled=RatedProgram.certain(*value, found))


def one_cell(asked: Asked, parser: Parser) -> Asked:
    """Take the sum, average, smallest or largest of one cell for the cell."""
    rated = tuple(as_cell(one, asked.table) for one in asked.rated)
    return replace(asked, rated=rated, ranked=rated)


def order(asked: Asked, parser: Parser) -> Asked:
    """Put readings that account for more of the question first, as far as that was fitted."""
    known = parser.calibration.order if parser.calibration is not None else None
    if known is None or not asked.ranked or asked.ranked[0].probability >= ordering.CERTAIN:
        return asked
    return replace(asked, ranked=ordering.by_evidence(asked, known))


def coverage(asked: Asked, parser: Parser) -> Asked:
    """Prefer likely programs that use what the question names."""
    if asked.request is not None or not asked.ranked:
        return asked
    likely = ordering.LIKELY_COMPUTED if computes(parser.language) else ordering.LIKELY
    return replace(asked, ranked=ordering.by_mentions(asked.ranked, asked.named, likely))


def request_order(asked: Asked, parser: Parser) -> Asked:
    """Order the programs whose cells are counted or added up."""
    if asked.request is None or not asked.ranked:
        return asked
    if asked.request.group and not asked.named:
        return asked  # all rows are in some group
    own = (asked.plain, asked.named, asked.request)
    return replace(asked, ranked=ordering.for_request(asked.ranked, *own))


def ties(way: RatedProgram, asked: Asked) -> RatedProgram:
    """Take all rows that are tied for the largest or smallest."""
    return with_ties(way, asked.table, asked.before.previous)


def compute(way: RatedProgram, asked: Asked) -> RatedProgram | None:
    """Compute the requested value of the program's cells."""
    request = asked.request
    if request is not None and request.group and singles_out(way.program, request):
        return None
    if request is None or (request.group and gives_groups(way.program, request)):
        return way
    program, answer = way.program, way.answer
    if program.aggregate is not None:
        if program.compare is not None:
            return None
        program = replace(program, aggregate=None)
        answer = replace(answer, values=None, groups=())
    value = computed(program, answer, request, asked.table)
    return None if value is None else replace(way, program=value[0], answer=value[1])


def doubt(asked: Asked, parser: Parser) -> Asked:
    """Be less sure of an answer that leaves out what the question names.

    A confidence that sees doubt has taken that into account.
    """
    if asked.best is None or asked.best is asked.settled or sees_doubt(parser) is not None:
        return asked
    own = (asked.confidence, asked.sure)
    confidence, sure = less_where_left_out(asked, asked.best, *own)
    return replace(asked, confidence=confidence, sure=sure)


def not_said(asked: Asked, parser: Parser) -> Asked:
    """Decline what the table does not seem to say.

    A first question that has no word of the table, and of which it is doubtful that the table says
    it, has no two readings to ask back about.
    """
    outcome = None if asked.best is None else _outcome(asked, parser)
    off = asked.opens and off_topic(asked.text, asked.table)
    if asked.best is None or not (outcome == "declined" or (outcome == "ask_back" and off)):
        return asked
    if off:
        return replace(asked, reason=nothing_found(asked.table))
    words = unknown_words(asked, asked.best)
    return replace(asked, reason=not_said_of(words, asked.table))


def about_the_table(asked: Asked, parser: Parser) -> Asked:
    """Decline a first question with no word of the table, unless the parser is confident.

    A confidence that sees doubt has taken that into account.
    """
    if asked.reason or asked.confidence >= UNLIKELY or sees_doubt(parser) is not None:
        return asked
    off = asked.opens and off_topic(asked.text, asked.table)
    return replace(asked, reason=nothing_found(asked.table)) if off else asked


def ask_back(asked: Asked, parser: Parser) -> Asked:
    """Ask which of two readings is meant, where neither is sure."""
    back = asked.other is not None and _outcome(asked, parser) == "ask_back"
    return replace(asked, asks_back=back)


def _outcome(asked: Asked, parser: Parser) -> Outcome | None:
    """What comes of a question, where that was fitted and no step before has decided it."""
    known = sees_doubt(parser)
    if asked.reason or asked.best is asked.settled or known is None:
        return None
    return known.outcome(asked.chances)


def cannot_compute(request: AggregateRequest | None) -> str:
    """Return the sentence for a value that cannot be computed."""
    if request is not None and request.each:
        return f"{NO_GROUPS}; {CAN}."
    if request is None or request.kind == "count":
        return (
            "I can count different values only in the whole table or in the last answer:"
            " ask for the rows first, then how many different ones there are."
        )
    return (
        f"I found no column of numbers for the {request.kind} that you ask for;"
        " name it as it is in the table's head."
    )
