"""The project's own data: read back as written, and nothing lost without a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.data import Cells, Example, Question, Values, conversations, read_jsonl, write_jsonl
from denota.errors import DataError
from denota.tables.io import read_table

CITIES = 'city,people\nOslo,"709,037"\nBergen,"291,940"\nVoss,"15,894"\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "cities.csv").write_text(CITIES)
    return tmp_path


def write(home: Path, *lines: Any) -> Path:
    file = home / "mine.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("\n".join(texts) + "\n", "utf-8")
    return file


def line(*turns: Any, **more: Any) -> dict[str, Any]:
    return {"table": "tables/cities.csv", "turns": list(turns), **more}


def test_a_conversation_with_texts_numbers_cells_and_no_answer(home: Path) -> None:
    loaded = read_jsonl(
        write(
            home,
            line(
                {"question": "which cities?", "answer": ["Oslo", "bergen", "Voss"]},
                {"question": "how many live in Voss?", "answer": [15894]},
                {"question": "who rules it?"},
                {"question": "the two largest?", "cells": [[0, 0], [1, 0]]},
            ),
        )
    )
    assert loaded.problems == ()
    assert [q.text for q in loaded.questions][2] == "who rules it?"
    assert [(e.question.position, e.answer) for e in loaded.examples] == [
        (0, Values(("Oslo", "bergen", "Voss"))),
        (1, Values((15894.0,))),
        (3, Cells(frozenset({(0, 0), (1, 0)}))),
    ]
    assert loaded.questions[3].history == tuple(q.text for q in loaded.questions[:3])
    assert len(conversations(loaded.questions)) == 1


def test_a_bad_line_is_reported_and_the_others_are_read(home: Path) -> None:
    (home / "empty").mkdir()
    good = line({"question": "the largest?", "answer": ["Oslo"]})
    bad: list[tuple[Any, str]] = [
        ("{", "not JSON"),
        ("[1]", "must be an object"),
        ("[" * 100_000, "cannot be used"),
        ('{"table": "tables/cities.csv", "turns": [{"question": "?", "answer": [NaN]}]}', "NaN"),
        ('{"table": "a", "table": "b", "turns": []}', "same key twice"),
        ({"turns": [{"question": "?"}]}, '"table" must be'),
        ({"table": 3, "turns": [{"question": "?"}]}, '"table" must be'),
        ({"table": "tables/cities.csv"}, '"turns" must be'),
        ({"table": "tables/cities.csv", "turns": []}, '"turns" must be'),
        ({"table": "tables/cities.csv", "turns": {"question": "?"}}, '"turns" must be'),
        ({"table": "gone.csv", "turns": [{"question": "?"}]}, "there is no file"),
        ({"table": "empty", "turns": [{"question": "?"}]}, "is a directory"),
        ({"table": "-", "turns": [{"question": "?"}]}, "there is no file"),
        (line({"question": "?"}, id=[1]), '"id" must be'),
        (line({"question": "?"}, id=True), '"id" must be'),
    ]
    lines = [x for text, _ in bad for x in (text, "", good)]
    loaded = read_jsonl(write(home, *lines))
    assert len(loaded.examples) == len(bad)
    assert [p.line for p in loaded.problems] == [3 * i + 1 for i in range(len(bad))]
    assert all(p.turn is None for p in loaded.problems)
    for problem, (_, message) in zip(loaded.problems, bad, strict=True):
        assert message in str(problem)
        assert "\n" not in str(problem)


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        ({"question": "?", "answer": "Oslo"}, '"answer" must be a list'),
        ({"question": "?", "answer": [10**400]}, "too large a number"),
        ({"question": "?", "answer": [["Oslo"]]}, '"answer" must be a list'),
        ({"question": "?", "answer": [None]}, '"answer" must be a list'),
        ({"question": "?", "cells": []}, '"cells" must be a list of at least one'),
        ({"question": "?", "cells": [[3, 0]]}, "[3, 0] is outside the table (3 rows, 2 columns)"),
        ({"question": "?", "cells": [[0, 2]]}, "[0, 2] is outside"),
        ({"question": "?", "cells": [[-1, 0]]}, "[-1, 0] is outside"),
        ({"question": "?", "cells": [[True, 0]]}, '[true, 0] in "cells" is not'),
        ({"question": "?", "cells": [[0.0, 0]]}, '[0.0, 0] in "cells" is not'),
        ({"question": "?", "cells": [["0", 0]]}, "is not a [row, column]"),
        ({"question": "?", "cells": [0, 0]}, '0 in "cells" is not'),
        ({"question": "?", "cells": [[0, 0, 0]]}, "is not a [row, column]"),
        (
            {"question": "?", "cells": [[0, 0]], "answer": ["Voss"]},
            'disagree: the cells say ["Oslo"]',
        ),
        ({"question": "?", "anwser": ["Oslo"]}, "no key 'anwser'; did you mean 'answer'?"),
        ({"question": "?", "zzz": 1}, "no key 'zzz'; a turn has question, answer, cells"),
    ],
)
def test_a_turn_with_an_unusable_answer_is_still_asked_and_remembered(
    home: Path, turn: dict[str, Any], message: str
) -> None:
    file = write(
        home, "", line({"question": "first?"}, turn, {"question": "last?", "answer": ["Oslo"]})
    )
    loaded = read_jsonl(file)
    (problem,) = loaded.problems
    assert str(problem).startswith(f"{file}:2 turn 2: ")
    assert message in problem.message
    assert [q.text for q in loaded.questions] == ["first?", "?", "last?"]
    assert [e.question.history for e in loaded.examples] == [("first?", "?")]


@pytest.mark.parametrize(
    "turn", ["which?", None, {}, {"question": ""}, {"question": " \n"}, {"question": 3}]
)
def test_a_turn_without_a_question_is_reported_and_the_rest_is_read(home: Path, turn: Any) -> None:
    loaded = read_jsonl(write(home, line({"question": "first?"}, turn, {"question": "last?"})))
    assert [(p.line, p.turn) for p in loaded.problems] == [(1, 2)]
    assert [(q.text, q.position) for q in loaded.questions] == [("first?", 0), ("last?", 2)]


def test_half_a_surrogate_pair_is_reported(home: Path) -> None:
    loaded = read_jsonl(
        write(home, '{"table": "tables/cities.csv", "turns": [{"question": "\\ud83d?"}]}')
    )
    assert "half a character" in str(loaded.problems[0])


def test_values_need_not_stand_in_the_table(home: Path) -> None:
    answers = [["Paris"], [2.5, "x"], [True], []]
    turns = [{"question": "?", "answer": answer} for answer in answers]
    loaded = read_jsonl(write(home, "", line(*turns)))
    assert [e.answer for e in loaded.examples] == [Values(tuple(answer)) for answer in answers]
    assert {e.question.line for e in loaded.examples} == {2}, "what cannot be learnt has a place"


@pytest.mark.parametrize(
    ("more", "answer"),
    [
        ({"answer": ["Oslo"], "cells": [[0, 0]], "kind": "cells"}, Cells(frozenset({(0, 0)}))),
        (
            {"answer": ["2"], "cells": [[0, 0], [1, 0]], "kind": "value", "values": [2]},
            Values((2.0,)),
        ),
        (
            {"answer": ["a: 2", "b: none"], "kind": "groups", "values": [["a", 2], ["b", None]]},
            Values(("a", 2.0, "b", "nan")),
        ),
        ({"answer": [], "cells": [], "kind": "none", "values": []}, Values(())),
        ({"answer": [], "cells": [], "kind": "declined", "reason": "..."}, None),
        ({"answer": [], "cells": [], "kind": "ask_back", "readings": []}, None),
    ],
)
def test_printed_turns_of_every_kind(
    home: Path, more: dict[str, Any], answer: Cells | Values | None
) -> None:
    loaded = read_jsonl(write(home, line({"question": "?", **more})))
    assert loaded.problems == () and len(loaded.questions) == 1
    assert [e.answer for e in loaded.examples] == ([] if answer is None else [answer])


def test_a_turn_as_ask_prints_it_will_do(home: Path) -> None:
    printed = {
        "question": "the largest?",
        "answer": ["Oslo", "709,037"],
        "cells": [[0, 0], [0, 1]],
        "program": "...",
        "sql": "...",
        "explanation": "...",
        "confidence": 0.5,
        "sure": False,
    }
    loaded = read_jsonl(write(home, line(printed)))
    assert [e.cells for e in loaded.examples] == [{(0, 0), (0, 1)}]


def test_ids_name_conversations_and_may_not_repeat(home: Path) -> None:
    one = {"question": "the largest?"}
    loaded = read_jsonl(
        write(
            home,
            line(one, id="a"),
            line(one, id="a", annotator=1),
            line(one, id="a"),
            line(one),
            line(one),
        )
    )
    assert [q.sequence for q in loaded.questions] == [
        ("a", "0"),
        ("a", "1"),
        ("mine:4", "0"),
        ("mine:5", "0"),
    ]
    assert "belongs to line 1" in str(loaded.problems[0])


def test_tables_may_be_absolute_and_are_read_once(home: Path) -> None:
    absolute = str(home / "tables" / "cities.csv")
    lines = [line({"question": "?"}), {"table": absolute, "turns": [{"question": "?"}]}]
    lines.append({"table": "./tables/cities.csv", "turns": [{"question": "?"}]})
    loaded = read_jsonl(write(home, *lines))
    assert len({id(q.table) for q in loaded.questions}) == 1
    assert [q.table_file for q in loaded.questions][1:] == [absolute, "./tables/cities.csv"]


def test_a_dash_is_a_file_name_here_and_not_standard_input(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, {"table": "-", "turns": [{"question": "?"}]})
    monkeypatch.chdir(home)
    (problem,) = read_jsonl("mine.jsonl").problems
    assert str(problem) == "mine.jsonl:1: the table cannot be read: there is no file -"


def test_line_separators_inside_a_text_do_not_end_the_line(home: Path) -> None:
    text = '{"table": "tables/cities.csv", "turns": [{"question": "one\u2028two\u0085?"}]}\r'
    assert read_jsonl(write(home, text)).questions[0].text == "one\u2028two\u0085?"


def test_a_file_that_cannot_be_read_is_said_so(home: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_jsonl(home / "gone.jsonl")
    with pytest.raises(DataError, match="directory"):
        read_jsonl(home)
    (home / "latin.jsonl").write_bytes('\n{"table": "bjørn"}'.encode("latin-1"))
    with pytest.raises(DataError, match=r"latin.jsonl:2 is not UTF-8"):
        read_jsonl(home / "latin.jsonl")


questions = st.text(min_size=1).filter(str.strip)
cells = st.frozensets(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1).map(Cells)
numbers = st.floats(allow_nan=False, allow_infinity=False)
values = st.lists(st.text() | st.booleans() | numbers, max_size=3).map(lambda v: Values(tuple(v)))
answers = st.none() | cells | values
turns = st.lists(st.tuples(questions, answers), min_size=1, max_size=4)


@given(st.dictionaries(st.tuples(questions, questions), turns, max_size=3))
def test_reading_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory,
    written: dict[tuple[str, str], list[tuple[str, Cells | Values | None]]],
) -> None:
    home = tmp_path_factory.mktemp("jsonl")
    (home / "cities.csv").write_text(CITIES)
    table = read_table(home / "cities.csv")
    asked: list[list[Question | Example]] = []
    for (id, annotator), pairs in written.items():
        asked.append([])
        for position, (text, answer) in enumerate(pairs):
            history = tuple(earlier for earlier, _ in pairs[:position])
            question = Question(id, annotator, position, text, table, "cities.csv", history)
            asked[-1].append(question if answer is None else Example(question, answer))
    write_jsonl(home / "out.jsonl", asked)
    loaded = read_jsonl(home / "out.jsonl")
    flat = [turn for conversation in asked for turn in conversation]
    assert loaded.problems == ()
    assert list(loaded.questions) == [t.question if isinstance(t, Example) else t for t in flat]
    assert list(loaded.examples) == [t for t in flat if isinstance(t, Example)]


def test_questions_known_only_from_history_are_written_too(home: Path) -> None:
    file = write(
        home, line({"question": "first?"}, {"question": "last?", "answer": ["Oslo"]}, id="a")
    )
    loaded = read_jsonl(file)
    write_jsonl(home / "again.jsonl", conversations(loaded.examples))
    assert read_jsonl(home / "again.jsonl") == loaded


def test_turns_of_two_conversations_are_not_written_as_one(home: Path) -> None:
    loaded = read_jsonl(write(home, line({"question": "one?"}), line({"question": "two?"})))
    with pytest.raises(DataError, match="not of one conversation"):
        write_jsonl(home / "out.jsonl", [loaded.questions])
    assert not (home / "out.jsonl").exists()
