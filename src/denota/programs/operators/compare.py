"""Two values compared: their difference, ratio, which is larger, whether the first is more, and what share a part is of the whole."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from denota.programs.operators.declare import CompareOperator


def _divided(left: Any, right: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(right) == 0, np.nan, np.divide(left, right))


def _larger(left: Any, right: Any) -> Any:
    return np.where(left > right, 1, np.where(right > left, 2, 0))


def _sql_difference(left: Any, right: Any) -> Any:
    from sqlglot import exp

    return exp.Abs(this=exp.paren(left - right))


def _sql_ratio(left: Any, right: Any) -> Any:
    from sqlglot import exp

    return exp.cast(left, "double") / exp.Nullif(this=right, expression=exp.Literal.number(0))


def _sql_share(left: Any, right: Any) -> Any:
    return _sql_ratio(left * 100, right)


DIFFERENCE = CompareOperator(
    "difference", "DIFFERENCE", "the difference between {left} and {right}",
    lambda left, right: np.abs(left - right), _sql_difference, frozenset(("rows", "columns")),
    words=("more", "less", "fewer", "difference", "longer", "taller", "higher", "larger", "bigger", "older", "later", "between", "than", "greater", "apart", "after", "separated", "gap"),
    example="DIFFERENCE (SUM (SELECT Crew WHERE Season = '1891-92' VERSUS Season = '1907-08'))",
)  # fmt: skip
RATIO = CompareOperator(
    "ratio", "RATIO", "{left} divided by {right}", _divided, _sql_ratio, frozenset(("rows", "columns")), ordered=True,
    words=("times as", "ratio", "twice", "half", "fraction", "proportion", "divided"),
    example="RATIO (COUNT (ROWS WHERE Ships = '2' VERSUS Ships = '1'))",
)  # fmt: skip
MORE = CompareOperator(
    "more", "MORE", "whether {left} is more than {right}",
    lambda left, right: left > right, lambda left, right: left > right, frozenset(("rows", "columns")), "yes_no", ordered=True,
    words=("more", "higher", "larger", "greater", "bigger", "longer", "older", "taller", "later", "better", "less", "lower", "fewer", "smaller", "shorter", "earlier", "before", "after"),
    example="MORE (SUM (SELECT Crew WHERE Season = '1907-08' VERSUS Season = '1891-92'))",
)  # fmt: skip
LARGER = CompareOperator(
    "larger", "LARGER", "which is larger, {left} or {right}", _larger, lambda left, right: left > right,
    frozenset(("rows", "columns")), "side",
    words=("more", "higher", "larger", "greater", "bigger", "most", "longer", "older", "taller", "better", "or"),
    example="LARGER (COUNT (ROWS WHERE Leader = 'Tomas Okafor' VERSUS Leader = 'Rui Carvalho'))",
)  # fmt: skip
SMALLER = CompareOperator(
    "smaller", "SMALLER", "which is smaller, {left} or {right}", lambda left, right: _larger(right, left),
    lambda left, right: left < right, frozenset(("rows", "columns")), "side",
    words=("less", "fewer", "lower", "smaller", "shorter", "least", "earlier", "younger", "or"),
    example="SMALLER (SUM (SELECT Crew, Survived WHERE Season = '1891-92'))",
)  # fmt: skip
SHARE = CompareOperator(
    "share", "SHARE", "{left} as a percentage of {right}", lambda left, right: _divided(left * 100.0, right), _sql_share,
    frozenset(("whole",)), words=("percent", "percentage", "share", "proportion", "fraction"),
    example="SHARE (COUNT (ROWS WHERE Ships = '2'))",
)  # fmt: skip


def _in_words(larger: str, smaller: str) -> CompareOperator:
    """How the left side compares with the right, in the words of the question: `more` or `less`."""
    return CompareOperator(
        f"{larger}_or_{smaller}", f"{larger.upper()} OR {smaller.upper()}", f"whether it is {larger} or {smaller}: {{left}}, compared with {{right}}",
        _larger, lambda left, right: left > right, frozenset(("rows", "columns")), "word", (larger, smaller), ordered=True,
        words=(f"{larger} or {smaller}", f"{smaller} or {larger}"),
        example=f"{larger.upper()} OR {smaller.upper()} (SUM (SELECT Crew WHERE Season = '1907-08' VERSUS Season = '1891-92'))",
    )  # fmt: skip


WORDED: Final = tuple(
    _in_words(*words)
    for words in (("more", "less"), ("after", "before"), ("above", "below"), ("higher", "lower"))
)

COMPARES: Final[dict[str, CompareOperator]] = {
    one.name: one for one in (DIFFERENCE, RATIO, MORE, LARGER, SMALLER, SHARE, *WORDED)
}
