"""The bundled sample's conversations; `python -m denota.generate.sample` writes them anew.

`train` and `dev` are in the small language `dynsp++` and call columns by their names, so that they
can be learnt from the answers alone and without word vectors from elsewhere. `dev-heldout` has
other wordings, synonyms, half-said questions, and some conversations that show what `extended`
adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from denota import sample
from denota.data import Cells, Example, Question, write_jsonl
from denota.generate.conversation import Conversation, generate
from denota.programs.operators import LANGUAGES
from denota.tables import Table


@dataclass(frozen=True)
class Split:
    """The content of one file of the sample."""

    name: str
    seed: int
    about_dev: bool
    """Whether it is about the tables kept for dev."""
    rounds: int
    """How many conversations about each table."""
    held_out: bool = False
    large: float = 0.0
    """The share of conversations in the large language; the others are in the small one."""


SPLITS: Final = (
    Split("train", 1, about_dev=False, rounds=9),
    Split("dev", 2, about_dev=True, rounds=11),
    Split("dev-heldout", 3, about_dev=True, rounds=11, held_out=True, large=0.22),
)
DEV: Final = frozenset(
    f"tables/{name}.csv"
    for name in (
        *("castles", "cyclists", "football-seasons", "hotel-rooms"),
        *("lighthouses", "podcast-episodes", "town-budget", "wind-farms"),
    )
)
"""The tables of dev, which train has not seen."""


def main() -> None:
    """Write the files of the sample."""
    for split in SPLITS:
        write_split(split, sample.path())


def write_split(split: Split, directory: Path) -> None:
    """Write one file of the sample into a directory."""
    tables = sample.tables()
    files = {id(table): file for file, table in tables.items()}
    conversations = (
        _examples(f"{split.name}-{number}", files[id(conversation.table)], conversation)
        for number, conversation in enumerate(make(split, tables), start=1)
    )
    write_jsonl(directory / f"{split.name}.jsonl", conversations)


def make(split: Split, tables: Mapping[str, Table]) -> Iterator[Conversation]:
    """Make the conversations of a split about its tables, with a language drawn for each."""
    own = [table for file, table in tables.items() if (file in DEV) == split.about_dev]
    rng = Random(split.seed)
    small, large = (
        generate(
            own,
            rng,
            language=LANGUAGES[name],
            held_out=split.held_out,
            typos=0.02,
            plain=not split.held_out,
        )
        for name in ("dynsp++", "extended")
    )
    for _ in range(split.rounds * len(own)):
        yield next(large if rng.random() < split.large else small)


def _examples(name: str, file: str, conversation: Conversation) -> list[Example]:
    history: tuple[str, ...] = ()
    examples = []
    for position, turn in enumerate(conversation.turns):
        question = Question(name, "0", position, turn.question, conversation.table, file, history)
        examples.append(Example(question, Cells(turn.answer.cells)))
        history += (turn.question,)
    return examples


if __name__ == "__main__":
    main()
