"""What a column of an everyday table is, told by its name, and how people speak of it.

See `concepts.toml`. Only questions in loose wording use it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from denota.inflect import singular


@dataclass(frozen=True)
class Concept:
    """A concept and what its columns have in common."""

    name: str
    kinds: frozenset[str]
    nouns: tuple[str, ...]
    role: str
    """What the cells are, or nothing where the column's name tells."""
    states: bool
    """Whether a value says how a thing is: `shipped`."""
    scale: bool
    """Whether a value needs the column's name: `high priority`."""


def concept_of(phrase: str, kind: str) -> Concept | None:
    """Return the concept of a column, by its name or by the last words of its name.

    >>> concept_of("unit price", "number").name, concept_of("home team city", "text").name
    ('price', 'city')
    >>> concept_of("price", "text") is None
    True
    """
    words = singular(phrase.lower()).split()
    for start in range(max(0, len(words) - 3), len(words)):
        found = _by_name().get(" ".join(words[start:]))
        if found is not None and kind in found.kinds:
            return found
    return None


def is_whole_name(phrase: str) -> bool:
    """Say whether a column's name is all of a concept's name: `price`, but not `planned price`."""
    return singular(phrase.lower()) in _by_name()


def demonym(value: str) -> str:
    """Return the adjective of a country, or nothing.

    >>> demonym("Norway"), demonym("Oslo")
    ('Norwegian', '')
    """
    return str(_loaded()["demonyms"].get(value.lower(), ""))


def written_out(concept: Concept | None, value: str) -> str:
    """Return what a short value stands for: `female` for `F` under gender, else nothing."""
    if concept is None:
        return ""
    return str(_loaded()["short"].get(concept.name, {}).get(value.lower(), ""))


def opposite(state: str) -> str:
    """Return the adjective that says the contrary, or nothing.

    >>> opposite("paid"), opposite("blue")
    ('unpaid', '')
    """
    return str(_loaded()["opposites"].get(state, ""))


def abbreviations() -> dict[str, str]:
    """Return the abbreviations of everyday column names."""
    return dict(_loaded()["abbreviations"])


def as_noun(name: str) -> str:
    """Return a name that is no noun as one: `amount spent` for `spent`; else the name itself."""
    return str(_loaded()["phrases"].get(name.lower(), name))


def participles() -> dict[str, str]:
    """Return participles that name columns, each with its noun: `delivered`, delivery."""
    return dict(_loaded()["participles"])


def unlikely() -> frozenset[str]:
    """Return synonyms of `headers.toml` that people hardly say."""
    entry = _loaded()["unlikely"]
    return frozenset([*entry["words"].split(), *entry["nouns"]])


def unit_words() -> frozenset[str]:
    """Return the unit words that a column's name may end with."""
    return frozenset(_loaded()["units"]["words"].split())


@lru_cache(maxsize=1)
def concepts() -> dict[str, Concept]:
    """Return all concepts by name."""
    return {
        name: Concept(
            name,
            frozenset(entry["kinds"].split(", ")),
            tuple(entry.get("nouns", ())),
            entry.get("role", ""),
            bool(entry.get("states")),
            bool(entry.get("scale")),
        )
        for name, entry in _loaded()["concepts"].items()
    }


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Concept]:
    found: dict[str, Concept] = {}
    for name, entry in _loaded()["concepts"].items():
        for phrase in entry["names"].split(","):
            found.setdefault(singular(" ".join(phrase.split())), concepts()[name])
    return found


@lru_cache(maxsize=1)
def _loaded() -> dict[str, dict[str, Any]]:
    with files("denota.generate").joinpath("concepts.toml").open("rb") as file:
        return tomllib.load(file)


YES: Final = frozenset(["yes", "y", "true", "1"])
NO: Final = frozenset(["no", "n", "false", "0"])


def is_yes_no(values: tuple[str, ...]) -> bool:
    """Say whether the values of a column are yes and no, however written.

    >>> is_yes_no(("Yes", "No")), is_yes_no(("Yes",)), is_yes_no(("Yes", "maybe"))
    (True, False, False)
    """
    said = {value.lower() for value in values if value}
    return len(said) == 2 and bool(said & YES) and bool(said & NO)
