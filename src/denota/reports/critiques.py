"""docs/critiques.md, from results/: which update and critique pay where spurious programs abound.

The rule of the verdicts was written before any of the runs.

Usage: python -m denota.reports.critiques
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, Final

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "critiques.md"
RUNS: Final = {
    "outcomes": Path("wtq") / "critiques.jsonl",
    "cues": Path("wtq") / "critiques.cues.jsonl",
}
"""The runs of each scorer; those of `cues` were the first."""
SETTINGS: Final = {"outcomes": "experiments/glove.wtq.toml", "cues": "experiments/wtq.glove.toml"}
ONE_SEED: Final = 3.0
"""A difference of this many points decides where there is one seed."""
SEVERAL_SEEDS: Final = 2.0
"""A mean difference of this many points decides where there are several, all of one sign."""
ALGORITHMS: Final = {
    "mml": "MML",
    "meritocratic_0": "meritocratic, β = 0",
    "meritocratic_0.5": "meritocratic, β = 0.5",
    "meritocratic_inf": "meritocratic, β = ∞",
    "reinforce": "REINFORCE",
    "off_policy": "off-policy",
    "mmr": "MMR",
    "maver": "MAVER",
}
CRITIQUES: Final = {
    "match": "match alone",
    "paper": "the paper's: match and 40 lexical pairs",
    "grounded": "the paper's, `search.grounded=1`",
    "length": "the paper's, `search.length=0.5`",
    "both": "the paper's, `search.grounded=1` and `search.length=0.5`",
    "learnt": "match and the learnt lexicon",
    "altered": "match and agreement on altered tables",
    "learnt_altered": "match, the learnt lexicon and agreement",
    "learnt_model": "match and the learnt lexicon, in the score itself (`search.shaping=model`)",
}
Run = tuple[str, str, int]
"""Algorithm, critique, seed."""


def verdict(differences: Sequence[float]) -> str:
    """Say whether something pays, hurts, or is undecided, from its gain in points by seed.

    >>> verdict([3.1]), verdict([2.9]), verdict([2.5, 1.7]), verdict([6.0, -0.1]), verdict([-4.0])
    ('pays', 'undecided', 'pays', 'undecided', 'hurts')
    """
    if not differences:
        return "-"
    needed = ONE_SEED if len(differences) == 1 else SEVERAL_SEEDS
    gain = mean(differences)
    one_sign = all(d > 0 for d in differences) or all(d < 0 for d in differences)
    if abs(gain) < needed or not one_sign:
        return "undecided"
    return "pays" if gain > 0 else "hurts"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(ROOT / "results"), encoding="utf-8")


def page(results: Path) -> str:
    """Return the page's Markdown."""
    runs = {
        scorer: [json.loads(line) for line in (results / path).read_text().splitlines()]
        for scorer, path in RUNS.items()
        if (results / path).exists()
    }
    facts = {**_facts(next(iter(runs.values()))), **_consistent(results)}
    accuracies = {scorer: _accuracy(lines) for scorer, lines in runs.items()}
    parts = [_TOP.format(**facts), _found(accuracies), _CRITIQUES, _RULE.format(**facts)]
    for scorer, lines in runs.items():
        parts += _scorer(scorer, lines, accuracies[scorer])
    shown = next(iter(runs))
    again = _AGAIN.format(**facts, settings=SETTINGS[shown], file=RUNS[shown].as_posix())
    return "\n\n".join([*parts, again]) + "\n"


def _accuracy(lines: Sequence[Mapping[str, Any]]) -> dict[Run, float]:
    return {_run(line): line["dev"] for line in lines if "dev" in line}


def _scorer(
    scorer: str, lines: Sequence[Mapping[str, Any]], accuracy: Mapping[Run, float]
) -> list[str]:
    """What is told of the runs of a scorer."""
    facts = {**_facts(lines), "scorer": scorer, "settings": SETTINGS[scorer]}
    parts = [_SCORER.format(**facts), _updates(accuracy)]
    if any(critique not in ("none", "paper") for _, critique, _ in accuracy):
        parts += [_OTHERS, _others(accuracy)]
    if any("alone" in line for line in lines):
        parts += [_ALONE, _alone(lines)]
    return [*parts, _curves(lines)]


