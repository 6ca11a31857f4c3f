"""A question asked: its program, its answer and its words; and what there is to ask for."""

from __future__ import annotations

from dataclasses import dataclass

from denota.generate.frames import Columns, Phrase
from denota.generate.profile import ColumnProfile, Rows
from denota.generate.scene import Drawn, Scene
from denota.programs.denotation import Denotation
from denota.programs.space import MOST_COLUMNS
from denota.programs.tree import Program


@dataclass(frozen=True, eq=False)
class Asked:
    """A question with what the next one needs to know of it."""

    program: Program
    answer: Denotation
    text: str
    wordings: tuple[str, ...]
    columns: Columns
    """The columns of the answer."""
    drawn: Drawn | None
    repeats: bool = False
    """Whether it asks for an answer that was given."""

    @property
    def has_something(self) -> bool:
        """Whether some cell of the answer has a value, or cells without one were asked for."""
        if self.drawn is not None and self.drawn.operator == "is_empty":
            return True
        if self.answer.values is not None or not self.answer.rows:
            return True
        return any(not column.missing[row] for row in self.answer.rows for column in self.columns)


def ask(
    columns: Columns, scope: str, drawn: Drawn | None, rows: Rows, said: Phrase | None
) -> Asked | None:
    """Put together a question that selects columns of its own."""
    if said is None or not rows:
        return None
    program = Program(
        tuple(c.name for c in columns),
        scope,
        drawn.condition if drawn else None,
        then=drawn.then if drawn else None,
    )
    return Asked(
        program, Denotation(rows, tuple(c.position for c in columns)), *said, columns, drawn
    )


def ask_bare(
    before: Asked, scope: str, drawn: Drawn | None, rows: Rows, said: Phrase | None
) -> Asked | None:
    """Put together a question that takes its columns from the answer before."""
    if said is None or not rows:
        return None
    program = Program((), scope, drawn.condition if drawn else None)
    return Asked(program, Denotation(rows, before.answer.columns), *said, before.columns, drawn)


def columns_to_ask(scene: Scene, besides: Columns = ()) -> Columns:
    """Draw a column to ask for, now and then several, or all.

    None if there is nothing besides those given.
    """
    every = scene.profile.columns
    if "several_columns" in scene.language and 1 < len(every) <= MOST_COLUMNS and scene.chance(0.1):
        point = scene.rng.random()
        if point < 0.15 and len(every) > 3 and not besides and scene.profile.subject_nouns:
            return every
        odd = [column for column in every if scene.loose and column.is_yes_no]
        others = [c.position for c in every if c not in besides and c not in odd]
        if not others:
            return ()
        count = min(len(others), 3 if point > 0.85 and len(every) > 3 else 2)
        return tuple(every[position] for position in sorted(scene.rng.sample(others, count)))
    weights = {column: _interest(scene, column) for column in every if column not in besides}
    return (scene.one_of(weights),) if weights else ()


def _interest(scene: Scene, column: ColumnProfile) -> float:
    if scene.loose and (column.is_yes_no or column is scene.profile.subject):
        return 0.2 if column.is_yes_no else 9.0
    if column is scene.profile.subject:
        return 5.0
    return {"quantity": 1.5, "time": 1.5, "label": 0.4}.get(column.naming.role, 2.0)
