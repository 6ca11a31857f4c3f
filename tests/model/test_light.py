"""The scorer of arrays gives the scores of the torch one: for any names, language and rounding.

So the programs that answer are the same, but where two tie to the sixth digit.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from denota import sample
from denota.app.paths import load_run, model_path
from denota.config import Config, DataConfig, ModelConfig
from denota.data import Cells, load_examples
from denota.data.example import Example
from denota.errors import MissingPackage, ModelError, TrainingError
from denota.model.checkpoint import load_parser, trainable
from denota.model.encoder import Encoder
from denota.model.light.encoder import LightEncoder
from denota.model.light.parser import light_parser
from denota.model.light.transformer import distance_buckets, gelu
from denota.model.names import LEGACY_ENCODER, RowNames
from denota.model.parser import Parser
from denota.model.saved import read_saved, save_parser
from denota.model.shape import Shape
from denota.model.transformer import Transformer
from denota.model.transformer import distance_buckets as torch_buckets
from denota.programs import Denotation, language_of
from denota.search.lexicon import read_lexicon
from denota.search.prepare import Prepared, prepare
from denota.search.preparer import Preparer
from denota.tables import Table
from model.tiny import letters

SHIPS = Table.from_rows(
    ["Ship", "Built", "Length (m)", "Lost", ""],
    [
        ["Aurora", "1901", "124", "May 1920", "a"],
        ["Borealis", "1912", "98", "", "b"],
        ["Corona Maris", "1912", "131", "June 1931", "a"],
        ["Corona Maris II", "1913", "131", "June 1931", "a"],
    ],
)
EMPTY = Table.from_rows(["City", "Country"], [["", ""], ["", ""]])
ASKED = [
    ("which ship is the longest?", SHIPS, (), None),
    ("and built after 1905 and before may 1930?", SHIPS, ("list them",), Denotation((0, 1), (0,))),
    ("which has corona in its name?", SHIPS, ("when?", "of 1912"), Denotation((1, 2), (0,))),
    ("", SHIPS, (), None),
    ("how many cities", EMPTY, (), None),
]
PATHS = {"whole": None, "8 bits": 8, "4 bits": 4}


def scorer_of(kind: str, names: RowNames, language: str, usual: int) -> Encoder:
    wordpieces = letters()
    sizes = (512, 0, 2, 0) if kind == "bert" else (514, 2, 0, 32)
    shape = Shape(kind, wordpieces.size, 64, 2, 2, 96, *sizes, 1e-12)
    torch.manual_seed(0)
    encoder = Transformer(shape)
    scorer = Encoder(encoder, wordpieces, 64, 6, 0.0, names, usual)
    scorer.grow(language_of(language))
    for weight in scorer.parameters():
        torch.nn.init.normal_(weight, std=0.2)
    return scorer.eval()


def without(names: RowNames, *gone: str) -> RowNames:
    kept = {
        head: tuple(name for name in own if name not in gone) for head, own in names.heads.items()
    }
    return replace(names, heads=kept)


def prepared(language: str) -> list[Prepared]:
    operators, lexicon = language_of(language), read_lexicon()
    answer = Cells(frozenset({(0, 0)}))
    return [prepare(q, t, h, p, answer, operators, lexicon) for q, t, h, p in ASKED]


def same(light: Parser, whole: Parser, questions: Iterable[Prepared], close: float) -> list[bool]:
    """Whether the best programs are the same, where all scores are."""
    found = []
    for question in questions:
        mine, theirs = light.axis(question), whole.axis(question)
        assert mine.offsets.tolist() == theirs.offsets.tolist()
        assert (mine.recall, mine.outcome) == (theirs.recall, theirs.outcome)
        scale = max(1.0, float(np.abs(theirs.entries).max()))
        np.testing.assert_allclose(mine.entries, theirs.entries, atol=close * scale)
        (logs, asked), (expected, vector) = light.read(question), whole.read(question)
        np.testing.assert_allclose(asked, vector, atol=close)
        (mine_rated,), (their_rated,) = light.rated([question], 1), whole.rated([question], 1)
        np.testing.assert_allclose(mine_rated.said, their_rated.said, atol=close * scale)
        assert logs.shape == expected.shape
        (first, *_), (other, *_) = np.argsort(-logs), np.argsort(-expected)
        # looked at as a whole: the same programs were, or those that tie
        found.append(first == other or abs(expected[first] - expected[other]) < 100 * close)
    return found


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
@pytest.mark.parametrize("language", ["dynsp++", "extended", "full"])
@pytest.mark.parametrize("bits", PATHS)
def test_scores_are_those_of_torch(kind: str, language: str, bits: str, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    names = without(LEGACY_ENCODER, "fixed/top", "compare/less", "ranked", "outcome/3")
    scorer = scorer_of(kind, names, language, usual=4)
    model = ModelConfig(scorer="encoder", width=64, cells=6, usual=4)
    config = Config(data=DataConfig(language=language), model=model)
    save_parser(path, Parser(config, scorer), bits=PATHS[bits])
    light, (whole, _, _) = load_run(path), load_parser(path)
    assert isinstance(light.scorer, LightEncoder) and isinstance(whole.scorer, Encoder)
    assert light.scorer.names == whole.scorer.names
    assert (light.operators, light.language) == (whole.operators, whole.language)
    assert all(same(light, whole, prepared(language), 2e-5))
    assert [light.scorer.knows(w) for w in ("ship", "xyz")] == [True, False]


def test_what_a_table_says_is_told_by_parsers_that_learnt_it(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    config = Config(model=ModelConfig(scorer="encoder", width=64, cells=6))
    save_parser(path, Parser(config, scorer_of("bert", LEGACY_ENCODER, "extended", usual=0)))
    assert all(one.said != 0.0 for one in load_run(path).rated(prepared("extended"), 1))
    saved = read_saved(path)
    older = {name: own for name, own in saved.weights.items() if not name.startswith("said.")}
    light = light_parser(replace(saved, weights=older), path)
    whole = Encoder.restored(saved.config.model, saved.facts, tensors(older))
    for parser in (light, Parser(saved.config, whole)):
        assert [one.said for one in parser.rated(prepared("extended"), 1)] == [0.0] * len(ASKED)


def tensors(weights: Mapping[str, NDArray[np.generic]]) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(np.array(own)) for name, own in weights.items()}


def test_questions_do_not_depend_on_each_other() -> None:
    parser, questions = load_run("default"), prepared("extended")
    together = parser.rated(questions, 3)
    assert together == [parser.rated([question], 3)[0] for question in questions]


def sampled(examples: Iterable[Example], parser: Parser) -> list[Prepared]:
    preparer = Preparer.of(parser.config, operators=parser.language)
    found, before = [], None
    for one in examples:
        found.append(preparer(one.question, before if one.question.position else None))
        before = Denotation.of_cells(one.cells) if isinstance(one.answer, Cells) else None
    return found


def test_the_shipped_model_answers_as_with_torch() -> None:
    light, (whole, _, _) = load_run("default"), load_parser(model_path("default"))
    examples = load_examples(sample.path(), "dev").examples[:40]
    assert all(same(light, whole, sampled(examples, light), 1e-5))


@pytest.mark.sqa
@pytest.mark.slow
def test_it_answers_sqa_as_with_torch(sqa: Path) -> None:
    light, (whole, _, _) = load_run("default"), load_parser(model_path("default"))
    examples = load_examples(sqa, "random-split-1-dev").examples[:360]
    questions = sampled(examples, light)
    mine, theirs = light.best(questions), whole.best(questions)
    equal = [a.tolist() == b.tolist() for a, b in zip(mine, theirs, strict=True)]
    assert len(equal) > 300 and np.mean(equal) >= 0.998


def test_saved_again_it_is_the_same(tmp_path: Path) -> None:
    light = load_run("default")
    save_parser(tmp_path / "again.safetensors", light)
    one, other = read_saved(model_path("default")), read_saved(tmp_path / "again.safetensors")
    assert one.weights.keys() == other.weights.keys() and one.config == other.config
    assert all(np.array_equal(one.weights[name], other.weights[name]) for name in one.weights)
    assert other.calibration == light.calibration


def test_to_train_it_takes_weights_of_its_own() -> None:
    light = load_run("default")
    before = {name: array.copy() for name, array in light.scorer.weights().items()}
    learning = trainable(light)
    for weight in learning.scorer.parameters():
        weight.data.fill_(1.0)
    assert all(np.array_equal(before[n], array) for n, array in light.scorer.weights().items())


def test_gelu_is_that_of_the_normal_distribution() -> None:
    points = np.linspace(-12, 12, 4001, dtype=np.float32)
    exact = [x * 0.5 * math.erfc(-x / math.sqrt(2)) for x in points.tolist()]
    assert np.abs(gelu(points.copy()[:, None])[:, 0] - exact).max() < 1e-6


@pytest.mark.parametrize("buckets", [8, 32])
def test_distances_fall_into_the_same_buckets(buckets: int) -> None:
    expected = torch_buckets(512, buckets).numpy()
    assert np.array_equal(distance_buckets(np.arange(512), buckets), expected)


def test_a_text_that_is_too_long_is_said_so() -> None:
    encoder = load_run("default").scorer.encoder  # type: ignore[attr-defined]
    line = np.zeros(encoder.shape.longest + 1, np.int64)
    with pytest.raises(ModelError, match="too long"):
        encoder(line, line, line)


def test_weights_that_are_missing_are_said_so(tmp_path: Path) -> None:
    saved = read_saved(model_path("default"))
    weights = {k: v for k, v in saved.weights.items() if not k.startswith("whole.")}
    with pytest.raises(TrainingError, match="not a model that can be read"):
        light_parser(replace(saved, weights=weights), tmp_path / "a.safetensors")


def test_a_scorer_that_needs_torch_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from denota.model.torch_parser import TorchParser

    path = tmp_path / "glove.safetensors"
    config = Config(model=ModelConfig(scorer="cues", dimension=12, hidden=4))
    save_parser(path, TorchParser.new(config, prepared("dynsp++")))
    assert load_run(path).best(prepared("dynsp++"))
    for name in [*sys.modules]:
        if name.partition(".")[0] == "torch" or name == "denota.model.checkpoint":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackage, match=r"needs torch.*denota\[train\]"):
        load_run(path)
