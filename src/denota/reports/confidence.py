"""docs/confidence.md, from results/confidence/*.json: what a confidence says of each data set.

Usage: python -m denota.reports.confidence
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from denota.evaluation.thresholds import REFUSED, TAKEN
from denota.reports.markdown import table
from denota.reports.plots import save

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "confidence.md"
RESULTS: Final = ROOT / "results" / "confidence"
NAMES: Final = {
    "sqa": "SQA",
    "wtq": "WikiTableQuestions",
    "wikisql": "WikiSQL",
    "invented": "made up, invented tables",
    "made up": "made up, WikiSQL's tables",
    "real": "real tables",
}
"""What the data sets are called."""


def main() -> None:
    """Write the page and its picture."""
    found = read_results(RESULTS)
    PAGE.write_text(page(found), encoding="utf-8")
    draw(found["fit"]["over_tables"], PAGE.with_name("confidence.svg"))


def read_results(folder: Path) -> dict[str, Any]:
    """Return the results by their names: the fit, and a look at a part where there is one."""
    return {
        file.stem: json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json"))
    }


def page(found: Mapping[str, Any]) -> str:
    """Return the page's Markdown."""
    fit = found["fit"]
    seen = "-dev" in fit["learnt"]
    parts = [
        _TOP.format(learnt=fit["learnt"]) + (_SEEN if seen else ""),
        _areas(fit),
        _RELIABLE,
        _reliability(fit["over_tables"]),
        _OUTCOMES.format(**_promised(fit["thresholds"], fit["wrong"])),
        _outcomes(fit["over_tables"]),
        _FOLLOW_UPS,
        _follow_ups(fit["over_tables"]),
    ]
    if "look" in found:
        parts += [_LOOK.format(part=found["look"]["part"]), _look(found["look"])]
    return "\n\n".join([*parts, _features(fit), _AGAIN]) + "\n"


def draw(every: Mapping[str, Any], path: Path) -> None:
    """Draw the risk over the coverage of each data set, before and after."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3 * len(every), 3), layout="constrained")
    for axes, (name, own) in zip(
        figure.subplots(1, len(every), sharey=True), every.items(), strict=True
    ):
        for side, colour in (("before", "tab:gray"), ("after", "tab:blue")):
            coverage, risk = zip(*own[side]["risk_coverage"], strict=True)
            axes.plot(coverage, risk, color=colour, label=side)
        axes.set_title(NAMES.get(name, name), fontsize=9)
        axes.set_xlabel("coverage")
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("share of wrong answers")
    figure.axes[0].legend(fontsize=8)
    save(figure, path)


def _areas(fit: Mapping[str, Any]) -> str:
    head = ("", "questions", "right", "area before", "area after", "by other data sets", "least")
    lines: list[Sequence[str]] = [head]
    for name, own in fit["over_tables"].items():
        before, after = own["before"], own["after"]
        other = fit["over_data_sets"][name]["after"]
        areas = (before["area"], after["area"], other["area"], after["best_area"])
        own_line = (NAMES.get(name, name), str(after["questions"]), _percent(after["accuracy"]))
        lines.append((*own_line, *(f"{area:.1f}" for area in areas)))
    return table(*lines)


def _reliability(every: Mapping[str, Any]) -> str:
    edges = [f"{10 * n}% to {10 * n + 10}%" for n in range(10)]
    lines: list[Sequence[str]] = [("confidence", *(NAMES.get(name, name) for name in every))]
    for number, edge in enumerate(edges):
        cells = []
        for own in every.values():
            bins = {min(9, int(10 * mean)): (s, n) for mean, s, n in own["after"]["reliability"]}
            share, count = bins.get(number, (None, 0))
            cells.append(f"{_percent(None if share is None else 100 * share)} of {count}")
        lines.append((edge, *cells))
    for what, key in (
        ("calibration error", "calibration_error"),
        ("of a perfect one, by chance", "calibration_error_by_chance"),
    ):
        lines.append((what, *(_percent(own["after"][key]) for own in every.values())))
    before = (_percent(own["before"]["calibration_error"]) for own in every.values())
    return table(*lines, ("calibration error before", *before))


def _outcomes(every: Mapping[str, Any]) -> str:
    lines: list[Sequence[str]] = [("", *(NAMES.get(name, name) for name in every))]
    for what, key in _LINES:
        cells = []
        for own in every.values():
            before, after = (_percent(own[side][key]) for side in ("before", "after"))
            cells.append(f"{before} to {after}")
        lines.append((what, *cells))
    return table(*lines)


def _follow_ups(every: Mapping[str, Any]) -> str:
    lines: list[Sequence[str]] = [("", "follow-ups", "sure before", "right", "sure after", "right")]
    for name, own in every.items():
        counts = [
            str(own[side][key])
            for side in ("before", "after")
            for key in ("follow_ups_sure", "follow_ups_sure_right")
        ]
        if own["after"]["follow_ups"]:
            lines.append((NAMES.get(name, name), str(own["after"]["follow_ups"]), *counts))
    return table(*lines)


def _look(look: Mapping[str, Any]) -> str:
    sides = ("as_asked", "with_made_unanswerable")
    lines: list[Sequence[str]] = [("", "as asked", "and with columns taken out")]
    own = [look[side] for side in sides]
    lines.append(("questions that the table answers", *(str(one["questions"]) for one in own)))
    lines.append(("questions that it does not", *(str(one["unanswerable"]) for one in own)))
    more = (("right", "accuracy"), *_LINES, ("calibration error", "calibration_error"))
    for what, key in (*more, ("of a perfect one, by chance", "calibration_error_by_chance")):
        lines.append((what, *(_percent(one[key]) for one in own)))
    lines.append(("area under the risk-coverage curve", *(f"{one['area']:.1f}" for one in own)))
    return table(*lines)


def _features(fit: Mapping[str, Any]) -> str:
    most = sorted(fit["weights"].items(), key=lambda entry: -abs(entry[1]))[:15]
    lines = [(f"`{name}`", f"{weight:+.2f}") for name, weight in most]
    parts = [_WEIGHTS, table(("feature", "weight"), *lines)]
    order = sorted(fit["order"].items(), key=lambda entry: -abs(entry[1]))[:10]
    if order:
        own = [(f"`{name}`", f"{weight:+.2f}") for name, weight in order]
        parts += [_ORDER, table(("of a reading", "weight"), *own)]
    return "\n\n".join(parts)


def _promised(thresholds: Mapping[str, float], wrong: float) -> dict[str, str]:
    """The thresholds as they are told; one that nothing reaches is never."""
    told = {name: "never" if own > 1 else f"{100 * own:.0f}%" for name, own in thresholds.items()}
    return {
        **told,
        "right": f"{100 * (1 - wrong):.0f}%",
        "refused": f"{100 * REFUSED:.0f}%",
        "taken": f"{100 * TAKEN:.1f}%",
    }


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}%"


_LINES: Final = (
    ("could be sure, were the threshold its own", "could_be_sure"),
    ("sure", "sure_share"),
    ("right of those", "sure_accuracy"),
    ("the same, unanswerable questions included", "sure_accuracy_with_unanswerable"),
    ("asked back", "asked_back"),
    ("one of two readings right of those", "asked_back_right"),
    ("declined", "declined"),
    ("refused: declined, or asked back with no reading right", "refused"),
    ("unanswerable, not sure", "unanswerable_not_sure"),
    ("unanswerable, not answered", "unanswerable_not_answered"),
    ("unanswerable, declined", "unanswerable_declined"),
)
"""What is told of outcomes."""
_TOP: Final = """# What a confidence says

