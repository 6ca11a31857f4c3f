"""The questions are always the same hundred, and the judge does not see the parser.

Altered tables tell some accidents from reasons.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from denota import sample
from denota.config import Config, SearchConfig, TrainConfig
from denota.data import Cells, Example, Question, load_examples
from denota.learning.start import new_parser
from denota.programs import Denotation
from denota.programs.execute import execute
from denota.programs.text import parse_program
from denota.reports.spurious import (
    AskedQuestion,
    Believed,
    believed,
    draw_questions,
    judged_key,
    kept_answers,
    measure_spurious,
    sheet,
)
from denota.search.preparer import Preparer
from denota.tables import Table

ROOT = Path(__file__).parents[2]
TABLE = Table.from_rows(
    ["Rank", "Nation", "Points", "Year"],
    [
        ["1", "Norway", "62", "2004"],
        ["2", "Kenya", "44", "2008"],
        ["3", "Peru", "17", "2012"],
        ["4", "Chile", "12", "2016"],
        ["5", "Japan", "9", "2020"],
    ],
)


def asked(text: str, *cells: tuple[int, int], previous: Denotation | None = None) -> AskedQuestion:
    question = Question("q", "0", 0, text, TABLE, "t.csv", ())
    return AskedQuestion(Example(question, Cells(frozenset(cells))), previous)


@pytest.mark.parametrize(
    ("program", "kept"),
    [
        ("SELECT Nation WHERE Points IS MAX", True),
        ("SELECT Nation WHERE Points > 50", True),
        ("SELECT Nation WHERE Rank = '1'", False),
        ("SELECT Nation WHERE Year IS MIN", False),
        ("SELECT Nation WHERE Nation = 'Norway'", True),  # an accident that no such table shows
    ],
)
def test_a_program_of_another_column_loses_its_answer(program: str, kept: bool) -> None:
    share = kept_answers(asked("which nation has the most points?", (0, 1)), program)
    assert (share == 1) == kept
    if not kept:
        assert share < 0.6, "one deal in five leaves the row where it was"


def test_a_follow_up_moves_with_its_rows() -> None:
    one = asked("of those, the fewest points?", (2, 1), previous=Denotation((0, 2), (1,)))
    assert kept_answers(one, "FOLLOW-UP WHERE Points IS MIN") == 1
    assert kept_answers(one, "FOLLOW-UP WHERE Year IS MAX") < 1
    assert kept_answers(one, "SELECT Nation WHERE Points IS MIN") == 0


def test_the_same_questions_are_drawn_every_time() -> None:
    examples = load_examples(sample.path(), "train").examples
    keys = [one.key for one in draw_questions(examples)]
    assert keys == [one.key for one in draw_questions(examples)]
    assert len(set(keys)) == 100
    assert keys != [one.key for one in draw_questions(examples, seed=1)]


def test_the_judge_sees_programs_and_no_parser() -> None:
    questions = [asked("which nation has the most points?", (0, 1))] * 30
    one, other = Believed("SELECT Nation", 1.0, True), Believed("SELECT Points", 1.0, True)
    programs = {"shaped": [one] * 30, "unshaped": [other] * 30}
    page = sheet(questions, programs)
    assert "shaped" not in page
    first = re.findall(r"points\?.*?\n(?:.*\n)*?\[\w+\] (.*)", page)
    assert len(set(first)) == 2, "the order says nothing"
    assert f"[{judged_key(questions[0].key, 'SELECT Nation')}] SELECT Nation" in page
    same = sheet(questions[:1], {"shaped": [one], "unshaped": [one]})
    assert same.count("SELECT Nation") == 1


def test_what_is_believed_earns_the_most_reward_there_is() -> None:
    examples = load_examples(sample.path(), "dev").examples[:40]
    config = Config(search=SearchConfig(shaping="policy"), train=TrainConfig(device="cpu"))
    preparer = Preparer("dynsp++")
    parser = new_parser(config, preparer.ahead(examples))
    questions = draw_questions(examples, count=15)
    found = believed(parser, questions, config.search)
    for one, first in zip(questions, found, strict=True):
        ready = preparer(one.example.question, one.previous, one.example.cells)
        assert ready.rewards is not None and first is not None
        program = parse_program(first.program)
        cells = execute(program, one.example.question.table, one.previous).cells
        reward = len(cells & one.example.cells) / len(cells | one.example.cells)
        assert reward == pytest.approx(float(ready.rewards.max())) == first.reward
    counts = measure_spurious(questions, found)
    assert counts["questions"] == 15 >= counts["right_answer"] >= counts["kept"] > 0


def test_every_believed_program_was_judged() -> None:
    found = json.loads((ROOT / "results" / "spurious.json").read_text())["questions"]
    verdicts = json.loads((ROOT / "results" / "spurious.verdicts.json").read_text())
    assert len(found) == 100
    items, right = {}, set()
    for line in found:
        for one in filter(None, line["programs"].values()):
            items[one["item"]] = judged_key(line["question"], one["program"])
            right |= {one["item"]} if one["reward"] == 1 else set()
    assert all(item == key for item, key in items.items())
    assert sum(right <= set(said) for said in verdicts.values()) >= 2, "of the right answers"
    for said in verdicts.values():
        assert set(said) <= set(items)
        assert set(said.values()) == {"right", "spurious"}
