"""The operators that a program uses: all of them, and none that its language lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from denota.programs import language_of, parse_program, program_space
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS
from denota.programs.operators_used import operators_used
from denota.tables import read_table

TABLE = read_table(Path(__file__).parent.parent.parent / "examples" / "expeditions.csv")
ASKED = (
    "how many more of the crew did the two ships of Solheim or Okafor have in 1896, the most of"
    " all, than those after that?"
)


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("SELECT Leader", "table"),
        ("SELECT Leader, Crew OF PREVIOUS", "previous several_columns columns_of_previous"),
        ("SELECT Crew WHERE Leader = 'A' OR Leader = 'B'", "table equal or"),
        ("SELECT Crew WHERE Leader = 'A' OR Leader = 'B' OR Leader = 'C'", "table equal any_of"),
        ("SELECT Crew WHERE Leader = 'A' OR Ships = '2'", "table equal either"),
        ("SELECT Crew WHERE Crew > 5 OR Crew < 2", "table greater less either"),
        ("SELECT Leader WHERE Ships = '2' AND Crew > 50", "table equal greater and"),
        (
            "SELECT Leader WHERE Ships = '2' AND Crew > 50 AND FIRST ROW",
            "table equal greater first and three",
        ),
        ("SELECT Leader WHERE Ships = '2' THEN Crew IS MAX", "table equal then max"),
        ("SELECT Leader WHERE Ships = '2' THEN NEXT ROW", "table equal then then_next_row"),
        ("COUNT (ROWS WHERE Ships = '2')", "table equal count"),
        ("SUM PER (SELECT Leader, Crew)", "table sum_per"),
        ("SUM (SELECT Crew OF PREVIOUS)", "previous sum"),
        (
            "DIFFERENCE (SUM (SELECT Crew WHERE Ships = '2' VERSUS Crew > 50))",
            "table equal greater versus sum difference",
        ),
        ("LARGER (SUM (SELECT Crew, Survived))", "table sum larger"),
        ("SHARE (COUNT (ROWS WHERE Ships = '2'))", "table equal count share"),
    ],
)
def test_by_hand(text: str, used: str) -> None:
    assert operators_used(parse_program(text)) == set(used.split())


@pytest.mark.parametrize(
    "kind",
    [TESTS, SCOPES, STEPS, AGGREGATES, COMPARES],
    ids=["test", "scope", "step", "aggregate", "compare"],
)  # fmt: skip
def test_an_example_uses_its_operator(kind: dict[str, object]) -> None:
    for name, operator in kind.items():
        assert name in operators_used(parse_program(getattr(operator, "example")))  # noqa: B009


@pytest.mark.parametrize("gone", ["then", "versus", "three", "either", "and", "number_words"])
def test_what_a_language_lacks_is_not_used(gone: str) -> None:
    whole = program_space(ASKED, TABLE, None, language_of("full"))
    assert any(gone in operators_used(whole.program(n)) for n in range(0, len(whole), 23)), gone
    less = program_space(ASKED, TABLE, None, language_of(f"full -{gone}"))
    assert not any(gone in operators_used(less.program(n)) for n in range(0, len(less), 23))
