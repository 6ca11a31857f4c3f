"""`denota teach`: lessons from a file, and the log of all lessons."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from denota.app.lessons import Pointed, Record, TeachingLog
from denota.app.models import lessons_path, load_run
from denota.app.teacher import Teacher
from denota.data import conversations, load_examples, read_as
from denota.data.example import Example
from denota.data.resolve import with_cells
from denota.errors import DataError
from denota.model.checkpoint import save_parser
from denota.model.parser import Parser
from denota.programs.denotation import Denotation


def teach_model(
    model: str,
    file: Path | None,
    undo: bool,
    reset: bool,
    log: bool,
    export: Path | None,
    save: Path | None,
) -> Iterator[str]:
    """Do what was asked of a model's lessons, and give lines that tell of it.

    Raises:
        DataError: nothing was asked, or it cannot be done.
    """
    if not (file or undo or reset or log or export or save):
        raise DataError("say what to teach, or --undo, --reset, --log, --export or --save")
    lessons = TeachingLog(lessons_path(model))
    try:
        if undo:
            record = lessons.undo()
            yield f"forgotten: {record.pointed.question if record.pointed else ''}"
        if reset:
            yield f"{lessons.reset()} lessons forgotten; the model is as it came"
        if file is not None:
            yield from _teach(load_run(model), lessons, file)
        if log:
            records = lessons.records()
            yield from (_line(record) for record in records) if records else ("nothing was taught yet",)  # fmt: skip
        if export is not None:
            _write(export, lessons.export())
            yield f"{export}: {len(lessons.lessons()):,} lessons"
        if save is not None:
            parser = load_run(model)
            taught = replace(parser, memory=Teacher(parser, lessons).memory())
            save_parser(save, taught)
            yield f"{save}: {save.stat().st_size / 1e6:.1f} MB"
    finally:
        lessons.close()


def _teach(parser: Parser, lessons: TeachingLog, file: Path) -> Iterator[str]:
    """Teach every answer of a file, each with the answers before it as they should have been."""
    teacher = Teacher(parser, lessons)
    loaded = read_as(load_examples(file, "all"), parser.config.data.numbers)
    yield from (str(problem) for problem in loaded.problems)
    loaded = with_cells(loaded)
    learnt = kept = 0
    for talk in conversations(loaded.examples):
        before: Denotation | None = None
        for turn in talk:
            assert isinstance(turn, Example)
            question = turn.question
            pointed = Pointed(
                question.text, question.text, question.history, before, turn.cells, None
            )
            taught = teacher.teach(question.table, pointed)
            before = Denotation.of_cells(turn.cells)
            learnt, kept = learnt + taught.learnt, kept + (not taught.learnt)
            if taught.contradicts:
                yield taught.contradicts
    yield f"{learnt:,} lessons learnt, {kept:,} kept for later: no program gives their cells"


def _line(record: Record) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(record.at))
    if record.pointed is None:
        return f"{record.number:5}  {when}  {record.kind}"
    cells = len(record.pointed.cells)
    meant = f"  {record.pointed.program}" if record.pointed.program else ""
    return f"{record.number:5}  {when}  {record.kind}  {record.pointed.question}  ({cells} cells){meant}"


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path} cannot be written: {(error.strerror or '').lower()}") from None
