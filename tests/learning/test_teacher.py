"""A teacher: its policy explores, and what it believes is learnt."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from denota import sample
from denota.config import Config, ModelConfig, SearchConfig, TrainConfig, UpdateConfig
from denota.data import Example, load_examples
from denota.errors import ConfigError, TrainingError
from denota.learning.presets import PRESETS
from denota.learning.run import train
from denota.learning.start import new_parser
from denota.model.checkpoint import load_parser
from denota.search.candidates import Guide, find_candidates
from denota.search.flat_batch import lay_flat
from denota.search.preparer import Preparer

CONFIG = Config(
    model=ModelConfig(dimension=16, hidden=4, dropout=0.0, vectors="letters"),
    train=TrainConfig(epochs=6, batch=8, device="cpu"),
)
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def few() -> tuple[Example, ...]:
    return load_examples(sample.path(), "train").examples[:60]


@pytest.fixture(scope="module")
def teacher(few: tuple[Example, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "teacher"
    train(CONFIG, few, (), out)
    return out


def test_a_guide_that_is_the_model_changes_nothing(few: tuple[Example, ...]) -> None:
    ready = Preparer.of(CONFIG).ahead(few[:8])
    scorer = new_parser(CONFIG, ready).scorer.eval()
    batch = scorer.batch(ready)
    flat = lay_flat(ready, batch.offsets, batch.width, CONFIG.search, CPU, scorer.outcome)
    entries = scorer(batch)
    alone, places = find_candidates(flat, entries, scorer.recall, CONFIG.search)
    same = Guide(entries.detach(), scorer.recall.detach())
    guided, others = find_candidates(flat, entries, scorer.recall, CONFIG.search, guide=same)
    assert torch.equal(places, others)
    assert alone.log_teacher is None and guided.log_teacher is not None
    for one in fields(alone):
        if one.name == "log_teacher":
            continue
        before, after = getattr(alone, one.name), getattr(guided, one.name)
        assert before is after is None or torch.equal(before, after), one.name


def test_the_guide_chooses_among_programs_that_give_the_answer(few: tuple[Example, ...]) -> None:
    """y* is the consistent program that the guide scores highest, whatever the model thinks."""
    ready = Preparer.of(CONFIG).ahead(few[:8])
    scorer = new_parser(CONFIG, ready).scorer.eval()
    batch = scorer.batch(ready)
    search = SearchConfig(vacuous=True)
    flat = lay_flat(ready, batch.offsets, batch.width, search, CPU, scorer.outcome)
    entries = scorer(batch)
    other = torch.randn(entries.shape, generator=torch.Generator().manual_seed(0))
    guide = Guide(other, torch.zeros(()))
    found, places = find_candidates(flat, entries, scorer.recall, search, guide=guide)
    scores = flat.scores(other, torch.zeros(()), 0.0)
    for line, question in enumerate(ready):
        start, rewards = int(flat.starts[line]), question.rewards
        assert rewards is not None
        own = scores[start : start + question.axes.programs].numpy()
        best = np.where(rewards == rewards.max(), own, -np.inf).max()
        chosen = int(places[line, found.reference[line]]) - start
        assert rewards[chosen] == rewards.max()
        assert own[chosen] == pytest.approx(best)


def agreement(model: Path, teacher: Path, few: tuple[Example, ...]) -> float:
    """The share of questions for which two parsers take the same program."""
    ready = Preparer.of(CONFIG).ahead(few)
    best = [[ids[0] for ids in load_parser(path)[0].best(ready)] for path in (model, teacher)]
    return float(np.mean([one == other for one, other in zip(*best, strict=True)]))


@pytest.mark.parametrize("algorithm", ["distil", "distil_beliefs", "maver"])
def test_a_student_comes_to_agree_with_its_teacher(
    few: tuple[Example, ...], teacher: Path, tmp_path: Path, algorithm: str
) -> None:
    update: UpdateConfig = PRESETS[algorithm]
    search = replace(CONFIG.search, margin=algorithm == "maver")
    student = replace(CONFIG, seed=1, update=update, search=search)
    alone = agreement(
        train(student, few, (), tmp_path / "alone"), teacher / "best.safetensors", few
    )
    taught = replace(student, train=replace(student.train, teacher=str(teacher)))
    out = train(taught, few, (), tmp_path / "taught")
    assert agreement(out, teacher / "best.safetensors", few) > alone
    workers = replace(taught, train=replace(taught.train, workers=2))
    same = load_parser(train(workers, few, (), tmp_path / "workers"))[0].scorer.state_dict()
    for name, weight in load_parser(out)[0].scorer.state_dict().items():
        assert torch.allclose(weight, same[name], atol=1e-5), name


def test_a_teacher_of_a_smaller_language_is_refused(
    few: tuple[Example, ...], teacher: Path, tmp_path: Path
) -> None:
    larger = replace(
        CONFIG,
        data=replace(CONFIG.data, language="extended"),
        train=replace(CONFIG.train, teacher=str(teacher)),
    )
    with pytest.raises(TrainingError, match="does not know"):
        train(larger, few, (), tmp_path / "larger")


def test_a_teacher_that_is_not_there_is_noticed_at_once(
    few: tuple[Example, ...], tmp_path: Path
) -> None:
    lost = replace(CONFIG, train=replace(CONFIG.train, teacher=str(tmp_path / "nobody")))
    asked: list[int] = []
    with pytest.raises(ConfigError, match="no parser at"):
        train(lost, few, (), tmp_path / "run", prepared=asked.append)
    assert not asked, "before questions are prepared"
