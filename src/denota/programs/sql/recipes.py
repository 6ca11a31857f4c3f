r"""Ways to read the number or date of a text in SQL, each with the same reading in Python.

A way is taken for a column if its Python form reads what denota reads of every text, or nearly
every: `cleaning` writes the few others out. Engines differ in what they have, so a way may be
written for some of them and not for others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp

PLAIN: Final = frozenset(("sqlite", "tsql"))
"""Dialects without regular expressions."""


@dataclass(frozen=True)
class Recipe:
    """A way to read a text as a number."""

    read: Callable[[str], float | None]
    """What the SQL gives for a text, None for NULL."""
    sql: Callable[[Any, str, Sequence[str]], Any]
    """(column, dialect, its texts) -> the expression, None if the dialect has no words for it."""
    of_years: bool = False
    """Whether it reads years alone."""


def extracted(column: Any, pattern: str, dialect: str, group: int = 0) -> Any:
    """Return the first match of a pattern in a text, or a group of it; NULL or '' for none."""
    text = exp.Literal.string(pattern)
    if dialect == "postgres":
        return exp.Anonymous(this="SUBSTRING", expressions=[column, text])
    if dialect == "mysql" and not group:
        found = exp.Anonymous(this="REGEXP_SUBSTR", expressions=[column, text])
        return exp.Nullif(this=found, expression=exp.Literal.string(""))  # MariaDB gives no NULL
    number = exp.Literal.number(group) if group else None
    return exp.RegexpExtract(this=column, expression=text, group=number)


def as_number(text: Any, dialect: str, kind: str = "double") -> Any:
    """Return a text as a number, NULL where it is none."""
    if dialect in ("postgres", "mysql", "sqlite"):
        return exp.cast(text, kind)
    return exp.TryCast(this=text, to=exp.DataType.build(kind))


def _bare(column: Any, texts: Sequence[str]) -> Any:
    if not any("," in text for text in texts):
        return column
    comma, nothing = exp.Literal.string(","), exp.Literal.string("")
    return exp.Replace(this=column, expression=comma, replacement=nothing)


def _whole(text: str) -> float | None:
    bare = text.replace(",", "").strip()
    return float(bare) if _WHOLE.fullmatch(bare) else None


def _whole_sql(column: Any, dialect: str, texts: Sequence[str]) -> Any:
    if dialect in ("postgres", "mysql", "sqlite"):
        return None  # these have no cast that gives NULL for what is no number
    return as_number(_bare(column, texts), dialect)


def _first(pattern: str, kind: str = "double") -> Recipe:
    """The first match of a pattern, commas left out."""
    compiled = re.compile(pattern)

    def read(text: str) -> float | None:
        found = compiled.search(text.replace(",", ""))
        try:
            return float(found[0]) if found else None
        except ValueError:
            return None

    def sql(column: Any, dialect: str, texts: Sequence[str]) -> Any:
        if dialect in PLAIN:
            return None
        if dialect in ("postgres", "mysql") and pattern.endswith(".]+"):
            return None  # a full stop alone would not be cast
        whole = kind if all(len(text) < 10 for text in texts) else "double"
        return as_number(extracted(_bare(column, texts), pattern, dialect), dialect, whole)

    return Recipe(read, sql, of_years=pattern == YEAR)


def _scaled() -> Recipe:
    """The first number, times a thousand, a million or a billion where the text says so."""
    plain = _first(NUMBER)

    def read(text: str) -> float | None:
        value = plain.read(text)
        factor = next((own for word, own in _SCALES if word in text.lower()), 1)
        return None if value is None else value * factor

    def sql(column: Any, dialect: str, texts: Sequence[str]) -> Any:
        value = plain.sql(column, dialect, texts)
        scaled = any(word in text.lower() for text in texts for word, _ in _SCALES)
        if value is None or not scaled:
            return None
        factor = exp.case()
        for word, own in _SCALES:
            if not any(word in text.lower() for text in texts):
                continue
            like = exp.ILike if dialect in ("duckdb", "postgres") else exp.Like
            says = like(this=column.copy(), expression=exp.Literal.string(f"%{word}%"))
            factor = factor.when(says, exp.Literal.number(own))
        return value * exp.paren(factor.else_(exp.Literal.number(1)), copy=False)

    return Recipe(read, sql)


def _leading() -> Recipe:
    """The number that a text begins with, as SQLite casts texts, behind a sign of money if any."""

    def read(text: str) -> float | None:
        if _DIGIT.search(text) is None:
            return None
        found = _LEADING.match(text.replace(",", "").lstrip(_MONEY))
        return float(found[0]) if found else 0.0

    def sql(column: Any, dialect: str, texts: Sequence[str]) -> Any:
        if dialect != "sqlite":
            return None
        bare = _bare(column.copy(), texts)
        signs = "".join(sign for sign in _MONEY if any(text.startswith(sign) for text in texts))
        if signs:
            bare = exp.Anonymous(this="LTRIM", expressions=[bare, exp.Literal.string(signs)])
        has_digit = exp.Glob(this=column.copy(), expression=exp.Literal.string("*[0-9]*"))
        return exp.case().when(has_digit, exp.cast(bare, "double"))

    return Recipe(read, sql)


def _clock(before: str) -> Recipe:
    """The seconds of a time of day, `0:` put before texts of minutes and seconds."""

    def read(text: str) -> float | None:
        found = _CLOCK.fullmatch(before + text)
        if found is None:
            return None
        hours, minutes, seconds = int(found[1]), int(found[2]), float(found[3] or 0)
        return 3600.0 * hours + 60 * minutes + seconds

    def sql(column: Any, dialect: str, texts: Sequence[str]) -> Any:
        if dialect != "duckdb":
            return None
        text = exp.DPipe(this=exp.Literal.string(before), expression=column) if before else column
        time = exp.TryCast(this=text, to=exp.DataType.build("time"))
        return exp.Anonymous(this="EPOCH", expressions=[time])

    return Recipe(read, sql)


YEAR: Final = "[0-9]{4}"
NUMBER: Final = r"-?[0-9]+(?:\.[0-9]+)?"
_SCALES: Final = (
    *(("thousand", 1_000), ("million", 1_000_000)),
    *(("billion", 1_000_000_000), ("trillion", 1_000_000_000_000)),
)
_DIGIT: Final = re.compile("[0-9]")
_WHOLE: Final = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MONEY: Final = "$£€¥ "
_LEADING: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_CLOCK: Final = re.compile(r"([01]?[0-9]|2[0-3]):([0-5]?[0-9]):([0-5][0-9](?:\.[0-9]{1,6})?)")
NUMBERS: Final = (
    Recipe(_whole, _whole_sql),
    *(_first(YEAR, "int"), _first("[0-9]+", "int")),
    *map(_first, ("[0-9.]+", "-?[0-9.]+", NUMBER)),
    *(_scaled(), _leading(), _clock(""), _clock("0:")),
)
"""The ways to read numbers, plainest first."""
