"""Where our figures differ from the paper's, and which cells say why.

A paragraph is written only where its cells are there and bear it out.
"""

from __future__ import annotations

from collections.abc import Sequence

from denota.reports.published import PUBLISHED
from denota.reports.results import CellKey, Difference, Found, accuracies, accuracy, told


def why(found: Found, sequences: Sequence[str]) -> list[str]:
    """Return the paragraphs that can be written, under a heading."""
    tell = _Tell(found, sequences)
    paragraphs = [_above(tell), _more_programs(tell), _reinforce(tell)]
    written = [paragraph for paragraph in paragraphs if paragraph]
    return ["## Where ours differ, and what we know of why", *written] if written else []


class _Tell:
    """Figures of cells, as text."""

    def __init__(self, found: Found, sequences: Sequence[str]) -> None:
        self.found, self.sequences = found, sequences

    def has(self, *keys: CellKey) -> bool:
        return all(key in self.found for key in keys)

    def dev(self, *key: str | bool, epochs: int = 30) -> str:
        """Seed 0's best dev accuracy, of the first `epochs` epochs."""
        table, row, shaped = (*key, True)[:3]
        result = self.found[str(table), str(row), bool(shaped)][0]
        return f"{accuracy(result, 'best', epochs):.1f}"

    def epochs(self, table: str, row: str) -> int:
        return len(self.found[table, row, True][0]["epochs"])

    def between(self, one: CellKey, other: CellKey) -> str:
        """The difference of two cells, seed 0."""
        both = {key: self.found[key][:1] for key in (one, other)}
        points, interval = told(Difference("", (one,), (other,)), both, self.sequences)
        return f"{points} points, {interval}"


def _above(tell: _Tell) -> str:
    cells: list[CellKey] = [
        ("table2", row, shaped) for row in PUBLISHED for shaped in (False, True)
    ]
    parts: list[CellKey] = [
        ("ablate", row, True)
        for row in ("maver_no_bias", "maver_no_surface", "maver_dynsp", "maver_plain_numbers")
    ]
    parts += [("ablate", "maver_beam", True), ("explain", "maver_batch1", True)]
    bare: list[CellKey] = [("ablate", "maver_bare", shaped) for shaped in (False, True)]
    if not tell.has(*cells, *parts, *bare):
        return ""
    ahead = [
        accuracies(tell.found["table2", row, shaped])[0] - paper
        for row, (_, plain, with_) in PUBLISHED.items()
        for shaped, paper in ((False, plain), (True, with_))
    ]
    if min(ahead) <= 0:
        return ""
    return (
        f"**Every cell of Table 2 is above the paper's**, by {min(ahead):.1f} to "
        f"{max(ahead):.1f} points. Surface features, OR and FOLLOW-UP CELL are in the paper's "
        "parser as well, so their rows above say what they are worth and not why ours is ahead. "
        "What is ours is the bias of actions without an argument (MAVER with shaping comes to "
        f"{tell.dev(*parts[0])} without it), batches ({tell.dev(*parts[5])} with one question an "
        f"update, after {tell.epochs('explain', 'maver_batch1')} epochs), numbers read with "
        f"units, money, ranges, times and dates ({tell.dev(*parts[3])} with bare ones), exact "
        f"search ({tell.dev(*parts[4])} with a beam, "
        f"after {tell.epochs('ablate', 'maver_beam')} epochs), values in place of rows, and K "
        "made of two lists. Batches and the bias are the largest of these. With surface "
        "features, bias, number reading and exact search taken away together MAVER comes to "
        f"{tell.dev(*bare[0])} without and {tell.dev(*bare[1])} with shaping, after "
        f"{tell.epochs('ablate', 'maver_bare')} epochs; the paper, which has surface features, "
        "has 39.6 and 44.1."
    )


def _more_programs(tell: _Tell) -> str:
    rows = ("mml", "meritocratic_inf", "mmr", "maver")
    if not tell.has(*(("explain", f"{row}_all", True) for row in rows)):
        return ""
    said = ", ".join(
        (
            f"{PUBLISHED[row][0]} {tell.dev('explain', f'{row}_all')} "
            f"({tell.dev('table2', row, epochs=tell.epochs('explain', f'{row}_all'))} with two "
            "lists of 15 in as many epochs)"
        )
        for row in rows
    )
    apart = tell.between(("explain", "maver_all", True), ("explain", "mml_all", True))
    return (
        f"**With K = all programs**: {said}. MAVER is then ahead of MML by {apart}: much of what "
        "margin methods gain over MML with two lists they gain by getting along with fewer "
        "programs."
    )


def _reinforce(tell: _Tell) -> str:
    key: CellKey = ("explain", "reinforce_rivals", True)
    if not tell.has(key):
        return ""
    return (
        "**REINFORCE** draws from K, which EXPLORE fills with the answer's help. From RIVALS "
        f"alone, as an on-policy method would, it comes to {tell.dev(*key)}; the paper's 2.4 on "
        "test is near that, its 10.2 on dev is not. Its curve swings by many points from epoch "
        "to epoch, so the best epoch says little: see the mean of the last 10."
    )
