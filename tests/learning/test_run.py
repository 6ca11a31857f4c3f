"""Runs on disk: stopped and resumed they give the same numbers, and damage is noticed."""

from __future__ import annotations

import json
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from denota import sample
from denota.config import Config, ModelConfig, SearchConfig, TrainConfig
from denota.data import Example, load_examples
from denota.errors import ConfigError, TrainingError
from denota.evaluation.predict import key_of, predict
from denota.learning import run, run_folder
from denota.learning.run import train
from denota.learning.start import new_parser
from denota.learning.trainer import Training
from denota.model.checkpoint import load_parser
from denota.model.saved import save_parser
from denota.model.scorer import arrays_of
from denota.search.preparer import Preparer
from processes import denota, python, start_denota

CONFIG = Config(
    model=ModelConfig(dimension=16, hidden=4),
    search=SearchConfig(shaping="policy"),
    train=TrainConfig(epochs=3, batch=8),
)


@pytest.fixture(scope="module")
def few() -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    examples = load_examples(sample.path(), "train").examples
    return examples[:40], load_examples(sample.path(), "dev").examples[:12]


@pytest.fixture(scope="module")
def unbroken(few, tmp_path_factory) -> Path:  # type: ignore[no-untyped-def]
    out = tmp_path_factory.mktemp("run") / "unbroken"
    train(CONFIG, *few, out)
    return out


def weights(path: Path) -> dict[str, bytes]:
    parser, state, _ = load_parser(path)
    tensors = {**parser.scorer.state_dict(), **state}
    return {name: tensor.numpy().tobytes() for name, tensor in tensors.items()}


@pytest.mark.parametrize("stop", [1, 2])
def test_a_run_that_goes_on_gives_the_numbers_of_one_that_never_stopped(
    few, unbroken: Path, tmp_path: Path, stop: int
) -> None:
    part = replace(CONFIG, train=replace(CONFIG.train, epochs=stop))
    train(part, *few, tmp_path)
    train(CONFIG, *few, tmp_path, resume=True)
    for name in ("last", "best"):
        assert weights(tmp_path / f"{name}.safetensors") == weights(
            unbroken / f"{name}.safetensors"
        )
    assert (tmp_path / "metrics.jsonl").read_text() == (unbroken / "metrics.jsonl").read_text()


@pytest.mark.parametrize("stop", [1, 2, 3])
def test_made_up_questions_come_first_and_are_gone_on_with(few, tmp_path: Path, stop: int) -> None:
    cfg = replace(CONFIG.train, epochs=2, made_up_epochs=2)
    config = replace(CONFIG, data=replace(CONFIG.data, made_up=30), train=cfg)
    train(config, *few, tmp_path / "whole")
    learnt: list[int] = []

    def stopped(done: int, loss: float) -> None:
        learnt.append(done)
        if learnt.count(8) > stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(config, *few, tmp_path / "part", progress=stopped)
    train(config, *few, tmp_path / "part", resume=True)
    for name in ("last", "best"):
        one, other = (weights(tmp_path / run / f"{name}.safetensors") for run in ("whole", "part"))
        assert one == other
    lines = (tmp_path / "whole" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in lines] == [1, 2, 3, 4]
    assert max(learnt[: learnt.index(8, 1)]) >= 30, "the first epoch is over made-up questions"
    assert [run.real_epochs(config, epoch) for epoch in (1, 2, 3, 4)] == [1, 1, 1, 2]


def test_made_up_questions_may_be_about_invented_tables(few, tmp_path: Path) -> None:
    data = replace(
        CONFIG.data,
        language="full",
        made_up=24,
        made_up_tables="train, other*2, invented",
        made_up_loose=0.5,
        made_up_checked=True,
    )
    config = replace(CONFIG, data=data, train=replace(CONFIG.train, epochs=1))
    told: list[str] = []
    other = [*sample.tables().values()][:3]
    train(config, few[0][:8], (), tmp_path, say=told.append, tables={"other": other})
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert len(lines) == 2
    with pytest.raises(ConfigError, match="other"):
        train(config, few[0][:8], (), tmp_path / "without")


