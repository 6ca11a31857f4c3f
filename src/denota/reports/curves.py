"""The curves of a run, from metrics.jsonl: loss and dev accuracy by epoch, the best marked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def draw_curves(run: Path) -> Path:
    """Draw RUN/curves.svg and return its path."""
    from matplotlib.figure import Figure

    lines = _metrics(run)
    epochs = [line["epoch"] for line in lines]
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    left = figure.subplots()
    left.plot(epochs, [line["loss"] for line in lines], color="tab:gray", label="loss")
    left.set_xlabel("epoch")
    left.set_ylabel("loss a question", color="tab:gray")
    dev = [line["dev_answer_accuracy"] for line in lines]
    if lines and dev[0] is not None:
        right = left.twinx()
        right.plot(epochs, dev, color="tab:blue", marker=".", label="dev")
        right.set_ylabel("dev answer accuracy", color="tab:blue")
        best = max(range(len(dev)), key=dev.__getitem__)
        right.annotate(
            f"{dev[best]:.1f} at epoch {epochs[best]}",
            (epochs[best], dev[best]),
            (0, -14),
            textcoords="offset points",
            ha="center",
            color="tab:blue",
        )
    left.set_title(run.name)
    path = run / "curves.svg"
    figure.savefig(path, metadata={"Date": None})
    return path


def _metrics(run: Path) -> list[dict[str, Any]]:
    text = (run / "metrics.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
