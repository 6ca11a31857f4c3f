"""Which tables made-up questions are about, and how many of the questions each source has.

Written `train, wikisql:train*2, invented`: the tables of the training data (`train`), invented ones
(`invented`), those of a split of a data set (`NAME:SPLIT`); the number behind a star says how much
of the questions a source has beside the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from denota.data import Example
from denota.errors import ConfigError
from denota.generate.examples import made_up_examples
from denota.generate.invented import invented_tables
from denota.tables.table import Table

TRAIN: Final = "train"
INVENTED: Final = "invented"
ASKED_OF_EACH: Final = 8
"""About as many questions are asked of each invented table."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where tables come from, and its part of the questions beside other sources'."""

    name: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Manner:
    """How questions are asked."""

    language: str = "extended"
    loose: float = 0.0
    """The share worded as people type (`generate`)."""
    kinds: Mapping[str, float] | None = None
    """The weights of kinds of questions, if not the usual ones."""


def read_sources(text: str) -> tuple[Source, ...]:
    """Read which tables to ask about.

    >>> read_sources("train, invented*2")
    (Source(name='train', weight=1.0), Source(name='invented', weight=2.0))

    Raises:
        ConfigError: it is not written so.
    """
    found = []
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, star, weight = (piece.strip() for piece in part.partition("*"))
        try:
            share = float(weight) if star else 1.0
        except ValueError:
            share = 0.0
        if not name or not 0 < share < float("inf"):
            raise ConfigError(
                f"data.made_up_tables has {part!r}; write train, invented or NAME:SPLIT, with a"
                " number above 0 behind a star if you like"
            )
        found.append(Source(name, share))
    if not found:
        raise ConfigError("data.made_up_tables names no tables; write train, or train, invented")
    return tuple(found)


def examples_of(
    sources: Sequence[Source],
    tables: Mapping[str, Sequence[Table]],
    count: int,
    seed: int,
    manner: Manner,
) -> tuple[Example, ...]:
    """Return at least `count` questions about the tables of some sources.

    Args:
        sources: where the tables come from.
        tables: the tables of each source but `invented`, by its name.
        count: the number of questions.
        seed: of the questions and of the invented tables.
        manner: how questions are asked.

    Raises:
        ConfigError: the tables of a source are not given, or there are none.
    """
    whole = sum(source.weight for source in sources)
    found: list[Example] = []
    for source in sources:
        share = round(count * source.weight / whole)
        own = _tables(source.name, tables, share, seed)
        start = len({example.question.sequence for example in found})
        found += made_up_examples(
            own, share, seed, manner.language, loose=manner.loose, kinds=manner.kinds, start=start
        )
    return tuple(found)


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
