"""The statements of the paper, each with the rule by which it stands, falls or is undecided here.

Misra et al. (2018), §5.2, §6 and Tables 2 and 3. The rules were written before the runs: a
statement is a list of differences between cells, judged by the mean of their last ten epochs, with
a 95% interval over seeds and dev questions together. It stands if every interval lies above what is
stated, falls if one lies below, and is undecided otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from denota.reports.results import CellKey, Difference, Found, unsteadiness

STANDS, FALLS, UNDECIDED = "stands", "falls", "undecided"


@dataclass(frozen=True)
class Statement:
    """What the paper says, as differences between cells."""

    claim: str
    differences: tuple[Difference, ...]
    said: str = "§5.2"
    """Where the paper says so."""

    def known(self, found: Found) -> bool:
        """Say whether results/ has all cells of it."""
        return all(difference.known(found) for difference in self.differences)

    @property
    def rule(self) -> str:
        """When it stands and when it falls."""
        many = len(self.differences) > 1
        over = self.differences[0].over
        above = f"{over:g} points" if over else "0"
        if not many:
            return f"stands if the interval is above {above}, falls if it is below {above}"
        return f"stands if all {len(self.differences)} are above {above}, falls if one is below"


def verdict(differences: Sequence[Difference], intervals: Sequence[tuple[float, float]]) -> str:
    """Return what comes of a statement, by the intervals of its differences."""
    both = list(zip(differences, intervals, strict=True))
    if any(high < one.over for one, (_, high) in both):
        return FALLS
    return STANDS if all(low > one.over for one, (low, _) in both) else UNDECIDED


def _two(row: str, shaped: bool) -> CellKey:
    return "table2", row, shaped


def over(one: str, other: str, shaped: bool, points: float = 0.0) -> Difference:
    """Return the difference of two rows of Table 2."""
    said = f"{one} − {other}, {'with' if shaped else 'without'} shaping"
    return Difference(said, (_two(one, shaped),), (_two(other, shaped),), points)


def gain(row: str, table: str = "table2", unshaped: str | None = None) -> Difference:
    """Return what shaping adds to a row of a table, or to the row that it is without shaping."""
    plain = (table, unshaped or row, False)
    return Difference(f"shaping, with {row}", ((table, row, True),), (plain,))


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
BOTH: Final = (False, True)
MUCH: Final = 10.0
"""The points that "much superior" is taken to mean."""
MEAN_GAIN: Final = Difference(
    "shaping, mean of the eight algorithms",
    tuple(_two(row, True) for row in ALGORITHMS),
    tuple(_two(row, False) for row in ALGORITHMS),
    weight=1 / len(ALGORITHMS),
)
STATEMENTS: Final = (
    Statement(
        "Margin methods are above maximum likelihood",
        tuple(over(row, "mml", shaped) for row in ("mmr", "maver") for shaped in BOTH),
    ),
    Statement(
        "Margin methods are above policy gradient",
        tuple(
            over(row, other, shaped)
            for row in ("mmr", "maver")
            for other in ("reinforce", "off_policy")
            for shaped in BOTH
        ),
    ),
    Statement("Policy shaping in general improves the performance", (MEAN_GAIN,)),
    Statement("Policy shaping improves MAVER", (gain("maver"),)),
    Statement("Policy shaping improves MMR", (gain("mmr"),), "Table 2"),
    Statement(
        "REINFORCE is extremely poor: below every other algorithm",
        tuple(
            over(row, "reinforce", shaped)
            for row in ALGORITHMS
            if row != "reinforce"
            for shaped in BOTH
        ),
    ),
    Statement(
        "Off-policy policy gradient is much superior to REINFORCE (by 10 points)",
        tuple(over("off_policy", "reinforce", shaped, MUCH) for shaped in BOTH),
    ),
    Statement(
        "REINFORCE is below maximum marginal likelihood",
        tuple(over("mml", "reinforce", shaped) for shaped in BOTH),
        "§6",
    ),
    Statement(
        "Off-policy policy gradient is above maximum marginal likelihood",
        tuple(over("off_policy", "mml", shaped) for shaped in BOTH),
        "§6",
    ),
    Statement(
        "Shaping gains MAVER more than maximum marginal likelihood", (more_gain("maver", "mml"),)
    ),
    Statement(
        "Shaping's gain grows with β of the meritocratic update",
        (
            more_gain("meritocratic_0.5", "meritocratic_0"),
            more_gain("meritocratic_inf", "meritocratic_0.5"),
        ),
    ),
    Statement(
        "The meritocratic update is better the larger β",
        tuple(
            over(one, other, shaped)
            for one, other in (
                ("meritocratic_0.5", "meritocratic_0"),
                ("meritocratic_inf", "meritocratic_0.5"),
            )
            for shaped in BOTH
        ),
        "Table 2",
    ),
    Statement(
        "MAVER, which updates on all violations, is above MMR, which updates on one",
        tuple(over("maver", "mmr", shaped) for shaped in BOTH),
        "Table 2, §6",
    ),
    Statement(
        "MAVER with shaping is the best of all cells",
        (
            *(over("maver", row, True) for row in ALGORITHMS if row != "maver"),
            gain("maver"),
        ),
        "Table 2",
    ),
    Statement(
        "MMR's w with MML's q is above MMR",
        (
            Difference(
                "mmr w with mml q − mmr, with shaping",
                (("table3", "mmr_w_mml_q", True),),
                (_two("mmr", True),),
            ),
        ),
    ),
    Statement(
        "Off-policy w with MMR's q is below MMR",
        (
            Difference(
                "mmr − off-policy w with mmr q, with shaping",
                (_two("mmr", True),),
                (("table3", "off_policy_w_mmr_q", True),),
            ),
        ),
        "Table 3",
    ),
    Statement(
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


def steadier(found: Found, shaped: bool, first: int = 1) -> str:
    """Say whether "MAVER is more stable than MMR" (§5.2) stands with or without shaping.

    It stands if every seed of MAVER changes less from epoch to epoch than every seed of MMR, falls
    if it is the other way round, and is undecided otherwise or with a single seed.
    """
    mmr, maver = (
        unsteadiness(found.get(("table2", row, shaped), []), first) for row in ("mmr", "maver")
    )
    if min(len(mmr), len(maver)) < 2:
        return UNDECIDED
    if max(maver) < min(mmr):
        return STANDS
    return FALLS if max(mmr) < min(maver) else UNDECIDED
