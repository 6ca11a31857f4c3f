"""`denota calibrate`: how often a parser is right, by its confidence, on an unseen split."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from denota.app.paths import data_path, load_run_and_facts
from denota.conversation.answers import answer_of, rating_with, understand_conversations
from denota.conversation.asked import Asked
from denota.conversation.steps import same_answers
from denota.conversation.understand import steps_of
from denota.data import load_examples
from denota.errors import TrainingError
from denota.evaluation.calibration import (
    Floats,
    answer_features,
    calibration_error,
    cross_fitted,
    fit,
    reliability,
    threshold,
)
from denota.evaluation.metrics import is_answered
from denota.evaluation.predict import gold_of, in_form_of
from denota.model.saved import save_parser
from denota.search.preparer import Preparer

PRECISION: Final = 0.8
"""Of the answers that are sure, this share should be right."""


def calibrate_run(run: Path, data: str | None, split: str) -> dict[str, Any]:
    """Fit the confidence of a run's best parser on a split and save it; return the figures.

    Figures are cross-fitted: each table's answers are judged by a calibration fitted on the others.
    """
    path = run / "best.safetensors"
    parser, facts = load_run_and_facts(path)
    loaded = load_examples(data_path(data), split)
    examples = loaded.examples
    if parser.config.data.train == split:
        raise TrainingError(f"the parser learnt from {split}; calibrate it on another split")
    preparer = Preparer.of(parser.config, operators=parser.language)
    preparer.ahead(examples)
    found = understand_conversations(
        [e.question for e in examples],
        parser,
        rating_with(parser, preparer),
        steps_of(parser),
    )
    asked = {key: one for key, one in found.items() if one.rated and one.best is not None}
    features = [_features(one) for one in asked.values()]
    gold = gold_of(examples)
    predicted = in_form_of(gold, {key: answer_of(one) for key, one in asked.items()})
    right = np.array([is_answered(gold[key], predicted[key]) for key in asked])
    tables = {key_: e.question.table_file for key_, e in zip(gold, examples, strict=True)}
    given = np.stack(features)
    across = cross_fitted(given, right, [tables[key] for key in asked])
    calibration = replace(fit(given, right), sure=threshold(across, right, PRECISION))
    parser.calibration = calibration
    save_parser(path, parser, facts={"epoch": facts.get("epoch", "0")})
    sure = across >= calibration.sure
    figures = {
        "split": split,
        "questions": len(right),
        "answer_accuracy": 100 * float(right.mean()),
        "calibration_error": calibration_error(across, right),
        "sure_from": calibration.sure,
        "sure_share": 100 * float(sure.mean()),
        "sure_accuracy": 100 * float(right[sure].mean()) if sure.any() else None,
        "reliability": reliability(across, right),
    }
    (run / "calibration.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return figures


def _features(asked: Asked) -> Floats:
    """What the confidence of an answer is computed from."""
    assert asked.best is not None
    probabilities = [one.probability for one in asked.rated]
    same = same_answers(asked, asked.best)
    return answer_features(probabilities, same, bool(asked.before.questions))


def draw_reliability(found: dict[str, Any], path: Path) -> Path:
    """Draw the share of right answers over confidence."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="tab:gray", linewidth=0.8)
    means, shares, counts = zip(*found["reliability"], strict=True)
    axes.scatter(means, shares, [10 + 200 * c / max(counts) for c in counts])
    axes.axvline(found["sure_from"], color="tab:blue", linewidth=0.8, linestyle="--")
    axes.set_xlabel("confidence")
    axes.set_ylabel("share of right answers")
    axes.set_title(f"calibration error {found['calibration_error']:.1f}%")
    figure.savefig(path, metadata={"Date": None})
    return path
