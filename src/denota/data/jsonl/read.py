"""Read files of conversations, line by line."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from denota.data.disk import unreadable
from denota.data.example import Example, Question
from denota.data.jsonl.turn import answer_of, encodable, question_of
from denota.data.loaded import Loaded, Problem
from denota.data.resolve import CellIndex
from denota.errors import DataError, TableError
from denota.tables.inline import inline_table
from denota.tables.io import read_table
from denota.tables.table import Table


def read_jsonl(path: str | Path) -> Loaded:
    """Read a file of conversations; a line or turn that cannot be used becomes a problem.

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
    return _together(lines)


def read_objects(conversations: Iterable[Mapping[str, Any]]) -> Loaded:
    """Read conversations that are objects already; a table may be anything `read_table` takes.

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
    return _together(read)


_GIVEN: Final = Path("conversations")


def _together(read: Sequence[Loaded]) -> Loaded:
    return Loaded(
        tuple(question for loaded in read for question in loaded.questions),
        tuple(example for loaded in read for example in loaded.examples),
        tuple(problem for loaded in read for problem in loaded.problems),
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
    """Read one conversation; `tables` and `taken` keep the tables and names of earlier lines."""
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
            text = question_of(turn)
            questions.append(Question(*name, position, text, index.table, file, history, line))
            answer = answer_of(turn, index)
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
    return encodable(str(value), key)


def _open_table(
    directory: Path, file: str, given: Any, tables: dict[str, CellIndex | DataError]
) -> CellIndex:
    """Return the table of a file, or the one that is given itself."""
    path = os.path.join(directory, file)  # a bare "-" would mean standard input
    key = os.path.normpath(path)
    if key not in tables:
        try:
            opened = inline_table(given) if isinstance(given, dict) else _read_file(path)
            tables[key] = CellIndex(opened)
        except TableError as error:
            tables[key] = DataError(f"the table cannot be read: {error}")
    found = tables[key]
    if isinstance(found, DataError):
        raise found
    return found


def _read_file(path: str) -> Table:
    """Read a file as it stands, so that cells keep their rows; else as `denota show` reads it."""
    try:
        return read_table(path, tidy=False)
    except TableError:
        return read_table(path)
