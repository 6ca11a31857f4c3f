"""What a question wants of each group of rows: "total revenue by region", "the most common team".

A column that repeats its values makes groups. A question names it behind "per", "by" or "each", or
asks which of its values has the most in all. Without that it asks for the cells of all groups.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Literal

from denota.conversation.requests import (
    AggregateRequest,
    holds,
    is_amount,
    request_in,
    without_cue,
)
from denota.inflect import singular
from denota.programs.index import index_of
from denota.tables.column import Column
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, tokenise

LONGEST_NAME: Final = 4
"""The most words with which a question names a column."""


def group_request(question: str, table: Table) -> AggregateRequest | None:
    """Return what a question wants of each group, or of which group it wants the most.

    None if it says nothing of groups.

    >>> rows = [["Oslo", "North", "3"], ["Moss", "South", "4"], ["Rome", "South", "5"]]
    >>> table = Table.from_rows(["City", "Region", "Visitors"], rows)
    >>> found = group_request("total visitors by region", table)
    >>> found.kind, found.group, found.question
    ('sum', 'Region', 'what are the visitors')
    >>> group_request("which region has the most cities?", table).rank
    'most'
    >>> group_request("which cities are in each region?", table) is None
    True
    """
    return _best_group(question, table) or _each_group(question, table)


def _each_group(question: str, table: Table) -> AggregateRequest | None:
    for cue in _EACH.finditer(question):
        named = _named_column(question[cue.end() :], table)
        if named is None:
            continue
        column, length = named
        after = question[cue.end() + length :]
        if cue["by"] and _goes_on_with_a_value(after, column):
            continue
        of_theirs = re.match(r"['’]s?\b", after)
        after = f"the {after[of_theirs.end() :]}" if of_theirs else after
        rest = _joined(question[: cue.start()], after)
        request = request_in(rest, table) or _column_in(rest, table)
        if request is None or request.each:
            continue
        if _makes_groups(column, table):
            own = rest if request.done or _is_held(request, table) else _of_all(request.question)
            return replace(request, question=own, group=column.name, done=False)
        if request.kind == "average" and cue["per"]:
            return request  # goals per game, where each row is a game
    return None


def _column_in(rest: str, table: Table) -> AggregateRequest | None:
    """The sum of a column of amounts whose own name says "total", and that the rest consists of."""
    words = [singular(word) for word in tokenise(rest) if word not in FUNCTION_WORDS]
    for column in table.columns:
        name = [singular(word) for word in tokenise(column.name) if word not in FUNCTION_WORDS]
        if name == words and "total" in name and is_amount(column):
            return AggregateRequest("sum", f"what is the {column.name}")
    return None


def _best_group(question: str, table: Table) -> AggregateRequest | None:
    common = _MOST_COMMON.search(question)
    if common is not None:
        named = _named_column(question[common.end() :], table)
        if named is None or not _makes_groups(named[0], table):
            return None
        rest = _joined(question[: common.start()], question[common.end() :])
        asked = rest if _ASKS.match(rest) else f"what is the {rest}"
        return AggregateRequest("count", asked, group=named[0].name, rank=_rank(common[1]))
    which = _WHICH.match(question)
    named = _named_column(question[which.end() :], table) if which is not None else None
    if which is None or named is None or not _makes_groups(named[0], table):
        return None
    column, length = named
    after = question[which.end() + length :]
    often = _MOST_OFTEN.search(after)
    if often is not None:
        rest = _joined(question[: which.end() + length], after[: often.start()])
        rest = _joined(rest, after[often.end() :])
        return AggregateRequest("count", rest, group=column.name, rank=_rank(often[1]))
    most = _MOST.search(after)
    if most is None or is_amount(column):
        return None
    before, what = after[: most.start()], after[most.end() :]
    kinds: tuple[Literal["sum", "average"], ...] = ("sum", "average")
    for kind in kinds:
        cells = without_cue(f"{most['of']} {what}", kind, table)
        if cells is not None:
            asked = f"what are the {_joined(_NUMBER_OF.sub('', cells), _HAS.sub('', before))}"
            # no operator takes the largest average: all of them are told
            every = kind != "sum"
            rank = "" if every else _rank(most[1])
            return AggregateRequest(kind, asked, group=column.name, rank=rank, every=every)
    if not (most[1].lower() in _MANY or _NUMBER_OF.search(most["of"])):
        return None
    noun = tokenise(what)[:1]
    if not noun or any(_may_hold(other, tokenise(what)[:2]) for other in table.columns):
        return None
    within = _WITHIN.search(before)
    return AggregateRequest(
        "count",
        _joined(f"which {what.rstrip(' ?.!')}", within[0] if within else ""),
        group=column.name,
        rank=_rank(most[1]),
    )


def _of_all(question: str) -> str:
    """The question in the plural: cells of all groups are wanted."""
    return re.sub(r"^what(?:'s| is| was)(?= )", "what are", question, flags=re.IGNORECASE)


def _may_hold(column: Column, noun: Sequence[str]) -> bool:
    """Whether a column has the number of what a noun says in each row."""
    name = {singular(word) for word in tokenise(column.name)} - FUNCTION_WORDS
    return is_amount(column) and any(singular(word) in name for word in noun)


def _is_held(request: AggregateRequest, table: Table) -> bool:
    return request.kind == "count" and any(holds(column, request.noun) for column in table.columns)


def _rank(word: str) -> Literal["most", "least"]:
    return "least" if word.lower() in _LEAST else "most"


def _makes_groups(column: Column, table: Table) -> bool:
    return index_of(table).columns[table.names.index(column.name)].makes_groups


def _named_column(text: str, table: Table) -> tuple[Column, int] | None:
    """The column that a text begins with in words, and how long its name is there."""
    words: list[re.Match[str]] = []
    for found in _WORD.finditer(text):
        between = text[words[-1].end() if words else 0 : found.start()].strip()
        if between or len(words) == LONGEST_NAME:  # a comma or the like ends a name
            break
        words.append(found)
    said = [singular(word[0].lower()) for word in words]
    for same in (_near, _means_the_same):
        likely = [
            (_preference(fit, column, table), -place, count, column)
            for count in range(1, len(words) + 1)
            for place, column in enumerate(table.columns)
            if (fit := _fit(said[:count], column, same))
        ]
        if likely:
            *_, count, column = max(likely, key=lambda one: (one[0], one[2], one[1]))
            return column, words[count - 1].end()
    return None


def _preference(fit: int, column: Column, table: Table) -> tuple[bool, int, float]:
    texts = column.values[:50]
    words = sum(any(letter.isalpha() for letter in text) for text in texts)
    return _makes_groups(column, table), fit, words / max(len(texts), 1)


def _fit(said: Sequence[str], column: Column, same: Callable[[str, str], bool]) -> int:
    """How well words name a column: 3 in full, 2 by some of its words, 1 with others before."""
    outside = column.name.split("(")[0] or column.name
    name = [singular(word) for word in tokenise(outside)]
    own = [word for word in name if word not in FUNCTION_WORDS]
    words = [word for word in said if word not in FUNCTION_WORDS]
    if not own or not words or said[-1] in FUNCTION_WORDS or said[0] in FUNCTION_WORDS:
        return 0
    if not any(same(words[-1], other) for other in own):
        return 0
    all_said = all(any(same(word, other) for word in words) for other in own)
    all_known = all(any(same(word, other) for other in own) for word in words)
    return 3 if all_said and all_known else 2 if all_known else 1 if all_said else 0


def _near(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= 5 and long.startswith(short))


def _means_the_same(one: str, other: str) -> bool:
    return one == other or any(one in words and other in words for words in _SAME)


def _goes_on_with_a_value(after: str, column: Column) -> bool:
    """Whether "by team Alpha" is meant, and not "by team"."""
    said = f"{' '.join(tokenise(after))} "
    values = (" ".join(tokenise(value)) for value in column.values if len(value) <= 80)
    return any(value and said.startswith(f"{value} ") for value in values)


def _joined(before: str, after: str) -> str:
    rest = " ".join(f"{before.rstrip(' ,;:')} {after.lstrip(' ,;:')}".split())
    return rest.replace(" ?", "?").replace(" .", ".")


_WORD: Final = re.compile(r"[\w.&/-]*\w")
_EACH: Final = re.compile(
    r"(?:(?<!sorted )(?<!ordered )(?<!ranked )(?<!sort )(?<!order )(?<!rank )\b"
    r"(?:(?:when |if )?(?:grouped|group|broken down|split|separated|divided|arranged) )?"
    r"(?P<by>by)(?: (?:each|every))?"
    r"|\b(?P<per>per)"
    r"|\b(?:(?:for|in|of|from|at|on|with|to|within|across|among|did|does|do|has|have|had"
    r"|is|are|was|were) )?(?:each|every))\b\s+(?:(?:of the|the|single|individual|different)\s+)*",
    re.IGNORECASE,
)
_WHICH: Final = re.compile(
    r"\W*(?:(?:and|but|so|then|please|tell me|of those,?|of these,?|of them,?)\s+)*"
    r"(?:which|what|whose)\s+(?:(?:one of )?the\s+)?",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"\W*(?:what|which|who|show|give|tell|name|list|find)\b", re.IGNORECASE)
_MOST_COMMON: Final = re.compile(
    r"\b(most|least)[ -](?:common|frequent|frequently \w+|often \w+|commonly \w+)\s+", re.IGNORECASE
)
_MOST_OFTEN: Final = re.compile(
    r"\b(?:(?:appears?|appeared|occurs?|occurred|comes? up|shows? up|turns? up|features?|"
    r"is listed|are listed|is mentioned|is there|is named)\s+(?:the\s+)?)"
    r"(most|least)(?:\s+(?:often|frequently|times|commonly|common))?",
    re.IGNORECASE,
)
_MOST: Final = re.compile(
    r"\b(?:the\s+)?(most|highest|largest|greatest|biggest|fewest|least|lowest|smallest)\b"
    r"(?P<of>(?:\s+(?:total|average|mean|combined|overall|(?:sum|number|amount|count) of|the)\b)*)",
    re.IGNORECASE,
)
_NUMBER_OF: Final = re.compile(r"\b(?:number|amount|count) of\b", re.IGNORECASE)
_HAS: Final = re.compile(r"\b(?:has|have|had|got|gets|with|is|was|are|were)\s*(?:the\s*)?$")
_WITHIN: Final = re.compile(r"\b(?:in|from|of|at|for|on|since|before|after|with|among)\b.*(?= )")
_MANY: Final = ("most", "fewest", "least")
_LEAST: Final = ("least", "fewest", "lowest", "smallest")
_SAME: Final = tuple(
    frozenset(words.split())
    for words in (
        "country nation nationality",
        "city town place location",
        "state province region area",
        "league division competition tournament",
        "team club squad side",
        "maker manufacturer make brand company firm producer",
        "kind type category class genre style sort",
        "customer client buyer",
        "product item article",
        "author writer",
        "sex gender",
        "role position job",
    )
)
"""Nouns that people use for each other; a column's own name comes first."""
