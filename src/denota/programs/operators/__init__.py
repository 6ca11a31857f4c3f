"""The operators of the program language, each declared once, and the languages made of them."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import Any, Final

from denota.errors import ProgramError
from denota.programs.operators.aggregates import AGGREGATES
from denota.programs.operators.column_comparison import (
    EQUAL_COLUMN,
    GREATER_COLUMN,
    LESS_COLUMN,
)
from denota.programs.operators.compare import COMPARES
from denota.programs.operators.comparison import (
    AT_LEAST,
    AT_MOST,
    DATE_IS,
    DECADE_IS,
    GREATER,
    LESS,
)
from denota.programs.operators.declare import (
    AggregateOperator,
    CompareOperator,
    Feature,
    ScopeOperator,
    StepOperator,
    TestOperator,
)
from denota.programs.operators.emptiness import IS_EMPTY, IS_NOT_EMPTY, IS_POSITIVE, IS_ZERO
from denota.programs.operators.equality import CONTAINS, EQUAL, NOT_CONTAINS, NOT_EQUAL
from denota.programs.operators.relation import SAME_VALUE
from denota.programs.operators.scopes import (
    CELL,
    NEXT_ROW,
    OTHERS,
    PREVIOUS,
    ROW_BEFORE,
    TABLE,
    WITHOUT_TOTALS,
)
from denota.programs.operators.steps import STEPS
from denota.programs.operators.superlative import (
    BOTTOM,
    DISTINCT,
    FIRST,
    FIRST_K,
    KTH_MAX,
    KTH_MIN,
    LAST,
    LAST_K,
    MAX,
    MAX_TIES,
    MIN,
    MIN_TIES,
    TOP,
)

TESTS: Final[dict[str, TestOperator]] = {
    test.name: test
    for test in (
        *(EQUAL, NOT_EQUAL, GREATER, AT_LEAST, LESS, AT_MOST, MAX, MIN),
        *(CONTAINS, NOT_CONTAINS, DATE_IS, DECADE_IS),
        *(IS_EMPTY, IS_NOT_EMPTY, IS_ZERO, IS_POSITIVE),
        *(MAX_TIES, MIN_TIES, TOP, BOTTOM, KTH_MAX, KTH_MIN),
        *(FIRST, LAST, FIRST_K, LAST_K, DISTINCT, SAME_VALUE),
        *(GREATER_COLUMN, LESS_COLUMN, EQUAL_COLUMN),
    )
}
SCOPES: Final[dict[str, ScopeOperator]] = {
    scope.name: scope
    for scope in (TABLE, PREVIOUS, CELL, WITHOUT_TOTALS, OTHERS, NEXT_ROW, ROW_BEFORE)
}
FEATURES: Final[dict[str, Feature]] = {
    feature.name: feature
    for feature in (
        Feature(
            "or", "one of two values", example="SELECT Crew WHERE Leader = 'A' OR Leader = 'B'"
        ),
        Feature(
            "any_of",
            "one of all the values that the question names",
            example="... = 'A' OR ... = 'B' OR ... = 'C'",
        ),
        Feature(
            "and",
            "two conditions at once",
            example="SELECT Leader WHERE Ships = '2' AND Crew > 50",
        ),
        Feature("several_columns", "more than one column selected", example="SELECT Leader, Crew"),
        Feature(
            "columns_of_previous",
            "another column of the previous rows",
            example="SELECT Crew OF PREVIOUS",
        ),
        Feature("number_words", "numbers written as words", example="the top three"),
        Feature(
            "linked_values",
            "of a column with many values only those that the question leads to",
            example="... = 'Chevrolet Malibu', not each of 300 names",
        ),
        Feature(
            "near_words",
            "values and names that begin like a word of the question, and codes that stand for it",
            example="Japan for Japanese, TX for Texas",
        ),
        Feature(
            "three",
            "three conditions at once",
            example="... WHERE Ships = '2' AND Crew > 50 AND Result = 'Lost'",
        ),
        Feature(
            "either",
            "one of two conditions on different columns",
            example="... WHERE Ships = '2' OR Crew > 50",
        ),
        Feature(
            "nothing_left",
            "conditions that no row satisfies: the answer is none, or 0",
            example="COUNT (ROWS WHERE Ships = '4' AND Crew < 5)",
        ),
        Feature(
            "then",
            "a superlative, the first or the last among the rows that a condition keeps",
            example="... WHERE Ships = '2' THEN Crew IS MAX",
        ),
        Feature(
            "versus", "two row sets compared", example="... WHERE Ships = '2' VERSUS Ships = '3'"
        ),
    )
}

_DYNSP = frozenset(
    [
        *("table", "previous", "equal", "not_equal"),
        *("greater", "at_least", "less", "at_most", "max", "min"),
    ]
)
_DYNSP_PLUS = _DYNSP | {"or", "cell"}
_EXTENDED = _DYNSP | frozenset(
    [
        *("contains", "not_contains", "date_is", "decade_is"),
        *("is_empty", "is_not_empty", "is_zero", "is_positive"),
        *("max_ties", "min_ties", "top", "bottom", "kth_max", "kth_min"),
        *("first", "last", "first_k", "last_k", "distinct", "same_value"),
        *("without_totals", "others", "next_row", "row_before"),
        *("or", "any_of", "and", "several_columns", "columns_of_previous", "number_words"),
    ]
)
_FULL = (_EXTENDED | {*TESTS, *FEATURES, *STEPS, *AGGREGATES, *COMPARES}) - {"or"}
LANGUAGES: Final[dict[str, frozenset[str]]] = {
    "dynsp": _DYNSP,
    "dynsp++": _DYNSP_PLUS,
    "extended": _EXTENDED,
    "full": frozenset(_FULL),
}
"""The operators of each language by name; any other set of names is a language too.

`full` has every operator but FOLLOW-UP CELL, and joins by OR only values that the question
names."""

Operator = (
    TestOperator | ScopeOperator | StepOperator | AggregateOperator | CompareOperator | Feature
)


__all__ = [
    "AGGREGATES",
    "COMPARES",
    "FEATURES",
    "LANGUAGES",
    "Operator",
    "SCOPES",
    "STEPS",
    "TESTS",
    "declared",
    "language_of",
]


def declared() -> Mapping[str, Operator]:
    """Return every operator by name; a test that is a step too is given as the test."""
    return _DECLARED


_KINDS: Final[tuple[Any, ...]] = (COMPARES, AGGREGATES, SCOPES, TESTS, STEPS, FEATURES)
_DECLARED: Final[Mapping[str, Operator]] = ChainMap(*_KINDS)


def language_of(name: str) -> frozenset[str]:
    """Return the operators of a language; `+x` and `-x` behind its name add and remove operators.

    >>> sorted(language_of("dynsp++") - language_of("dynsp"))
    ['cell', 'or']
    >>> "max" in language_of("dynsp -max")
    False
    """
    base, *changes = name.split() or [""]
    if base not in LANGUAGES:
        raise ProgramError(
            f"there is no language {base!r}; the languages are {', '.join(LANGUAGES)}"
        )
    language = set(LANGUAGES[base])
    known = declared()
    for change in changes:
        if change[:1] not in ("+", "-") or change[1:] not in known:
            raise ProgramError(
                f"{change!r} is not + or - and an operator: {', '.join(sorted(known))}"
            )
        (language.add if change[0] == "+" else language.discard)(change[1:])
    return frozenset(language)
