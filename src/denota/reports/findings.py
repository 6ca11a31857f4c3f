"""What the paper found, one finding at a time, as differences between our cells.

Misra et al. (2018), §5.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from denota.reports.results import CellKey, Difference, Found


@dataclass(frozen=True)
class Finding:
    """A claim of the paper, which holds if all its differences are above 0."""

    claim: str
    differences: tuple[Difference, ...]
    said: str = "§5.2"
    """Where the paper says so."""


def _two(row: str, shaped: bool) -> CellKey:
    return "table2", row, shaped


def over(one: str, other: str, shaped: bool) -> Difference:
    """Return the difference of two rows of Table 2."""
    said = f"{one} − {other}, {'with' if shaped else 'without'} shaping"
    return Difference(said, (_two(one, shaped),), (_two(other, shaped),))


def gain(row: str) -> Difference:
    """Return what shaping adds to a row of Table 2."""
    return Difference(f"shaping, with {row}", (_two(row, True),), (_two(row, False),))


def more_gain(one: str, other: str) -> Difference:
    """Return how much more shaping adds to one row than to another."""
    return Difference(
        f"shaping's gain, {one} − {other}",
        (_two(one, True), _two(other, False)),
        (_two(one, False), _two(other, True)),
    )


ALGORITHMS: Final = (
    *("mml", "meritocratic_0", "meritocratic_0.5", "meritocratic_inf"),
    *("reinforce", "off_policy", "mmr", "maver"),
)
FINDINGS: Final = (
    Finding(
        "Margin methods are above MML",
        (
            *(over("mmr", "mml", shaped) for shaped in (False, True)),
            *(over("maver", "mml", shaped) for shaped in (False, True)),
        ),
    ),
    Finding(
        "Off-policy policy gradient is far above REINFORCE",
        tuple(over("off_policy", "reinforce", shaped) for shaped in (False, True)),
    ),
    Finding(
        "Margin methods are above policy gradient",
        (
            *(over("mmr", "off_policy", shaped) for shaped in (False, True)),
            *(over("maver", "off_policy", shaped) for shaped in (False, True)),
        ),
    ),
    Finding(
        "Off-policy policy gradient is above MML",
        tuple(over("off_policy", "mml", shaped) for shaped in (False, True)),
        "Table 2",
    ),
    Finding(
        "Policy shaping in general improves the performance across algorithms",
        tuple(gain(row) for row in ALGORITHMS),
    ),
    Finding(
        "Shaping helps margin methods more than MML",
        (more_gain("mmr", "mml"), more_gain("maver", "mml")),
    ),
    Finding(
        "Shaping's gain grows with β of the meritocratic update",
        (
            more_gain("meritocratic_0.5", "meritocratic_0"),
            more_gain("meritocratic_inf", "meritocratic_0.5"),
            more_gain("meritocratic_inf", "meritocratic_0"),
        ),
    ),
    Finding(
        "MAVER is above MMR",
        tuple(over("maver", "mmr", shaped) for shaped in (False, True)),
        "Table 2",
    ),
    Finding(
        "MMR's w with MML's q is above MMR",
        (
            Difference(
                "mmr w with mml q − mmr, with shaping",
                (("table3", "mmr_w_mml_q", True),),
                (_two("mmr", True),),
            ),
        ),
    ),
    Finding(
        "Policy shaping is above model shaping",
        (
            Difference(
                "policy − model shaping, with maver",
                (_two("maver", True),),
                (("explain", "maver_model", True),),
            ),
        ),
    ),
)


def verdict(intervals: Sequence[tuple[float, float]]) -> str:
    """Return whether a finding holds, by the intervals of its differences: all must be above 0."""
    if any(high < 0 for _, high in intervals):
        return "the opposite" if all(high < 0 for _, high in intervals) else "in part the opposite"
    if all(low > 0 for low, _ in intervals):
        return "holds"
    return "holds in part" if any(low > 0 for low, _ in intervals) else "not shown"


def known(finding: Finding, found: Found) -> bool:
    """Say whether results/ has all cells of a finding."""
    return all(key in found for difference in finding.differences for key in difference.cells)
