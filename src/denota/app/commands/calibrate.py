"""`denota calibrate`: how often a parser is right, by its confidence, on an unseen split."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from denota.app.paths import data_path, load_run_and_facts
from denota.conversation.doubt import FEATURES, TOGETHER
from denota.conversation.judge import judge_examples
from denota.data.example import Example
from denota.data.mixed import load_mixed
from denota.errors import TrainingError
from denota.evaluation.chances import fit_chances
from denota.evaluation.judged import Judged, joined
from denota.evaluation.selective import figures, outcomes
from denota.model.saved import save_parser


def calibrate_run(run: Path, data: str | None, split: str) -> dict[str, Any]:
    """Fit the confidence of a run's best parser on a split and save it; return the figures.

    The split may be several of several data sets, as `load_mixed` takes them: each counts the same.
    Unanswerable questions are made from the split's own. Figures are cross-fitted: each table's
    answers are judged by a calibration fitted on the others.
    """
    path = run / "best.safetensors"
    parser, facts = load_run_and_facts(path)
    if parser.config.data.train == split:
        raise TrainingError(f"the parser learnt from {split}; calibrate it on another split")
    examples = load_mixed(split, data_path(data)).loaded.examples
    judged: list[Judged] = []
    sets: dict[str, list[Example]] = {}
    for example in examples:
        sets.setdefault(example.question.id.rpartition(":")[0] or split, []).append(example)
    for name, own in sets.items():
        judged = joined(judged, judge_examples(parser, name, own, Random(0)))
    calibration, across = fit_chances(judged, FEATURES, TOGETHER)
    parser.calibration = calibration
    save_parser(path, parser, facts={"epoch": facts.get("epoch", "0")})
    every = figures(judged, across, outcomes(calibration, judged, across))
    first = next(iter(every.values()))["after"]
    found = {
        "split": split,
        "questions": sum(one["after"]["questions"] for one in every.values()),
        "answer_accuracy": first["accuracy"],
        "calibration_error": first["calibration_error"],
        "sure_from": calibration.sure,
        "sure_share": first["sure_share"],
        "sure_accuracy": first["sure_accuracy"],
        "reliability": first["reliability"],
        "data_sets": {name: one["after"] for name, one in every.items()},
    }
    (run / "calibration.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


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
