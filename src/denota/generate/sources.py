"""Which tables made-up questions are about, and how many of the questions each source has.

Written `train, wikisql:train*2, invented, sqa:train@extended`: the tables of the training data
(`train`), invented ones (`invented`), those of a split of a data set (`NAME:SPLIT`); the number
behind a star says how much of the questions a source has beside the others, and the language behind
an @ is that of the source's questions, if it is not that of all.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from denota.data import Example
from denota.errors import ConfigError
from denota.generate.conversation import TURNS, Conversation, Turn, generate
from denota.generate.examples import TURNS_WITH_VALUES, examples_from, first_of
from denota.generate.invented import invented_tables
from denota.generate.kinds import is_wide
from denota.generate.reach import Reach, only_reached, places_of, reach
from denota.programs.operators import LANGUAGES
from denota.tables.table import Table

TRAIN: Final = "train"
INVENTED: Final = "invented"
ASKED_OF_EACH: Final = 8
"""About as many questions are asked of each invented table."""
TABLES_AT_ONCE: Final = 250
"""The questions about so many tables of a source are drawn from a seed of their own, so that
processes can share the work."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where tables come from, and its part of the questions beside other sources'."""

    name: str
    weight: float = 1.0
    language: str = ""  #: of its questions; empty for that of all


@dataclass(frozen=True, slots=True)
class Manner:
    """How questions are asked."""

    language: str = "extended"
    loose: float = 0.0
    """The share worded as people type (`generate`)."""
    kinds: Mapping[str, float] | None = None
    """The weights of kinds of questions, if not the usual ones."""
    checked: bool = False
    """Whether to leave out questions whose program is not in the space."""
    programs: bool = False
    """Whether the examples tell their programs."""
    rows: int = 0
    """The most rows of a table; 0 for any number."""


@dataclass(frozen=True, slots=True)
class MadeUp:
    """Made-up questions, and what was in the space if that was checked."""

    examples: tuple[Example, ...]
    reach: Mapping[str, Reach]
    """By kind, those left out too; empty if nothing was checked."""

    @property
    def left_out(self) -> dict[str, int]:
        """How many questions of each kind have a program that is not in the space."""
        lost = {kind: one.asked - one.there for kind, one in self.reach.items()}
        return {kind: count for kind, count in sorted(lost.items(), key=lambda e: -e[1]) if count}


def read_sources(text: str) -> tuple[Source, ...]:
    """Read which tables to ask about.

    >>> read_sources("sqa:train@extended*2, invented")[0]
    Source(name='sqa:train', weight=2.0, language='extended')

    Raises:
        ConfigError: it is not written so.
    """
    found = []
    for part in filter(None, (one.strip() for one in text.split(","))):
        named, star, weight = (piece.strip() for piece in part.partition("*"))
        name, at, language = (piece.strip() for piece in named.partition("@"))
        try:
            share = float(weight) if star else 1.0
        except ValueError:
            share = 0.0
        if not name or not 0 < share < float("inf"):
            raise ConfigError(
                f"data.made_up_tables has {part!r}; write train, invented or NAME:SPLIT, with a"
                " number above 0 behind a star if you like"
            )
        if at and language not in LANGUAGES:
            raise ConfigError(
                f"data.made_up_tables has {part!r}; its language must be one of"
                f" {', '.join(LANGUAGES)}"
            )
        found.append(Source(name, share, language))
    if not found:
        raise ConfigError("data.made_up_tables names no tables; write train, or train, invented")
    return tuple(found)


def make_up(
    sources: Sequence[Source],
    tables: Mapping[str, Sequence[Table]],
    count: int,
    seed: int,
    manner: Manner,
    jobs: int = 0,
) -> MadeUp:
    """Make up about `count` questions about the tables of some sources.

    Args:
        sources: where the tables come from.
        tables: the tables of each source but `invented`, by its name.
        count: the number of questions, before any are left out.
        seed: of the questions and of the invented tables.
        manner: how questions are asked.
        jobs: how many processes make and check them, 0 for one a core.

    Raises:
        ConfigError: the tables of a source are not given, or there are none short enough.
    """
    whole = sum(source.weight for source in sources)
    parts: list[_Part] = []
    for source in sources:
        share = round(count * source.weight / whole)
        own = _tables(source.name, tables, share, seed)
        short = [table for table in own if not manner.rows or len(table) <= manner.rows]
        if not short:
            raise ConfigError(
                f"no table of {source.name} has at most {manner.rows} rows; raise data.made_up_rows"
            )
        parts += _parts(short, share, seed, source.language or manner.language)
    asked, language = _ask(parts, manner, jobs), LANGUAGES[manner.language]
    if not manner.checked:
        return MadeUp(examples_from(asked, programs=manner.programs), {})
    places = places_of(asked, language, jobs)
    kept = only_reached(asked, places)
    return MadeUp(examples_from(kept, programs=manner.programs), reach(places))


def _tables(
    name: str, tables: Mapping[str, Sequence[Table]], questions: int, seed: int
) -> Sequence[Table]:
    if name == INVENTED:
        return [*invented_tables(max(8, questions // ASKED_OF_EACH), seed)]
    if not tables.get(name):
        raise ConfigError(
            f"data.made_up_tables has {name!r}, whose tables are not there; write train, invented"
            " or NAME:SPLIT of a data set"
        )
    return tables[name]


@dataclass(frozen=True, slots=True)
class _Part:
    """Some tables of a source, and how many questions to ask about them."""

    tables: Sequence[Table]
    count: int
    seed: int | str
    language: str


def _parts(tables: Sequence[Table], count: int, seed: int, language: str) -> list[_Part]:
    """A source in parts of about as many tables each; a small one is a single part."""
    number = max(1, round(len(tables) / TABLES_AT_ONCE))
    if number == 1:
        return [_Part(tables, count, seed, language)]
    shares = [count * (n + 1) // number - count * n // number for n in range(number)]
    return [
        _Part(tables[n::number], share, f"{seed}/{n}", language) for n, share in enumerate(shares)
    ]


def _ask(parts: Sequence[_Part], manner: Manner, jobs: int) -> list[Conversation]:
    """The conversations of all parts, in their order."""
    global _shared
    _shared = (parts, manner)
    jobs = min(jobs or os.cpu_count() or 1, len(parts))
    if jobs <= 1:
        made = [_ask_part(number) for number in range(len(parts))]
    else:
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            made = pool.map(_ask_part, range(len(parts)), chunksize=1)
    _shared = ((), Manner())
    return [
        Conversation(part.tables[position], turns)
        for part, found in zip(parts, made, strict=True)
        for position, turns in found
    ]


_shared: tuple[Sequence[_Part], Manner] = ((), Manner())
"""What a forked process is born with, so that no table is sent."""


def _ask_part(number: int) -> list[tuple[int, tuple[Turn, ...]]]:
    """Conversations about the tables of a part, each by its table's position."""
    parts, manner = _shared
    part = parts[number]
    language = LANGUAGES[part.language]
    made = generate(
        part.tables,
        Random(part.seed),
        language=language,
        turns=TURNS_WITH_VALUES if is_wide(language) else TURNS,
        loose=manner.loose,
        kinds=manner.kinds,
    )
    position = {id(table): n for n, table in enumerate(part.tables)}
    return [(position[id(one.table)], one.turns) for one in first_of(made, part.count)]
