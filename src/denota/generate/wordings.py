"""The wordings of every operator, read from files of text, and the choice of one that fits.

A wording has slots, and it fits where each of them has something to stand for: `from {place}`
needs a condition on a column of places. So what may be said of which column is written in the
wordings themselves and nowhere else.

Two files are in tidy wording; two more are loose, as people type: short, polite, with verbs of
their own (`how much does {key} cost`). Of each, one is held out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from random import Random
from typing import Final


@dataclass(frozen=True)
class Wording:
    """One way to say an operator, or a whole question around it."""

    name: str
    """`operator/form/number`, with `loose-` before the number of loose ones and a `*` behind those
    that are held out."""
    operator: str
    form: str
    pieces: tuple[str, ...]
    """Text and names of slots in turn, text first and last."""
    held_out: bool
    loose: bool = False

    @cached_property
    def is_special(self) -> bool:
        """Whether it is said of one kind of column alone: `how much does {key} cost`."""
        return any(slot.startswith(("asks_", "of_")) for slot in self.slots)

    @cached_property
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
    for file, held_out, loose in FILES:
        with files("denota.generate").joinpath(file).open("rb") as stream:
            loaded = tomllib.load(stream)
        for operator, forms in loaded.items():
            own = [
                Wording(
                    _name(operator, form, number, held_out, loose),
                    operator,
                    form,
                    _pieces(text),
                    held_out,
                    loose,
                )
                for form, texts in forms.items()
                for number, text in enumerate(texts, start=1)
            ]
            found[operator] = (*found.get(operator, ()), *own)
    return found


def choose(
    rng: Random,
    operator: str,
    forms: Sequence[str],
    slots: Mapping[str, str],
    held_out: bool,
    loose: float = 0.0,
) -> Wording | None:
    """Draw one of the operator's wordings of these forms that fit the slots; None if none fits.

    Args:
        rng: the random generator.
        operator: whose wordings.
        forms: the forms to choose from.
        slots: what there is to fill in.
        held_out: whether to choose from those that are held out.
        loose: the share of loose wordings, where some fit; those said of one kind of column come
            before others every other time.
    """
    forms, filled = tuple(forms), frozenset(slots)
    fitting = _fitting(operator, forms, filled, held_out)
    own = _fitting(operator, forms, filled, held_out, True) if loose else ()
    if own and (not fitting or rng.random() < loose):
        special = tuple(wording for wording in own if wording.is_special)
        fitting = special if special and rng.random() < 0.5 else own
    return fitting[int(rng.random() * len(fitting))] if fitting else None


@lru_cache(maxsize=1 << 16)
def _fitting(
    operator: str,
    forms: tuple[str, ...],
    slots: frozenset[str],
    held_out: bool,
    loose: bool = False,
) -> tuple[Wording, ...]:
    return tuple(
        wording
        for wording in wordings()[operator]
        if (wording.held_out, wording.loose) == (held_out, loose)
        and wording.form in forms
        and wording.slots <= slots
    )


def _name(operator: str, form: str, number: int, held_out: bool, loose: bool) -> str:
    return f"{operator}/{form}/{'loose-' * loose}{number}{'*' * held_out}"


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_SLOT.split(text))


FILES: Final = (
    ("wordings.toml", False, False),
    ("loose.toml", False, True),
    ("held_out.toml", True, False),
    ("loose_held_out.toml", True, True),
)
"""The files, whether they are held out, and whether they are loose."""
_SLOT: Final = re.compile(r"\{(\w+)\}")
