"""A packaged parser: smaller, the same answers, its confidence its own or another's."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.test_answering import questions
from denota.app.commands.package import package_run
from denota.app.paths import load_run, model_path
from denota.config import Config, DataConfig, ModelConfig
from denota.errors import TrainingError
from denota.evaluation.calibration import Calibration, Scale
from denota.evaluation.order import Order
from denota.model.saved import calibration_path, save_calibration, save_parser
from denota.model.torch_parser import TorchParser
from denota.programs import Denotation
from denota.search.preparer import Preparer


def saved(folder: Path, calibration: Calibration | None = None) -> Path:
    config = Config(DataConfig(language="dynsp++"), ModelConfig(dimension=64, hidden=32))
    parser = TorchParser.new(config, [Preparer("dynsp++")(q, None) for q in questions(3)])
    parser.calibration = calibration
    folder.mkdir()
    save_parser(folder / "best.safetensors", parser)
    return folder


def test_it_is_smaller_and_answers_the_same(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    size = package_run(run, tmp_path / "deep" / "one.safetensors")
    assert size < 0.5 * (run / "best.safetensors").stat().st_size
    one, other = load_run(run), load_run(tmp_path / "deep" / "one.safetensors")
    ready = [
        Preparer("dynsp++")(q, Denotation((0,), (0,)) if q.position else None) for q in questions(6)
    ]
    best = [[ids[0] for ids in parser.best(ready)] for parser in (one, other)]
    assert sum(a == b for a, b in zip(*best, strict=True)) >= len(ready) - 1
    again = package_run(tmp_path / "deep" / "one.safetensors", tmp_path / "two.safetensors")
    assert again == size


def test_confidence_of_another_run(tmp_path: Path) -> None:
    run, plain = saved(tmp_path / "run"), saved(tmp_path / "plain")
    weights = (0.1, 0.2, 0.3, 0.4)
    calibrated = saved(tmp_path / "calibrated", Calibration(weights, 0.7))
    package_run(run, tmp_path / "one.safetensors", calibrated)
    found = load_run(tmp_path / "one.safetensors").calibration
    assert found == Calibration(weights, 0.7)
    with pytest.raises(TrainingError, match="not calibrated"):
        package_run(run, tmp_path / "one.safetensors", plain)


def test_where_parsers_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = saved(tmp_path / "run")
    assert model_path(run) == run / "best.safetensors" == model_path(str(run))
    assert model_path(run / "best.safetensors") == run / "best.safetensors"
    assert model_path("default").name == "default.safetensors"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "default").mkdir()
    assert model_path("default") == Path("default/best.safetensors"), "one's own comes first"


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError, match="cannot be written"):
        package_run(run, tmp_path / "file" / "deep" / "one.safetensors")


HEADS = Calibration(
    (0.1, 0.2, 0.3, 0.4),
    0.9,
    ("margin", "follows"),
    Scale((0.5, 0.25), (1.0, 2.0), ((0, 1),)),
    either=(1.0, 0.0, -1.5, 0.125),
    said=(2.0, 1.0, 0.5, 0.0),
    declines=0.1,
    asks=0.2,
    close=0.3,
    order=Order(("left_out",), (1.0, -0.5), (0.1,), (2.0,)),
)


def test_the_heads_as_saved_are_the_heads_as_loaded(tmp_path: Path) -> None:
    loaded = load_run(saved(tmp_path / "run", HEADS)).calibration
    assert loaded == HEADS and loaded.sees_doubt
    features = np.random.default_rng(0).normal(size=(20, 2))
    assert loaded.chances(features) == HEADS.chances(features)
    package_run(tmp_path / "run", tmp_path / "small.safetensors")
    assert load_run(tmp_path / "small.safetensors").calibration == HEADS


def test_a_confidence_beside_a_parser_takes_the_place_of_its_own(tmp_path: Path) -> None:
    run = saved(tmp_path / "run", Calibration((0.1, 0.2, 0.3, 0.4), 0.7))
    beside = calibration_path(run / "best.safetensors")
    save_calibration(beside, HEADS)
    assert load_run(run).calibration == HEADS
    package_run(run, tmp_path / "small.safetensors")
    assert load_run(tmp_path / "small.safetensors").calibration == HEADS, "it goes along"
    beside.write_text('{"weights": [1.0]}', encoding="utf-8")
    with pytest.raises(TrainingError, match="its confidence has 1 weights, not 4"):
        load_run(run)
    beside.write_text("{", encoding="utf-8")
    with pytest.raises(TrainingError, match="not a model that can be read"):
        load_run(run)
    beside.unlink()
    assert load_run(run).calibration == Calibration((0.1, 0.2, 0.3, 0.4), 0.7)


def test_the_default_model_without_the_confidence_beside_it_has_none(tmp_path: Path) -> None:
    alone = tmp_path / "alone.safetensors"
    shutil.copyfile(model_path("default"), alone)
    assert load_run(alone).calibration is None
    known = load_run("default").calibration
    assert known is not None and known.sees_doubt and known.order is not None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"said": (1.0,)}, "its confidence has 1 weights, not 4"),
        ({"scale": Scale((0.5,), (1.0,))}, "its confidence has a scale of 1, not 2 features"),
        ({"scale": None}, "its confidence has 4 weights, not 3"),
        ({"order": Order(("a", "b"), (1.0,), (0.0,), (1.0,))}, "its order has 1 weights for 2"),
    ],
)
def test_heads_that_do_not_fit_are_said(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    run = saved(tmp_path / "run", replace(HEADS, **change))
    with pytest.raises(TrainingError, match=said):
        load_run(run)


def test_a_confidence_that_does_not_fit_is_said_when_it_is_read(tmp_path: Path) -> None:
    run = saved(tmp_path / "run", Calibration((0.1, 0.2, 0.3)))
    with pytest.raises(TrainingError, match="its confidence has 3 weights, not 4"):
        load_run(run)
