"""Batches from other processes: the same numbers, and what happens when a process ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from denota import sample
from denota.config import Config, DataConfig, ModelConfig, SearchConfig, TrainConfig
from denota.data import Example, load_examples
from denota.errors import ConfigError, TrainingError
from denota.evaluation.predict import predict, predict_by_turns
from denota.learning import workers
from denota.learning.packing import batches_of, packed, text_lengths
from denota.learning.parcel import pack, unpack, write_tensors
from denota.learning.run import train
from denota.learning.start import new_parser
from denota.learning.trainer import Training
from denota.model.checkpoint import load_parser
from denota.model.encoder_batch import Owned
from denota.model.torch_parser import TorchParser
from denota.search.preparer import Preparer
from model.tiny import tiny_encoder

CONFIG = Config(
    model=ModelConfig(dimension=16, hidden=4),
    search=SearchConfig(shaping="policy"),
    train=TrainConfig(epochs=3, batch=8, device="cpu", workers=0),
)


@pytest.fixture(scope="module")
def few() -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    examples = load_examples(sample.path(), "train").examples
    return examples[:40], load_examples(sample.path(), "dev").examples[:12]


def weights(path: Path) -> dict[str, bytes]:
    parser, state, _ = load_parser(path)
    tensors = {**parser.scorer.state_dict(), **state}
    return {name: tensor.numpy().tobytes() for name, tensor in tensors.items()}


def with_workers(config: Config, count: int) -> Config:
    return replace(config, train=replace(config.train, workers=count))


@pytest.mark.parametrize("changed", ["plain", "made up", "a value", "a small share of memory"])
def test_the_numbers_do_not_depend_on_workers(
    few, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    config = CONFIG
    if changed == "made up":
        config = replace(CONFIG, data=DataConfig(made_up=20))
    if changed == "a value":
        config = replace(CONFIG, data=DataConfig(language="full"))
        config = replace(config, train=replace(config.train, epochs=2))
    if changed == "a small share of memory":
        monkeypatch.setattr(workers, "SHARED", 4096)
    for count in (0, 2):
        train(with_workers(config, count), *few, tmp_path / str(count))
    one, other = tmp_path / "0", tmp_path / "2"
    for name in ("last", "best"):
        assert weights(one / f"{name}.safetensors") == weights(other / f"{name}.safetensors")
    for name in ("metrics.jsonl", "outcomes.jsonl"):
        assert (one / name).read_text() == (other / name).read_text()


def encoder_training(examples: tuple[Example, ...], count: int, **changes: object) -> Training:
    model = ModelConfig(scorer="encoder")
    config = replace(
        CONFIG, data=DataConfig(language="extended"), model=model, search=SearchConfig()
    )
    config = replace(config, train=replace(config.train, workers=count, **changes))
    preparer = Preparer.of(config)
    preparer.ahead(examples)
    return Training(config, TorchParser(config, tiny_encoder()), examples, (), preparer)


def test_an_encoder_learns_the_same_with_workers(few) -> None:
    losses, states = [], []
    for count in (0, 2):
        training = encoder_training(few[0], count)
        losses.append([training.run_epoch().loss for _ in range(2)])
        states.append(training.parser.scorer.state_dict())
        training.close()
    assert losses[0] == losses[1]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_an_encoder_learns_in_bfloat16_with_scores_in_float32(few) -> None:
    losses = []
    for precision in ("float32", "bfloat16"):
        training = encoder_training(few[0], 0, precision=precision)
        losses.append(training.run_epoch().loss)
        scorer = training.parser.scorer
        assert {weight.dtype for weight in scorer.parameters()} == {torch.float32}
        batch = scorer.batch([training.preparer(few[0][0].question, None)])
        assert scorer.read(batch).entries.dtype == torch.float32
    assert losses[0] != losses[1]
    assert losses[0] == pytest.approx(losses[1], rel=0.1)


def test_packed_batches_have_texts_of_like_length(few) -> None:
    training = encoder_training(few[0], 2, pack=True)
    ready = [training.preparer(example.question, None) for example in few[0]]
    lengths = text_lengths(ready, training.parser.scorer)
    read = training.parser.scorer.batch(ready).pieces
    assert lengths.tolist() == (read != training.parser.scorer.wordpieces.pad).sum(1).tolist()
    assert text_lengths(ready, training.parser.scorer, jobs=2).tolist() == lengths.tolist()
    rng = np.random.default_rng(0)
    order = rng.permutation(len(lengths))
    cut = packed(order, lengths, 8, rng)
    assert sorted(np.concatenate(cut).tolist()) == list(range(len(lengths)))
    assert [len(part) for part in cut] == [8] * 5
    spread = [np.ptp(lengths[part]) for part in cut]
    assert sum(spread) < sum(np.ptp(lengths[part]) for part in batches_of(order, 8)) / 2
    assert [part.tolist() for part in cut] != sorted(part.tolist() for part in cut)
    assert np.isfinite(training.run_epoch().loss)
    training.close()


@pytest.mark.parametrize("count", [0, 2])
def test_dev_is_answered_as_the_parser_answers_it(few, count: int) -> None:
    """By turns, on batches that are made ahead: the way of a GPU, here on CPU tensors."""
    training = encoder_training(few[0], count)
    training.dev = few[1]
    training.run_epoch()
    questions = [example.question for example in few[1]]
    expected = predict(questions, training.best_parser.best, training.preparer)
    assert predict_by_turns(questions, training._answer_turn) == expected
    training.close()


def test_a_run_goes_on_with_another_number_of_workers(few, tmp_path: Path) -> None:
    train(CONFIG, *few, tmp_path / "whole")
    part = replace(CONFIG, train=replace(CONFIG.train, epochs=1))
    train(part, *few, tmp_path / "part")
    train(with_workers(CONFIG, 1), *few, tmp_path / "part", resume=True)
    name = "last.safetensors"
    assert weights(tmp_path / "part" / name) == weights(tmp_path / "whole" / name)


def started(few, count: int) -> Training:  # type: ignore[no-untyped-def]
    preparer = Preparer.of(CONFIG)
    ready = preparer.ahead(few[0])
    config = with_workers(CONFIG, count)
    return Training(config, new_parser(config, ready), few[0], (), preparer)


def test_a_killed_worker_is_said_in_a_sentence(few) -> None:
    training = started(few, 2)
    training.run_epoch()
    source = training._source
    assert isinstance(source, workers.Workers)
    for worker in source.workers:
        os.kill(worker.process.pid, signal.SIGKILL)
    with pytest.raises(TrainingError, match="was killed"):
        training.run_epoch()
    training.close()


def test_questions_that_were_learnt_from_keep_nothing_that_was_worked_out(few) -> None:
    training = encoder_training(few[0], 0)
    training.run_epoch()
    training.close()
    stored = [training.preparer.known(example.question) for example in few[0]]
    prepared = [one for one in stored if one is not None]
    assert prepared
    for one in prepared:
        fresh = vars(one).keys() == {field.name for field in fields(one)}
        assert fresh and vars(one.axes).keys() == {field.name for field in fields(one.axes)}
    before = [one.outcome for one in prepared]
    assert any("outcome" in vars(one) for one in prepared)
    for one in prepared:
        one.forget()
    for one, (blocks, entries) in zip(prepared, before, strict=True):
        assert np.array_equal(one.outcome[0], blocks) and np.array_equal(one.outcome[1], entries)


def test_an_epoch_that_is_broken_off_leaves_no_stale_batches(few) -> None:
    def stop(done: int, loss: float) -> None:
        raise KeyboardInterrupt

    losses = []
    for count in (0, 2):
        training = started(few, count)
        training.progress = stop
        with pytest.raises(KeyboardInterrupt):
            training.run_epoch()
        training.progress = lambda done, loss: None
        losses.append([training.run_epoch().loss for _ in range(2)])
        training.close()
    assert losses[0] == losses[1]


def test_what_goes_wrong_in_a_worker_is_raised(few) -> None:
    training = started(few, 1)

    class Wrong(Preparer):
        def __call__(self, *given: object) -> None:  # type: ignore[override]
            raise TrainingError("no question can be made ready")

    training.preparer = Wrong.of(CONFIG)
    with pytest.raises(TrainingError, match="no question"):
        training.run_epoch()
    training.close()


@pytest.mark.skipif(not Path("/proc").exists(), reason="asks /proc which processes run")
def test_workers_end_with_a_trainer_that_is_killed(tmp_path: Path) -> None:
    code = """
