"""Column names as people say them in loose wording: written out, with more synonyms.

`qty_ordered` is the quantity ordered, `WEIGHT_KG` the weight, and a `Salary` is pay as well, unless
another column of the table would be meant too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from denota.generate.concepts import abbreviations, concept_of, unit_words
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
    words = clean(name).split()
    short = abbreviations()
    words = [short.get(word.lower(), word) for word in words]
    if len(words) > 1 and words[-1].lower() in unit_words():
        words = words[:-1]
    return " ".join(words)


def _named(column: Column, place: int) -> Naming:
    phrase = written_out(column.name)
    naming = name_as(column, phrase)
    words = phrase.lower().split()
    is_id = words[-1] in _OF_IDS and "of" not in words or (place == 0 and _counts_up(column))
    if is_id:
        family = families()["serial"] if column.kind == "number" else naming.family
        return replace(naming, role="thing", family=family, is_id=True, counted=())
    found = concept_of(phrase, column.kind)
    role = naming.role if found is None or not found.role else found.role
    return replace(naming, concept=found, role=role)


def _counts_up(column: Column) -> bool:
    """Say whether the cells are whole numbers that rise from row to row."""
    if column.kind != "number" or column.unit == "year" or len(column.text) < 3:
        return False
    numbers = column.numbers
    return bool((numbers[1:] > numbers[:-1]).all() and (numbers % 1 == 0).all())


def _apart(naming: Naming, others: Sequence[str], known: Counter[str]) -> Naming:
    """Leave out what would mean another column too, and add what people say besides."""
    concept = naming.concept
    nouns = list(naming.nouns)
    if concept is not None:
        if known[concept.name] == 1:
            nouns += [_noun(word) for word in concept.nouns]
        else:
            before, _, _ = naming.own.one.rpartition(" ")
            nouns += [_noun(f"{before} {word}") for word in concept.nouns if before]
            concept = None
    taken = set(others)
    kept = [noun for place, noun in enumerate(nouns) if place == 0 or noun.one not in taken]
    return replace(naming, nouns=tuple(dict.fromkeys(kept)), concept=concept)


def _noun(one: str) -> Noun:
    return Noun(one, plural(one))


_OF_IDS: Final = frozenset(["id", "number", "code", "reference", "sku", "isbn", "plate", "key"])
"""The last words of names of columns that number things."""
