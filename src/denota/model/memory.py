"""What a parser was taught about tables since training: extra weights for each table.

    s(y | x) = log p(y | x) + Σ_f W_f · φ(x)     over the features f of the program y

φ(x) is what the encoder makes of the question, and W is 0 until something is taught. A feature is a
part of a program (the column it selects, a test, a value, what it computes) or its answer, so a
paraphrase of a taught question, whose φ is near, leans to the same. Weights belong to the tables of
one header: what is taught of a table leaves all others as they are. W is kept as it was learnt, a
sum over lessons, W_f = Σ_l a_lf φ(x_l). L lessons, D dimensions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from denota.programs.operators import SCOPES
from denota.programs.tree import Name, Program, Test, Value, Word, leaves_of
from denota.search.prepare import Prepared
from denota.tables.table import Table

Vector = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TableMemory:
    """What was learnt of one table."""

    questions: Vector  #: (L, D) φ of the lessons, each of length 1
    weights: tuple[Mapping[str, float], ...]
    """(L,) a_l: what each lesson gives to and takes from features."""

    def bonus(
        self, asked: Vector, programs: Sequence[Sequence[str]]
    ) -> NDArray[np.float64]:  #: (K,)
        """What is added to the scores of programs, given by their features, for a (D,) question."""
        near = np.maximum(self.questions @ asked, 0.0)  # (L,)
        total: dict[str, float] = {}
        for share, weights in zip(near.tolist(), self.weights, strict=True):
            for feature, weight in weights.items():
                total[feature] = total.get(feature, 0.0) + share * weight
        return np.array([sum(total.get(f, 0.0) for f in features) for features in programs])


@dataclass(frozen=True, eq=False)
class Memory:
    """What was learnt of tables, by their header."""

    tables: Mapping[str, TableMemory] = field(default_factory=dict)

    def of(self, table: Table) -> TableMemory | None:
        """Return what was learnt of a table, None if nothing was."""
        return self.tables.get(header_of(table)) if self.tables else None


def header_of(table: Table) -> str:
    """Return what tables with the same columns share.

    >>> one = Table.from_rows(["a", "b"], [["1", "2"]])
    >>> header_of(one) == header_of(Table.from_rows(["a", "b"], [["3", "4"]]))
    True
    """
    return hashlib.sha256(json.dumps(table.names).encode()).hexdigest()[:32]


def features_of(question: Prepared, number: int) -> tuple[str, ...]:
    """Return what weights of a program belong to: its parts and its answer.

    A paraphrase shares the answer, whatever its parts.
    """
    rows, cells = question.answer_digests(number)
    program = question.space.program(number)
    computed = " ".join(filter(None, (program.compare, program.aggregate)))
    answer = f"{computed} of {cells}" if computed else f"cells {cells}"
    return (*parts_of(program), f"rows {rows}", answer)


def parts_of(program: Program) -> tuple[str, ...]:
    """Return the parts of a program.

    >>> from denota.programs.text import parse_program
    >>> parts_of(parse_program("SELECT City WHERE People > 50"))
    ('scope table', 'select City', 'operator greater', 'where People', 'test People greater')
    >>> parts_of(parse_program("COUNT (ROWS WHERE People > 50 THEN NEXT ROW)"))[-3:]
    ('step then_next_row', 'step None then_next_row', 'compute count')
    """
    found = [f"scope {program.scope}"]
    follows = SCOPES[program.scope].follows
    found += [f"select {name}" for name in program.columns] or [
        "select as before" if follows else "select rows"
    ]
    if program.where is None:
        found.append("all rows")
    for test in leaves_of(program.where):
        found += [f"operator {test.operator}", f"where {test.column}", *_as_tested(test, "test")]
    for test in leaves_of(program.versus):
        found += ["versus", *_as_tested(test, "versus")]
    if program.then is not None:
        found += [f"step {program.then.operator}", *_as_tested(program.then, "step")]
    if program.aggregate is not None:
        found.append(f"compute {program.aggregate}")
    if program.compare is not None:
        found.append(f"compare {program.compare}")
    return tuple(found)


def _as_tested(test: Test, role: str) -> list[str]:
    """A test as a whole, without its argument and with it."""
    whole = f"{role} {test.column} {test.operator}"
    if isinstance(test.argument, Value | Word | Name):
        return [whole, f"{whole} {test.argument.text}"]
    return [whole]


def with_turn_kind(vector: Vector, follows: bool) -> Vector:
    """Return a question's vector in a slot for first or later questions.

    Cosine is unchanged within a kind and halved across.

    >>> plain = unit(np.ones(2, np.float32))
    >>> one, other = with_turn_kind(plain, False), with_turn_kind(plain, True)
    >>> round(float(one @ one), 3), round(float(one @ other), 3)
    (1.0, 0.5)
    """
    nothing = np.zeros_like(vector)
    own = (nothing, vector) if follows else (vector, nothing)
    return np.concatenate([vector, *own]) * np.float32(0.5**0.5)


def unit(vector: Vector) -> Vector:
    """Return a vector at length 1."""
    return vector / max(float(np.linalg.norm(vector)), 1e-9)
