"""Tables of Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def table(*cells: Sequence[str]) -> str:
    """Return a Markdown table, the first line its header.

    >>> print(table(("a", "b"), ("1", "2")))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    rule = ["---"] * len(cells[0])
    return "\n".join(f"| {' | '.join(line)} |" for line in (cells[0], rule, *cells[1:]))
