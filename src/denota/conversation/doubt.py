"""What an answer's confidence is computed from: named features of a question and its readings.

They say what a person sees: how far program and question cover each other, how close the next
reading is, whether the answer has the shape that the question asks for, and how likely what it
builds on was. Each means the same whatever the data set and the parser; what a table is like does
not, and is left out: it says which data set a question is of. `features_of` is all that the fitted
confidence looks at; `seen` has the facts it is made of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.conversation.asked import Asked
from denota.conversation.decline import off_topic, reason_to_decline
from denota.conversation.grouping import group_request
from denota.conversation.mentions import unused
from denota.conversation.rating import RatedProgram
from denota.conversation.seen import Seen
from denota.conversation.words import words_of
from denota.inflect import singular
from denota.programs.operators import SCOPES, TESTS

LEAST: Final = 1e-12
"""The smallest probability that is told from none."""
_LEAST_REST: Final = math.log(1e-4)
"""What is left of all probability is not told from less."""


def features_of(
    asked: Asked, way: RatedProgram, other: RatedProgram | None, names: Sequence[str] = ()
) -> NDArray[np.float64]:
    """(F,) the features of a question's answer, all of them or those that are named.

    Args:
        asked: the question, with the parser's programs.
        way: the program whose answer it is.
        other: the best program with another answer, if there is one.
        names: of the features wanted.
    """
    seen = Seen(asked, way, other)
    return np.array([float(_FEATURES[name](seen)) for name in names or FEATURES])


def share_of(asked: Asked, way: RatedProgram) -> float:
    """Return how much of all probability the programs with a program's answer have."""
    return Seen(asked, way).share


def unknown_words(asked: Asked, way: RatedProgram) -> tuple[str, ...]:
    """Return the words of a question that neither its program nor its table accounts for."""
    seen = Seen(asked, way)
    unknown = seen.left_out - seen.known
    return tuple(dict.fromkeys(word for word in seen.tokens if singular(word) in unknown))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _log(value: float) -> float:
    return math.log(max(value, LEAST))


def _unused(seen: Seen) -> int:
    return len(unused(seen.asked.named, seen.way.program))


def _siblings(seen: Seen) -> int:
    """Other columns with a word by which the question names a column of the program."""
    by = {word for place in seen.used for word in seen.names[place] & seen.words}
    return sum(bool(own & by) for n, own in enumerate(seen.names) if n not in seen.used)


def _better(seen: Seen) -> bool:
    """Whether the question has the whole name of a column that the program passes over."""
    used = {word for place in seen.used for word in seen.names[place]}
    return any(
        own and own <= seen.words and not own <= used
        for place, own in enumerate(seen.names)
        if place not in seen.used
    )


def _by_one_word(seen: Seen) -> int:
    """Columns of the program whose name has several words, of which the question has one."""
    return sum(
        len(seen.names[place]) > 1 and len(seen.names[place] & seen.words) == 1
        for place in seen.used
    )


def _unmatched(seen: Seen) -> float:
    """The share of the constants' words that the question does not have."""
    words = [word for constant in seen.constants for word in constant]
    return _share(sum(word not in seen.words for word in words), len(words))


def _entropy(seen: Seen) -> float:
    """How spread the probability is over answers, in nats; what was not looked at is one more."""
    some = np.array([*seen.by_answer.values(), 0.0])
    some[-1] = max(0.0, 1.0 - some.sum())
    every = (some + LEAST) / (some + LEAST).sum()
    return float(-(every * np.log(every)).sum())


def _rank(seen: Seen) -> float:
    """How many answers the parser rates higher."""
    answers = [*seen.by_answer]
    own = seen.key(seen.way)
    return math.log1p(answers.index(own) if own in answers else len(answers))


def _select(seen: Seen) -> float:
    """How much of a selected column's name the question has."""
    names = (name for name in seen.way.program.columns if name in seen.places)
    return max((seen.matched(seen.places[name]) for name in names), default=0.0)


def _best_name(seen: Seen) -> float:
    """How much of any column's name the question has."""
    return max((seen.matched(place) for place in range(len(seen.names))), default=0.0)


