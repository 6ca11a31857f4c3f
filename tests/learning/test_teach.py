"""Teaching is the generalized update: against autograd, and by what it does.

The taught question and its paraphrases change, and the rest is left alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from denota import sample
from denota.app.paths import load_run
from denota.data.answer import Cells
from denota.data.example import Question
from denota.learning.presets import PRESETS
from denota.learning.update import surrogate_loss
from denota.model.features import Features, constants_of, features_of
from denota.model.memory import Memory, header_of
from denota.model.parser import Parser
from denota.programs.text import parse_program, print_program
from denota.search.candidates import Candidates
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer
from denota.tables.table import Cell, Table
from denota.teaching import lesson as teach
from denota.teaching.lesson import Lesson, learn, lesson_of

CASTLES = sample.tables()["tables/castles.csv"]
LEARNS_BY = {
    **dict.fromkeys(PRESETS, "maver"),
    "mmr": "mmr",
    "off_policy_w_mmr_q": "off_policy_w_mmr_q",
}
"""By which update a lesson is learnt: MAVER, if the parser was trained with one without margin."""


@pytest.fixture(scope="module")
def parser() -> Parser:
    return load_run("default")


def ready(
    parser: Parser, text: str, cells: set[Cell] | None = None, table: Table = CASTLES
) -> Prepared:
    question = Question("q", "0", 0, text, table, "", ())
    answer = Cells(frozenset(cells)) if cells is not None else None
    return Preparer.of(parser.config, keep_spaces=True)(question, None, answer)


@pytest.mark.parametrize(("trained_by", "learns_by"), LEARNS_BY.items())
def test_one_step_is_minus_the_gradient_of_the_surrogate(
    parser: Parser, monkeypatch: pytest.MonkeyPatch, trained_by: str, learns_by: str
) -> None:
    """W after one round from 0 is −rate ∂loss/∂W, with the loss of training over the same K."""
    monkeypatch.setattr(teach, "ROUNDS", 1)
    lesson = lesson_of(parser, ready(parser, "what was the zorg of harrock tower?", {(2, 2)}))
    assert lesson.consistent
    learnt = learn([lesson], replace(parser.config, update=PRESETS[trained_by]))
    names = sorted({f for features in lesson.features for f in features})
    counts = [[features.count(n) for n in names] for features in lesson.features]
    part = torch.tensor(counts).double()
    asked = torch.from_numpy(lesson.asked).double()
    weights = torch.zeros(len(names), len(asked), dtype=torch.float64, requires_grad=True)
    scores = (torch.from_numpy(lesson.logs) + part @ (weights @ asked)) / teach.MARGIN
    shaped = lesson.logs + parser.config.search.eta * lesson.critique
    reference = int(shaped[: lesson.consistent].argmax())
    mask = torch.from_numpy(lesson.rewards < 1)
    mask[reference] = True
    rewards = torch.from_numpy(lesson.rewards)
    place = torch.tensor([reference])
    explored = torch.where(mask & (rewards >= 1), 0.0, -torch.inf).double()  # log 1 for y* alone
    found = Candidates(scores[None], rewards[None], mask[None], explored[None], place, place)
    surrogate_loss(found, PRESETS[learns_by]).backward()
    assert weights.grad is not None
    expected = -teach.RATE * teach.MARGIN * weights.grad  # the margin divides the scores
    got = torch.tensor([[learnt.weights[0].get(n, 0.0)] for n in names]).double() * asked
    assert got.abs().sum() > 0
    torch.testing.assert_close(got, expected, atol=1e-6, rtol=1e-5)


def test_what_is_taught_is_answered_and_so_is_a_paraphrase(parser: Parser) -> None:
    asked = "what was the zorg of harrock tower?"
    lesson = lesson_of(parser, ready(parser, asked, {(2, 2)}))
    memory = Memory({header_of(CASTLES): learn([lesson], parser.config)})
    taught = Parser(parser.config, parser.scorer, parser.calibration, memory)
    for text, row in (
        (asked, 2),
        ("the zorg of harrock tower was what?", 2),
        ("what was the zorg of dun fort?", 3),
    ):
        question = ready(parser, text)
        (best,) = taught.best([question])[0][:1]
        assert question.denotation(int(best)).cells == {(row, 2)}, text


def test_probabilities_stay_probabilities(parser: Parser) -> None:
    lesson = lesson_of(parser, ready(parser, "what was the zorg of harrock tower?", {(2, 2)}))
    memory = Memory({header_of(CASTLES): learn([lesson], parser.config)})
    taught = Parser(parser.config, parser.scorer, None, memory)
    for text in ("what was the zorg of dun fort?", "which castles are there?"):
        _, shares, _ = taught.rated([ready(parser, text)], 50)[0]
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) <= 1 + 1e-9


def test_other_tables_are_left_exactly_as_they_were(parser: Parser) -> None:
    lesson = lesson_of(parser, ready(parser, "what was the zorg of harrock tower?", {(2, 2)}))
    memory = Memory({header_of(CASTLES): learn([lesson], parser.config)})
    taught = Parser(parser.config, parser.scorer, None, memory)
    bridges = sample.tables()["tables/bridges.csv"]
    question = ready(parser, "which bridges are there?", table=bridges)
    assert taught.rated([question], 20) == parser.rated([question], 20)


def test_cells_that_no_program_gives_teach_nothing(parser: Parser) -> None:
    lesson = lesson_of(parser, ready(parser, "which?", {(0, 0), (3, 5), (7, 2)}))
    assert lesson.consistent == 0 and lesson.readings == ()
    assert learn([lesson], parser.config).weights == ()


def test_a_chosen_reading_is_the_reference(parser: Parser) -> None:
    question = ready(parser, "which one is it?", {(2, 0)})
    first = lesson_of(parser, question)
    other = print_program(first.readings[1])
    lesson = lesson_of(parser, question, other)
    assert lesson.chosen == 1
    memory = Memory({header_of(CASTLES): learn([lesson], parser.config)})
    taught = Parser(parser.config, parser.scorer, None, memory)
    best = int(taught.best([question])[0][0])
    assert question.denotation(best).cells == {(2, 0)}
    raised = memory.tables[header_of(CASTLES)].weights[0]
    own = set(features_of(question, int(_number(question, lesson))))
    assert all(raised[f] > 0 for f in own & set(raised))


def _number(question: Prepared, lesson: Lesson) -> int:
    assert lesson.chosen is not None
    return question.space.index(lesson.programs[lesson.chosen])


def test_learning_many_lessons_stays_quick(parser: Parser) -> None:
    import time

    lesson = lesson_of(parser, ready(parser, "what was the zorg of harrock tower?", {(2, 2)}))
    began = time.perf_counter()
    learn([lesson] * 40, parser.config)
    assert time.perf_counter() - began < 3
    assert np.isfinite(lesson.logs).all()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT Castle WHERE Towers > 3", "COUNT (SELECT Castle WHERE Towers > 3)"),
        ("COUNT (ROWS)", "EXISTS (ROWS)"),
        ("SELECT Castle WHERE Towers > 3", "SELECT Castle WHERE Towers > 3 THEN FIRST ROW"),
        (
            "SUM (SELECT Towers WHERE Castle = 'a')",
            "DIFFERENCE (SUM (SELECT Towers WHERE Castle = 'a' VERSUS Castle = 'b'))",
        ),
        (
            "MORE (SUM (SELECT Towers WHERE Castle = 'a' VERSUS Castle = 'b'))",
            "MORE (SUM (SELECT Towers WHERE Castle = 'b' VERSUS Castle = 'a'))",
        ),
        ("SELECT Castle THEN Builder IS MOST COMMON", "SELECT Castle THEN Castle IS MOST COMMON"),
    ],
)
def test_what_is_computed_and_gone_on_to_is_a_part(one: str, other: str) -> None:
    question = Question("q", "0", 0, "does a have more towers than b?", CASTLES, "")
    features = Features(Preparer("full", keep_spaces=True)(question, None))
    said = [
        sorted((*features.parts(tree), *constants_of(tree)))
        for tree in (parse_program(one), parse_program(other))
    ]
    assert said[0] != said[1]


def test_a_count_and_its_cells_differ_in_their_answer_but_not_in_their_rows() -> None:
    question = Question("q", "0", 0, "how many castles are a ruin?", CASTLES, "")
    prepared = Preparer("full", keep_spaces=True)(question, None)
    of = {
        text: features_of(prepared, prepared.space.index(parse_program(text)))[-2:]
        for text in (
            "SELECT Castle WHERE Condition = 'ruin'",
            "COUNT DISTINCT (SELECT Castle WHERE Condition = 'ruin')",
        )
    }
    (rows, cells), (same_rows, value) = of.values()
    assert rows == same_rows and cells != value
