"""Questions cut into chunks, and the file of a chunk's answers.

A line of `00000.jsonl` is one answer:

    {"id": "nt-639", "annotator": "0", "position": 0, "rows": [3], "columns": [1],
     "values": null, "groups": []}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from denota.app.commands.answering import GROUP
from denota.data.disk import replacing
from denota.data.example import Question, conversations
from denota.errors import DataError
from denota.evaluation.metrics import Key
from denota.evaluation.predict import key_of
from denota.programs.denotation import Denotation


@dataclass(frozen=True, slots=True)
class Chunk:
    """Questions that one worker answers together: whole conversations, most about one table."""

    number: int
    questions: tuple[Question, ...]


def cut(questions: Iterable[Question], size: int = GROUP) -> tuple[Chunk, ...]:
    """Cut questions into chunks of so many conversations.

    Conversations about one table stand together, so that few chunks carry it. Where they did so
    before, chunks are the groups of `answer_all`.

    Raises:
        DataError: two questions have the same id, annotator and position.
    """
    questions = tuple(questions)
    seen: set[Key] = set()
    for question in questions:
        key = key_of(question)
        if key in seen:
            named = " ".join(map(str, key))
            raise DataError(f"there are two questions {named}; give each its own id or position")
        seen.add(key)
    by_table: dict[str, list[tuple[Question, ...]]] = {}
    for talk in conversations(questions):
        by_table.setdefault(talk[0].table_file, []).append(talk)
    talks = [talk for own in by_table.values() for talk in own]
    starts = range(0, len(talks), size)
    return tuple(
        Chunk(number, tuple(turn for talk in talks[start : start + size] for turn in talk))
        for number, start in enumerate(starts)
    )


def write_chunk(folder: Path, chunk: Chunk, answers: Mapping[Key, Denotation]) -> None:
    """Write a chunk's answers beside their file, and move them in place when they are whole.

    Raises:
        DataError: the file cannot be written.
    """
    with replacing(_file(folder, chunk)) as stream:
        for key in map(key_of, chunk.questions):
            stream.write(json.dumps(_as_object(key, answers[key])) + "\n")


def read_chunk(folder: Path, chunk: Chunk) -> dict[Key, Denotation] | None:
    """Return a chunk's answers, None unless its file has one of each of its questions."""
    try:
        lines = _file(folder, chunk).read_text("utf-8").splitlines()
        pairs = [_from_object(json.loads(line)) for line in lines]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    same = [key for key, _ in pairs] == [key_of(question) for question in chunk.questions]
    return dict(pairs) if same else None


def missing(folder: Path, chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the chunks that are not answered yet."""
    return [chunk for chunk in chunks if read_chunk(folder, chunk) is None]


def joined(folder: Path, chunks: Sequence[Chunk]) -> dict[Key, Denotation]:
    """Return the answers of all chunks, one for each question.

    Raises:
        DataError: some chunk is not answered.
    """
    found: dict[Key, Denotation] = {}
    for chunk in chunks:
        answers = read_chunk(folder, chunk)
        if answers is None:
            raise DataError(
                f"{_file(folder, chunk)} is missing or not whole; give the command again, which"
                " answers only what is missing"
            )
        found |= answers
    return found


def _file(folder: Path, chunk: Chunk) -> Path:
    return folder / f"{chunk.number:05}.jsonl"


def _as_object(key: Key, answer: Denotation) -> dict[str, Any]:
    return {
        "id": key[0],
        "annotator": key[1],
        "position": key[2],
        "rows": [int(row) for row in answer.rows],
        "columns": [int(column) for column in answer.columns],
        "values": None if answer.values is None else list(answer.values),
        "groups": list(answer.groups),
    }


def _from_object(line: Mapping[str, Any]) -> tuple[Key, Denotation]:
    values = line["values"]
    answer = Denotation(
        tuple(line["rows"]),
        tuple(line["columns"]),
        None if values is None else tuple(values),
        tuple(line["groups"]),
    )
    return (line["id"], line["annotator"], line["position"]), answer
