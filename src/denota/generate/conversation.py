"""Conversations about tables: questions, programs and answers, drawn from a seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from denota.generate.asking import Asked
from denota.generate.begin import ask_for_a_column, begin
from denota.generate.compute import compute
from denota.generate.draw import testable
from denota.generate.follow import change_subject, follow
from denota.generate.kinds import begin_with_any, is_wide
from denota.generate.profile import ColumnProfile, TableProfile, profile
from denota.generate.scene import Scene
from denota.generate.typos import finish
from denota.programs.denotation import Denotation
from denota.programs.operators import LANGUAGES
from denota.programs.tree import Program
from denota.tables.table import Table

TURNS: Final = (1, 2, 2, 3, 3, 4)
"""The numbers of turns of a conversation, each as often as it stands here."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question with the program that it means and what that gives."""

    question: str
    program: Program
    answer: Denotation
    wordings: tuple[str, ...]
    """The names of the wordings used, that of the whole question first."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Some questions about one table; each may follow up on the answer before."""

    table: Table
    turns: tuple[Turn, ...]


def generate(
    tables: Sequence[Table],
    seed: int | Random,
    *,
    language: frozenset[str] = LANGUAGES["extended"],
    held_out: bool = False,
    typos: float = 0.03,
    plain: bool = False,
    loose: float = 0.0,
    kinds: Mapping[str, float] | None = None,
    turns: Sequence[int] = TURNS,
) -> Iterator[Conversation]:
    """Make conversations about tables without end, each table as often as any other.

    Yields nothing if no table has cells.

    The same seed gives the same conversations on any machine. Programs are in the program space of
    their question.

    Args:
        tables: any tables.
        seed: a number, or the random generator itself.
        language: the operators to use (`language_of`), such as `extended +count +sum`. In a
            language with more kinds of questions, such as `full`, no question follows up on a
            value.
        held_out: whether to use the held-out wordings, and only those.
        typos: the share of questions with a typo.
        plain: call columns by their own names (no synonyms, no `tallest` for the largest height),
            and leave no question half said.
        loose: the share in which columns, values and questions are worded as people type them;
            0 keeps to the tidy wordings.
        kinds: the weights of kinds of first questions (`kinds.read_kinds`), where the language has
            many; by default the usual ones.
        turns: the numbers of turns to choose from.

    >>> from itertools import islice
    >>> rows = [["Oslo", "709,037"], ["Bergen", "291,940"], ["Moss", "50,290"]]
    >>> table = Table.from_rows(["City", "People"], rows)
    >>> conversation = next(generate([table], seed=0))
    >>> all(turn.answer.cells for turn in conversation.turns)
    True
    """
    rng = seed if isinstance(seed, Random) else Random(seed)
    known: dict[int, tuple[TableProfile, Mapping[str, tuple[ColumnProfile, ...]]]] = {}
    usable = [position for position, table in enumerate(tables) if len(table)]
    while usable:
        order = usable[:]
        rng.shuffle(order)
        for position in order:
            if position not in known:
                made = profile(tables[position], plain, loose > 0)
                known[position] = made, testable(made)
            own, columns = known[position]
            past = rng.random() < (0.5 if own.times else 0.2)
            scene = Scene(own, columns, rng, language, held_out, past, plain, loose, kinds)
            asked = _converse(scene, rng.choice(turns))
            yield Conversation(own.table, tuple(_turn(scene, one, typos) for one in asked))


def _converse(scene: Scene, length: int) -> list[Asked]:
    asked = [_first(scene)]
    wide = is_wide(scene.language)
    while len(asked) < length:
        if wide and _ends(asked[-1].answer):
            more = change_subject(scene, asked) if scene.loose else None
        else:
            more = follow(scene, asked)
        if more is None:
            break
        asked.append(more)
    return asked


def _ends(answer: Denotation) -> bool:
    """Say whether nothing follows up on an answer: a value, or none."""
    return answer.values is not None or not answer.rows


def _first(scene: Scene) -> Asked:
    wide = is_wide(scene.language)
    for _ in range(_TRIES * 2 if wide else _TRIES):
        if wide:
            asked = begin_with_any(scene)
        else:
            asked = compute(scene, None) if scene.chance(0.2) else None
            asked = asked or begin(scene)
        if asked is not None and asked.has_something:
            return asked
    return ask_for_a_column(scene)


def _turn(scene: Scene, asked: Asked, typos: float) -> Turn:
    text = finish(asked.text, scene.rng, typos, scene.loose)
    return Turn(text, asked.program, asked.answer, asked.wordings)


_TRIES: Final = 20