def test_an_optimiser_that_remembers_goes_on_where_it_was(few, tmp_path: Path) -> None:
    """Moments, the average of weights and the place in the schedule are kept.

    The run is stopped by an error in its second epoch.
    """
    cfg = replace(
        CONFIG.train, optimiser="adam", rate=0.01, average=0.9, schedule="linear", warmup=0.1
    )
    config = replace(CONFIG, train=cfg)
    train(config, *few, tmp_path / "whole")

    def stop(done: int, loss: float) -> None:
        if (tmp_path / "broken" / "last.safetensors").exists() and done > 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(config, *few, tmp_path / "broken", progress=stop)
    train(config, *few, tmp_path / "broken", resume=True)
    for name in ("last", "best"):
        mine, other = (tmp_path / run / f"{name}.safetensors" for run in ("broken", "whole"))
        assert weights(mine) == weights(other)
    metrics = [(tmp_path / run / "metrics.jsonl").read_text() for run in ("broken", "whole")]
    assert metrics[0] == metrics[1]
    longer = replace(config, train=replace(cfg, epochs=9))
    with pytest.raises(TrainingError, match="other settings"):
        train(longer, *few, tmp_path / "whole", resume=True)


@pytest.mark.parametrize("rate", [1e30, 1e6])
def test_a_run_that_diverges_stops_and_keeps_its_last_good_state(
    few, tmp_path: Path, rate: float
) -> None:
    good = replace(CONFIG, train=replace(CONFIG.train, epochs=1))
    train(good, *few, tmp_path)
    before = weights(tmp_path / "last.safetensors")
    parser, state, facts = load_parser(tmp_path / "last.safetensors")
    wild = replace(CONFIG, train=replace(CONFIG.train, rate=rate, clip=1e30))
    parser.config = wild
    kept = {k: facts[k] for k in ("epoch", "best")}
    save_parser(tmp_path / "last.safetensors", parser, arrays_of(state), kept)
    with pytest.raises(TrainingError, match=r"diverged|no longer a number"):
        train(wild, *few, tmp_path, resume=True)
    assert weights(tmp_path / "last.safetensors") == before


@pytest.mark.parametrize("what", ["append_line", "write_whole", "save_parser"])
def test_a_disk_that_fills_up_loses_nothing(
    few, unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """The disk is full in the second epoch; with room again the run ends as if nothing had been."""
    real = getattr(run, what)
    out = tmp_path / "run"

    def full(*arguments: object, **named: object) -> None:
        if (out / "last.safetensors").exists():
            raise OSError(28, "No space left on device")
        real(*arguments, **named)

    monkeypatch.setattr(run, what, full)
    with pytest.raises(TrainingError, match="no space left on device"):
        train(CONFIG, *few, out)
    monkeypatch.undo()
    train(CONFIG, *few, out, resume=True)
    for name in ("last", "best"):
        assert weights(out / f"{name}.safetensors") == weights(unbroken / f"{name}.safetensors")
    assert (out / "metrics.jsonl").read_text() == (unbroken / "metrics.jsonl").read_text()


def test_the_same_seed_gives_the_same_numbers_and_another_does_not(
    few, unbroken: Path, tmp_path: Path
) -> None:
    train(CONFIG, *few, tmp_path / "same")
    assert weights(tmp_path / "same" / "last.safetensors") == weights(unbroken / "last.safetensors")
    train(replace(CONFIG, seed=1), *few, tmp_path / "other")
    assert weights(tmp_path / "other" / "last.safetensors") != weights(
        unbroken / "last.safetensors"
    )


def test_a_damaged_checkpoint_is_refused_and_the_one_before_it_used(
    few, unbroken: Path, tmp_path: Path
) -> None:
    """The one before is there in runs of older versions."""
    train(replace(CONFIG, train=replace(CONFIG.train, epochs=1)), *few, tmp_path)
    last = tmp_path / "last.safetensors"
    before = last.read_bytes()
    train(replace(CONFIG, train=replace(CONFIG.train, epochs=2)), *few, tmp_path, resume=True)
    (tmp_path / "previous.safetensors").write_bytes(before)
    data = bytearray(last.read_bytes())
    data[-20] ^= 0xFF
    last.write_bytes(data)
    said: list[str] = []
    train(CONFIG, *few, tmp_path, resume=True, say=said.append)
    assert len(said) == 1 and "damaged" in said[0]
    assert weights(last) == weights(unbroken / "last.safetensors")
    assert (tmp_path / "metrics.jsonl").read_text() == (unbroken / "metrics.jsonl").read_text()


def test_a_run_keeps_one_last_and_one_best(few, tmp_path: Path) -> None:
    """A damaged last one is refused, and nothing is overwritten."""
    train(CONFIG, *few, tmp_path)
    files = {path.name for path in tmp_path.glob("*.safetensors")}
    assert files == {"last.safetensors", "best.safetensors"}
    assert not list(tmp_path.glob("*.part"))
    last = tmp_path / "last.safetensors"
    damaged = last.read_bytes()[:-20]
    last.write_bytes(damaged)
    with pytest.raises(TrainingError, match="damaged"):
        train(CONFIG, *few, tmp_path, resume=True)
    assert last.read_bytes() == damaged


def test_too_little_room_is_said_before_training_starts(
    few, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = replace(CONFIG, train=replace(CONFIG.train, optimiser="adam", average=0.9))
    train(replace(needs, train=replace(needs.train, epochs=1)), *few, tmp_path / "one")
    sizes = {p.name: p.stat().st_size for p in (tmp_path / "one").glob("*.safetensors")}
    free = 2 * sum(sizes.values()) - (1 << 14)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(run_folder, "DISK_ROOM", 0)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=free // 2))
    with pytest.raises(TrainingError, match=r"need [\d,]+ MiB at .* and only [\d,]+ are free"):
        train(needs, *few, tmp_path / "two")
    assert not list((tmp_path / "two").glob("*.safetensors"))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=3 * free))
    train(needs, *few, tmp_path / "two")


