"""The bundled sample is learnt from its answers alone.

It is learnt by MAVER with policy shaping, as `experiments/sample.toml` says.
"""

from __future__ import annotations

from pathlib import Path

from denota import sample
from denota.data import load_examples
from denota.learning.presets import load_experiment
from denota.learning.run import train
from denota.learning.trainer import Training
from denota.model.checkpoint import load_parser
from denota.search.preparer import Preparer

SETTINGS = Path(__file__).parents[2] / "experiments" / "sample.toml"


def test_the_sample_is_learnt(tmp_path: Path) -> None:
    config = load_experiment(SETTINGS)
    examples = {name: load_examples(sample.path(), name).examples for name in ("train", "dev")}
    train(config, examples["train"], (), tmp_path)
    parser, _, _ = load_parser(tmp_path / "last.safetensors")
    preparer = Preparer(config.data.language)
    preparer.ahead(examples["train"])
    trained = Training(config, parser, examples["train"], examples["dev"], preparer)
    assert trained.evaluate(examples["train"]).answer_accuracy > 95
    assert trained.evaluate(examples["dev"]).answer_accuracy > 80
