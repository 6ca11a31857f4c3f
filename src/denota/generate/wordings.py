"""The wordings of every operator, read from two files of text, and the choice of one that fits.

A wording has slots, and it fits where each of them has something to stand for: `from {place}`
needs a condition on a column of places. So what may be said of which column is written in the
wordings themselves and nowhere else.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Final


@dataclass(frozen=True)
class Wording:
    """One way to say an operator, or a whole question around it."""

    name: str
    """`operator/form/number`, with a `*` behind those that are held out."""
    operator: str
    form: str
    pieces: tuple[str, ...]
    """Text and names of slots in turn, text first and last."""
    held_out: bool

    @property
    def slots(self) -> frozenset[str]:
        """The slots that must be filled."""
        return frozenset(self.pieces[1::2])

    @property
    def text(self) -> str:
        """The wording as it stands in its file."""
        return "".join(p if i % 2 == 0 else f"{{{p}}}" for i, p in enumerate(self.pieces))

    def fill(self, slots: Mapping[str, str]) -> str:
        """Return the wording with its slots filled."""
        return "".join(p if i % 2 == 0 else slots[p] for i, p in enumerate(self.pieces))


@lru_cache(maxsize=1)
def wordings() -> dict[str, tuple[Wording, ...]]:
    """Return all wordings by operator, the held-out ones last."""
    found: dict[str, tuple[Wording, ...]] = {}
    for file, held_out in (("wordings.toml", False), ("held_out.toml", True)):
        with files("denota.generate").joinpath(file).open("rb") as stream:
            loaded = tomllib.load(stream)
        for operator, forms in loaded.items():
            own = [
                Wording(
                    _name(operator, form, number, held_out), operator, form, _pieces(text), held_out
                )
                for form, texts in forms.items()
                for number, text in enumerate(texts, start=1)
            ]
            found[operator] = (*found.get(operator, ()), *own)
    return found


def choose(
    rng: Random, operator: str, forms: Sequence[str], slots: Mapping[str, str], held_out: bool
) -> Wording | None:
    """Draw one of the operator's wordings of these forms that fit the slots; None if none fits."""
    fitting = _fitting(operator, tuple(forms), frozenset(slots), held_out)
    return fitting[int(rng.random() * len(fitting))] if fitting else None


@lru_cache(maxsize=1 << 16)
def _fitting(
    operator: str, forms: tuple[str, ...], slots: frozenset[str], held_out: bool
) -> tuple[Wording, ...]:
    return tuple(
        wording
        for wording in wordings()[operator]
        if wording.held_out == held_out and wording.form in forms and wording.slots <= slots
    )


def _name(operator: str, form: str, number: int, held_out: bool) -> str:
    return f"{operator}/{form}/{number}{'*' if held_out else ''}"


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_SLOT.split(text))


_SLOT: Final = re.compile(r"\{(\w+)\}")
