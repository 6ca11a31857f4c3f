"""The paper's statements as judged here, and what was found in one screen."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from denota.reports.judged import Judged, spurious_told
from denota.reports.markdown import table
from denota.reports.published import MIXES, PUBLISHED
from denota.reports.results import Found, accuracies, told
from denota.reports.shaping import Gain
from denota.reports.statements import (
    BOTH,
    FALLS,
    MEAN_GAIN,
    STANDS,
    STATEMENTS,
    UNDECIDED,
    Statement,
    gain,
    steadier,
    verdict,
)


def judged_statements(found: Found, sequences: Sequence[str]) -> dict[Statement, str]:
    """Return what comes of each statement whose cells are all there."""
    return {
        one: verdict(one.differences, [d.interval(found, sequences) for d in one.differences])
        for one in STATEMENTS
        if one.known(found)
    }


def statements_section(
    found: Found, sequences: Sequence[str], verdicts: Mapping[Statement, str]
) -> str:
    """Return the statements, each with its rule, differences and verdict."""
    lines: list[Sequence[str]] = [
        (
            *("the paper's statement", "here", "difference", "seeds"),
            *("last 10 epochs", "95% interval", "best epoch", "95% interval"),
        )
    ]
    for one, came in verdicts.items():
        for place, d in enumerate(one.differences):
            claim = f"{one.claim} ({one.said}); {one.rule}" if place == 0 else ""
            here = f"**{came}**" if place == 0 else ""
            late, best = (told(d, found, sequences, when) for when in ("late", "best"))
            lines.append((claim, here, d.name, str(len(d.seeds(found))), *late, *best))
    return (
        "## The paper's statements, one by one\n\nDifferences on the same dev questions, over the "
        "seeds that both have. The rules were written before the runs: a statement is judged by "
        "the mean of the last ten epochs, into which no choice has gone; 95% intervals by a "
        "bootstrap that draws seeds and sequences of questions again at once. Three seeds are "
        "few, and an interval over them is rather too narrow. The best epoch, chosen on "
        "these same questions, stands beside it.\n\n"
        + table(*lines)
        + "\n\n![the differences with their intervals](differences.svg)"
    )


def summary(
    found: Found,
    sequences: Sequence[str],
    verdicts: Mapping[Statement, str],
    measured: Sequence[Gain],
    judged: Judged | None = None,
) -> str:
    """Return what was found, for a reader who reads one screen."""
    lines = [_tables(found)]
    if MEAN_GAIN.known(found):
        shaping, maver = (told(d, found, sequences) for d in (MEAN_GAIN, gain("maver")))
        lines.append(
            "**Shaping.** Over the eight algorithms it gains "
            f"{shaping[0]} points ({shaping[1]}), MAVER {maver[0]} ({maver[1]}), where the parser "
            "starts from words as DynSP does." + _starts(measured)
        )
    if judged is not None:
        lines.append(f"**Spurious programs.** {spurious_told(judged)}")
    lines += [
        f"**{said.capitalize()}** ({len(own)} of {len(verdicts)} statements): {'; '.join(own)}."
        for said in (STANDS, FALLS, UNDECIDED)
        if (own := [one.claim for one, here in verdicts.items() if here == said])
    ]
    if {("table2", row, shaped) for row in ("mmr", "maver") for shaped in BOTH} <= found.keys():
        stable = [f"{_WITH[shaped]} shaping {steadier(found, shaped)}" for shaped in BOTH]
        lines.append(f"**Stability.** MAVER is more stable than MMR: {', '.join(stable)}.")
    return "## What was found\n\n" + "\n".join(f"- {line}" for line in lines if line)


_WITH = {True: "with", False: "without"}


def _tables(found: Found) -> str:
    """How our cells lie beside the paper's."""
    papers = {
        ("table2", row, shaped): figure
        for row, (_, plain, with_) in PUBLISHED.items()
        for shaped, figure in ((False, plain), (True, with_))
    }
    papers |= {
        ("table3", row, True): paper for row, (_, _, paper) in MIXES.items() if paper is not None
    }
    ahead = [
        statistics.mean(accuracies(found[key])) - paper
        for key, paper in papers.items()
        if key in found
    ]
    if not ahead:
        return ""
    above = sum(value > 0 for value in ahead)
    best = max(
        (statistics.mean(accuracies(seeds)), row, shaped)
        for (of, row, shaped), seeds in found.items()
        if of == "table2"
    )
    name = f"{PUBLISHED[best[1]][0]} {'with' if best[2] else 'without'} shaping"
    mixed = found.get(("table3", "off_policy_w_mmr_q", True), [])
    mix = (
        f" Off-policy w with MMR's q, which takes the top of u, has "
        f"{statistics.mean(accuracies(mixed)):.1f} (paper {MIXES['off_policy_w_mmr_q'][2]})."
        if mixed
        else ""
    )
    return (
        f"**Tables 2 and 3.** {above} of {len(ahead)} cells are above the paper's, by "
        f"{min(ahead):.1f} to {max(ahead):.1f} points; the best is {name}, {best[0]:.1f} in the "
        f"best epoch (paper {PUBLISHED['maver'][2]}).{mix}"
    )


def _starts(measured: Sequence[Gain]) -> str:
    """What shaping gains from blank starts."""
    blank = [one for one in measured if "start blank" in one.name and one.interval is not None]
    if not blank:
        return ""
    said = "; ".join(
        f"{one.name.removesuffix(', start blank')} {one.points:+.1f} "
        f"({one.interval[0]:+.1f} to {one.interval[1]:+.1f})"
        for one in blank
        if one.interval is not None
    )
    if any(one.interval is None or one.interval[0] <= 0 for one in blank):
        return f" From a blank start: {said}."
    return (
        f" From a blank start it gains: {said}. There the critique brings what the lexical start "
        "has already."
    )
