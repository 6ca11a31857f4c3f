"""docs/shaping.md, made from results/put_right/curves.json: when shaping pays, in eight epochs.

Usage: python -m denota.reports.put_right
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Final

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "shaping.md"
LAST: Final = 4
"""The epochs at the end whose mean is told."""
Curves = dict[str, list[list[float]]]
"""Dev accuracy by epoch of each seed, by the name of a row."""


def main() -> None:
    """Write the page."""
    found = json.loads((ROOT / "results" / "put_right" / "curves.json").read_text(encoding="utf-8"))
    PAGE.write_text(page({name: one["dev"] for name, one in found.items()}), encoding="utf-8")


def page(runs: dict[str, list[float]]) -> str:
    """Return the page's Markdown, given the dev accuracies of each run."""
    curves: Curves = defaultdict(list)
    for name, accuracies in runs.items():
        curves[name.rsplit(".seed", 1)[0]].append(accuracies)
    return "\n\n".join([_TOP, _shaping(curves), _DRAW, _draw(curves), _END]) + "\n"


def _shaping(curves: Curves) -> str:
    """A line for each algorithm and start: without and with shaping, and the gain by seed."""
    lines = [
        "| algorithm | start | unshaped | shaped | gain | gain of each seed |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    starts = [name.removesuffix(".shaped") for name in curves if name.endswith(".shaped")]
    for name in starts:
        algorithm, start = name.split(".")
        shaped, unshaped = curves[f"{name}.shaped"], curves[f"{name}.unshaped"]
        gains = [_last(one) - _last(other) for one, other in zip(shaped, unshaped, strict=True)]
        each = " ".join(f"{gain:+.1f}" for gain in gains)
        lines.append(
            f"| {algorithm.upper()} | {start} | {_mean(unshaped):.1f} | {_mean(shaped):.1f}"
            f" | **{mean(gains):+.1f}** | {each} |"
        )
    return "\n".join(lines)


def _draw(curves: Curves) -> str:
    lines = ["| ŷ | dev | of each seed |", "| --- | ---: | ---: |"]
    for draw in ("sample", "top"):
        own = curves[f"off_policy_w_mmr_q.{draw}"]
        each = " ".join(f"{_last(one):.1f}" for one in own)
        lines.append(f"| {draw} | {_mean(own):.1f} | {each} |")
    return "\n".join(lines)


def _last(accuracies: list[float]) -> float:
    return mean(accuracies[-LAST:])


def _mean(curves: list[list[float]]) -> float:
    return mean(map(_last, curves))


_TOP: Final = f"""# When shaping pays

DynSP's modules start from words of the lexicon, which is the knowledge that the critique brings. So
the paper's gain shows where the parser does not have it: with a blank start (`model.start =
"blank"`: these vectors random, and = with a cell by a learned multiple of the dot product that
starts at 0).
Split 1 of SQA, language `dynsp++`, three seeds, eight epochs; dev accuracy as the mean of the last
{LAST} epochs, nothing chosen; everything else as in early versions (the same with what was put
right since is in [reproduction.md](reproduction.md#when-shaping-pays)). `recorded` is the start
of early versions, `dynsp` that of DynSP's code, whose words for >= and <= are others."""
_DRAW: Final = """## Off-policy w with MMR's q

At λ = ∞ the exploration policy sorts. ŷ may be drawn from its list (`update.draw = "sample"`, the
recorded runs), or be the top of it (`"top"`): the paper's figure is 37.0."""
_END: Final = """The page is made by `python -m denota.reports.put_right` from
`results/put_right/curves.json`. One run, such as MAVER with a blank start and shaping:

```text
denota train experiments/table2.maver.toml --data path/to/sqa --out runs/blank \\
  --set model.start=blank search.shaping=policy seed=0 train.epochs=8
```"""


if __name__ == "__main__":
    main()
