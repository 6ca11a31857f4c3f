"""What judges and machine say of the programs search believes: a part of docs/reproduction.md.

Misra et al. (2018), §5.2 and Table 4.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

Verdicts = Mapping[str, Mapping[str, str]]
"""Each judge's verdict on each question with a program."""


class Judged(NamedTuple):
    """results/spurious.json and results/spurious.verdicts.json."""

    facts: dict[str, Any]
    verdicts: Verdicts


SAID: Final = {
    "unshaped": ("without shaping", "53"),
    "shaped": ("with shaping", "23"),
    "blank_unshaped": ("blank start, without shaping", ""),
    "blank_shaped": ("blank start, with shaping", ""),
}
"""Parsers, and how many programs of 100 the paper found spurious."""


def read_judged(results: Path) -> Judged | None:
    """Return the judged programs, if there are any."""
    paths = [results / f"spurious{part}.json" for part in ("", ".verdicts")]
    if not all(path.exists() for path in paths):
        return None
    return Judged(*(json.loads(path.read_text(encoding="utf-8")) for path in paths))


def kappa(one: Sequence[bool], other: Sequence[bool]) -> float:
    """Return Cohen's kappa: agreement beyond chance.

    >>> kappa([True, True, False, False], [True, False, False, False])
    0.5
    """
    total = len(one)
    agree = sum(a == b for a, b in zip(one, other, strict=True)) / total
    chance = sum(
        sum(a is side for a in one) * sum(b is side for b in other) for side in (True, False)
    )
    expected = chance / total**2
    return 1.0 if expected == 1 else (agree - expected) / (1 - expected)


def judged_section(judged: Judged) -> str:
    """Return the section: counts by hand and by machine, agreement, what shaping corrected."""
    facts, verdicts = judged
    lines = [
        "## Spurious programs",
        "",
        f"{len(facts['questions'])} training questions, drawn with a fixed seed; the program "
        "that search puts first at the end of MAVER's training, under the policy it was trained "
        "with. Judges saw question, table, answer and "
        "programs in a random order and no parser's name, and went by [a "
        "guideline](spurious-guideline.md) written before they began, but after a developer had "
        "judged most of these programs. A program that does not give the right answer is counted "
        "apart. "
        "`python -m denota.reports.spurious` draws the questions and makes the judges' sheet.",
        "",
        "How far to trust it: judges 1 and 2 are language models, each on its own; that they "
        "agree everywhere says that the guideline decides, not that two people would agree, so "
        "count them as one. "
        "The developer's earlier pass had no guideline and not the whole table in view, and the "
        "guideline had those programs in view, so their agreement is not independent either. A "
        "difference of a few programs between two lines means nothing.",
        "",
        *_by_hand(facts, verdicts),
        "",
        *_agreement(facts, verdicts),
        "",
        *_by_machine(facts),
        "",
        "Programs that shaping corrected, every judge agreeing (Table 4), and the other way round:",
        "",
        *_changed(facts, verdicts),
    ]
    return "\n".join(lines)


def spurious_told(judged: Judged) -> str:
    """Return in one sentence how many programs the first judge calls spurious."""
    facts, verdicts = judged
    judge = next(iter(verdicts))
    counts = {name: _spurious(verdicts[judge], _programs(facts, name)) for name in SAID}
    paper = [SAID[name][1] for name in ("unshaped", "shaped")]
    return (
        f"Of {len(facts['questions'])} programs that search believes, {counts['unshaped']} are "
        f"spurious without and {counts['shaped']} with shaping; from a blank start "
        f"{counts['blank_unshaped']} and {counts['blank_shaped']} (paper: {' and '.join(paper)})."
    )


