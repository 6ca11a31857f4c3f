"""What changes from epoch to epoch: which questions are learnt from, and whether shaping acts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from denota import sample
from denota.config import Config, DataConfig, ModelConfig, SearchConfig, TrainConfig
from denota.data import Example, load_examples
from denota.data.example import conversations
from denota.errors import ConfigError
from denota.generate.examples import made_up_examples
from denota.generate.unanswerable import drawn
from denota.learning.group import Group
from denota.learning.run import train
from denota.learning.start import new_parser
from denota.learning.trainer import Epoch, Training
from denota.model.encoder import Encoder
from denota.model.torch_parser import TorchParser
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer
from model.tiny import tiny_encoder

CONFIG = Config(
    model=ModelConfig(dimension=16, hidden=4),
    search=SearchConfig(shaping="policy", eta=50.0),
    train=TrainConfig(epochs=3, batch=8, device="cpu"),
)


@pytest.fixture(scope="module")
def few() -> tuple[Example, ...]:
    return load_examples(sample.path(), "train").examples[:40]


def losses(config: Config, few: tuple[Example, ...], out: Path) -> list[float]:
    found: list[Epoch] = []
    train(config, few, (), out, epoch_done=found.append)
    return [epoch.loss for epoch in found]


def test_shaping_acts_in_the_first_epochs_only(few: tuple[Example, ...], tmp_path: Path) -> None:
    search = CONFIG.search
    always = losses(CONFIG, few, tmp_path / "always")
    first = replace(CONFIG, search=replace(search, shaped_epochs=1))
    once = losses(first, few, tmp_path / "once")
    never = losses(replace(CONFIG, search=replace(search, shaping="none")), few, tmp_path / "never")
    assert once[0] == always[0] != never[0]
    assert once[1] != always[1]
    whole = replace(CONFIG, search=replace(search, shaped_epochs=3))
    assert losses(whole, few, tmp_path / "whole") == always


def test_later_epochs_keep_some_made_up_conversations(few: tuple[Example, ...]) -> None:
    made_up = made_up_examples([few[0].question.table], 60, 0, "extended")
    config = replace(CONFIG, data=replace(CONFIG.data, made_up=60, made_up_kept=0.25))
    preparer = Preparer.of(config)
    parser = new_parser(config, preparer.ahead(few))
    training = Training(config, parser, few, (), preparer, made_up=made_up)
    rng = np.random.default_rng(0)

    def learnt() -> list[Example]:
        return [training._learnt[number] for number in training._numbers_learnt(rng)]

    assert learnt() == list(made_up)
    training.epoch = config.made_up_epochs
    one, other = learnt(), learnt()
    assert one[:40] == other[:40] == list(few)
    whole = set(conversations(made_up))
    for kept in (one[40:], other[40:]):
        assert 0.25 * len(made_up) <= len(kept) <= 0.25 * len(made_up) + 5
        assert set(conversations(kept)) <= whole, "no conversation is cut in two"
    assert one != other, "they are drawn anew"


def test_a_critique_in_the_score_cannot_be_left_out_later() -> None:
    with pytest.raises(ConfigError, match="shaping = policy"):
        SearchConfig(shaping="model", shaped_epochs=1)


def test_an_encoder_learns_what_a_table_does_not_say(few: tuple[Example, ...]) -> None:
    config = Config(
        data=DataConfig(language="extended", unanswerable=0.5),
        model=ModelConfig(scorer="encoder", width=8, cells=6),
        train=TrainConfig(epochs=8, batch=8, optimiser="adam", rate=0.01, device="cpu"),
    )
    preparer, scorer = Preparer.of(config), tiny_encoder()
    answered = preparer.ahead(few)
    unsaid = preparer.ahead([question for _, question in drawn(few, Random(0), learnt=True)])
    training = Training(config, TorchParser(config, scorer), few, (), preparer, unsaid=unsaid)
    before = said_of(scorer, answered) - said_of(scorer, unsaid)
    for _ in range(config.train.epochs):
        training.run_epoch()
    assert before == 0.0 and said_of(scorer, answered) - said_of(scorer, unsaid) > 1.0
    parts = [len(training._unsaid(12, np.random.default_rng(0)))]
    for rank in range(2):
        training.group = Group(rank, 2, rank)
        parts.append(len(training._unsaid(12, np.random.default_rng(0))))
    assert parts == [6, 3, 3]  # shared between processes as a batch is


def said_of(scorer: Encoder, questions: Sequence[Prepared]) -> float:
    """The mean log-odds that tables say what is asked for."""
    said = scorer.eval().read(scorer.batch(questions)).said
    assert said is not None
    return float(said.detach().mean())


def test_only_an_encoder_learns_what_a_table_does_not_say(
    few: tuple[Example, ...], tmp_path: Path
) -> None:
    config = replace(CONFIG, data=replace(CONFIG.data, unanswerable=0.5))
    with pytest.raises(ConfigError, match="by an encoder alone"):
        train(config, few, (), tmp_path)