def _found(accuracies: Mapping[str, Mapping[Run, float]]) -> str:
    """What was found, a line a scorer."""
    lines = ["## What was found"]
    for scorer, accuracy in accuracies.items():
        plain = {
            a: [v for (b, c, _), v in accuracy.items() if (b, c) == (a, "none")] for a in ALGORITHMS
        }
        best = sorted((a for a in plain if plain[a]), key=lambda a: -mean(plain[a]))
        order = ", ".join(f"{ALGORITHMS[a]} {mean(plain[a]):.1f}" for a in best)
        said = [f"With `{scorer}`, no critique: {order}."]
        for critique, title in (
            ("paper", "The paper's critique"),
            ("learnt", "A learnt lexicon"),
            ("altered", "Agreement on altered tables"),
        ):
            by_verdict: dict[str, list[str]] = {}
            for algorithm in best:
                found = gains(accuracy, algorithm, critique)
                if found:
                    gain = f"{ALGORITHMS[algorithm]} ({mean(found):+.1f})"
                    by_verdict.setdefault(verdict(found), []).append(gain)
            told = [
                f"{word} {', '.join(who)}"
                for word, who in by_verdict.items()
                if word != "undecided"
            ]
            left = by_verdict.get("undecided")
            told += [f"undecided with {', '.join(left)}"] if left else []
            said += [f"{title}: {'; '.join(told)}."] if told else []
        lines.append("- " + " ".join(said))
    return "\n".join([lines[0], "", *lines[1:]])


def _run(line: Mapping[str, Any]) -> Run:
    return line["algorithm"], line["critique"], line["seed"]


