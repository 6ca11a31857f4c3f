"""`denota.answer_many`: questions about tables, from Python, answered by many workers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from denota.app.many.answer import Where, answer_on
from denota.app.many.work import Work
from denota.data.example import Question
from denota.data.jsonl.turn import question_of
from denota.errors import DataError
from denota.evaluation.predict import key_of
from denota.programs.denotation import Denotation, value_text
from denota.tables.io import read_table
from denota.tables.table import Table

Asked = Iterable[tuple[Any, str | Sequence[str]]]
"""Tables, each with a question or the questions of one conversation."""


def answer_many(
    asked: Any,
    model: str | Path = "default",
    *,
    on: Where = "processes",
    workers: int = 0,
    cluster: str | None = None,
    chunks: str | Path | None = None,
) -> list[dict[str, Any]]:
    """Answer questions about any number of tables; `denota.answer_many` says how."""
    questions = questions_of(asked)
    with tempfile.TemporaryDirectory() as folder:
        work = Work.of(model, Path(chunks or folder))
        answers = answer_on(work, questions, on, workers, cluster)
    return [_as_object(question, answers[key_of(question)]) for question in questions]


def questions_of(asked: Any) -> list[Question]:
    """Read the tables, each once, and return the questions in their order.

    Args:
        asked: pairs, or a data frame with the columns `table` and `question`.

    Raises:
        DataError: something is not a question, or the frame has other columns.
        TableError: a table cannot be read.
    """
    tables: dict[object, tuple[Table, Any]] = {}
    found: list[Question] = []
    for number, (given, texts) in enumerate(_pairs(asked)):
        key = str(given) if isinstance(given, str | Path) else id(given)
        if key not in tables:  # what is read is kept, so that no other object gets its id
            tables[key] = (given if isinstance(given, Table) else read_table(given), given)
        history: tuple[str, ...] = ()
        for position, text in enumerate([texts] if isinstance(texts, str) else texts):
            question_of({"question": text})
            name = (str(number), "0", position)
            found.append(Question(*name, text, tables[key][0], str(key), history))
            history = (*history, text)
    return found


def _pairs(asked: Any) -> Asked:
    if not hasattr(asked, "columns"):
        pairs: Asked = asked
        return pairs
    if not {"table", "question"} <= set(asked.columns):
        raise DataError("the frame needs a column table and a column question; name them so")
    return zip(asked["table"], asked["question"], strict=True)


def _as_object(question: Question, answer: Denotation) -> dict[str, Any]:
    cells = sorted(answer.cells)
    values: list[Any] = list(answer.values or ())
    if answer.groups:  # NaN: nothing can be computed of the group
        known = (None if value != value else value for value in values)
        values = list(zip(answer.groups, known, strict=True))
    texts = [question.table.cell(*cell) for cell in cells]
    told = texts if answer.values is None else list(map(value_text, values))
    return {"question": question.text, "answer": told, "cells": cells, "values": values}
