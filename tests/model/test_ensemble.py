"""Parsers that score together score as the mean of what each scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from denota import sample
from denota.config import Config, ModelConfig, SearchConfig, TrainConfig
from denota.data import Example, load_examples
from denota.errors import TrainingError
from denota.learning.presets import PRESETS
from denota.learning.run import train
from denota.learning.start import new_parser
from denota.model.encoder import Encoder
from denota.model.ensemble import Ensemble, together
from denota.model.names import LEGACY_ENCODER
from denota.model.torch_parser import TorchParser
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer
from model.tiny import tiny_encoder

CONFIG = Config(model=ModelConfig(scorer="encoder", dropout=0.0))
WORDS = Config(
    model=ModelConfig(dimension=16, hidden=4, dropout=0.0, vectors="letters"),
    train=TrainConfig(epochs=1, batch=8, device="cpu"),
)


@pytest.fixture(scope="module")
def few() -> tuple[Example, ...]:
    return load_examples(sample.path(), "train").examples[:24]


def encoders(count: int) -> list[Encoder]:
    """Encoders with random weights of their own, the look at whole programs among them."""
    names = LEGACY_ENCODER.grown(Preparer.of(CONFIG).language, {})
    found = []
    for seed in range(count):
        scorer = tiny_encoder(names)
        torch.manual_seed(seed)
        for weight in scorer.parameters():
            torch.nn.init.normal_(weight, std=0.2)
        found.append(scorer.eval())
    return found


def log_probabilities(parser: TorchParser, question: Prepared) -> np.ndarray:
    return parser.read(question)[0]


def test_the_axis_is_the_mean_of_the_members(few: tuple[Example, ...]) -> None:
    ready = Preparer.of(CONFIG).ahead(few[:6])
    members = encoders(3)
    ensemble = Ensemble(members)
    found = ensemble.read(ensemble.batch(ready)).entries
    each = torch.stack([member(member.batch(ready)) for member in members])
    assert torch.allclose(found, each.mean(dim=0), atol=1e-6)


def test_the_look_at_whole_programs_is_the_mean_too(few: tuple[Example, ...]) -> None:
    ready = Preparer.of(CONFIG).ahead(few[:4])
    members = encoders(2)
    ensemble = Ensemble(members)
    axis = ensemble.read(ensemble.batch(ready))
    parts = torch.arange(4 * 5 * 3).reshape(4, 5, 3) % axis.entries.shape[1]
    features = torch.rand(4, 5, 2, generator=torch.Generator().manual_seed(1))
    each = []
    for member in members:
        own = member.read(member.batch(ready))
        each.append(member.refine(own, parts, features))
    found = ensemble.refine(axis, parts, features)
    assert torch.allclose(found, torch.stack(each).mean(dim=0), atol=1e-6)
    assert found.abs().max() > 0, "the members add something"


def test_many_of_the_same_are_one(few: tuple[Example, ...]) -> None:
    ready = Preparer.of(CONFIG).ahead(few)
    (one,) = encoders(1)
    alone = TorchParser(CONFIG, one)
    same = together([TorchParser(CONFIG, one), TorchParser(CONFIG, one)])
    for question in ready:
        np.testing.assert_allclose(
            log_probabilities(same, question), log_probabilities(alone, question), atol=1e-5
        )
    assert [ids.tolist() for ids in same.best(ready, 3)] == [
        ids.tolist() for ids in alone.best(ready, 3)
    ]


def test_one_parser_stays_as_it_is(few: tuple[Example, ...]) -> None:
    parser = new_parser(WORDS, Preparer.of(WORDS).ahead(few))
    assert together([parser]) is parser


def test_parsers_of_other_kinds_or_languages_are_refused(few: tuple[Example, ...]) -> None:
    ready = Preparer.of(WORDS).ahead(few)
    words = new_parser(WORDS, ready)
    outcomes = replace(WORDS, model=replace(WORDS.model, scorer="outcomes"))
    with pytest.raises(TrainingError, match="same kind"):
        together([words, new_parser(outcomes, ready)])
    smaller = replace(WORDS, data=replace(WORDS.data, language="dynsp"))
    with pytest.raises(TrainingError, match="same language"):
        together([words, new_parser(smaller, Preparer.of(smaller).ahead(few))])


def test_two_teachers_teach_together(few: tuple[Example, ...], tmp_path: Path) -> None:
    """A student of two teachers that are the same learns what one of them teaches."""
    first = train(WORDS, few, (), tmp_path / "first")
    second = train(replace(WORDS, seed=1), few, (), tmp_path / "second")
    student = replace(WORDS, seed=2, update=PRESETS["distil"], search=SearchConfig(margin=False))

    def taught(by: str, out: str) -> dict[str, torch.Tensor]:
        from denota.model.checkpoint import load_parser

        config = replace(student, train=replace(student.train, teacher=by))
        return load_parser(train(config, few, (), tmp_path / out))[0].scorer.state_dict()

    alone = taught(str(first), "alone")
    twice = taught(f"{first}, {first}", "twice")
    both = taught(f"{first}, {second}", "both")
    assert all(torch.allclose(twice[name], weight, atol=1e-6) for name, weight in alone.items())
    assert any(not torch.allclose(both[name], weight) for name, weight in alone.items())
