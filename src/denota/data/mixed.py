"""Several data sets learnt from together.

What to load is written `NAME:SPLIT`, `NAME:SPLIT*SHARE` or `NAME:SPLIT@LANGUAGE`, separated by
commas: `sqa:random-split-1-train@extended, wtq:random-split-1-train*0.5`. NAME is a directory
beside the data at hand or that one's own name, or any path. A SPLIT alone is one of the data at
hand. With a LANGUAGE, its programs are looked for in that one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from denota.data.datasets import dataset_of
from denota.data.example import Question, conversations
from denota.data.loaded import Loaded
from denota.data.shared import shared_tables
from denota.errors import DataError
from denota.tables.table import Table


@dataclass(frozen=True, slots=True)
class Spec:
    """A split of a data set, and the share of its conversations that is kept."""

    name: str  #: a directory beside the data at hand, or a path; empty for the data at hand
    split: str
    share: float = 1.0
    language: str = ""  #: that its programs are looked for in; empty for the parser's

    def path(self, data: Path) -> Path:
        """Return where the data set lies, given where the data at hand does.

        Raises:
            DataError: there is nothing of this name.
        """
        here = Path(os.path.abspath(data))
        if self.name in ("", here.name):
            return here
        places = (here.parent / self.name, Path(self.name).expanduser())
        for place in places:
            if place.exists():
                return Path(os.path.abspath(place))
        raise DataError(
            f"there is no data set {self.name!r}: neither {places[0]} nor {places[1]} is there;"
            " check the name, or give its path"
        )


@dataclass(frozen=True, slots=True)
class LoadedPart:
    """The questions loaded for one spec."""

    spec: Spec
    kind: str  #: of the data set
    conversations: int  #: kept
    left_out: int  #: questions about tables that a dev set has too


@dataclass(frozen=True, slots=True)
class Mixed:
    """Data sets loaded together."""

    loaded: Loaded
    parts: tuple[LoadedPart, ...]


def read_specs(text: str) -> tuple[Spec, ...]:
    """Read what to load.

    >>> read_specs("sqa:train@extended, wtq:training*0.5")[0]
    Spec(name='sqa', split='train', share=1.0, language='extended')
    >>> read_specs("train")
    (Spec(name='', split='train', share=1.0, language=''),)

    Raises:
        DataError: it is not written so.
    """
    specs = tuple(_read_spec(part.strip()) for part in text.split(",") if part.strip())
    if not specs:
        raise DataError("name at least one split to load, like train or sqa:train")
    return specs


def load_mixed(
    specs: str | Sequence[Spec],
    data: str | Path,
    *,
    apart_from: str | Sequence[Spec] = (),
    seed: int = 0,
) -> Mixed:
    """Load several splits with their answers.

    Questions about tables that another data set's dev split has too are left out; the splits of
    one data set are taken as it publishes them (SQA's train and dev share tables). Where there are
    several data sets, each id is led by the name of its own.

    Args:
        specs: what to load.
        data: the data at hand.
        apart_from: the dev splits, whose tables are not to be learnt from.
        seed: of the draw of shares; a larger share holds all conversations of a smaller one.

    Raises:
        DataError: something named is not there or cannot be read.
    """
    wanted = _specs(specs)
    apart = _specs(apart_from)
    data = Path(data)
    places = {spec.path(data) for spec in wanted}
    held = [(spec.path(data), spec.split) for spec in apart]
    others = {
        (place, split): _tables(dataset_of(place, split).questions(place, split).questions)
        for place, split in held
        if places - {place}
    }
    every: list[Loaded] = []
    parts: list[LoadedPart] = []
    for number, spec in enumerate(wanted):
        place = spec.path(data)
        kind = dataset_of(place, spec.split)
        loaded = kind.examples(place, spec.split)
        foreign = [
            table
            for (other, _), there in others.items()
            if other != place
            for table in there.values()
        ]
        shared = shared_tables(_tables(loaded.questions), foreign) if foreign else set()
        kept = loaded.without_tables(shared)
        left_out = len(loaded.examples) - len(kept.examples)
        kept = _share(kept, spec.share, np.random.default_rng([seed, number]))
        if spec.language:
            said = (replace(example, language=spec.language) for example in kept.examples)
            kept = replace(kept, examples=tuple(said))
        parts.append(LoadedPart(spec, kind.name, len(conversations(kept.questions)), left_out))
        every.append(
            replace(_led(kept, place.name) if len(places) > 1 else kept, problems=loaded.problems)
        )
    return Mixed(
        Loaded(
            tuple(question for one in every for question in one.questions),
            tuple(example for one in every for example in one.examples),
            tuple(problem for one in every for problem in one.problems),
        ),
        tuple(parts),
    )


def load_tables(
    specs: str | Sequence[Spec], data: str | Path, *, apart_from: str | Sequence[Spec] = ()
) -> tuple[Table, ...]:
    """Return the tables that splits ask about, less those that a dev split has too.

    Args:
        specs: the splits; shares mean nothing here.
        data: the data at hand.
        apart_from: the dev splits.

    Raises:
        DataError: something named is not there or cannot be read.
    """
    data = Path(data)
    wanted, held = (
        [
            _tables(dataset_of(place, spec.split).questions(place, spec.split).questions)
            for spec in _specs(some)
            for place in [spec.path(data)]
        ]
        for some in (specs, apart_from)
    )
    others = [table for tables in held for table in tables.values()]
    found: list[Table] = []
    for tables in wanted:
        shared = shared_tables(tables, others) if others else set()
        found += [table for name, table in tables.items() if name not in shared]
    return tuple(found)


def _specs(given: str | Sequence[Spec]) -> tuple[Spec, ...]:
    if isinstance(given, str):
        return read_specs(given) if given.strip() else ()
    return tuple(given)


def _tables(questions: Sequence[Question]) -> dict[str, Table]:
    return {question.table_file: question.table for question in questions}


def _read_spec(text: str) -> Spec:
    place, star, share = text.partition("*")
    name, _, split = place.strip().rpartition(":")
    split, at, language = (piece.strip() for piece in split.partition("@"))
    try:
        part = float(share) if star else 1.0
    except ValueError:
        part = 0.0
    if not split or not 0 < part <= 1 or bool(at) != bool(language):
        raise DataError(
            f"{text!r} does not say what to load; write NAME:SPLIT, NAME:SPLIT@LANGUAGE or"
            " NAME:SPLIT*SHARE with a share above 0 and up to 1"
        )
    return Spec(name.strip(), split, part, language)


def _share(loaded: Loaded, share: float, rng: np.random.Generator) -> Loaded:
    """Keep a share of the conversations, in their order."""
    if share == 1:
        return loaded
    names = list(dict.fromkeys(question.sequence for question in loaded.questions))
    drawn = rng.permutation(len(names))[: max(1, round(share * len(names)))]
    kept = {names[place] for place in drawn.tolist()}
    return Loaded(
        tuple(q for q in loaded.questions if q.sequence in kept),
        tuple(e for e in loaded.examples if e.question.sequence in kept),
    )


def _led(loaded: Loaded, name: str) -> Loaded:
    """Put a name before every id: SQA's ids are WTQ's."""
    questions = {
        id(question): replace(question, id=f"{name}:{question.id}")
        for question in (*loaded.questions, *(example.question for example in loaded.examples))
    }
    return Loaded(
        tuple(questions[id(q)] for q in loaded.questions),
        tuple(replace(e, question=questions[id(e.question)]) for e in loaded.examples),
    )
