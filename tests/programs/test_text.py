"""The printer and the parser are inverse to each other, and the parser says where a program stops
making sense.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from denota.errors import ProgramError
from denota.programs.denotation import Denotation
from denota.programs.english import say
from denota.programs.operators import AGGREGATES, SCOPES, TESTS
from denota.programs.space import program_space
from denota.programs.text import parse_program, print_program
from denota.programs.tree import And, Date, Number, Or, Program, Test, Value, Word
from denota.tables import Table
from programs.strategies import NAMES, SPOKEN, TEXTS, examples, names, programs, situations, texts


@settings(max_examples=examples(300))
@given(program=programs())
def test_what_is_printed_is_read_back(program: Program) -> None:
    assert parse_program(print_program(program)) == program


@settings(max_examples=examples(40))
@given(asked=situations())
def test_the_programs_of_a_space_are_read_back(
    asked: tuple[str, Table, Denotation | None],
) -> None:
    space = program_space(*asked, SPOKEN["everything"])
    for number in range(0, len(space), max(1, len(space) // 100)):
        program = space.program(number)
        assert parse_program(print_program(program)) == program


@given(name=st.one_of(names, texts), value=texts)
def test_any_name_and_value_is_read_back(name: str, value: str) -> None:
    program = Program((name, "x"), "others", Test("not_equal", name, Value(value)))
    assert parse_program(print_program(program)) == program


@pytest.mark.parametrize("name", [*NAMES, *TEXTS])
def test_hostile_names_and_values_are_read_back(name: str) -> None:
    parts = (Test("equal", name, Value(name)), Test("max", name))
    for where in (*parts, Or(parts), And(parts), Test("contains", name, Word(name.lower()))):
        program = Program((name,), "previous", where, "count")
        assert parse_program(print_program(program)) == program


@given(value=st.floats(allow_nan=False, allow_infinity=False))
@example(-0.0)
@example(1e15)
@example(1e22)
@example(5e-324)
@example(0.1 + 0.2)
def test_numbers_keep_every_bit(value: float) -> None:
    program = Program(("x",), where=Test("greater", "x", Number(value)))
    read = parse_program(print_program(program)).where
    assert isinstance(read, Test) and isinstance(read.argument, Number)
    assert read.argument.value == value


@pytest.mark.parametrize(
    ("date", "text"),
    [
        (Date(1993, 5, 17), "1993-05-17"),
        (Date(1993, 5), "1993-05"),
        (Date(1993), "1993"),
        (Date(0, 5, 17), "--05-17"),
        (Date(0, 5), "--05"),
        (Date(7, 5, 17), "0007-05-17"),
    ],
)
def test_dates_state_the_parts_they_state(date: Date, text: str) -> None:
    program = Program(("x",), where=Test("date_is", "x", date))
    assert print_program(program) == f"SELECT x WHERE x IS IN DATE '{text}'"
    assert parse_program(print_program(program)) == program


@pytest.mark.parametrize(
    ("loose", "strict"),
    [
        ("select Leader where Crew>50", "SELECT Leader WHERE Crew > 50"),
        ("SELECT\n  Leader\nWHERE Ships = 2", "SELECT Leader WHERE Ships = '2'"),
        ("select Leader where Result = Lost", "SELECT Leader WHERE Result = 'Lost'"),
        ("same As previous", "SAME AS PREVIOUS"),
        ("follow-up where Leader contains 'SOLHEIM'", "FOLLOW-UP WHERE Leader CONTAINS 'solheim'"),
        ('SELECT "Leader" , Crew', "SELECT Leader, Crew"),
        ("count(select Leader)", "COUNT (SELECT Leader)"),
        ("SELECT größe WHERE größe >= +1.50", 'SELECT "größe" WHERE "größe" >= 1.5'),
        ("SELECT a WHERE first row", "SELECT a WHERE FIRST ROW"),
        (
            "SELECT a WHERE b = 'x' or b='y' OR b = 'z'",
            "SELECT a WHERE b = 'x' OR b = 'y' OR b = 'z'",
        ),
    ],
)  # fmt: skip
def test_people_may_write_loosely(loose: str, strict: str) -> None:
    assert print_program(parse_program(loose)) == strict


def test_longer_keywords_are_not_taken_for_shorter() -> None:
    said = {
        "IS MAX": "max",
        "IS MAX WITH TIES": "max_ties",
        "IS MAX NUMBER 2": "kth_max",
        "IS IN DECADE 1990": "decade_is",
        "IS IN DATE '1990'": "date_is",
        "IS NOT EMPTY": "is_not_empty",
        "NOT CONTAINS 'x'": "not_contains",
    }
    for text, name in said.items():
        where = parse_program(f"SELECT a WHERE b {text}").where
        assert isinstance(where, Test) and where.operator == name
    assert parse_program("SELECT a OF PREVIOUS").scope == "previous"
    assert parse_program("SELECT a FOLLOW-UP CELL").scope == "cell"


#: ▸ marks the first character that makes no sense.
WRONG = [
    "▸",
    "▸Leader",
    "▸WHERE Crew > 50",
    "SELECT ▸",
    "SELECT ▸WHERE Crew > 50",
    "SELECT ▸'Leader'",
    "SELECT Leader ▸Crew",
    "SELECT Leader,▸",
    "SELECT Leader, ▸, Crew",
    "SELECT Leader WHERE ▸",
    "SELECT Leader WHERE ▸> 50",
    "SELECT Leader WHERE Crew ▸",
    "SELECT Leader WHERE Crew ▸50",
    "SELECT Leader WHERE Crew ▸IS",
    "SELECT Leader WHERE Crew ▸IS LARGE",
    "SELECT Leader WHERE Crew > ▸",
    "SELECT Leader WHERE Crew > ▸'50'",
    "SELECT Leader WHERE Crew > ▸fifty",
    "SELECT Leader WHERE Crew > ▸50ships",
    "SELECT Leader WHERE Crew > 50 ▸60",
    "SELECT Leader WHERE Crew IS TOP ▸",
    "SELECT Leader WHERE Crew IS TOP ▸'3'",
    "SELECT Leader WHERE Crew IS TOP ▸DATE '1993'",
    "SELECT Leader WHERE Ships = ▸",
    "SELECT Leader WHERE Ships = ▸'2",
    'SELECT ▸"Leader',
    "SELECT Leader WHERE Departed > DATE ▸",
    "SELECT Leader WHERE Departed > DATE ▸1993",
    "SELECT Leader WHERE Departed > DATE ▸'May 1993'",
    "SELECT Leader WHERE Departed > DATE ▸'93'",
    "SELECT Leader WHERE Departed > DATE ▸'-'",
    "SELECT Leader WHERE Departed > DATE ▸'1993-13'",
    "SELECT Leader WHERE Departed > DATE ▸'1993-02-31'",
    "SELECT Leader WHERE Departed > DATE ▸'1993-00-00'",
    "SELECT Leader WHERE Departed > DATE ▸'0000'",
    "SELECT Leader WHERE Departed > DATE ▸'--00'",
    "SELECT Leader WHERE Departed > DATE ▸'--13-01'",
    "SELECT Leader WHERE Crew > ▸1e999",
    "SELECT Leader WHERE Crew IS TOP ▸1e999",
    "SELECT Leader WHERE Ships = '2' OR ▸",
    "SELECT Leader WHERE Ships = '2' ▸Crew > 50",
    "SELECT Leader WHERE Ships = '2' OR Ships = '3' ▸AND Crew > 50",
    "SELECT Leader WHERE Ships = '2' AND Crew > 50 ▸OR Crew > 60",
    "SELECT Leader WHERE ▸(Ships = '2')",
    "SELECT Leader WHERE FIRST ROW ▸2",
    "SELECT Leader WHERE ▸FIRST CREW",
    "SELECT Leader▸; DROP TABLE t",
    "SELECT Leader ▸-- comment",
    "SELECT Leader ▸OF",
    "SELECT Leader ▸OF NOTHING",
    "SELECT Leader OF PREVIOUS ▸OF OTHERS",
    "SELECT ▸SELECT",
    "FOLLOW-UP▸",
    "FOLLOW-UP ▸Ships = '2'",
    "FOLLOW-UP ▸CELL",
    "SAME AS PREVIOUS ▸WHERE Ships = '2'",
    "▸SAME AS",
    "COUNT ▸SELECT Leader",
    "COUNT (SELECT Leader▸",
    "COUNT (▸COUNT (SELECT Leader))",
    "COUNT (SELECT Leader) ▸WHERE Crew > 50",
    "▸SELECTED Leader",
    "▸'SELECT' Leader",
]


@pytest.mark.parametrize("marked", WRONG)
def test_the_place_where_a_program_goes_wrong_is_pointed_at(marked: str) -> None:
    text = marked.replace("▸", "")
    with pytest.raises(ProgramError) as refused:
        parse_program(text)
    message = str(refused.value)
    place = re.search(r"at character (\d+) of the program: (.*)$", message)
    assert place is not None, message
    assert (int(place[1]) - 1, place[2]) == (marked.index("▸"), marked)
    assert message.startswith("expected ") and "\n" not in message


def test_a_long_program_is_shown_around_the_place() -> None:
    names = ", ".join(f"column{n}" for n in range(100))
    with pytest.raises(ProgramError) as refused:
        parse_program(f"SELECT {names} ,, {names}")
    assert len(str(refused.value)) < 300


_WORDS = sorted(
    {word for test in TESTS.values() for word in test.keywords}
    | {w for s in SCOPES.values() for w in f"{s.alone} {s.with_columns}".split()}
    | {aggregate.keyword for aggregate in AGGREGATES.values()}
)
soups = st.lists(
    st.sampled_from(
        [
            *_WORDS,
            *("SELECT", "WHERE", "OR", "AND", "DATE"),
            *("SAME AS PREVIOUS", "a", "b", '"c d"', "''", "'x'"),
            *("1", "-2", "3.5", "1e999", "'1993'", "'1993-13'", "'--05'"),
            *("(", ")", ",", "'", '"', ";", "é", "\n"),
        ]
    ),
    max_size=10,
)  # fmt: skip


def read_or_refused(text: str) -> None:
    """What is read is a program with all that belongs to one.

    Nothing but a ProgramError refuses it.
    """
    try:
        program = parse_program(text)
    except ProgramError:
        return
    assert parse_program(print_program(program)) == program
    assert say(program).endswith(".")


@settings(max_examples=examples(400))
@given(text=st.one_of(st.text(), soups.map(" ".join), soups.map("".join)))
@example("SELECT a WHERE b > ٣")
@example("SELECT a WHERE b IS TOP ٣e٣")
@example("SELECT a WHERE b > DATE '١٩٩٣'")
@example("\u017felect a")
@example("SELECT \ud800")
@example("SELECT a WHERE b = '\x00'")
@example("SELECT a WHERE b > " + "9" * 5000)
@example("SELECT a WHERE b > 0." + "0" * 5000 + "1")
@example("(" * 5000)
@example('"' * 5001)
def test_any_text_is_read_or_refused(text: str) -> None:
    read_or_refused(text)


@settings(max_examples=examples(150))
@given(program=programs(), data=st.data())
def test_a_damaged_program_is_read_or_refused(program: Program, data: st.DataObject) -> None:
    text = print_program(program)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    read_or_refused(text[:start] + data.draw(st.text(max_size=2)) + text[end:])
