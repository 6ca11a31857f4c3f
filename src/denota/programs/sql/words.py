"""Whether a text has a word: LIKE or a plain regular expression where they find the same."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from denota.programs.sql.cleaning import MOST_WRITTEN
from denota.programs.sql.readings import Reading
from denota.programs.sql.recipes import PLAIN
from denota.tokens import lower, tokenise


def having_word(reading: Reading, cell: Any, word: str, dialect: str) -> Any:
    """Return the test, or the list of the column's texts that have the word.

    Every form is tried on the column's texts, the shortest first: a regular expression cannot say
    in few letters what separates words in all scripts.
    """
    texts = [text for text in reading.column.values if text]
    having = {text for text in texts if word in tokenise(text)}
    if reading.kind != "text":
        return sorted(having)
    folds = dialect not in ("sqlite", "mysql")
    if (folds or word.isascii()) and having == {text for text in texts if word in lower(text)}:
        like = exp.ILike if folds else exp.Like
        return like(this=cell, expression=exp.Literal.string(f"%{word}%"))
    if dialect not in PLAIN:
        for pattern in word_patterns(word):
            if having == {text for text in texts if pattern.search(text)}:
                return _matches(cell, pattern, dialect)
    if len(having) <= MOST_WRITTEN or dialect in PLAIN:
        return sorted(having)
    return _matches(cell, word_patterns(word)[-1], dialect)


def word_patterns(word: str) -> list[re.Pattern[str]]:
    """Return regular expressions for a word in any case of its letters, the shortest first."""
    own = re.escape(word)
    bodies = [rf"\b{own}\b", rf"(^|[^a-z]){own}($|[^a-z])"]
    if word[0] <= "9":
        own = ",?".join(re.escape(digit) for digit in word)
        around = rf"(^|[^0-9.,]){own}($|[^0-9.,])", rf"(^|[^0-9]){own}($|[^0-9])"
        bodies = [rf"\b{own}\b", *around]
    return [re.compile(body, re.ASCII | re.IGNORECASE) for body in bodies]


def _matches(cell: Any, pattern: re.Pattern[str], dialect: str) -> Any:
    body = pattern.pattern.replace(r"\b", r"\y") if dialect == "postgres" else pattern.pattern
    return exp.RegexpLike(this=cell, expression=exp.Literal.string(f"(?i){body}"))
