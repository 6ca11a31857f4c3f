"""The different values of a column, looked through for words."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
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
        """Return the values that hold most of some words, the shortest of equals first."""
        text, starts = self._text
        hits: Counter[int] = Counter()
        for word in words:
            at, seen = text.find(word), -1
            while at >= 0:
                value = bisect_right(starts, at) - 1
                hits[value] += value != seen
                seen = value
                at = text.find(word, starts[value + 1] if value + 1 < len(starts) else len(text))
        best = sorted(hits, key=lambda value: (-hits[value], len(self.values[value]), value))
        return [self.values[value] for value in best[:most]]
