"""Codes that a table has in place of words: `TX` for "Texas", `REP` for "Republicans".

A code stands for the names that `codes.toml` has it for, or for a word that begins with it. What a
code means in a table is for the parser to learn; that it may be meant is said here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from denota.programs.near_words import are_near
from denota.tokens import content

LONGEST: Final = 4
"""The most letters of a code."""
SHORTEST: Final = 3
"""The fewest letters of a code that stands for any word beginning with it."""
SHARE: Final = 0.8
"""How many of a column's values are codes at least, if its values are taken for codes."""


def codes_among(values: Collection[str]) -> frozenset[str]:
    """Return a column's codes in small letters, none unless most of its values are codes.

    >>> sorted(codes_among(("TX", "PA", "")))
    ['pa', 'tx']
    >>> sorted(codes_among(("TX", "Oslo", "Rome")))
    []
    """
    stated = [value for value in values if value]
    codes = [value.lower() for value in stated if _is_code(value)]
    return frozenset(codes) if codes and len(codes) >= SHARE * len(stated) else frozenset()


def codes_for(asked: Iterable[str], codes: Collection[str]) -> frozenset[str]:
    """Return the codes that may stand for some of the words asked.

    >>> sorted(codes_for({"zip", "codes", "texas"}, {"tx", "pa"}))
    ['tx']
    >>> sorted(codes_for({"republicans", "german"}, {"rep", "dem", "deu"}))
    ['deu', 'rep']
    """
    words = frozenset(asked)
    return frozenset(code for code in codes if stands_for_any(code, words))


def stands_for_any(code: str, asked: frozenset[str]) -> bool:
    """Say whether a code may stand for one of the words asked."""
    return len(code) <= LONGEST and (code in codes_of_names(asked) or _begins_any(code, asked))


def words_meant(code: str, asked: frozenset[str]) -> frozenset[str]:
    """Return the words asked that a code stands for.

    >>> sorted(words_meant("ny", frozenset(("shops", "in", "new", "york"))))
    ['new', 'york']
    """
    if not stands_for_any(code, asked):
        return frozenset()
    alone = frozenset(word for word in asked if stands_for_any(code, frozenset((word,))))
    longer = (words for words, codes in _names().codes.items() if code in codes and words <= asked)
    return alone or frozenset().union(*longer)


@lru_cache(maxsize=256)
def codes_of_names(asked: frozenset[str]) -> frozenset[str]:
    """Return the codes of all names among the words asked, as they are or near them.

    >>> sorted(codes_of_names(frozenset(("new", "york"))))
    ['ny']
    """
    named = _names()
    found = {code for word in asked for code in _codes_near(word)}
    for words in {words for word in asked for words in named.longer.get(word, ())}:
        if words <= asked:
            found |= named.codes[words]
    return frozenset(found)


@lru_cache(maxsize=1 << 14)
def _codes_near(word: str) -> frozenset[str]:
    """The codes of names of one word: of the word itself, or of those near it if no name has it."""
    named = _names()
    if word in named.whole:
        return named.codes.get(frozenset((word,)), frozenset())
    near = (codes for name, codes in named.single.items() if are_near(word, name))
    return frozenset().union(*near)


def names_of_codes(values: Iterable[str]) -> Mapping[str, str]:
    """Return what the codes of a column stand for, all of the kind that knows most of them.

    Nothing unless most of its values are codes, and most of those are known.

    >>> names_of_codes(["TX", "DE", "CA"])["DE"], names_of_codes(["DEU", "FRA"])["FRA"]
    ('delaware', 'france')
    >>> names_of_codes(["Oslo", "TX"]), names_of_codes(["XL", "XS"])
    ({}, {})
    """
    stated = tuple(values)
    codes = codes_among(stated)
    known = max(_by_kind(), key=lambda kind: len(codes & kind.keys()))
    if not codes or len(codes & known.keys()) <= len(codes) / 2:
        return {}
    return {value: known[value.lower()] for value in stated if value.lower() in known}


def codes_of_name(name: str) -> tuple[str, ...]:
    """Return the codes of one name, of a state rather than of a country called so.

    >>> codes_of_name("Texas"), codes_of_name("France"), codes_of_name("Georgia")
    (('tx',), ('fr', 'fra'), ('ga',))
    """
    found = (kind[name.lower()] for kind in _read().values() if name.lower() in kind)
    return tuple(next(found, "").split())


@cache
def _by_kind() -> tuple[Mapping[str, str], ...]:
    """Of each kind the name of every code."""
    return tuple(
        {code: name for name, codes in kind.items() for code in codes.split()}
        for kind in _read().values()
    )


def _begins_any(code: str, asked: Iterable[str]) -> bool:
    long = len(code) >= SHORTEST
    return long and any(word.startswith(code) and len(word) > len(code) + 1 for word in asked)


def _is_code(value: str) -> bool:
    return len(value) in range(2, LONGEST + 1) and value.isalpha() and value.isupper()


class _Names(NamedTuple):
    """The codes of names, and the names by their words."""

    codes: Mapping[frozenset[str], frozenset[str]]
    single: Mapping[str, frozenset[str]]
    """The codes of names of one word."""
    longer: Mapping[str, Sequence[frozenset[str]]]
    """The names of several words that have a word."""
    whole: frozenset[str]
    """All words of names."""


@cache
def _names() -> _Names:
    found: dict[frozenset[str], frozenset[str]] = {}
    longer: dict[str, list[frozenset[str]]] = {}
    for kind in _read().values():
        for name, codes in kind.items():
            words = content(name)
            found[words] = found.get(words, frozenset()) | frozenset(codes.split())
    single = {word: codes for words, codes in found.items() if len(words) == 1 for word in words}
    for words in found:
        for word in words if len(words) > 1 else ():
            longer.setdefault(word, []).append(words)
    return _Names(found, single, longer, frozenset(word for words in found for word in words))


@cache
def _read() -> dict[str, dict[str, str]]:
    """The codes of each name, by kind."""
    with files("denota.programs").joinpath("codes.toml").open("rb") as file:
        return tomllib.load(file)
