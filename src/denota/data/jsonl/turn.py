"""Read one turn of a conversation: its question and its answer, checked."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import Any, Final

from denota.data.answer import Answer, Cells, Item, Values
from denota.data.resolve import CellIndex, agrees
from denota.errors import DataError
from denota.tables.table import Cell, Table

_LARGEST: Final = 10**300
_UNANSWERED: Final = ("ask_back", "declined")
"""Kinds of printed turns without an answer."""
_TURN_KEYS: Final = ("question", "answer", "cells")
_PRINTED_KEYS: Final = (
    *("program", "sql", "explanation", "confidence", "sure"),
    *("kind", "values", "readings", "reason", "scope", "among", "builds_on"),
)
"""Further keys of turns that `denota ask --json` prints."""


def question_of(turn: Any) -> str:
    """Return a turn's question."""
    if not isinstance(turn, dict):
        raise DataError('a turn must be an object like {"question": "...", "answer": ["..."]}')
    text = turn.get("question")
    if not isinstance(text, str):
        raise DataError('"question" must be a text')
    if not text.strip():
        raise DataError("the question is empty; write one or remove the turn")
    return encodable(text, "question")


def answer_of(turn: dict[str, Any], index: CellIndex) -> Answer | None:
    """Return a turn's answer, None where it gives none."""
    for key in turn:
        if key not in _TURN_KEYS and key not in _PRINTED_KEYS:
            meant = get_close_matches(key, _TURN_KEYS, n=1)
            advice = (
                f"did you mean {meant[0]!r}?" if meant else f"a turn has {', '.join(_TURN_KEYS)}"
            )
            raise DataError(f"a turn has no key {key!r}; {advice}")
    items, pairs = turn.get("answer"), turn.get("cells")
    if items is not None:
        _check_items(items)
    if turn.get("kind") in _UNANSWERED:
        return None
    if turn.get("values"):
        return Values(_typed(turn["values"]))
    if pairs is None or turn.get("kind", "cells") != "cells":
        return None if items is None else Values(tuple(map(_item, items)))
    cells = _cells(pairs, index.table)
    if items is not None and not agrees(index, items, cells):
        there = [index.table.cell(*cell) for cell in sorted(cells)]
        raise DataError(
            f'"answer" and "cells" disagree: the cells say {_shorten(there)}; keep one of the two'
        )
    return Cells(cells)


def _typed(values: Any) -> tuple[Item, ...]:
    """Return the typed values of a printed turn, each after its group if it has one."""
    listed = values if isinstance(values, list) else []
    items = [item for value in listed for item in (value if isinstance(value, list) else [value])]
    items = ["nan" if item is None else item for item in items]  # nothing to compute in a group
    if not items:
        raise DataError(
            '"values" must be a list of texts and numbers, or of groups with their value'
        )
    _check_items(items, "values")
    return tuple(map(_item, items))


def _item(given: str | int | float | bool) -> Item:
    return given if isinstance(given, str | bool) else float(given)


def _check_items(items: Any, key: str = "answer") -> None:
    if not isinstance(items, list) or not all(isinstance(i, str | int | float) for i in items):
        raise DataError(f'"{key}" must be a list of texts and numbers like ["Oslo", 12]')
    for item in items:
        if isinstance(item, str):
            encodable(item, key)
        elif isinstance(item, int) and abs(item) > _LARGEST:
            raise DataError(
                f'{_shorten(item)} in "{key}" is too large a number; write it as a text'
            )


def _cells(pairs: Any, table: Table) -> frozenset[Cell]:
    if not isinstance(pairs, list) or not pairs:
        raise DataError(
            '"cells" must be a list of at least one [row, column]; leave it out if it is not known'
        )
    rows, columns = table.shape
    for pair in pairs:
        if (
            not isinstance(pair, list)
            or len(pair) != 2
            or any(type(number) is not int for number in pair)
        ):
            raise DataError(
                f'{_shorten(pair)} in "cells" is not a [row, column] of two whole numbers'
            )
        if not (0 <= pair[0] < rows and 0 <= pair[1] < columns):
            raise DataError(
                f"the cell {pair} is outside the table ({rows} rows, {columns} columns);"
                " both count from 0, row 0 being the first after the header"
            )
    return frozenset((row, column) for row, column in pairs)


def _shorten(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def encodable(text: str, key: str) -> str:
    """Return a text that can be written as UTF-8; `key` names it in the error."""
    try:
        text.encode()
    except UnicodeEncodeError as error:  # JSON can escape half of a surrogate pair
        raise DataError(
            f'"{key}" holds half a character ({error.object[error.start]!r}); mend the escape'
        ) from error
    return text