def _wants_count(seen: Seen) -> bool:
    return seen.asks("how many", "number of", "how often", "how much", "total", "average", "sum")


def _left_average(seen: Seen) -> bool:
    """Whether an average is asked for, and none is taken."""
    wants = seen.asks("average", "mean", "avg") and not _is_called(seen, "average")
    return wants and "average" not in (seen.way.program.aggregate or "")


def _left_share(seen: Seen) -> bool:
    """Whether a part of a whole is asked for, and none is taken."""
    wants = seen.asks("percent", "percentage", "share", "proportion", "fraction")
    program = seen.way.program
    return (
        wants
        and not _is_called(seen, "percentage", "percent", "share")
        and program.compare not in ("share", "ratio")
    )


def _left_groups(seen: Seen) -> bool:
    """Whether something is wanted of each group of rows, and the program makes no groups."""
    program = seen.way.program
    makes = bool(seen.way.answer.groups) or program.then is not None
    wants = seen.asks("each", "for every", "in every") and not _is_called(seen, "each")
    return not makes and (wants or group_request(seen.asked.text, seen.asked.table) is not None)


def _is_called(seen: Seen, *words: str) -> bool:
    """Whether a column of the table is called so; `%` is called percent."""
    return not words_of(seen.asked.table).names.isdisjoint(words)


def _not_yes_or_no(seen: Seen) -> bool:
    """Whether yes or no is asked for, and cells are the answer."""
    program = seen.way.program
    asks = bool(seen.tokens) and seen.tokens[0] in _ASKS_WHETHER
    return asks and program.aggregate is None and program.compare is None


def _tests(seen: Seen, *operators: str) -> bool:
    return any(test.operator in operators for test in seen.way.program.tests)


def _follows(seen: Seen) -> bool:
    return SCOPES[seen.way.program.scope].follows


def _aggregate(seen: Seen, *names: str) -> bool:
    return seen.way.program.aggregate in names


