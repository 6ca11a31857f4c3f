"""The different values of a column, looked through for words."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from denota.tokens import lower


class Dictionary:
    """Values, kept as one text too, in which a word is found fast.

    >>> Dictionary(("Oslo Gull", "Bergen", "Gull Bay")).with_words(["gull", "bay"], 5)
    ['Gull Bay', 'Oslo Gull']
    """

    def __init__(self, values: Sequence[str]) -> None:
        self.values = tuple(value for value in values if value)

    @cached_property
    def _text(self) -> tuple[str, list[int]]:
        """All values in lower case, and where each begins."""
        plain = [lower(value).replace("\n", " ") for value in self.values]
        starts = list(accumulate((len(one) + 1 for one in plain), initial=0))
        return "\n".join(plain), starts

    def with_words(self, words: Sequence[str], most: int) -> list[str]:
        """Return the values that hold some words: rare words first, the shortest of equals."""
        worth: dict[int, float] = defaultdict(float)
        for word in words:
            holding = self._holding(word)
            for value in holding:
                worth[value] += 1 / len(holding)
        best = sorted(worth, key=lambda value: (-worth[value], len(self.values[value]), value))
        return [self.values[value] for value in best[:most]]

    def _holding(self, word: str) -> list[int]:
        """The values that hold a word."""
        text, starts = self._text
        found: list[int] = []
        at = text.find(word)
        while at >= 0:
            found.append(bisect_right(starts, at) - 1)
            at = text.find(word, starts[found[-1] + 1] - 1)
        return found
