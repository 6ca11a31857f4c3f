"""Write conversations, one a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from denota.data.answer import Item, Values
from denota.data.disk import replacing
from denota.data.example import Example, Question
from denota.errors import DataError


def write_jsonl(path: str | Path, conversations: Iterable[Sequence[Question | Example]]) -> None:
    """Write conversations, with the table paths that the questions have.

    Earlier questions that are not among the turns are written from the history, without an answer.

    Raises:
        DataError: the file cannot be written, or turns are not of one conversation. What stood
            there before is untouched.
    """
    with replacing(Path(path)) as stream:
        for turns in conversations:
            if turns:
                stream.write(json.dumps(_as_object(turns), ensure_ascii=False) + "\n")


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
                f"the turns {question.text!r} and {last.text!r} are not of one conversation;"
                " group them with conversations()"
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
            f"the answer to {example.question.text!r} is no cell at all;"
            " for the answer that there is none, write values"
        )
    return {"cells": [[int(row), int(column)] for row, column in sorted(answer.cells)]}


def _plain(item: Item) -> str | int | float | bool:
    if isinstance(item, str | bool):
        return item
    return int(item) if float(item).is_integer() and abs(item) < 1e15 else float(item)
