"""Questions in loose wording: right by another implementation, in the space, about the column
that is meant.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import islice

import numpy as np
import pandas as pd
import pytest
from pandas.api.types import is_numeric_dtype

from denota.errors import ConfigError
from denota.generate import Conversation, generate
from denota.generate.concepts import concepts
from denota.generate.invented import invented_tables
from denota.generate.kinds import KINDS, read_kinds
from denota.generate.look import main
from denota.generate.naming_loose import name_loosely
from denota.generate.reach import only_reached, places_of, reach
from denota.generate.wordings import wordings
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.operators import LANGUAGES
from denota.programs.tree import Number, Program, Test, Value
from denota.tables import Table
from denota.tables.column import Column

FULL = LANGUAGES["full"]
EMPLOYEES = Table.from_rows(
    ["name", "gender", "dept", "salary_usd", "active", "country", "hire_date"],
    [
        ["Anna Weber", "F", "Sales", "52000", "Yes", "Norway", "2019-03-04"],
        ["Ben Silva", "M", "Sales", "47000", "No", "Brazil", "2017-11-30"],
        ["Clara Xu", "F", "IT", "69000", "Yes", "Norway", "2021-06-15"],
        ["David Khan", "M", "IT", "64000", "No", "Brazil", "2015-01-20"],
        ["Elif Rossi", "F", "IT", "58000", "Yes", "Italy", "2018-08-08"],
        ["Farid Jones", "M", "Legal", "71000", "No", "Italy", "2016-02-11"],
    ],
    "employees.csv",
)


@cache
def invented() -> list[Table]:
    return list(invented_tables(120, seed=1))


def small() -> list[Table]:
    return [table for table in invented() if len(table) < 40]


def made(
    count: int, seed: int = 0, tables: list[Table] | None = None, **options: object
) -> list[Conversation]:
    settings = {"language": FULL, "loose": 0.5, "turns": (1, 1, 2, 3), **options}
    return list(islice(generate(tables or invented(), seed, **settings), count))  # type: ignore[arg-type]


@cache
def many() -> list[Conversation]:
    return made(2500)


def test_a_seed_gives_the_same_questions() -> None:
    again = made(40)
    for one, other in zip(many(), again, strict=False):
        assert one.turns == other.turns


def test_answers_are_what_programs_mean() -> None:
    for conversation in many():
        before: Denotation | None = None
        for turn in conversation.turns:
            assert execute(turn.program, conversation.table, before) == turn.answer
            before = turn.answer


def _kept(program: Program, frame: pd.DataFrame) -> pd.Series | None:
    """The rows that a condition of one comparison or value keeps, by pandas."""
    test = program.where
    if test is None:
        return pd.Series(True, frame.index)
    if not isinstance(test, Test) or test.column is None:
        return None
    cells = frame[test.column]
    if test.operator == "equal" and isinstance(test.argument, Value):
        return None if is_numeric_dtype(cells) else cells == test.argument.text
    compared: dict[str, Callable[[pd.Series, float], pd.Series]] = {
        "greater": pd.Series.gt,
        "less": pd.Series.lt,
        "at_least": pd.Series.ge,
        "at_most": pd.Series.le,
    }
    if test.operator in compared and isinstance(test.argument, Number) and is_numeric_dtype(cells):
        return compared[test.operator](cells, test.argument.value)
    return None


def _by_pandas(program: Program, frame: pd.DataFrame) -> list[float] | None:
    """The values of a program, by pandas; None for programs that are not written out here."""
    kept = _kept(program, frame)
    if kept is None or program.then is not None or program.scope != "table":
        return None
    rows = frame[kept]
    if (
        program.compare == "difference"
        and program.aggregate == "sum"
        and program.versus is not None
    ):
        other = _kept(Program(where=program.versus), frame)
        if other is None:
            return None
        column = program.columns[0]
        return [abs(rows[column].sum() - frame[other][column].sum())]
    if program.compare is not None:
        return None
    if program.aggregate == "count":
        return [float(len(rows))]
    if program.aggregate in ("sum", "average", "smallest", "largest"):
        name = {"average": "mean", "smallest": "min", "largest": "max"}.get(
            program.aggregate, "sum"
        )
        return [float(getattr(rows[program.columns[0]], name)())]
    if program.aggregate in ("sum_per", "average_per"):
        group, column = program.columns
        by = rows[rows[group] != ""].groupby(group, sort=False)[column]
        return [*(by.sum() if program.aggregate == "sum_per" else by.mean())]
    return None


def test_values_are_those_of_pandas() -> None:
    compared = Counter[str]()
    for conversation in many():
        table = conversation.table
        if any(column.missing.any() for column in table.columns):
            continue
        frame = pd.DataFrame(
            {
                c.name: c.numbers if c.kind == "number" else np.array(c.text, dtype=object)
                for c in table.columns
            }
        )
        for turn in conversation.turns:
            expected = _by_pandas(turn.program, frame)
            if expected is not None and turn.answer.values is not None:
                found = [float(value) for value in turn.answer.values]  # type: ignore[arg-type]
                assert len(found) == len(expected)
                for one, other in zip(sorted(found), sorted(expected), strict=True):
                    assert math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-6), turn
                compared[turn.program.compare or turn.program.aggregate or ""] += 1
    wanted = (
        "count",
        "sum",
        "average",
        "smallest",
        "largest",
        "sum_per",
        "average_per",
        "difference",
    )
    assert all(compared[name] > 5 for name in wanted), compared


def test_programs_are_in_the_space() -> None:
    conversations = made(90, seed=3, tables=small())
    found = reach(places_of(conversations, FULL))
    asked, there, grounded = (
        sum(getattr(one, name) for one in found.values()) for name in ("asked", "there", "grounded")
    )
    assert there >= 0.93 * asked and grounded >= 0.88 * asked


def test_questions_out_of_reach_are_cut_off_with_what_follows() -> None:
    conversations = made(30, seed=4, tables=small())
    without = FULL - {"and"}
    places = places_of(conversations, without)
    kept = only_reached(conversations, places)
    asked, left = (sum(len(one.turns) for one in some) for some in (conversations, kept))
    assert left <= sum(place.there for own in places for place in own)
    assert left < asked, "some are out of reach"
    assert all(place.there for own in places_of(kept, without) for place in own)


def test_columns_are_often_not_called_by_their_names() -> None:
    """In tidy plain wording a condition's column is nearly always named; in loose it is not."""

    def named(conversations: list[Conversation]) -> float:
        found = []
        for turn in (turn for one in conversations for turn in one.turns):
            test = turn.program.where
            if isinstance(test, Test) and test.operator == "equal" and test.column != "name":
                called = {"dept": "department"}.get(test.column or "", test.column or "")
                found.append(called in turn.question.lower())
        return sum(found) / len(found)

    loose = named(made(500, tables=[EMPLOYEES], loose=0.9, turns=(1,)))
    plain = named(made(500, tables=[EMPLOYEES], loose=0.0, plain=True, turns=(1,)))
    assert loose < 0.4 and plain > 0.6


