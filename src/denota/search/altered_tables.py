"""A critique made of executions: do the consistent programs agree on altered tables?

Programs that give the right answer for different reasons agree on the table of the question and
nowhere else, while the many ways to write the right program agree on any table. So the consistent
programs are executed on tables that nobody asked about, and each gets the share of the others'
votes that it agrees with there:

    agreement(y) = mean over altered tables T of Σ v(y') 1{y'(T) = y(T)} / Σ v(y'),  y' ≠ y
    v(y)         ∝ exp( η critique(y, x) ),  the lexical critique in use

The mean is over the tables on which y can be executed. An altered table draws as many rows as the
table has, with replacement and in their order, and deals the cells of about half of its columns
anew. Not in the paper; after the fictitious worlds of Pasupat and Liang (2016), who ask annotators
about them. K consistent programs, N tables.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.data.answer import Values, keys_of
from denota.errors import DenotaError
from denota.programs.execute import execute
from denota.programs.rewards import denotation_items
from denota.programs.space import ProgramSpace
from denota.tables.table import Table

ETA: Final = 5.0
"""η of the votes, as in policy shaping."""
TRIED: Final = 64
"""At most this many consistent programs of a question are executed, those of the best critique."""
MOST_ROWS: Final = 200
"""No table with more rows is altered: executing on it would take too long."""
Floats = NDArray[np.float32]


def agreements(
    space: ProgramSpace, ids: NDArray[np.integer], critique: Floats, count: int, seed: int = 0
) -> Floats:
    """(K,) how well each consistent program agrees with the others; 0 for those not tried.

    Args:
        space: all programs of the question.
        ids: (K,) the consistent ones.
        critique: (K,) what the words of the question say of them.
        count: N, how many tables to try them on.
        seed: of the altered tables.
    """
    found = np.zeros(len(ids), np.float32)
    tried = np.argsort(-critique, kind="stable")[:TRIED]
    table = space.table_index.table
    if len(tried) < 2 or not len(table) or len(table) > MOST_ROWS:
        return found
    programs = [space.program(int(number)) for number in ids[tried]]
    rng = np.random.default_rng(seed)
    answers = np.empty((len(programs), count), np.int64)  # equal answers have equal numbers
    for column in range(count):
        other = altered(table, rng)
        seen: dict[Hashable, int] = {}
        for line, program in enumerate(programs):
            try:
                denoted = execute(program, other, space.previous)
                key = frozenset(keys_of(Values(denotation_items(denoted, other))))
            except DenotaError:  # a value it names is no longer there
                answers[line, column] = -1
            else:
                answers[line, column] = seen.setdefault(key, len(seen))
    votes = np.exp(ETA * critique[tried].astype(np.float64))
    found[tried] = _agreement(answers, votes)
    return found


def _agreement(answers: NDArray[np.int64], votes: NDArray[np.float64]) -> NDArray[np.float64]:
    """(K,) the share of the others' votes that each program agrees with, from (K, N) answers."""
    ran = answers >= 0
    same = (answers[:, None] == answers) & ran[:, None] & ran  # (K, K, N)
    others = same * votes[:, None]
    agreed = others.sum(axis=1) - ran * votes[:, None]  # without its own
    total = votes.sum() - votes
    shares: NDArray[np.float64] = agreed.sum(axis=1) / (total * np.maximum(ran.sum(axis=1), 1))
    return shares


def altered(table: Table, rng: np.random.Generator) -> Table:
    """Return a table with rows drawn anew, and the cells of some columns dealt anew."""
    drawn = np.sort(rng.integers(len(table), size=len(table)))
    columns = []
    for column in table.columns:
        rows = rng.permutation(drawn) if rng.random() < 0.5 else drawn
        columns.append([column.text[row] for row in rows.tolist()])
    return Table.from_rows(list(table.names), list(zip(*columns, strict=True)))