def _programs(facts: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The programs of a parser that give the right answer."""
    found = [question["programs"].get(name) for question in facts["questions"]]
    return [one for one in found if one is not None and one["reward"] == 1]


def _parsers(facts: dict[str, Any]) -> list[str]:
    return [name for name in SAID if name in facts["questions"][0]["programs"]]


def _by_hand(facts: dict[str, Any], verdicts: Verdicts) -> list[str]:
    judges = list(verdicts)
    lines = [
        (
            f"| MAVER | spurious, paper | {' | '.join(f'spurious, {judge}' for judge in judges)} | "
            "wrong answer |"
        ),
        f"| --- | --- |{' --- |' * len(judges)} --- |",
    ]
    for name in _parsers(facts):
        programs = _programs(facts, name)
        counts = [_spurious(verdicts[judge], programs) for judge in judges]
        wrong = len(facts["questions"]) - len(programs)
        said, paper = SAID[name]
        lines.append(f"| {said} | {paper} | {' | '.join(map(str, counts))} | {wrong} |")
    return lines


def _spurious(said: Mapping[str, str], programs: Sequence[dict[str, Any]]) -> str:
    """How many of some programs a judge calls spurious, if all were judged."""
    if any(one["item"] not in said for one in programs):
        return "—"
    return str(sum(said[one["item"]] == "spurious" for one in programs))


def _agreement(facts: dict[str, Any], verdicts: Verdicts) -> list[str]:
    """How well judges agree with each other and with the two measures."""
    items = {one["item"]: one for name in _parsers(facts) for one in _programs(facts, name)}
    sides = {
        judge: {item: said[item] == "spurious" for item in items if item in said}
        for judge, said in verdicts.items()
    }
    sides["answer lost on an altered table"] = {i: one["kept"] < 1 for i, one in items.items()}
    sides["not grounded"] = {i: not one["grounded"] for i, one in items.items()}
    names = list(sides)
    lines = [
        f"Agreement on the {len(items)} distinct programs with the right answer, and Cohen's "
        "kappa. The machine calls a program spurious if its answer is lost on one of "
        f"{facts['altered']} altered tables (rows shuffled, columns that the question does "
        "not speak of dealt anew), or if the question does not bear it out (a constant shares no "
        "word with it, or an operator has no trigger word):",
        "",
        "| | | agree | kappa |",
        "| --- | --- | --- | --- |",
    ]
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            if one in verdicts:
                both = [item for item in sides[one] if item in sides[other]]
                first, second = ([sides[name][item] for item in both] for name in (one, other))
                same = sum(a == b for a, b in zip(first, second, strict=True))
                value = kappa(first, second)
                lines.append(f"| {one} | {other} | {same} of {len(both)} | {value:.2f} |")
    return lines


def _by_machine(facts: dict[str, Any]) -> list[str]:
    """The automatic measures on more questions, before and after training."""
    lines = [
        (
            "By machine, on more questions: in percent of those whose believed program gives the "
            "right answer, how many are grounded, and how many keep the answer on all altered "
            "tables."
        ),
        "",
        "| MAVER | questions | right answer | grounded | answer kept |",
        "| --- | --- | --- | --- | --- |",
    ]
    for when, measured in (("before", facts["untrained"]), ("after", facts["by_machine"])):
        for name, counts in measured.items():
            right = counts["right_answer"]
            shares = [f"{100 * counts[part] / right:.1f}" for part in ("grounded", "kept")]
            said = f"{SAID[name][0]}, {when} training"
            lines.append(f"| {said} | {counts['questions']} | {right} | {' | '.join(shares)} |")
    return lines


def _changed(facts: dict[str, Any], verdicts: Verdicts) -> list[str]:
    lines = [
        "| start | question | without shaping | with shaping | |",
        "| --- | --- | --- | --- | --- |",
    ]
    for start, prefix in (("of words", ""), ("blank", "blank_")):
        for question, before, after, change in _turned(facts, verdicts, prefix):
            cells = [one["program"].replace("|", "\\|") for one in (before, after)]
            text = question["text"].replace("\n", " ")
            lines.append(f"| {start} | {text} | `{cells[0]}` | `{cells[1]}` | {change} |")
    return lines


def _turned(
    facts: dict[str, Any], verdicts: Verdicts, prefix: str
) -> Iterator[tuple[Any, Any, Any, str]]:
    """The questions whose program every judge calls spurious in one case and right in the other.

    The program gives the right answer in both.
    """
    for question in facts["questions"]:
        names = (f"{prefix}unshaped", f"{prefix}shaped")
        both = [question["programs"].get(name) for name in names]
        if any(one is None or one["reward"] < 1 for one in both):
            continue
        said = [
            {found[one["item"]] for found in verdicts.values() if one["item"] in found}
            for one in both
        ]
        if said == [{"spurious"}, {"right"}]:
            yield question, *both, "corrected"
        if said == [{"right"}, {"spurious"}]:
            yield question, *both, "spoilt"
