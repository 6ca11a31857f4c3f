"""What the language cannot say is declined with a sentence and not answered by something else.

The rules look for words that ask for more than picking cells, counting and adding up. A word of the
table itself, in a column's name or a cell, is no such sign: a column `Percent` can be asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from denota.conversation.mentions import named_in
from denota.conversation.requests import AggregateRequest, looks_up
from denota.conversation.words import words_of
from denota.inflect import singular
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, tokenise

NO_GROUPS: Final = "I cannot group rows like that"
NO_SHARES: Final = "I cannot work out shares and percentages"
NO_ARITHMETIC: Final = "I cannot compare amounts like that"
NO_FORMULAS: Final = "I cannot multiply, divide or compare with an average"
CAN: Final = (
    "I can pick cells by conditions, count, add up and average them, by group too, and say how much"
    " two rows differ"
)
CAN_COMPUTE: Final = (
    "I can pick cells by conditions, count, add up and average them, by group too, and compare them"
)


def reason_to_decline(
    question: str, table: Table, request: AggregateRequest | None = None, computes: bool = False
) -> str | None:
    """Return a sentence if a question asks for what no program can say, else None.

    Args:
        question: as it was asked.
        table: what it is about.
        request: what rules say it wants computed, if anything.
        computes: whether the parser itself groups, compares and computes.

    >>> table = Table.from_rows(["City", "People", "Percent"], [["Oslo", "709037", "3"]])
    >>> reason_to_decline("what is the median of people?", table)[:77] + "..."
    'I cannot work out medians and the like; I can pick cells by conditions, count...'
    >>> reason_to_decline("what percent has Oslo?", table) is None
    True
    """
    words = tokenise(question)
    if not any(any(letter.isalnum() for letter in word) for word in words):
        return f"There are no words in that. {_about(table)}"
    if _is_foreign(words, table):
        return f"I only read English. {_about(table)}"
    can = CAN_COMPUTE if computes else CAN
    if _ARITHMETIC.search(question):
        what = "I cannot calculate with numbers of your own" if computes else NO_ARITHMETIC
        return f"{what}; {can}."
    text = " ".join(words)
    if _SMALL_TALK.fullmatch(text):
        return f"I only answer questions about this table. {_about(table)}"
    for pattern, what in _RULES:
        found = pattern.search(text)
        if computes and what in _COMPUTED:
            continue
        if request is not None and _is_taken_apart(what, request):
            continue
        if found is not None and not _is_said(found[0], table):
            return f"{what}; {can}."
    if request is not None and _asks_for_groups(text, request, table):
        return f"{NO_GROUPS}; {CAN}."
    return None


def _is_taken_apart(what: str, request: AggregateRequest) -> bool:
    """Whether rules make of it what the language can say."""
    apart = {NO_GROUPS: bool(request.group), NO_ARITHMETIC: request.versus is not None}
    return apart.get(what, False)


def _is_said(cue: str, table: Table) -> bool:
    """Whether the table itself says what looks like a cue."""
    words = {singular(word) for word in cue.split()} - FUNCTION_WORDS
    return not (words_of(table).names | words_of(table).all).isdisjoint(words)


def _asks_for_groups(text: str, request: AggregateRequest, table: Table) -> bool:
    """Whether a value is wanted for each of several: `per country`, `by country`."""
    if request.group:
        return False
    if request.kind == "count" and (request.each or looks_up(request, table)):
        return False  # a column may hold it
    names = [" ".join(tokenise(name)) for name in table.names]
    found = _GROUPS.search(text)
    if found is not None:
        return not any(found[0] in name for name in names)
    by = re.search(r"\bby (?:the )?(\w+)$", text)
    return by is not None and any(singular(by[1]) in map(singular, n.split()) for n in names)


def off_topic(question: str, table: Table) -> bool:
    """Say whether no word of a question is the table's: no name, no value or code, no number.

    >>> table = Table.from_rows(["City", "People"], [["Oslo", "709037"]])
    >>> off_topic("write me a poem", table), off_topic("which cities are there?", table)
    (True, False)
    """
    words = {singular(word) for word in tokenise(question)} - FUNCTION_WORDS
    if any(word[0].isdigit() for word in words):
        return False
    return words.isdisjoint(words_of(table).all) and not named_in(question, table)


def nothing_found(table: Table) -> str:
    """Say that a question seems to be about something else."""
    return f"I find nothing of that in this table. {_about(table)}"


def not_said_of(words: Sequence[str], table: Table) -> str:
    """Say that a table has nothing about some words of a question.

    >>> table = Table.from_rows(["City", "People"], [["Oslo", "709037"]])
    >>> not_said_of(["prizes"], table)
    'The table does not say: I find nothing about “prizes” in it. Ask about City, People.'
    """
    if not words:
        return f"The table does not say. {_about(table)}"
    named = " or ".join(f"“{word[:40]}”" for word in words[:3])
    return f"The table does not say: I find nothing about {named} in it. {_about(table)}"


def _about(table: Table) -> str:
    names = [" ".join(name.split())[:40] for name in table.names[:6]]
    more = " and more" if len(table.names) > 6 else ""
    return f"Ask about {', '.join(names)}{more}."


def _is_foreign(words: tuple[str, ...], table: Table) -> bool:
    """Whether most letters are of another script, and no word is the table's."""
    letters = [letter for word in words for letter in word if letter.isalpha()]
    latin = sum(letter < "\u0250" for letter in letters)
    if not letters or 2 * latin >= len(letters):
        return False
    return words_of(table).all.isdisjoint(words)