def test_a_run_is_not_overwritten(few, unbroken: Path) -> None:
    with pytest.raises(TrainingError, match="pass --resume"):
        train(CONFIG, *few, unbroken)


def test_a_run_is_resumed_only_with_its_own_settings(few, unbroken: Path) -> None:
    with pytest.raises(TrainingError, match="other settings"):
        train(replace(CONFIG, seed=7), *few, unbroken, resume=True)


def test_the_folder_holds_what_it_should(unbroken: Path) -> None:
    names = {path.name for path in unbroken.iterdir()}
    assert names >= {
        "config.toml",
        "metrics.jsonl",
        "best.safetensors",
        "last.safetensors",
        "run.json",
    }
    lines = [json.loads(line) for line in (unbroken / "metrics.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2, 3]
    assert json.loads((unbroken / "run.json").read_text())["seed"] == 0


@pytest.mark.slow
def test_killed_at_random_moments_and_resumed_it_ends_the_same(tmp_path: Path) -> None:
    """kill -9 at ten moments over the run: checkpoint and metrics are those of an unbroken run."""
    config = tmp_path / "tiny.toml"
    config.write_text(
        '[model]\ndimension = 16\nhidden = 4\n[search]\nshaping = "policy"\n[train]\nepochs = 4\n'
    )
    lines = (sample.path() / "train.jsonl").read_text().splitlines()[:24]
    for name in ("train", "dev"):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines if name == "train" else lines[:4]))
    (tmp_path / "tables").symlink_to(sample.path() / "tables")
    whole, broken = tmp_path / "whole", tmp_path / "broken"

    def go_on(out: Path, seconds: float | None = None) -> int:
        process = start_denota("train", config, "--data", tmp_path, "--out", out, "--resume")
        process.join(seconds)
        process.kill()
        process.join()
        return process.exitcode

    denota("--version")  # what processes are forked from runs before one is timed
    start = time.monotonic()
    assert go_on(whole) == 0
    took = time.monotonic() - start
    ends = [go_on(broken, took * (0.1 + 0.09 * moment)) for moment in range(10)]
    assert -signal.SIGKILL in ends
    assert go_on(broken) == 0
    assert weights(broken / "last.safetensors") == weights(whole / "last.safetensors")
    assert weights(broken / "best.safetensors") == weights(whole / "best.safetensors")
    assert (broken / "metrics.jsonl").read_text() == (whole / "metrics.jsonl").read_text()


def test_a_second_run_is_kept_out_of_the_folder(few, tmp_path: Path) -> None:
    tried: list[str] = []

    def another(done: int, loss: float) -> None:
        if not tried:
            with pytest.raises(TrainingError, match="another run is at work") as error:
                train(CONFIG, *few, tmp_path / "run", resume=True)
            tried.append(str(error.value))

    train(CONFIG, *few, tmp_path / "run", progress=another)
    assert tried
    train(CONFIG, *few, tmp_path / "run", resume=True)  # the lock is gone with the run


def test_a_model_to_begin_with_must_be_of_the_same_kind(
    few, unbroken: Path, tmp_path: Path
) -> None:
    def begin(out: str, **model: object) -> None:
        config = replace(CONFIG, model=replace(CONFIG.model, **model))
        start = load_parser(unbroken / "best.safetensors")[0]
        train(config, *few, tmp_path / out, start_from=start)

    for number, change in enumerate(({"hidden": 5}, {"scorer": "cues"}, {"vectors": "letters"})):
        with pytest.raises(TrainingError, match=f"--set model.{next(iter(change))}="):
            begin(str(number), **change)
    begin("same", dropout=0.1)
    assert load_parser(tmp_path / "same" / "best.safetensors")[0].config.model.dropout == 0.1


