"""DynSP++ that looks at what a program would answer: its entries go where the answers are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from denota.config import Config, DataConfig, ModelConfig
from denota.data.answer import Cells
from denota.learning.start import new_parser
from denota.model.checkpoint import load_parser
from denota.model.outcomes import DynSPWithOutcomes
from denota.model.parser import Parser
from denota.model.saved import save_parser
from denota.programs import Denotation, language_of
from denota.search.exact import AxisScores, program_scores
from denota.search.lexicon import read_lexicon
from denota.search.prepare import Prepared, prepare
from denota.tables import Table

SHIPS = Table.from_rows(
    ["Ship", "Built", "Length (m)"],
    [["Aurora", "1901", "124"], ["Borealis", "1912", "98"], ["Corona Maris", "1912", "131"]],
)
CITIES = Table.from_rows(
    ["City", "Country", "People", "Founded"],
    [["Oslo", "Norway", "709,037", "1040"], ["Bergen", "Norway", "291,940", "1070"]],
)
LANGUAGES = ("dynsp++", "extended", "full")


def questions(language: str) -> list[Prepared]:
    operators, lexicon = language_of(language), read_lexicon()
    all_ships = Denotation((0, 1, 2), (0,))
    asked = [
        ("which ship is the longest?", SHIPS, (), None, {(2, 0)}),
        ("and after 1905?", SHIPS, ("list the ships",), all_ships, {(1, 0), (2, 0)}),
        ("how many people live in oslo or bergen?", CITIES, (), None, {(0, 2), (1, 2)}),
    ]
    return [prepare(q, t, h, p, Cells(frozenset(a)), operators, lexicon) for q, t, h, p, a in asked]


def parser(ready: list[Prepared], language: str) -> Parser:
    config = Config(
        data=DataConfig(language=language),
        model=ModelConfig(scorer="outcomes", vectors="letters", dimension=20, hidden=8),
    )
    torch.manual_seed(0)
    return new_parser(config, ready)


def scores(scorer: DynSPWithOutcomes, ready: list[Prepared]) -> list[np.ndarray]:
    batch = scorer.eval().batch(ready)
    with torch.no_grad():
        entries = scorer(batch).numpy()
    return [
        program_scores(q, AxisScores(line, batch.offsets, scorer.recall.item(), outcome=True))
        for q, line in zip(ready, entries, strict=True)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_batch_is_its_questions_one_by_one(language: str) -> None:
    ready = questions(language)
    scorer = parser(ready, language).scorer
    for question, expected in zip(ready, scores(scorer, ready), strict=True):
        (alone,) = scores(scorer, [question])
        assert alone == pytest.approx(expected, abs=1e-5)


def test_what_is_said_of_one_row_raises_the_programs_that_keep_one_row() -> None:
    (ready, *_) = questions("extended")
    scorer = parser([ready], "extended").scorer
    (before,) = scores(scorer, [ready])
    with torch.no_grad():
        scorer.result_bias["outcome"][0] += 3  # at most one row, in the whole table
    (after,) = scores(scorer, [ready])
    rows = [len(ready.denotation(number).rows) for number in range(0, len(before), 7)]
    risen = (after - before)[::7] > 1
    assert risen.tolist() == [count <= 1 for count in rows]


def test_every_entry_of_outcomes_learns() -> None:
    ready = questions("extended")
    scorer = parser(ready, "extended").scorer.train()
    scorer(scorer.batch(ready)).sum().backward()
    for name, weight in scorer.named_parameters():
        if name.split(".")[0] in ("results", "result_bias", "tested"):
            assert weight.grad is not None and weight.grad.abs().sum() > 0, name


def test_a_saved_parser_scores_as_before(tmp_path: Path) -> None:
    ready = questions("extended")
    one = parser(ready, "extended")
    save_parser(tmp_path / "one.safetensors", one)
    again, _, _ = load_parser(tmp_path / "one.safetensors")
    for expected, found in zip(scores(one.scorer, ready), scores(again.scorer, ready), strict=True):
        assert found.tolist() == expected.tolist()