Readings of a question are put in order first: by how the parser rates them and by what they leave
out of the question (`evaluation/order.py`), with weights learnt from the answers of WikiSQL's and
made-up questions other than those below.

Every answer has a confidence: how likely it is right. It is a logistic regression over what a
person sees (`conversation/doubt.py` names the features): how the parser rates the answer and the
next one, how far program and question cover each other, whether the answer has the shape that the
question asks for, how the answer that it builds on was rated. Two more say how likely one of the
two best readings is right, and how likely the table says what is asked for at all. An answer that
builds on another is never surer than that one. What comes of it:

- **sure**: the answer, with its confidence;
- **asked back**: "Did you mean A, or B?", one key or click from either answer;
- **declined**: the table does not say, and which words it has nothing about;
- an answer that is **not sure** is told as such, with other readings.

A parser whose confidence was not fitted so (`denota calibrate` does it) only tells what is sure.

Figures are cross-fitted: each table is judged by a confidence that was fitted on the other tables
("by other data sets": on the other data sets alone). Each data set counts the same, however many
questions it has. "Before" is what a parser tells without a fit: the answer's share of all
probability. The parser, the default model, learnt from `{learnt}`.

![Risk over coverage](confidence.svg)

The area under the risk-coverage curve, in percent: the share of wrong answers, averaged over all
shares of questions that are answered, the most confident first. `least` is that of a confidence
that knows what is right."""
_SEEN: Final = """

**SQA's and WikiTableQuestions' dev questions are among those that this parser once learnt from**
(not in its last step, [model_card.md](model_card.md#what-it-learnt-from)): it is right somewhat
more often on them than on new ones, and no confidence can see that. All other questions are new to
it."""
_RELIABLE: Final = """## Reliability

The share of right answers by confidence, of questions that the table answers."""
_OUTCOMES: Final = """## Outcomes

Before and after, in percent of the questions that the table answers, or does not. Before, nothing
was asked back. Unanswerable questions are made from answerable ones
(`generate/unanswerable.py`): a column or the rows that a question needs are taken out of its table,
it is asked of another table, or what no program says is asked for.

Thresholds are chosen by the cross-fitted chances alone (`evaluation/thresholds.py`):

- sure from a confidence of {sure} on, the least from which {right} are right over all data sets,
  each counting the same; in the hardest fewer are (of it alone hardly any would ever be sure);
- declined below a chance of {declines} that the table says it, asked back below {asks}, and where a
  second reading is close and right with a chance of {close}: as often as can be with at most
  {refused} of the answerable questions of each data set refused, and {taken} declined though the
  first reading is right. What rules declined already (what no program can say) comes on top."""
_FOLLOW_UPS: Final = "## Follow-ups"
_LOOK: Final = """## A part that was looked at once

The part `{part}` of the real tables: nothing was fitted or chosen by it."""
_WEIGHTS: Final = """## What counts most

The largest weights for being right, of features in units of their spread. `follows × margin` is
what a margin counts more, or less, of an answer that builds on another."""
_ORDER: Final = """And of the order of readings, likewise:"""
_AGAIN: Final = """## Again

```text
python benchmarks/confidence.py RUN --data path/to/data --order order.json --save
python benchmarks/confidence.py RUN --look confidence
python -m denota.reports.confidence
```

`denota calibrate RUN --data DATA --split SPLIT` fits the confidence of a parser of your own, on a
split that it has not learnt from; SPLIT may be several, as in `sqa:dev, wtq:dev`."""


if __name__ == "__main__":
    main()