def test_other_data_are_noticed(few, tmp_path: Path) -> None:
    train(replace(CONFIG, train=replace(CONFIG.train, epochs=1)), *few, tmp_path)
    with pytest.raises(TrainingError, match="other data"):
        train(CONFIG, few[0][:30], few[1], tmp_path, resume=True)


def test_damage_to_words_settings_or_facts_is_noticed(unbroken: Path, tmp_path: Path) -> None:
    whole = (unbroken / "last.safetensors").read_bytes()
    for old, new in (
        (b"whose", b"whpse"),
        (b"hidden", b"hiddem"),
        (b'"epoch":"3"', b'"epoch":"x"'),
    ):
        assert old in whole
        (tmp_path / "m.safetensors").write_bytes(whole.replace(old, new, 1))
        with pytest.raises(TrainingError, match="damaged"):
            load_parser(tmp_path / "m.safetensors")


def test_two_damaged_checkpoints_are_not_run_over(few, tmp_path: Path) -> None:
    train(CONFIG, *few, tmp_path)
    metrics = (tmp_path / "metrics.jsonl").read_text()
    for name in ("last", "previous"):
        (tmp_path / f"{name}.safetensors").write_bytes(b"nonsense")
    with pytest.raises(TrainingError, match="damaged"):
        train(CONFIG, *few, tmp_path, resume=True)
    assert (tmp_path / "metrics.jsonl").read_text() == metrics


def test_a_file_that_cannot_grow_is_said(few, tmp_path: Path) -> None:
    """As on a full disk: the operating system itself refuses to write more."""
    code = f"""
import resource, signal
from pathlib import Path
from denota import sample
from denota.config import Config, ModelConfig, SearchConfig, TrainConfig
from denota.data import load_examples
from denota.errors import ConfigError, TrainingError
from denota.evaluation.predict import key_of, predict
from denota.learning.start import new_parser
from denota.learning.run import train
from denota.learning.trainer import Training
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
examples = load_examples(sample.path(), "train").examples[:20]
config = Config(model=ModelConfig(dimension=64), train=TrainConfig(epochs=2, device="cpu"))
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
try:
    train(config, examples, (), Path({str(tmp_path / "run")!r}))
except TrainingError as error:
    print(error)
"""
    done = python(code, tmp_path)
    assert "cannot be written" in done.stdout, done.stderr
    assert not list((tmp_path / "run").glob("*.part"))


def test_words_of_turns_without_an_answer_are_known_from_the_start(few, tmp_path: Path) -> None:
    examples, dev = few
    first = next(e.question for e in dev if e.question.position == 0)
    odd = replace(first, text="zyx " + first.text)
    rest = tuple(e for e in dev if e.question is not first)
    asked = [odd if e.question is first else e.question for e in dev]
    train(CONFIG, examples, rest, tmp_path, dev_questions=asked)
    parser, _, _ = load_parser(tmp_path / "last.safetensors")
    assert "zyx" in parser.scorer.vectors.words
    assert len(parser.scorer.vectors.words) + 1 == len(parser.scorer.words.weight)


def test_turns_without_an_answer_are_asked_all_the_same() -> None:
    """Answered turns score the same when the answers of other turns are taken away.

    The parser's own answers are its history.
    """
    dev = load_examples(sample.path(), "dev").examples
    preparer = Preparer("dynsp++")
    parser = new_parser(
        replace(CONFIG, train=replace(CONFIG.train, device="cpu")), preparer.ahead(dev)
    )
    training = Training(parser.config, parser, (), dev, preparer)
    kept = tuple(e for e in dev if e.question.position != 0)
    questions = [e.question for e in dev]
    answers = predict(questions, parser.best, preparer)
    right = [answers[key_of(e.question)].cells == e.cells for e in kept]
    found = training.evaluate(kept, questions=questions)
    assert found.answer_accuracy == pytest.approx(100 * sum(right) / len(right))
    assert found.questions == len(kept)
    gap = [e for e in dev if e.question.position != 1]
    fresh = Preparer("dynsp++")
    ready = fresh.ahead(gap)
    third = next(e.question for e in gap if e.question.position == 2)
    own = next(one for one in ready if one.text == third.text and one.history == third.history)
    assert own.previous is None, "the turn before it is not known"
