"""What a worker needs to know, and what it does with a chunk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import denota
from denota.app.commands.answering import answer_group
from denota.app.many.chunks import Chunk, read_chunk, write_chunk
from denota.app.paths import load_run, model_path
from denota.data.disk import replacing, unreadable, unwritable
from denota.errors import DataError
from denota.evaluation.predict import key_of
from denota.model.parser import Parser
from denota.tables.table import Table

MARK: Final = "work.json"
"""The file of a folder that says whose chunks it holds."""


@dataclass(frozen=True, slots=True)
class Work:
    """How chunks are answered, and the folder their answers go to; paths hold on every machine."""

    run: str  #: `default`, or an absolute path
    folder: Path
    without: tuple[str, ...] = ()
    only_model: bool = False
    cells: bool = False

    @staticmethod
    def of(
        run: str | Path,
        folder: Path,
        without: Sequence[str] = (),
        only_model: bool = False,
        cells: bool = False,
    ) -> Work:
        """Return work whose paths do not depend on where a worker is started."""
        path = model_path(run).absolute()
        # The package of another machine may lie elsewhere, so its own model is only named.
        named = "default" if path == model_path("default").absolute() else str(path)
        return Work(named, folder.absolute(), tuple(without), only_model, cells)


def answer_chunk(work: Work, chunk: Chunk) -> int:
    """Answer a chunk, unless somebody has, and return its number."""
    if read_chunk(work.folder, chunk) is None:
        parser = loaded_parser(work.run)
        how = (None, work.without, work.only_model, work.cells)
        write_chunk(work.folder, chunk, answer_group(parser, chunk.questions, *how))
    return chunk.number


def failed(what: str, error: Exception) -> DataError:
    """Return what to say of a cluster that could not answer a chunk."""
    said = [line.strip() for line in str(error).splitlines() if line.strip()]
    why = said[-1] if said else type(error).__name__
    return DataError(
        f"{what} could not answer all chunks ({why}); mend that and give the command again, which"
        " answers only what is missing"
    )


@lru_cache(maxsize=1)
def loaded_parser(run: str) -> Parser:
    """Return a run's parser, which a process loads once."""
    return load_run(run)


def claim(work: Work, chunks: Sequence[Chunk]) -> None:
    """Make the folder, and say in it whose chunks it holds.

    Raises:
        DataError: it holds those of other questions, another model or other options, or cannot be
            used.
    """
    file, mark = work.folder / MARK, _mark(work, chunks)
    try:
        work.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(work.folder, error) from error
    try:
        there = file.read_text("utf-8") if file.exists() else None
    except OSError as error:
        raise unreadable(file, error) from error
    if there is None:
        with replacing(file) as stream:
            stream.write(mark)
    elif there != mark:
        raise DataError(
            f"{work.folder} holds answers to other questions, of another model or with other"
            " options; name another folder, or remove this one"
        )


def _mark(work: Work, chunks: Sequence[Chunk]) -> str:
    """The text of a folder's mark, the same for the same work."""
    digest, tables = hashlib.sha256(), dict[int, str]()
    for chunk in chunks:
        for question in chunk.questions:
            table = id(question.table)
            if table not in tables:
                tables[table] = _content(question.table)
            parts = (chunk.number, key_of(question), question.text, tables[table])
            digest.update(repr(parts).encode())
    try:
        model = hashlib.sha256(model_path(work.run).read_bytes()).hexdigest()
    except OSError as error:
        raise unreadable(model_path(work.run), error) from error
    how = {"without": work.without, "only_model": work.only_model, "cells": work.cells}
    whose = {"denota": denota.__version__, "model": model, "questions": digest.hexdigest()}
    return json.dumps({**whose, **how}, indent=1) + "\n"


def _content(table: Table) -> str:
    parts = [(column.name, column.text) for column in table.columns]
    return hashlib.sha256(repr(parts).encode()).hexdigest()
