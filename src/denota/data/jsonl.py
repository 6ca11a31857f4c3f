"""The project's own data: one conversation a line, as JSON.

    {"table": "path.csv", "turns": [{"question": "...", "answer": ["cell text"]}, {"question": "...", "cells": [[0, 1]]}]}

Tables are relative to the file, or stand in the line itself: `{"table": {"columns": [...], "rows": [[...], ...]}, "turns": ...}`. A turn
gives its answer as values (`answer`: texts, numbers, true or false; an empty list says that there is none), as `cells`, as both if
they agree, which means the cells, or not at all; a turn that `denota ask --json` printed will do, its typed `values` before its texts.
A line may carry an `id` and an `annotator`; further keys beside `turns` are free for notes, but in a turn they are refused, since a
misspelt `answer` would otherwise be lost without a word.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from denota.data.answer import Answer, Cells, Item, Values
from denota.data.disk import replacing, unreadable
from denota.data.example import Example, Question
from denota.data.loaded import Loaded, Problem
from denota.data.resolve import CellIndex, agrees
from denota.errors import DataError, TableError
from denota.tables.inline import inline_table
from denota.tables.io import read_table
from denota.tables.table import Cell, Table


def read_jsonl(path: str | Path) -> Loaded:
    """Read a file of conversations; each line or turn that cannot be used becomes a problem, and the others are read.

    Raises:
        DataError: the file itself cannot be read.
    """
    path = Path(path)
    tables: dict[str, CellIndex | DataError] = {}
    taken: dict[tuple[str, str], int] = {}
    lines = [
        _read_line(path, line, text, tables, taken)
        for line, text in enumerate(_read_text(path).split("\n"), start=1)
        if text.strip()
    ]
    return Loaded(
        tuple(question for line in lines for question in line.questions),
        tuple(example for line in lines for example in line.examples),
        tuple(problem for line in lines for problem in line.problems),
    )


def read_objects(conversations: Iterable[Mapping[str, Any]]) -> Loaded:
    """Read conversations that are objects already, as a line of a file would be; a table may be anything that `read_table` takes.

    >>> table = {"columns": ["City"], "rows": [["Oslo"], ["Moss"]]}
    >>> asked = {"question": "how many cities?", "answer": [2]}
    >>> read_objects([{"table": table, "turns": [asked]}]).examples[0].answer
    Values(items=(2.0,), repeats=False)
    """
    read = []
    for number, conversation in enumerate(conversations, start=1):
        try:
            given, turns = conversation.get("table"), conversation.get("turns")
            if given is None or not isinstance(turns, list | tuple) or not turns:
                raise DataError(
                    'a conversation is {"table": ..., "turns": [{"question": ...}, ...]}'
                )
            table = inline_table(given) if isinstance(given, dict) else read_table(given)
        except (DataError, TableError) as error:
            read.append(Loaded((), (), (Problem(_GIVEN, number, None, str(error)),)))
            continue
        name = (str(conversation.get("id", f"given:{number}")), "0")
        file = f"given-{id(given)}" if not isinstance(given, str) else given
        read.append(_read_turns(_GIVEN, number, name, file, CellIndex(table), turns))
    return Loaded(
        tuple(question for one in read for question in one.questions),
        tuple(example for one in read for example in one.examples),
        tuple(problem for one in read for problem in one.problems),
    )


_GIVEN: Final = Path("conversations")


def write_jsonl(path: str | Path, conversations: Iterable[Sequence[Question | Example]]) -> None:
    """Write conversations, answers as cells or values; table paths are written as the questions have them.

    Earlier questions that are not among a conversation's turns are written from its history, without an answer.

    Raises:
        DataError: the file cannot be written, or turns do not make one conversation; what stood there before is untouched.
    """
    with replacing(Path(path)) as stream:
        for turns in conversations:
            if turns:
                stream.write(json.dumps(_as_object(turns), ensure_ascii=False) + "\n")


_LARGEST: Final = 10**300
# Kinds of printed turns that say nothing.
_UNANSWERED: Final = ("ask_back", "declined")
_TURN_KEYS: Final = ("question", "answer", "cells")
# What `denota ask --json` prints besides.
_PRINTED_KEYS: Final = (
    *("program", "sql", "explanation", "confidence", "sure"),
    *("kind", "values", "readings", "reason"),
)


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise unreadable(path, error) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}:{line} is not UTF-8 text; save the file as UTF-8") from error


def _read_line(
    path: Path,
    line: int,
    text: str,
    tables: dict[str, CellIndex | DataError],
    taken: dict[tuple[str, str], int],
) -> Loaded:
    """Read one conversation; `tables` and `taken` remember the tables and names of the lines before."""
    try:
        conversation = _parse(text)
        file, turns = _table_and_turns(conversation)
        name = (
            _name(conversation, "id", f"{path.stem}:{line}"),
            _name(conversation, "annotator", "0"),
        )
        if name in taken:
            raise DataError(
                f"the id {name[0]!r} belongs to line {taken[name]} already; give each line its own"
            )
        index = _open_table(path.parent, file, conversation["table"], tables)
    except DataError as error:
        return Loaded((), (), (Problem(path, line, None, str(error)),))
    taken[name] = line
    return _read_turns(path, line, name, file, index, turns)


def _read_turns(
    path: Path, line: int, name: tuple[str, str], file: str, index: CellIndex, turns: Sequence[Any]
) -> Loaded:
    """Read the turns of a conversation about a table."""
    questions: list[Question] = []
    examples: list[Example] = []
    problems: list[Problem] = []
    for position, turn in enumerate(turns):
        try:
            history = tuple(question.text for question in questions)
            text = _question(turn)
            questions.append(Question(*name, position, text, index.table, file, history, line))
            answer = _answer(turn, index)
        except DataError as error:
            problems.append(Problem(path, line, position + 1, str(error)))
        else:
            if answer is not None:
                examples.append(Example(questions[-1], answer))
    return Loaded(tuple(questions), tuple(examples), tuple(problems))


def _parse(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise DataError(
            f"this is not JSON ({error.msg}, column {error.colno}); mend the line"
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"this JSON cannot be used ({error}); mend the line") from error
    if not isinstance(value, dict):
        raise DataError('the line must be an object like {"table": "path.csv", "turns": [...]}')
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("an object has the same key twice")
    return result


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _table_and_turns(conversation: dict[str, Any]) -> tuple[str, list[Any]]:
    file, turns = conversation.get("table"), conversation.get("turns")
    if isinstance(file, dict):
        content = json.dumps([file.get("columns"), file.get("rows")])
        file = f"inline-{hashlib.sha256(content.encode()).hexdigest()[:16]}"
    if not isinstance(file, str) or not file.strip():
        raise DataError('"table" must be the path of a table, relative to this file')
    if not isinstance(turns, list) or not turns:
        raise DataError('"turns" must be a list of at least one {"question": ...}')
    return file, turns


def _name(conversation: dict[str, Any], key: str, default: str) -> str:
    value = conversation.get(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise DataError(f'"{key}" must be a text or a whole number, or be left out')
    return _encodable(str(value), key)


def _open_table(
    directory: Path, file: str, given: Any, tables: dict[str, CellIndex | DataError]
) -> CellIndex:
    """The table of a file, or the one that is given itself."""
    place = os.path.normpath(os.path.join(directory, file))
    if place not in tables:
        try:
            # A bare "-" would mean standard input.
            opened = inline_table(given) if isinstance(given, dict) else read_table(os.path.join(directory, file))  # fmt: skip
            tables[place] = CellIndex(opened)
        except TableError as error:
            tables[place] = DataError(f"the table cannot be read: {error}")
    found = tables[place]
    if isinstance(found, DataError):
        raise found
    return found


def _question(turn: Any) -> str:
    if not isinstance(turn, dict):
        raise DataError('a turn must be an object like {"question": "...", "answer": ["..."]}')
    text = turn.get("question")
    if not isinstance(text, str):
        raise DataError('"question" must be a text')
    if not text.strip():
        raise DataError("the question is empty; write one or remove the turn")
    return _encodable(text, "question")


def _encodable(text: str, key: str) -> str:
    try:
        text.encode()
    except (
        UnicodeEncodeError
    ) as error:  # JSON can escape half of a surrogate pair, which no file can hold
        raise DataError(
            f'"{key}" holds half a character ({error.object[error.start]!r}); mend the escape'
        ) from error
    return text


def _answer(turn: dict[str, Any], index: CellIndex) -> Answer | None:
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
    """Return the values of a printed turn, which say more than its texts: a group stands before its value."""
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
            _encodable(item, key)
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
                f"the cell {pair} is outside the table ({rows} rows, {columns} columns); both count from 0, row 0"
                " being the first after the header"
            )
    return frozenset((row, column) for row, column in pairs)


def _shorten(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _as_object(turns: Sequence[Question | Example]) -> dict[str, Any]:
    questions = [turn.question if isinstance(turn, Example) else turn for turn in turns]
    last = max(questions, key=lambda question: len(question.history))
    texts = (*last.history, last.text)
    for question in questions:
        own = (*question.history, question.text)
        if (question.sequence, question.table_file, own) != (
            last.sequence,
            last.table_file,
            texts[: len(own)],
        ):
            raise DataError(
                f"the turns {question.text!r} and {last.text!r} are not of one conversation; group them with conversations()"
            )
    written: list[dict[str, Any]] = [{"question": text} for text in texts]
    for turn in turns:
        if isinstance(turn, Example):
            written[len(turn.question.history)] |= _written(turn)
    return {"id": last.id, "annotator": last.annotator, "table": last.table_file, "turns": written}


def _written(example: Example) -> dict[str, Any]:
    """Return an example's answer as its turn has it."""
    answer = example.answer
    if isinstance(answer, Values):
        if answer.repeats:
            raise DataError(
                f"the answer to {example.question.text!r} counts repeats, which a line cannot say"
            )
        return {"answer": [_plain(item) for item in answer.items]}
    if not answer.cells:
        raise DataError(
            f"the answer to {example.question.text!r} is no cell at all; for the answer that there is none, write values"
        )
    return {"cells": [[int(row), int(column)] for row, column in sorted(answer.cells)]}


def _plain(item: Item) -> str | int | float | bool:
    if isinstance(item, str | bool):
        return item
    return int(item) if float(item).is_integer() and abs(item) < 1e15 else float(item)
