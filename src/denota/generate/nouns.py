"""Column names in words: nouns for a column and its cells, adjectives for its order.

A name is cleaned of units and brackets, abbreviations are written out, and general synonyms are
offered beside it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from denota.generate.concepts import Concept
from denota.inflect import is_plural, plural, singular
from denota.programs.lexicon import triggers
from denota.tables.cell_text import normalise
from denota.tables.column import Column


@dataclass(frozen=True)
class Noun:
    """A noun phrase in the singular and the plural."""

    one: str
    many: str


@dataclass(frozen=True)
class Adjectives:
    """A family of adjectives for what a column measures; see `adjectives.toml`."""

    name: str
    adjectives: dict[str, tuple[str, ...]]

    def fitting(self, slot: str, operator: str) -> tuple[str, ...]:
        """Return the adjectives of a slot that call for the operator."""
        return _fitting_adjectives(self.name, slot, operator)


@dataclass(frozen=True)
class Naming:
    """The words for a column."""

    nouns: tuple[Noun, ...]
    """The nearest to the column's own name first."""
    own: Noun
    """Made of the name's own words."""
    role: str
    """`person`, `place`, `kind`, `label`, `time`, `quantity` or `thing`."""
    counted: tuple[str, ...]
    """Plurals that the numbers count, if they count something: `goals`."""
    participle: str
    """`opened` for a column of that name, else nothing."""
    family: Adjectives | None
    """For columns with an order."""
    generic: bool
    """Whether the name says nothing of what has it: `Name`."""
    concept: Concept | None = None
    """What the column is in an everyday table, if people may speak of it so."""
    is_id: bool = False
    """Whether it numbers things or gives them a code."""

    def plain(self) -> Naming:
        """Return what the column may be called by its own name alone."""
        counted = tuple(things for things in self.counted if things in self.own.many)
        return replace(self, nouns=(self.own,), counted=counted)

    def family_is(self, *names: str) -> bool:
        """Say whether the family is one of these."""
        return self.family is not None and self.family.name in names


def name_column(column: Column) -> Naming:
    """Say what a column may be called.

    >>> naming = name_column(Column("Att. (total)", ("1,200", "870")))
    >>> [noun.one for noun in naming.nouns][:3], naming.counted
    (['attendance', 'crowd', 'turnout'], ('spectators', 'people'))
    """
    return name_as(column, clean(column.name))


def name_as(column: Column, phrase: str, more: Mapping[str, str] = MappingProxyType({})) -> Naming:
    """Say what a column of this name may be called; see `name_column`.

    Args:
        column: the column.
        phrase: its name in words.
        more: participles besides those of `headers.toml`, each with its noun.
    """
    known = {**_headers()["participles"], **more}
    words = phrase.lower().split()
    is_time = column.kind == "date" or column.unit == "year"
    ordered = column.kind != "text"
    family = _family(words, column.unit, is_time) if ordered else None
    participle = words[-1] if is_time and words and words[-1] in known else ""
    role = _role(words, column.kind, is_time)
    counted = _counted(phrase, column, family) if role == "quantity" else ()
    nouns = _nouns(phrase, column, participle, counted, known)
    return Naming(
        nouns,
        _when(phrase, column) if participle else nouns[0],
        role,
        counted,
        participle,
        family,
        phrase in _GENERIC,
    )


def noun_of_table(name: str) -> Noun | None:
    """Return what the rows of a table are, if its name is a plain plural.

    >>> noun_of_table("wind-farms.csv"), noun_of_table("200_12.csv")
    (Noun(one='wind farm', many='wind farms'), None)
    """
    stem = name.rsplit("/", 1)[-1].split(".")[0]
    words = stem.replace("-", " ").replace("_", " ").lower()
    plain = bool(_PLAIN_NAME.fullmatch(words)) and is_plural(words) and words != "standard input"
    return Noun(singular(words), words) if plain else None


@lru_cache(maxsize=1 << 12)
def clean(name: str) -> str:
    """Return a column name without brackets, units and footnotes, its abbreviations written out.

    >>> clean("Pos."), clean("Height (m)"), clean("homeTeam_name"), clean("%")
    ('position', 'height', 'home team name', 'percentage')
    """
    text = "".join(c if c.isprintable() else " " for c in normalise(name))
    short = _BRACKETS.sub(" ", text).strip()
    text = short if short else text.strip("()[]{}<> ")
    text = _CAMEL.sub(" ", text.replace("_", " "))
    text = _HASH.sub(" number", _MARK.sub("", text))
    words = [word.strip(".,;:?!\"'`*|\\{}<>~^") or word for word in text.split()]
    short_for = _headers()["abbreviations"]
    written = [short_for.get(word.lower(), _lower(word)) for word in words[:_MOST_WORDS]]
    phrase = _YEAR_BEHIND.sub(" in ", " ".join(written)[:_LONGEST].strip().removeprefix("the "))
    phrase = str(_headers()["phrases"].get(phrase, phrase))
    if not any(c.isalpha() for c in phrase):
        return f"{phrase} figure" if phrase else "figure"
    return phrase


