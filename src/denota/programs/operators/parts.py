"""Aggregates that give a part of each cell's text: what stands first, in brackets, its numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from denota.programs.denotation import Value
from denota.programs.operators.declare import AggregateOperator, Needs
from denota.tables.table import Table

_NUMBER: Final = r"[0-9]+(?:,[0-9]+)*(?:\.[0-9]+)?"
PARTS: Final = {
    "first_part": r"^([^,;/|\n(]*[^,;/|\n( \xa0])[ \xa0]*[,;/|\n(]",
    "last_part": r"[,;/|\n][ \xa0]*([^,;/|\n \xa0](?:[^,;/|\n]*[^,;/|\n \xa0])?)$",
    "in_brackets": r"\(([^()]+)\)",
    "year_part": r"(?:^|[^0-9])(1[5-9][0-9][0-9]|20[0-9][0-9])(?:$|[^0-9])",
    "number_part": rf"^[^0-9]*({_NUMBER})",
    "second_number": rf"^[^0-9]*{_NUMBER}[^0-9]+({_NUMBER})",
    "two_numbers": rf"^[^0-9]*({_NUMBER})[^0-9]+({_NUMBER})",
}
"""Where the parts of a cell's text stand, in the syntax of re and of RE2. No two repeats in a row
can take the same characters, so that a long cell costs its length and no more."""


def _parts(
    name: str,
    keyword: str,
    english: str,
    pattern: str,
    combine: Callable[..., Value],
    needs: Needs = "trigger",
) -> AggregateOperator:
    compiled = re.compile(PARTS[pattern])

    def part(text: str) -> Value | None:
        found = compiled.search(text)
        return combine(*found.groups()) if found else None

    def meaning(table: Table, rows: Sequence[int], columns: Sequence[int]) -> tuple[Value, ...]:
        found = (part(table.columns[column].text[row]) for row in rows for column in columns)
        return tuple(value for value in found if value is not None)

    return AggregateOperator(
        name=name,
        keyword=keyword,
        english=f"the {english} {{cells}}",
        meaning=meaning,
        sql=lambda names, columns: names.part(columns[0], name),
        of=("any",),
        part=part,
        needs=needs,
        example=f"{keyword} (SELECT Season WHERE Crew IS MAX)",
    )


def _most_common(of: AggregateOperator) -> AggregateOperator:
    """Return the operator that gives the most common of the parts that another gives."""

    def meaning(table: Table, rows: Sequence[int], columns: Sequence[int]) -> tuple[Value, ...]:
        times = Counter(of.meaning(table, rows, columns))
        most = max(times.values(), default=0)
        return tuple(value for value, count in times.items() if count == most)

    return replace(
        of,
        name=f"most_common_{of.name}",
        keyword=f"MOST COMMON {of.keyword}",
        english=f"the most common {of.english.removeprefix('the ')}",
        meaning=meaning,
        sql=lambda names, columns: names.most_common_part(columns[0], of.name),
        most_common=True,
        needs="trigger",
        example=f"MOST COMMON {of.keyword} (SELECT Season)",
    )


def _stated(text: str) -> float:
    return float(text.replace(",", ""))


def _difference(one: str, two: str) -> float:
    return abs(_stated(one) - _stated(two))


def _sum(one: str, two: str) -> float:
    return _stated(one) + _stated(two)


FIRST_PART = _parts("first_part", "FIRST PART", "first part of", "first_part", str, "nothing")
PART_AGGREGATES: Final = (
    FIRST_PART,
    _most_common(FIRST_PART),
    _parts("last_part", "LAST PART", "last part of", "last_part", str, "nothing"),
    _parts("in_brackets", "BRACKETS", "text in brackets of", "in_brackets", str, "nothing"),
    _parts("year_part", "YEAR", "year of", "year_part", _stated),
    _parts("number_part", "FIRST NUMBER", "first number of", "number_part", _stated),
    _parts("second_number", "SECOND NUMBER", "second number of", "second_number", _stated),
    _parts(
        "difference_inside",
        "DIFFERENCE INSIDE",
        "difference of the two numbers of",
        "two_numbers",
        _difference,
    ),
    _parts("sum_inside", "SUM INSIDE", "sum of the two numbers of", "two_numbers", _sum),
)


def read_part(name: str, text: str) -> Value | None:
    """Return the part of a text that an aggregate gives, None if it has none.

    >>> read_part("in_brackets", "Oslo (Norway)")
    'Norway'
    """
    part = next(one.part for one in PART_AGGREGATES if one.name == name)
    return part(text) if part is not None else None