def _rule(pattern: str, what: str) -> tuple[re.Pattern[str], str]:
    return re.compile(rf"\b(?:{pattern})(?:\b|(?<= ))"), what


_RULES: Final = (
    _rule(
        r"median|standard deviation|variance|quartile|percentile|correlat\w+|regression"
        r"|distribution|histogram|outliers?",
        "I cannot work out medians and the like",
    ),
    _rule(
        r"percent|percentage|proportion|fraction|ratio (?:of|between)|share of",
        NO_SHARES,
    ),
    _rule(
        r"multipl\w+|divided by|plus \d+|\d+ plus|square root|gr(?:ew|ow|owth) rate"
        r"|than (?:the |an )?average",
        NO_FORMULAS,
    ),
    _rule(
        r"differences? (?:between|in)|the difference|subtract\w*|minus"
        r"|how (?:much|many) (?:more|less|fewer|longer|shorter|higher|lower|bigger|larger|smaller"
        r"|taller|heavier|older|younger|faster|better)"
        r"|(?:twice|half|double) (?:as|the)|times (?:as|more|larger|bigger|higher)"
        r"|increased? from|change from",
        NO_ARITHMETIC,
    ),
    _rule(
        r"(?:appears?|occurs?|shows? up|listed) (?:more than once|(?:at least )?twice)|duplicates?",
        "I cannot look for what stands in the table several times",
    ),
    _rule(
        r"grouped by|group (?=(?:\w+ ){1,3}by\b)|broken down|break down|breakdown"
        r"|most (?:common|frequent|often)|least (?:common|frequent)"
        r"|(?:appears?|occurs?|shows? up|listed) (?:the )?most",
        NO_GROUPS,
    ),
    _rule(
        r"^(?:but |and |so )?why|how come|what (?:caused|made|explains)|explain"
        r"|reasons? (?:for|why|behind)|what do you think|your opinion|should (?:i|we)|recommend\w*"
        r"|advice",
        "I cannot say why, or what to think of it: I only read what the table says",
    ),
    _rule(
        r"predict\w*|forecast\w*|next year|in the future|extrapolat\w+|estimate|trends?|^will"
        r"|what will|tomorrow|how (?:many|much) (?=(?:\w+ ){0,3}will\b)|what if",
        "I cannot look beyond what the table says",
    ),
    _rule(
        r"^(?:please |can you |could you )?(?:plot|draw|chart|graph|visuali[sz]e|describe"
        r"|translate)|(?:make|draw|show|give|create|plot) (?:me |us )?(?:a |the )?(?:\w+ )?"
        r"(?:plot|chart|graph|diagram|histogram)"
        r"|summari[sz]e|summary|write (?:me |us )?(?:a|an|some)|write (?=\w+ code)"
        r"|poem|joke|story|email",
        "I only answer with cells of the table and values of them",
    ),
    _rule(
        r"^(?:please |can you |could you )?(?:delete|remove|drop|add(?! up)|insert|append|rename"
        r"|update|change|replace|fill|save|export|import|sort|convert|multiply|divide)",
        "I only answer questions: the table stays as it is",
    ),
)
"""Words that ask for what there is no program for, and what to say then."""
_COMPUTED: Final = (NO_SHARES, NO_ARITHMETIC, NO_GROUPS)
"""What parsers that compute do."""
_GROUPS: Final = re.compile(r"\b(?:for (?:each|every)|each|per) \w+")
_ARITHMETIC: Final = re.compile(r"\d\s*[*×÷+^]\s*\d")
_SMALL_TALK: Final = re.compile(
    r"(?:hello|hi|hey|good (?:morning|evening|afternoon|day)|thanks?|thank you|cheers|bye|goodbye"
    r"|ok|okay|please|help|help me|test|how are you|who are you|what are you|what can you do)"
    r"(?: (?:there|denota|you|so much|very much|a lot|please|all))*"
)