def test_values_stand_before_the_noun_and_without_their_column() -> None:
    texts = [t.question.lower() for o in made(900, tables=[EMPLOYEES], loose=0.8) for t in o.turns]
    for words in ("female employee", "active employee", "inactive", "norwegian", "sales employees"):
        assert any(words in text for text in texts), words


@pytest.mark.parametrize(
    ("text", "column", "key"),
    [
        ("how much does {key} earn", "salary_usd", "earn"),
        ("when was {key} hired", "hire_date", "hired"),
    ],
)
def test_people_ask_with_verbs(text: str, column: str, key: str) -> None:
    asked = [t for o in made(900, tables=[EMPLOYEES], loose=0.9, turns=(1,)) for t in o.turns]
    found = [t for t in asked if key in t.question and t.program.columns == (column,)]
    assert any(text.split(" {key}")[0] in t.question.lower() for t in found)


def test_a_word_decides_between_siblings() -> None:
    """No two columns of a table share a noun, and verbs are left to a lone column."""
    headers = ["Sales", "Online Sales", "Sales Target", "Revenue"]
    namings = name_loosely([Column(name, ("1,200", "900", "40")) for name in headers])
    nouns = [{noun.one for noun in naming.nouns} for naming in namings]
    for place, own in enumerate(nouns):
        assert all(own.isdisjoint(other) for other in nouns[place + 1 :])
    assert all(naming.concept is None for naming in namings[:2])
    dates = name_loosely(
        [Column(name, ("2019-03-04",) * 3) for name in ("Order Date", "Ship Date")]
    )
    assert [one.concept.name for one in dates if one.concept] == ["ordered", "shipped"]


def test_nouns_of_a_table_are_never_shared() -> None:
    for table in invented():
        namings = name_loosely(table.columns)
        own = [naming.own.one for naming in namings]
        for place, naming in enumerate(namings):
            others = {*own[:place], *own[place + 1 :]} - {own[place]}
            assert not others & {noun.one for noun in naming.nouns[1:]}


def test_conversations_change_the_subject() -> None:
    """Later questions stand by themselves about as often as they follow up, after values too."""
    later = [(a, b) for one in many() for a, b in zip(one.turns, one.turns[1:], strict=False)]
    fresh = [b.program.scope in ("table", "without_totals") for _, b in later]
    assert 0.35 < sum(fresh) / len(fresh) < 0.85
    assert any(a.answer.values is not None for a, _ in later)
    for before, after in later:
        if before.answer.values is not None:
            assert after.program.scope in ("table", "without_totals")


def test_concepts_have_wordings_and_wordings_concepts() -> None:
    slots = {
        slot.partition("_")[2]
        for own in wordings().values()
        for wording in own
        for slot in wording.slots
        if slot.startswith(("asks_", "of_"))
    }
    assert slots <= concepts().keys()


def test_loose_wordings_are_held_out_too() -> None:
    loose = [w for own in wordings().values() for w in own if w.loose]
    assert sum(w.held_out for w in loose) > 30
    used = {n for o in made(200, held_out=True) for t in o.turns for n in t.wordings}
    assert used and all(name.endswith("*") for name in used)


def test_kinds_are_weighed() -> None:
    only = dict.fromkeys(KINDS, 0.0) | {"groups": 1.0}
    turns = [t for o in made(100, kinds=only, turns=(1,)) for t in o.turns]
    grouped = [t.program.then is not None and t.program.then.column is not None for t in turns]
    assert sum(grouped) > 80
    assert read_kinds("groups*0")["groups"] == 0
    with pytest.raises(ConfigError, match="write KIND"):
        read_kinds("sandwiches*2")


def test_it_is_quick() -> None:
    tables = list(invented_tables(60, seed=8))
    began = time.process_time()
    questions = sum(len(one.turns) for one in made(600, tables=tables))
    assert questions / (time.process_time() - began) > 150


def test_look_prints_questions_and_shares(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--count", "6", "--tables", "sample"])
    assert capsys.readouterr().out.count("      = ") >= 6
    main(["--count", "4", "--tables", "sample", "--check"])
    assert "| all |" in capsys.readouterr().out