def _facts(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The numbers in the text."""
    done = [line for line in lines if "dev" in line]
    some = done[0]
    speeds = [line["questions_per_s"] for line in lines if "questions_per_s" in line]
    return {
        "runs": len(done),
        "epochs": some["epochs"],
        "questions": f"{some['questions']:,}",
        "speed": round(mean(speeds)),
        "memory": round(mean(line["mib"] for line in done)),
        "error": 100 * (2 * 0.4 * 0.6 / some["questions"]) ** 0.5,
        "one": f"{ONE_SEED:g}",
        "several": f"{SEVERAL_SEEDS:g}",
    }


def _consistent(results: Path) -> dict[str, str]:
    """How many consistent programs a question has, on the paper's data set and on this one."""
    found = {}
    for name, file in (("sqa", "sqa.extended.json"), ("wtq", "wtq.full.json")):
        one = json.loads((results / "oracle" / file).read_text())
        found[f"{name}_consistent"] = f"{one['consistent_per_question']:,.0f}"
    return found


def gains(accuracy: Mapping[Run, float], algorithm: str, critique: str) -> list[float]:
    """Return what a critique gains over none, seed by seed."""
    return [
        found - accuracy[algorithm, "none", seed]
        for (a, c, seed), found in sorted(accuracy.items())
        if (a, c) == (algorithm, critique) and (algorithm, "none", seed) in accuracy
    ]


def _figure(accuracy: Mapping[Run, float], algorithm: str, critique: str) -> str:
    """The mean over seeds, and how many there are if there are several."""
    found = [v for (a, c, _), v in accuracy.items() if (a, c) == (algorithm, critique)]
    if not found:
        return "-"
    return f"{mean(found):.1f}" + (f" ({len(found)})" if len(found) > 1 else "")


def _gain(accuracy: Mapping[Run, float], algorithm: str, critique: str) -> str:
    found = gains(accuracy, algorithm, critique)
    if not found:
        return "-"
    return f"{mean(found):+.1f} {verdict(found)}"


def _updates(accuracy: Mapping[Run, float]) -> str:
    """The eight algorithms, with and without the paper's critique."""
    lines = [
        "| algorithm | no critique | the paper's critique | gain | learnt lexicon | gain |",
        "| --- | ---: | ---: | --- | ---: | --- |",
    ]
    for algorithm, title in ALGORITHMS.items():
        cells = [
            _figure(accuracy, algorithm, "none"),
            *(
                show(accuracy, algorithm, critique)
                for critique in ("paper", "learnt")
                for show in (_figure, _gain)
            ),
        ]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _others(accuracy: Mapping[Run, float]) -> str:
    """The gain of each critique over none, for the algorithms that were tried with several."""
    more = {(a, c) for a, c, _ in accuracy if c not in ("none", "paper")}
    tried = [algorithm for algorithm in ALGORITHMS if algorithm in {a for a, _ in more}]
    head = [ALGORITHMS[algorithm] for algorithm in tried]
    lines = [f"| critique | {' | '.join(head)} |", "| --- " * (1 + len(tried)) + "|"]
    none = [_figure(accuracy, algorithm, "none") for algorithm in tried]
    lines.append(f"| none | {' | '.join(none)} |")
    for critique, title in CRITIQUES.items():
        if not any(critique == c for _, c, _ in accuracy):
            continue
        cells = []
        for algorithm in tried:
            found = _figure(accuracy, algorithm, critique)
            gain = _gain(accuracy, algorithm, critique)
            cells.append(found if gain == "-" else f"{found}: {gain}")
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _alone(lines: Sequence[Mapping[str, Any]]) -> str:
    """Each critique as a parser of its own."""
    found = {line["critique"]: line for line in lines if "alone" in line}
    shown = ["| critique | right | mass on consistent programs |", "| --- | ---: | ---: |"]
    for critique, title in CRITIQUES.items():
        if critique in found:
            one = found[critique]
            shown.append(f"| {title} | {one['alone']:.1f} | {one['mass']:.1f} |")
    return "\n".join(shown)


def _curves(lines: Sequence[Mapping[str, Any]]) -> str:
    """Accuracy by epoch, on every fourth question, of all runs of the first seed."""
    curves: dict[Run, list[float]] = {}
    for line in lines:
        if line.get("dev_accuracy") is not None:
            curves.setdefault(_run(line), []).append(line["dev_accuracy"])
    shown = []
    for (algorithm, critique, seed), curve in sorted(curves.items()):
        by_epoch = ", ".join(f"{value:.1f}" for value in curve)
        shown.append(f"| {ALGORITHMS[algorithm]} | {critique} | {seed} | {by_epoch} |")
    head = ["Dev accuracy by epoch, on every fourth question of dev:", ""]
    table = ["| algorithm | critique | seed | by epoch |", "| --- | --- | ---: | --- |"]
    return "\n".join([*head, *table, *shown])


_TOP: Final = """# Which update pays where spurious programs abound

Misra et al. (2018) compare eight updates and one critique on SQA, where a question has \
{sqa_consistent} consistent programs in the language `extended`, and fewer in theirs. Which of \
their findings carry over to questions with hundreds? WikiTableQuestions in `full` has \
{wtq_consistent} a question ([coverage](wikitablequestions.md)); most are right by luck. Two \
more questions, which the paper leaves open: can the critique be learnt from the answers \
themselves, and can executions on other tables take the place of words?

A run is `experiments/glove.wtq.toml` or `experiments/wtq.glove.toml` with another update and \
critique: GloVe vectors, random-split-1-train, no program seen, the same rate for all. The figure \
is the share of right denotations on all {questions} questions of random-split-1-dev after the \
last epoch; nothing is chosen on dev."""
_CRITIQUES: Final = """## The critiques

- **The paper's**: match and 40 lexical pairs. In `full` a pair of words and aggregate, comparison \
or step counts as well, by the trigger words of `programs/lexicon.toml`.
- **Learnt from answers** (`denota.learning.learn_lexicon`): a log-linear model of words and \
operators, over all programs of a question, that maximises the marginal likelihood of the answers. \
Match alone is given. It is made from the training split by the last command of this page. Adding \
it to the score itself (`learnt_model`) was thought of after the other runs were seen.
- **Agreement on altered tables** (`search.altered`): up to 64 consistent programs of a training \
question are executed on six tables with rows drawn anew and half of the columns dealt anew; a \
program is worth the share of the others' votes that it agrees with there."""
_RULE: Final = """## The rule, written before the runs

A critique *pays* if it gains at least {one} points over the same update without one, or, \
where there are several seeds, at least {several} points in the mean with a gain in every \
seed. It *hurts* if it loses as much. All else is *undecided*. The same rule holds between two \
updates. For scale: the standard error of the difference between two parsers of 40% that answer \
independently is {error:.1f} points on {questions} questions."""
_SCORER: Final = """## With the scorer `{scorer}`

`{settings}`, {runs} runs of {epochs} epochs, each on one core ({speed} questions a second, \
{memory} MiB)."""
_OTHERS: Final = """### Critiques side by side

Mean accuracy, the number of seeds in brackets where there are several, and the gain over no \
critique."""
_ALONE: Final = """### A critique by itself

How much does a critique know before anything else is learnt? Let it answer dev: the share of \
questions whose best program by the critique alone is right (ties shared), and the share of \
exp(η critique) that lies on consistent programs."""
_AGAIN: Final = """## Run a cell again

Any cell, here MAVER with the learnt lexicon; the last line of `RUN/metrics.jsonl` has the figure:

```text
denota train {settings} --data WTQ --out RUN --set train.epochs={epochs} train.device=cpu \
update.algorithm=maver search.shaping=policy search.lexicon=LEXICON search.grounded=0 \
search.length=0
```

All of them, a process a run: `python benchmarks/critiques.py --experiment {settings} \
--data WTQ --vectors GLOVE --lexicon LEXICON --out OUT`; then OUT/curves.jsonl is \
`results/{file}`. The lexicon: `python -m denota.learning.learn_lexicon \
{settings} LEXICON --data WTQ`."""

if __name__ == "__main__":
    main()
