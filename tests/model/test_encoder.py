"""A scorer on an encoder: a batch is its questions one by one.

The order of columns says nothing, and a saved parser needs no package.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from denota.config import Config, ModelConfig, SearchConfig, TrainConfig
from denota.data import Cells, Example, Question
from denota.learning.start import new_parser
from denota.learning.trainer import Training
from denota.model.checkpoint import load_parser
from denota.model.encoder import Encoder
from denota.model.parser import Parser
from denota.model.reading import LONGEST_QUESTION, Reader
from denota.model.saved import save_parser
from denota.model.wordpieces import Wordpieces
from denota.programs import Denotation, language_of
from denota.programs.operators import AGGREGATES
from denota.search.axes import BLOCKS, FIXED, OUTCOMES, SIZES
from denota.search.exact import AxisScores, program_scores
from denota.search.flat_batch import flat_scores, lay_flat
from denota.search.lexicon import read_lexicon
from denota.search.prepare import Prepared, prepare
from denota.search.preparer import Preparer
from denota.tables import Table
from model.tiny import letters, tiny_encoder

SHIPS = Table.from_rows(
    ["Ship", "Built", "Length (m)", "Lost"],
    [
        ["Aurora", "1901", "124", "May 1920"],
        ["Borealis", "1912", "98", ""],
        ["Corona Maris", "1912", "131", "June 1931"],
    ],
)
CITIES = Table.from_rows(
    ["City", "Country", "People"],
    [["Oslo", "Norway", "709,037"], ["Bergen", "Norway", "291,940"], ["Turku", "Finland", "-"]],
)
ASKED = [
    ("which ship is the longest?", SHIPS, (), None, {(2, 0)}),
    (
        "and which was built after 1905?",
        SHIPS,
        ("list the ships",),
        Denotation((0, 1, 2), (0,)),
        {(1, 0), (2, 0)},
    ),
    ("how many people live in oslo or bergen?", CITIES, (), None, {(0, 2), (1, 2)}),
    (
        "which of these two has corona in its name?",
        SHIPS,
        ("built when?", "ships of 1912"),
        Denotation((1, 2), (0,)),
        {(2, 0)},
    ),
    ("", CITIES, (), None, {(0, 0)}),
]


@pytest.fixture(scope="module")
def wordpieces() -> Wordpieces:
    return letters()


@pytest.fixture(scope="module")
def scorer() -> Encoder:
    return tiny_encoder()


def prepared(language: str = "extended") -> list[Prepared]:
    operators, lexicon = language_of(language), read_lexicon()
    return [prepare(q, t, h, p, Cells(frozenset(a)), operators, lexicon) for q, t, h, p, a in ASKED]


@pytest.mark.parametrize("language", ["dynsp++", "extended", "extended +count +sum"])
def test_a_batch_is_its_questions_one_by_one(scorer: Encoder, language: str) -> None:
    questions = prepared(language)
    batch = scorer.batch(questions)
    together = scorer(batch)
    assert together.shape == (len(questions), batch.width)
    for line, question in enumerate(questions):
        alone = scorer.batch([question])
        entries = scorer(alone)[0]
        assert len(entries) == alone.width
        axis = AxisScores(entries.detach().numpy(), alone.offsets, 0.3, outcome=True)
        both = AxisScores(together[line].detach().numpy(), batch.offsets, 0.3, outcome=True)
        expected = program_scores(question, axis)
        np.testing.assert_allclose(program_scores(question, both), expected, atol=1e-4)
        flat = lay_flat(
            [question], alone.offsets, alone.width, SearchConfig(), scorer.device, outcome=True
        )
        found = flat_scores(flat, entries[None], torch.tensor(0.3), 0.0)
        np.testing.assert_allclose(found.detach().numpy(), expected, atol=1e-4)


def test_programs_looked_at_as_a_whole(scorer: Encoder) -> None:
    questions = prepared("dynsp++")
    model = ModelConfig(width=8, cells=6)
    plain = Parser(Config(), Encoder.restored(model, scorer.facts(), scorer.state_dict()))
    plain.scorer.refines = 0
    whole = Parser(Config(), scorer)
    for one, other in zip(plain.best(questions, 5), whole.best(questions, 5), strict=True):
        assert one.tolist() == other.tolist(), "it begins as if it were not there"
    torch.manual_seed(1)
    torch.nn.init.normal_(scorer.whole.scores.weight, std=3.0)
    try:
        before = plain.best(questions, scorer.refines)
        after = whole.best(questions, scorer.refines)
        alone = [whole.best([question], scorer.refines)[0] for question in questions]
    finally:
        torch.nn.init.zeros_(scorer.whole.scores.weight)
    changed = 0
    for one, other, lonely in zip(before, after, alone, strict=True):
        assert other[0] in one, "the best is one of those that were looked at"
        assert other[0] == lonely[0], "company does not matter"
        changed += one[0] != other[0]
    assert changed


def test_doing_nothing_scores_nothing(scorer: Encoder) -> None:
    batch = scorer.batch(prepared())
    place = batch.offsets[BLOCKS.index("fixed")] + FIXED.index("nothing")
    assert not scorer(batch)[:, place].any()


def shuffled(table: Table, order: list[int]) -> Table:
    return Table(tuple(table.columns[column] for column in order), table.name)


def test_the_order_of_columns_says_nothing(scorer: Encoder) -> None:
    operators, lexicon = language_of("extended"), read_lexicon()
    order = [2, 0, 3, 1]
    for text, table, history, previous, _ in ASKED[:2]:
        other = shuffled(table, order)
        moved = previous
        if previous is not None:
            columns = tuple(order.index(column) for column in previous.columns)
            moved = Denotation(previous.rows, columns)
        found = []
        for one, before in ((table, previous), (other, moved)):
            question = prepare(text, one, history, before, None, operators, lexicon)
            batch = scorer.batch([question])
            axis = AxisScores(scorer(batch)[0].detach().numpy(), batch.offsets, 0.0, outcome=True)
            scores = program_scores(question, axis)
            found.append({question.space.program(n): scores[n] for n in range(0, len(scores), 7)})
            found[-1]["all"] = np.sort(scores)
        np.testing.assert_allclose(found[0]["all"], found[1]["all"], atol=1e-4)
        both = [p for p in found[0] if p in found[1] and p != "all"]
        assert both
        for program in both:
            assert found[0][program] == pytest.approx(found[1][program], abs=1e-4), program


def test_what_is_read(wordpieces: Wordpieces) -> None:
    reader = Reader(wordpieces, 6)
    questions = prepared()
    read = reader(questions[3])
    assert list(np.unique(read.parts)) == [0, 1, 2, 3, 4, 5]
    assert [questions[3].values[v] for v in read.shown] == [("corona", "maris"), ("1912",)]
    assert len(read.columns) == 4 and (read.columns[:, 1] > read.columns[:, 0]).all()
    assert (read.parts[slice(*read.cells[0])] == 5).all()
    starts = read.places[read.columns[:, 0]]
    assert len(set(starts.tolist())) == 1, "every column begins at the same place"
    number = reader(questions[1])
    start, end = number.constants[0]
    assert (number.parts[start:end] == 1).all() and end > start
    again = reader(replace(questions[3], previous=None))
    assert again is read, "the previous answer does not change what is read"


def test_values_of_columns_with_few_are_read_whatever_was_asked(wordpieces: Wordpieces) -> None:
    rows = [[f"car {n}", ("USA", "Japan", "Europe")[n % 3], str(n)] for n in range(12)]
    table = Table.from_rows(["Name", "Origin", "Power"], rows)
    operators, lexicon = language_of("dynsp++"), read_lexicon()
    question = prepare("american ones", table, (), None, None, operators, lexicon)
    seen = [
        [question.values[v] for v in Reader(wordpieces, 6, n)(question).shown] for n in (0, 2, 3)
    ]
    assert seen == [[], [], [("europe",), ("japan",), ("usa",)]], "all of a column, or none"


def test_a_long_question_is_cut(scorer: Encoder) -> None:
    operators, lexicon = language_of("dynsp++"), read_lexicon()
    text = "which ship " * 5000
    question = prepare(text, SHIPS, (text, text), None, None, operators, lexicon)
    read = scorer.reader(question)
    assert (read.parts == 1).sum() <= LONGEST_QUESTION
    assert torch.isfinite(scorer(scorer.batch([question]))).all()


def test_conditions_are_told_apart_by_what_they_keep() -> None:
    question = prepared("dynsp++")[1]
    block, entry = question.outcome
    kept = np.unpackbits(question.axes.rows, axis=1).sum(axis=1)
    places = {place.scope: place.conditions for place in question.axes.places}
    for scope, numbers in places.items():
        everything = kept[numbers[0]]
        for number in numbers.tolist():
            size = int(entry[number, 1]) - (OUTCOMES // 2) * (scope != "table")
            if kept[number] == everything:
                assert size == len(SIZES) + 1
            else:
                assert size == next(n for n, most in enumerate(SIZES) if kept[number] <= most)
    assert {BLOCKS[b] for b in np.unique(block[:, 0])} == {"ranked", "compared", "fixed"}


def test_selections_are_told_apart_by_what_they_name_and_compute() -> None:
    question = prepared("extended +count +sum")[1]
    block, entry = question.breadth
    for place in question.axes.places:
        for line in range(place.s0, place.s1):
            program = question.space.program(
                place.start + (line - place.s0) * len(place.conditions)
            )
            assert BLOCKS[block[line, 0]] == "breadth"
            assert entry[line, 0] == min(len(program.columns), 3)
            own = zip(
                question.axes.select_block[line], question.axes.select_entry[line], strict=True
            )
            acts = {FIXED[e] for b, e in own if BLOCKS[b] == "fixed"}
            assert acts & {*AGGREGATES} == {program.aggregate} - {None}
            assert place.plain == (program.aggregate is None)


def test_it_learns_and_is_saved_whole(scorer: Encoder, tmp_path: Path) -> None:
    examples = [
        Example(Question(f"q{n}", "0", 0, q, t, "t.csv", ()), Cells(frozenset(a)))
        for n, (q, t, _, _, a) in enumerate(ASKED[:4])
    ]
    config = Config(
        model=ModelConfig(scorer="encoder", width=8, cells=6, dropout=0.0),
        search=SearchConfig(shaping="policy"),
        train=TrainConfig(
            epochs=40, batch=4, optimiser="adam", rate=0.01, pretrained=0.1, device="cpu"
        ),
    )
    preparer = Preparer("dynsp++")
    ready = preparer.ahead(examples)
    own = Encoder.restored(config.model, scorer.facts(), scorer.state_dict())
    parser = new_parser(config, ready, Parser(config, own))
    words = parser.scorer.encoder.word_vectors.clone()
    training = Training(config, parser, examples, (), preparer)
    before = training.evaluate(examples).answer_accuracy
    for _ in range(config.train.epochs):
        training.run_epoch()
    assert training.evaluate(examples).answer_accuracy == 100 > before
    assert torch.equal(parser.scorer.encoder.word_vectors, words), "word vectors stay"
    assert parser.scorer.whole.scores.weight.any()
    save_parser(tmp_path / "model.safetensors", parser)
    loaded, _, _ = load_parser(tmp_path / "model.safetensors")
    for one, other in zip(loaded.best(ready, 5), parser.best(ready, 5), strict=True):
        assert one.tolist() == other.tolist()
    save_parser(tmp_path / "small.safetensors", parser, bits=8)
    small, _, _ = load_parser(tmp_path / "small.safetensors")
    for one, other in zip(small.best(ready), parser.best(ready), strict=True):
        assert one.tolist() == other.tolist()


def test_the_first_layers_are_kept() -> None:
    whole, half = (
        Encoder.new(ModelConfig(scorer="encoder", layers=layers), (), "", language_of("dynsp++"))
        for layers in (0, 2)
    )
    assert len(whole.encoder.layers) > len(half.encoder.layers) == 2
    kept = whole.encoder.state_dict()
    assert all(torch.equal(w, kept[name]) for name, w in half.encoder.state_dict().items())
    assert json.loads(half.facts()["encoder"])["layers"] == 2, "a saved parser knows"


def test_words_are_matched_with_the_questions_alone(scorer: Encoder) -> None:
    """Matching reads up to where the questions end: what stands behind them changes nothing."""
    batch = scorer.batch(prepared())
    whole = replace(batch, asked=batch.pieces.shape[1])
    assert batch.asked < whole.asked
    assert torch.allclose(scorer.eval().read(batch).entries, scorer.read(whole).entries, atol=1e-5)