_ASKS_WHETHER: Final = frozenset("is are was were do does did has have had can could".split())
_SUPERLATIVES: Final = tuple(name for name, test in TESTS.items() if test.one_row)
_FEATURES: Final[dict[str, Callable[[Seen], float]]] = {
    # how the parser rates it
    "log_share": lambda s: _log(s.share),
    "log_odds": lambda s: _log(s.share) - _log(s.next_best),
    "log_rest": lambda s: max(_LEAST_REST, _log(1 - s.share)),
    "margin": lambda s: s.share - max(s.others, default=0.0),
    "log_best": lambda s: _log(s.way.probability),
    "entropy": _entropy,
    "answers": lambda s: math.log(max(1, len(s.by_answer))),
    "rank": _rank,
    "same_columns": lambda s: s.agreeing(lambda one: one.model_answer.columns),
    "same_rows": lambda s: s.agreeing(lambda one: one.model_answer.rows),
    "same_scope": lambda s: s.agreeing(lambda one: SCOPES[one.program.scope].follows),
    "same_aggregate": lambda s: s.agreeing(lambda one: one.program.aggregate),
    "critique": lambda s: s.way.critique,
    "recall_missed": lambda s: s.way.recall_missed,
    "ungrounded": lambda s: not s.way.grounded,
    "said": lambda s: s.way.said,
    # how far program and question cover each other
    "named_unused": lambda s: min(2, _unused(s)),
    "left_out": lambda s: min(6, len(s.left_out)),
    "left_out_share": lambda s: _share(len(s.left_out), len(s.words)),
    "left_out_known": lambda s: min(4, sum(w in s.of_table for w in s.left_out)),
    "left_out_unknown": lambda s: min(5, len(s.left_out - s.known)),
    "unknown_share": lambda s: 1 - _share(len(s.known), len(s.words)),
    "constants_unmatched": _unmatched,
    "selected_named": _select,
    "columns_unnamed": lambda s: sum(not s.matched(place) for place in s.used),
    "by_one_word": _by_one_word,
    "siblings": lambda s: min(3, _siblings(s)),
    "better_column": _better,
    "best_name": _best_name,
    "words": lambda s: math.log1p(len(s.tokens)),
    "respelled": lambda s: bool(s.asked.respelled),
    "off_topic": lambda s: off_topic(s.asked.text, s.asked.table),
    "rule_declines": lambda s: bool(
        reason_to_decline(s.asked.text, s.asked.table, s.asked.request, computes=True)
    ),
    # the shape of the answer against the question
    "items": lambda s: math.log1p(s.items),
    "empty": lambda s: not s.items,
    "one_of_many": lambda s: (
        s.items > 1 and s.begins("who", "is", "was", "what") and not s.asks("are", "were", "all")
    ),
    "many_of_one": lambda s: (
        s.items > 1 and s.asks("which one", "what is the", "what was the", "who is", "who was")
    ),
    "who_number": lambda s: s.begins("who") and s.is_number,
    "count_text": lambda s: _wants_count(s) and not s.is_number,
    "number_unasked": lambda s: s.way.program.aggregate is not None and not _wants_count(s),
    "when_other": lambda s: (
        s.begins("when") and not any(c.kind == "date" or c.unit == "year" for c in s.columns)
    ),
    "yes_no_other": _not_yes_or_no,
    "left_average": _left_average,
    "left_share": _left_share,
    "left_groups": _left_groups,
    "sum_of_one": lambda s: _aggregate(s, "sum", "average") and len(s.way.answer.rows) <= 1,
    "counts_none": lambda s: s.way.answer.value == 0.0,
    "all_rows": lambda s: (
        s.way.program.where is None and s.way.program.then is None and not _follows(s)
    ),
    "many_rows": lambda s: _share(len(s.way.answer.rows), len(s.asked.table)),
    # the kind of program
    "conditions": lambda s: len(s.way.program.tests),
    "superlative": lambda s: _tests(s, *_SUPERLATIVES),
    "extreme_twice": lambda s: _aggregate(s, "smallest", "largest") and _tests(s, *_SUPERLATIVES),
    "count": lambda s: _aggregate(s, "count", "count_distinct"),
    "sum": lambda s: _aggregate(s, "sum", "average"),
    "groups": lambda s: bool(s.way.answer.groups),
    "compares": lambda s: s.way.program.compare is not None,
    "step": lambda s: s.way.program.then is not None,
    "negates": lambda s: any(
        t.operator in TESTS and TESTS[t.operator].negates for t in s.way.program.tests
    ),
    # the next reading
    "other_critique": lambda s: s.other.critique if s.other is not None else 0.0,
    "other_unused": lambda s: (
        min(2, len(unused(s.asked.named, s.other.program))) if s.other is not None else 0.0
    ),
    "other_recall": lambda s: s.other.recall_missed if s.other is not None else 1.0,
    # what it builds on
    "later": lambda s: bool(s.asked.before.questions),
    "position": lambda s: math.log1p(len(s.asked.before.questions)),
    "follows": _follows,
    "log_share_before": lambda s: _log(s.asked.before.share) if _follows(s) else 0.0,
}
FEATURES: Final = tuple(_FEATURES)
"""The names of the features, in their order."""
ORDER: Final = (
    *("critique", "recall_missed", "ungrounded", "conditions", "named_unused", "left_out"),
    *("left_out_share", "left_out_known", "left_out_unknown", "constants_unmatched"),
    *("selected_named", "columns_unnamed", "count_text", "number_unasked", "yes_no_other"),
    *("sum_of_one", "counts_none", "empty", "many_rows", "superlative", "step", "negates"),
    *("extreme_twice", "follows", "left_average", "left_share", "left_groups"),
)
"""The features that readings of one question differ in, by which they are put in order."""
_TELLING: Final = (
    *("log_odds", "log_rest", "margin", "entropy", "critique", "recall_missed", "left_out"),
    *("words", "best_name", "selected_named", "columns_unnamed", "items"),
)
TOGETHER: Final = tuple(("follows", name) for name in _TELLING)
"""Features that count together as well: what says whether an answer is right says other things of
one that builds on another, since its words are fewer and its programs compete with fewer."""
