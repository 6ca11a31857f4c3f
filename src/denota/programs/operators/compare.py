"""Comparisons of two values: difference, ratio, share, the larger or smaller side."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from denota.programs.operators.declare import CompareOperator, Side


def _divided(left: Any, right: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(right) == 0, np.nan, np.divide(left, right))


def _larger(left: Any, right: Any) -> Any:
    """1 where the left is larger, 2 where the right is, 0 where they are equal."""
    return np.where(left > right, 1, np.where(right > left, 2, 0))


def _sql_difference(left: Any, right: Any) -> Any:
    from sqlglot import exp

    return exp.Abs(this=left - right)


def _sql_ratio(left: Any, right: Any) -> Any:
    from sqlglot import exp

    nothing = exp.Nullif(this=right, expression=exp.Literal.number(0))
    return exp.Literal.number("1.0") * left / nothing


def _sql_share(left: Any, right: Any) -> Any:
    from sqlglot import exp

    nothing = exp.Nullif(this=right, expression=exp.Literal.number(0))
    return exp.Literal.number("100.0") * left / nothing


_TWO_SIDES: Final[frozenset[Side]] = frozenset(("rows", "columns"))

DIFFERENCE = CompareOperator(
    name="difference",
    keyword="DIFFERENCE",
    english="the difference between {left} and {right}",
    over=lambda left, right: np.abs(left - right),
    sql=_sql_difference,
    sides=_TWO_SIDES,
    example="DIFFERENCE (SUM (SELECT Crew WHERE Season = '1891-92' VERSUS Season = '1907-08'))",
)
RATIO = CompareOperator(
    name="ratio",
    keyword="RATIO",
    english="{left} divided by {right}",
    over=_divided,
    sql=_sql_ratio,
    sides=_TWO_SIDES,
    ordered=True,
    example="RATIO (COUNT (ROWS WHERE Ships = '2' VERSUS Ships = '1'))",
)
MORE = CompareOperator(
    name="more",
    keyword="MORE",
    english="whether {left} is more than {right}",
    over=lambda left, right: left > right,
    sql=lambda left, right: left > right,
    sides=_TWO_SIDES,
    gives="yes_no",
    ordered=True,
    example="MORE (SUM (SELECT Crew WHERE Season = '1907-08' VERSUS Season = '1891-92'))",
)
LARGER = CompareOperator(
    name="larger",
    keyword="LARGER",
    english="which is larger, {left} or {right}",
    over=_larger,
    sql=lambda left, right: left > right,
    sides=_TWO_SIDES,
    gives="side",
    example="LARGER (COUNT (ROWS WHERE Leader = 'Tomas Okafor' VERSUS Leader = 'Rui Carvalho'))",
)
SMALLER = CompareOperator(
    name="smaller",
    keyword="SMALLER",
    english="which is smaller, {left} or {right}",
    over=lambda left, right: _larger(right, left),
    sql=lambda left, right: left < right,
    sides=_TWO_SIDES,
    gives="side",
    example="SMALLER (SUM (SELECT Crew, Survived WHERE Season = '1891-92'))",
)
SHARE = CompareOperator(
    name="share",
    keyword="SHARE",
    english="{left} as a percentage of {right}",
    over=lambda left, right: _divided(left * 100.0, right),
    sql=_sql_share,
    sides=frozenset(("whole",)),
    example="SHARE (COUNT (ROWS WHERE Ships = '2'))",
)


def _in_words(larger: str, smaller: str) -> CompareOperator:
    """Return the operator that answers in the words of the question: `more` or `less`."""
    keyword = f"{larger.upper()} OR {smaller.upper()}"
    than = " than" if larger in ("more", "higher") else ""
    compared = "SUM (SELECT Crew WHERE Season = '1907-08' VERSUS Season = '1891-92')"
    return CompareOperator(
        name=f"{larger}_or_{smaller}",
        keyword=keyword,
        english=f"whether {{left}} is {larger} or {smaller}{than} {{right}}",
        over=_larger,
        sql=lambda left, right: left > right,
        sides=_TWO_SIDES,
        gives="word",
        answers=(larger, smaller),
        ordered=True,
        example=f"{keyword} ({compared})",
    )


WORDED: Final = tuple(
    _in_words(*words)
    for words in (("more", "less"), ("after", "before"), ("above", "below"), ("higher", "lower"))
)

COMPARES: Final[dict[str, CompareOperator]] = {
    compare.name: compare for compare in (DIFFERENCE, RATIO, MORE, LARGER, SMALLER, SHARE, *WORDED)
}
