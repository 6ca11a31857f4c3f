"""Shuffled tables: cells are followed to where they went.

A parser that looks at nothing but words is not moved by order.
"""

from __future__ import annotations

import pytest

from denota import sample
from denota.config import Config, ModelConfig, TrainConfig
from denota.data import load_examples
from denota.learning.start import new_parser
from denota.model.parser import Parser
from denota.reports.shuffles import measure_shuffles, moved
from denota.search.preparer import Preparer
from denota.tables import Table


def test_cells_are_followed() -> None:
    table = Table.from_rows(["a", "b", "c"], [["1", "2", "3"], ["4", "5", "6"]])
    other = moved(table, [1, 0], [2, 0, 1])
    assert other.table.names == ("c", "a", "b")
    for row in range(2):
        for column in range(3):
            ((there, across),) = other.cells(frozenset({(row, column)}))
            assert other.table.cell(there, across) == table.cell(row, column)


@pytest.fixture(scope="module")
def parser() -> Parser:
    examples = load_examples(sample.path(), "dev").examples[:60]
    config = Config(model=ModelConfig(dimension=16, hidden=6), train=TrainConfig(device="cpu"))
    return new_parser(config, Preparer("dynsp++").ahead(examples))


def test_order_does_not_move_a_parser_that_does_not_see_it(parser: Parser) -> None:
    examples = load_examples(sample.path(), "dev").examples[:60]
    found = measure_shuffles(parser, examples)
    assert found.questions == 60
    assert 0 < found.rows_compared <= 60
    assert found.rows_same >= 95  # equal scores may be told apart by place
    assert abs(found.columns_shuffled - found.answer_accuracy) <= 5
    again = measure_shuffles(parser, examples)
    assert found == again
