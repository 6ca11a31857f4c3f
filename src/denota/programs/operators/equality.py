"""`=` and `!=` with a cell value, and CONTAINS with a word of the question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from denota.programs.index import ROOM, ColumnIndex, Mask, bits_of
from denota.programs.operators.declare import Block, Situation, TestOperator, block
from denota.programs.stated_value import stated, stated_by
from denota.programs.tree import Argument, Test, Value, Word
from denota.tables.table import Table
from denota.tokens import tokenise

if TYPE_CHECKING:
    from denota.programs.sql import Names


def _same_value(
    table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]
) -> list[int]:
    assert isinstance(test.argument, Value)
    column = table[test.column or ""]
    wanted = stated_by(column, test.argument.text)
    return [row for row in rows if stated(column, row) == wanted]


def _other_value(
    table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]
) -> list[int]:
    same = set(_same_value(table, rows, test, previous))
    return [row for row in rows if row not in same]


def _has_word(table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]) -> list[int]:
    assert isinstance(test.argument, Word)
    text = table[test.column or ""].text
    return [row for row in rows if test.argument.text in tokenise(text[row])]


def _lacks_word(
    table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]
) -> list[int]:
    having = set(_has_word(table, rows, test, previous))
    return [row for row in rows if row not in having]


def shared_values(situation: Situation) -> tuple[NDArray[np.int16], NDArray[np.int32], Mask, Mask]:
    """(V,) column and class, (V, R) rows and (V,) groundedness of every legal value.

    In a long column the legal values are those that share a word or number with the question.
    """
    index = situation.index
    columns, classes, masks = index.classes
    for position in index.long:
        column = index.columns[position]
        linked = np.array(linked_classes(column, situation), dtype=np.int32)
        columns = np.concatenate([columns, np.full(len(linked), position, np.int16)])
        classes = np.concatenate([classes, linked])
        masks = np.concatenate([masks, column.classes == linked[:, None]])
    return columns, classes, masks, _shares_words(situation, columns, classes)


def linked_classes(column: ColumnIndex, situation: Situation) -> list[int]:
    """Return at most 200 classes that a word or number of the question leads to, best first."""
    most = min(200, max(8, ROOM // max(1, len(column.column))))
    shared: dict[int, float] = {}
    for word in situation.constants.content:
        classes = column.classes_with_word(word)
        for value in classes:
            shared[value] = shared.get(value, 0.0) + 1 / (1 + len(classes))
    for number in situation.numbers:
        for value in np.flatnonzero(column.class_numbers == number.value).tolist():
            shared[value] = shared.get(value, 0.0) + 1
    return sorted(shared, key=lambda value: (-shared[value], value))[:most]


def _shares_words(
    situation: Situation, columns: NDArray[np.int16], classes: NDArray[np.int32]
) -> Mask:
    """(V,) whether a value shares a content word or a number with the question."""
    index, words = situation.index, situation.constants.content
    numbers = [n.value for n in situation.numbers]
    asked = bits_of([words], index.vocabulary)
    short: Mask = np.asarray((index.class_bits & asked).any(axis=1))
    if numbers:
        short |= (index.class_numbers[:, None] == np.array(numbers)).any(axis=1)
    if len(short) == len(columns):
        return short
    linked = zip(columns[len(short) :].tolist(), classes[len(short) :].tolist(), strict=True)
    long = [
        not words.isdisjoint(index.columns[c].class_content(v))
        or index.columns[c].class_numbers[v] in numbers
        for c, v in linked
    ]
    return np.concatenate([short, long])


def _equal(situation: Situation) -> Block:
    columns, classes, masks, grounded = shared_values(situation)
    masks = masks & situation.scope
    kept = masks.any(axis=1)
    return Block(columns[kept], classes[kept], masks[kept], grounded[kept])


def _not_equal(situation: Situation) -> Block:
    columns, classes, masks, grounded = shared_values(situation)
    present = (masks & situation.scope).any(axis=1)
    masks = ~masks & situation.scope
    kept = masks.any(axis=1) & present
    return Block(columns[kept], classes[kept], masks[kept], grounded[kept])


def _contains(situation: Situation) -> Block:
    parts = []
    for position, column in enumerate(situation.index.columns):
        here = [i for i, w in enumerate(situation.constants.words) if w.text in column.by_word]
        if here:
            masks = [column.rows_with_word(situation.constants.words[i].text) for i in here]
            ids = np.array(here, dtype=np.int32)
            parts.append((position, ids, np.array(masks), np.ones(len(here), bool)))
    return block(parts, situation.index.rows, situation.scope)


def _contains_not(situation: Situation) -> Block:
    found = _contains(situation)
    mask = ~found.mask & situation.scope
    kept = mask.any(axis=1)
    grounded = np.full(int(kept.sum()), situation.triggered("not_contains"))
    return Block(found.column[kept], found.first[kept], mask[kept], grounded)


def _value(situation: Situation, column: int, first: int) -> Argument:
    return Value(situation.index.columns[column].texts[first])


def _word(situation: Situation, column: int, first: int) -> Argument:
    return situation.constants.words[first]


def _sql_equal(test: Test, names: Names) -> Any:
    assert isinstance(test.argument, Value) and test.column
    return names.same_value(test.column, test.argument.text)


def _sql_not_equal(test: Test, names: Names) -> Any:
    return names.negated(_sql_equal(test, names), test.column or "")


def _sql_contains(test: Test, names: Names) -> Any:
    assert isinstance(test.argument, Word) and test.column
    return names.has_word(test.column, test.argument.text)


EQUAL = TestOperator(
    name="equal",
    keywords=("=",),
    english="{column} is {argument}",
    meaning=_same_value,
    sql=_sql_equal,
    candidates=_equal,
    argument=_value,
    takes="value",
    needs="lexical",
    example="SELECT Leader WHERE Ships = '2'",
)
NOT_EQUAL = TestOperator(
    name="not_equal",
    keywords=("!=",),
    english="{column} is not {argument}",
    negates=True,
    meaning=_other_value,
    sql=_sql_not_equal,
    candidates=_not_equal,
    argument=_value,
    takes="value",
    needs="lexical",
    example="SELECT Season WHERE Result != 'Lost'",
)
CONTAINS = TestOperator(
    name="contains",
    keywords=("CONTAINS",),
    english="{column} contains {argument}",
    meaning=_has_word,
    sql=_sql_contains,
    candidates=_contains,
    argument=_word,
    takes="word",
    needs="lexical",
    example="SELECT Season WHERE Leader CONTAINS 'solheim'",
)
NOT_CONTAINS = TestOperator(
    name="not_contains",
    keywords=("NOT", "CONTAINS"),
    english="{column} does not contain {argument}",
    negates=True,
    meaning=_lacks_word,
    sql=lambda test, names: names.negated(_sql_contains(test, names), test.column or ""),
    candidates=_contains_not,
    argument=_word,
    takes="word",
    needs="trigger",
    example="SELECT Season WHERE Leader NOT CONTAINS 'solheim'",
)

__all__ = ["CONTAINS", "EQUAL", "NOT_CONTAINS", "NOT_EQUAL", "linked_classes", "shared_values"]
