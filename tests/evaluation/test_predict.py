"""Which program answers a question."""

from __future__ import annotations

import numpy as np

from denota.evaluation.predict import best_that_gives_cells
from denota.generate.examples import made_up_examples
from denota.generate.invented import invented_tables
from denota.search.preparer import Preparer


def test_where_cells_are_asked_for_the_best_program_that_gives_cells_is_taken() -> None:
    example = made_up_examples(list(invented_tables(1, seed=4)), 1, language="full")[0]
    ready = Preparer("full")(example.question, None)
    cells = [n for n in range(ready.axes.programs) if ready.gives_cells(n)]
    values = [n for n in range(ready.axes.programs) if not ready.gives_cells(n)]
    assert all(ready.denotation(n).values is None for n in cells[:5])
    assert all(ready.denotation(n).values is not None for n in values[:5])

    def chosen(order: list[int]) -> int:
        best = best_that_gives_cells(lambda questions, count: [np.array(order[:count])])
        return int(best([ready])[0][0])

    assert chosen([values[0], values[1], cells[3], cells[0]]) == cells[3]
    assert chosen([cells[2], values[0]]) == cells[2]
    assert chosen(values[:3]) == values[0]
