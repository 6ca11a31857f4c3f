"""When shaping pays, and what the corrections brought: two parts of docs/reproduction.md."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from denota.reports.markdown import table
from denota.reports.published import HEADLINE, PUT_RIGHT, UNSHAPED
from denota.reports.results import CellKey, Difference, Found, Result, accuracy, told
from denota.reports.statements import gain


@dataclass(frozen=True)
class Gain:
    """What shaping gains a parser."""

    name: str
    without: float
    with_: float
    points: float
    interval: tuple[float, float] | None
    """None where one seed is all there is."""


def gains(found: Found, sequences: Sequence[str]) -> list[Gain]:
    """Return what shaping gains with each algorithm, language and start, where it was run.

    All at as many epochs as the headline's cells have, the mean of the last ten of these.
    """
    epochs = headline_epochs(found)
    if not epochs:
        return []
    short = {key: _cut(seeds, epochs) for key, seeds in found.items()}
    return [
        _gain(f"{algorithm}, {language}, start {start}", one, short, sequences)
        for algorithm, language, start, of, row in HEADLINE
        if (one := gain(row, of, UNSHAPED.get(row))).known(short)
    ]


def _gain(name: str, one: Difference, found: Found, sequences: Sequence[str]) -> Gain:
    seeds = one.seeds(found)
    without, with_ = (
        statistics.mean(
            accuracy(result, "late") for result in found[key] if result["cell"]["seed"] in seeds
        )
        for key in (*one.minus, *one.plus)
    )
    interval = one.interval(found, sequences)
    return Gain(name, without, with_, one.points(found), interval)


def headline_epochs(found: Found) -> int:
    """Return how many epochs every cell of the headline has."""
    return min(
        (len(r["epochs"]) for key, seeds in found.items() if key[0] == "headline" for r in seeds),
        default=0,
    )


def _cut(results: Sequence[Result], epochs: int) -> list[Result]:
    return [{**result, "epochs": result["epochs"][:epochs]} for result in results]


def encoder_gains(results: Path) -> list[Gain]:
    """Return what shaping gains the parser on an encoder: runs with and without, where recorded."""
    found = []
    for without, with_ in (
        ("core-no-shaping", "core-two-looks"),
        ("annealed-no-shaping", "annealed"),
    ):
        paths = [results / "encoder" / f"{name}.json" for name in (without, with_)]
        if all(path.exists() for path in paths):
            runs = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
            epochs = min(len(run["epochs"]) for run in runs)
            dev = [
                max(line["dev_answer_accuracy"] for line in run["epochs"][:epochs]) for run in runs
            ]
            name = f"MAVER, extended, MiniLM's heads at random ({with_})"
            found.append(Gain(name, dev[0], dev[1], dev[1] - dev[0], None))
    return found


def shaping_section(measured: Sequence[Gain], epochs: int) -> str:
    """Return the section on when shaping pays."""
    lines: list[Sequence[str]] = [("parser", "without", "with shaping", "gain", "95% interval")]
    for one in measured:
        interval = (
            f"{one.interval[0]:+.1f} to {one.interval[1]:+.1f}" if one.interval else "one seed"
        )
        figures = (f"{one.without:.1f}", f"{one.with_:.1f}", f"{one.points:+.1f}")
        lines.append((one.name, *figures, interval))
    return (
        "## When shaping pays\n\nDynSP's modules start from words of the lexicon, which is the "
        "knowledge that the critique brings. A blank start takes it away: these vectors are "
        "random, and = looks at a value through a learnt weight that starts at 0 (`model.start = "
        f'"blank"`). Dev accuracy after {epochs} epochs, the mean of the last ten; the encoder\'s '
        "runs are older, of one seed, by their best epoch. One cell again: `denota reproduce "
        "headline.maver_blank.shaped.seed0 --again`.\n\n"
        + table(*lines)
        + "\n\n![what shaping gains each parser](shaping.svg)"
    )


def put_right_section(found: Found, sequences: Sequence[str]) -> str:
    """Return what each correction brought: the cell as it is, and with the one thing undone."""
    lines: list[Sequence[str]] = [
        (
            "now",
            "before, or the other choice",
            "shaping",
            "seeds",
            "before",
            "now",
            "gain",
            "95% interval",
        )
    ]
    for row, (now, before, of) in PUT_RIGHT.items():
        base = "table3" if of.endswith("_q") else "table2"
        for shaped in (False, True):
            key, other = (base, of, shaped), ("put_right", row, shaped)
            one = Difference(now, (key,), (other,))
            if one.known(found):
                lines.append(
                    (now, before, "yes" if shaped else "no", *_beside(one, found, sequences))
                )
    if len(lines) == 1:
        return ""
    return (
        "## Put right\n\nAn audit against the paper and DynSP's code found these. Each is undone "
        "alone, everything else as in Tables 2 and 3; dev accuracy as the mean of the last ten of "
        "12 epochs. One cell again: `denota reproduce put_right.maver_vacuous.shaped.seed0 "
        "--again`.\n\n"
    ) + table(*lines)


def _beside(one: Difference, found: Found, sequences: Sequence[str]) -> tuple[str, ...]:
    """Seeds, before, now, gain and interval of a correction."""
    seeds, epochs = one.seeds(found), one.epochs(found)
    before, now = (_mean(found, key, seeds, epochs) for key in (*one.minus, *one.plus))
    return (str(len(seeds)), f"{before:.1f}", f"{now:.1f}", *told(one, found, sequences))


def _mean(found: Found, key: CellKey, seeds: Sequence[int], epochs: int) -> float:
    return statistics.mean(
        accuracy(result, "late", epochs) for result in found[key] if result["cell"]["seed"] in seeds
    )