import time
from denota import sample
from denota.config import Config, ModelConfig, TrainConfig
from denota.data import load_examples
from denota.learning.start import new_parser
from denota.learning.trainer import Training
from denota.search.preparer import Preparer
config = Config(model=ModelConfig(dimension=8), train=TrainConfig(device="cpu", workers=2))
examples = load_examples(sample.path(), "train").examples[:20]
preparer = Preparer.of(config)
training = Training(config, new_parser(config, preparer.ahead(examples)), examples, (), preparer)
training.run_epoch()
print(*(worker.process.pid for worker in training._source.workers), flush=True)
time.sleep(60)
"""
    given = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=given) as run:
        assert run.stdout is not None
        pids = [int(pid) for pid in run.stdout.readline().split()]
        assert len(pids) == 2 and all(map(alive, pids)) and list(tmp_path.iterdir())
        run.kill()
    until = time.monotonic() + 10 * workers.WATCH
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(alive, pids)) and not list(tmp_path.iterdir())


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_an_object_is_the_same_out_of_its_bytes() -> None:
    pieces = torch.arange(6).reshape(2, 3)
    thing = Owned(pieces, torch.zeros(0, 2, dtype=torch.int16), pieces > 2, 7)
    text, tensors, size = pack((thing, {"a": torch.tensor(1.5)}))
    buffer = np.zeros(size, np.uint8)
    write_tensors(tensors, buffer)
    found, more = unpack(text, torch.from_numpy(buffer))
    for name in ("pieces", "owner", "there"):
        assert torch.equal(getattr(found, name), getattr(thing, name))
    assert found.count == 7 and more["a"] == 1.5


def test_workers_by_the_device() -> None:
    assert workers.workers_of(-1, torch.device("cpu")) == 0
    assert 0 <= workers.workers_of(-1, torch.device("cuda")) <= workers.MOST_WORKERS
    assert workers.workers_of(5, torch.device("cuda")) == 5
    with pytest.raises(ConfigError, match=r"train\.workers"):
        TrainConfig(workers=-2)