def _nouns(
    phrase: str,
    column: Column,
    participle: str,
    counted: tuple[str, ...],
    known: Mapping[str, str],
) -> tuple[Noun, ...]:
    if participle:
        stem = known[participle]
        unit = "year" if column.unit == "year" else "date"
        return (_noun(f"{stem} {unit}"), _noun(f"{unit} of {stem}"))
    if counted and is_plural(phrase):
        number = Noun(f"number of {phrase}", f"numbers of {phrase}")
        return (
            number,
            number,
            *(_noun(f"{singular(phrase)} {word}") for word in ("count", "total")),
        )
    tidy = len(known) == len(_headers()["participles"])
    counts = tidy or (" " not in phrase and not phrase.endswith("eed"))
    if column.kind == "number" and counts and _PARTICIPLE.match(phrase):
        return (Noun(f"number {phrase}", f"numbers {phrase}"),)
    one = singular(phrase)
    synonyms = _headers()["synonyms"]
    others = list(synonyms.get(one, synonyms.get(phrase, ())))
    before, _, last = one.rpartition(" ")
    if not others and before and " of " not in one:
        others = [f"{before} {other}" for other in synonyms.get(last, ()) if " " not in other][:2]
    if column.kind == "text":
        others = [other for other in others if not other.startswith("number of ")]
    others += [f"number of {things}" for things in counted if f"number of {things}" not in others]
    return tuple(_noun(word) for word in (one, *others))


def _when(phrase: str, column: Column) -> Noun:
    """`year built` for a column of years named `Built`."""
    unit = "year" if column.unit == "year" else "date"
    rest = phrase.removeprefix(f"{unit} ")
    return Noun(f"{unit} {rest}", f"{unit}s {rest}")


def _noun(one: str) -> Noun:
    return Noun(one, plural(one))


def _counted(phrase: str, column: Column, family: Adjectives | None) -> tuple[str, ...]:
    known = _headers()["counted"].get(phrase)
    if known:
        return tuple(known)
    uncountable = family is not None and family.name in (
        "clock",
        "money",
        "hour",
        "price",
    )
    return (phrase,) if is_plural(phrase) and not uncountable and column.unit != "%" else ()


def _role(words: list[str], kind: str, is_time: bool) -> str:
    if is_time:
        return "time"
    if words and singular(words[-1]) in _roles()["label"]:
        return "label"
    if kind == "number":
        return "quantity"
    for word in reversed(words):
        for role, known in _roles().items():
            if role != "label" and (word in known or singular(word) in known):
                return role
    return "thing"


@lru_cache(maxsize=1)
def _headers() -> dict[str, dict[str, Any]]:
    with files("denota.generate").joinpath("headers.toml").open("rb") as file:
        return tomllib.load(file)


@lru_cache(maxsize=1)
def _roles() -> dict[str, frozenset[str]]:
    return {role: frozenset(words.split()) for role, words in _headers()["roles"].items()}


@lru_cache(maxsize=1)
def families() -> dict[str, Adjectives]:
    """Return all families of adjectives by name."""
    loaded = _loaded_families()
    return {
        name: Adjectives(
            name, {slot: tuple(words) for slot, words in entry.items() if isinstance(words, list)}
        )
        for name, entry in loaded.items()
    }


@lru_cache(maxsize=1)
def _loaded_families() -> dict[str, dict[str, Any]]:
    with files("denota.generate").joinpath("adjectives.toml").open("rb") as file:
        return tomllib.load(file)


@lru_cache(maxsize=1)
def _known_words() -> dict[str, str]:
    """Family names by the words and, behind a colon, the units that tell them.

    The first family to know a word has it.
    """
    known: dict[str, str] = {}
    for name, entry in _loaded_families().items():
        keys = entry.get("names", "").split() + [
            f":{unit}" for unit in entry.get("units", "").split()
        ]
        for key in keys:
            known.setdefault(key, name)
    return known


def _family(words: list[str], unit: str, is_time: bool) -> Adjectives:
    known = _known_words()
    if is_time:
        told = [known[word] for word in reversed(words) if known.get(word) in ("birth", "founding")]
        return families()[told[0] if told else "time"]
    if unit == "time":
        told = [known[word] for word in reversed(words) if known.get(word) in ("hour", "duration")]
        return families()[told[0] if told else "clock"]
    told = [known[word] for word in reversed(words) if known.get(word) not in (None, *_TIMES)]
    return families()[told[0] if told else known.get(f":{unit}", "amount")]


@lru_cache(maxsize=1 << 10)
def _fitting_adjectives(family: str, slot: str, operator: str) -> tuple[str, ...]:
    words = families()[family].adjectives.get(slot, ())
    called = triggers().get(operator, ())
    return tuple(word for word in words if any(part in called for part in word.split()))


def _lower(word: str) -> str:
    return word if word.isupper() and 1 < len(word) <= 4 else word.lower()


_TIMES: Final = ("birth", "founding", "time", "clock", "hour")
_MOST_WORDS: Final = 6
_LONGEST: Final = 48
_GENERIC: Final = frozenset(["name", "names", "full name", "item", "entry", "figure"])
_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_YEAR_BEHIND: Final = re.compile(r"(?<=[a-z]) (?=(?:19|20)\d\d$)(?<! in )")
_PARTICIPLE: Final = re.compile(
    r"(?:\w+ed|seen|sold|won|lost|drawn|built|made|run)\b(?! \w*(?:rate|year|date|%))"
)
_HASH: Final = re.compile(r"(?<=\w) #")
_MARK: Final = re.compile(r"(?<=\w)#$")
_PLAIN_NAME: Final = re.compile(r"[a-z]{3,}(?: [a-z]{3,}){0,2}")
