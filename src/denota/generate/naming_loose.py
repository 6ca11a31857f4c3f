"""Column names as people say them in loose wording: written out, with more synonyms.

`qty_ordered` is the quantity ordered, `WEIGHT_KG` the weight, and a `Salary` is pay as well, unless
another column of the table would be meant too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from denota.generate.concepts import (
    abbreviations,
    as_noun,
    concept_of,
    is_whole_name,
    participles,
    unit_words,
    unlikely,
)
from denota.generate.nouns import Naming, Noun, clean, families, name_as
from denota.inflect import plural
from denota.tables.column import Column


def name_loosely(columns: Sequence[Column]) -> tuple[Naming, ...]:
    """Say what the columns of a table may be called, no two of them alike."""
    namings = [_named(column, place) for place, column in enumerate(columns)]
    known = Counter(one.concept.name for one in namings if one.concept is not None)
    own = [one.own.one for one in namings]
    return tuple(
        _apart(one, [*own[:place], *own[place + 1 :]], known) for place, one in enumerate(namings)
    )


@lru_cache(maxsize=1 << 12)
def written_out(name: str) -> str:
    """Return a column's name in words, without a unit behind it.

    >>> written_out("WEIGHT_KG"), written_out("Tot Amt"), written_out("dept")
    ('weight', 'total amount', 'department')
    """
    letters = [c for c in name if c.isalpha()]
    if all(c.isupper() for c in letters) and len(letters) > 3:
        name = name.lower()
    parts = _PARTS.findall(name)
    if len(parts) > 1 and parts[-1].lower() in unit_words() and not name.endswith((")", "]")):
        name = name[: name.rindex(parts[-1])]
    short = abbreviations()
    words = [short.get(word.lower(), word) for word in clean(name).split()]
    named = len(words) > 1 and words[-1] == "name" and words[-2] not in _OF_NAMES
    return as_noun(" ".join(words[:-1] if named else words))


def _named(column: Column, place: int) -> Naming:
    phrase = written_out(column.name)
    naming = name_as(column, phrase, participles())
    words = phrase.lower().split()
    is_id = (words[-1] in _OF_IDS and "of" not in words) or (place == 0 and _counts_up(column))
    if is_id:
        family = families()["serial"] if column.kind == "number" else naming.family
        return replace(naming, role="thing", family=family, is_id=True, counted=())
    found = concept_of(phrase, column.kind)
    role = naming.role if found is None or not found.role else found.role
    return replace(naming, concept=found, role=role)


def _counts_up(column: Column) -> bool:
    """Say whether the cells are whole numbers that rise from row to row, and are no ranks."""
    if column.kind != "number" or column.unit == "year" or len(column.text) < 3:
        return False
    numbers = column.numbers
    rising = (numbers[1:] > numbers[:-1]).all() and (numbers % 1 == 0).all()
    return bool(rising and numbers[0] > _MOST_RANKS)


def _apart(naming: Naming, others: Sequence[str], known: Counter[str]) -> Naming:
    """Leave out what would mean another column too, and add what people say besides."""
    concept = naming.concept
    nouns = list(naming.nouns)
    if concept is not None:
        if known[concept.name] == 1 and is_whole_name(naming.own.one):
            nouns += [_noun(word) for word in concept.nouns]
        else:
            before, _, _ = naming.own.one.rpartition(" ")
            single = [word for word in concept.nouns if " " not in word]
            nouns += [_noun(f"{before} {word}") for word in single if before]
        concept = concept if known[concept.name] == 1 else None
    taken = {*others}
    kept = [
        noun
        for place, noun in enumerate(nouns)
        if place == 0 or (noun.one not in taken and _is_likely(noun.one))
    ]
    nouns = [_of_year(noun) for noun in dict.fromkeys(kept)]
    return replace(naming, nouns=tuple(nouns), own=_of_year(naming.own), concept=concept)


def _is_likely(noun: str) -> bool:
    words = noun.split()
    counts = words[-1] == "count" and len(words) > 2
    return not counts and unlikely().isdisjoint((noun, words[-1]))


def _of_year(noun: Noun) -> Noun:
    """`visits this year` is its own plural, and `salary last year` has its plural before."""
    for end in (" this year", " last year"):
        if noun.one.endswith(end):
            return Noun(noun.one, f"{plural(noun.one.removesuffix(end))}{end}")
    return noun


def _noun(one: str) -> Noun:
    return Noun(one, plural(one))


_PARTS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+")
_MOST_RANKS: Final = 20
_OF_NAMES: Final = frozenset(["first", "last", "full", "user", "nick", "maiden", "middle", "given"])
_OF_IDS: Final = frozenset(["id", "number", "code", "reference", "sku", "isbn", "plate", "key"])
"""The last words of names of columns that number things."""
