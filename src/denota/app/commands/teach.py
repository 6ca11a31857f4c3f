"""`denota teach`: lessons from a file, and the log of all lessons."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from denota.app.paths import lessons_path, load_run
from denota.app.retrain import retrained
from denota.app.terminal.text import visible
from denota.conversation.requests import computes, plain_question, request_in
from denota.data import Cells, Problem, Values, conversations, load_examples
from denota.data.example import Example
from denota.errors import DataError
from denota.model.parser import Parser
from denota.model.saved import save_parser
from denota.programs.denotation import Denotation, value_text
from denota.programs.execute import execute
from denota.tables.table import Table
from denota.teaching.log import Correction, Record, TeachingLog
from denota.teaching.teacher import Taught, Teacher


def show_teaching(
    model: str,
    file: Path | None,
    undo: bool,
    reset: bool,
    log: bool,
    export: Path | None,
    save: Path | None,
    forget: int | None = None,
    retrain: Path | None = None,
    preview: bool = False,
) -> None:
    """Do what was asked of a model's lessons and print what came of it."""
    given = (file, undo, reset, log, export, save, forget, retrain, preview)
    for line in teach_model(model, *given):
        print(visible(line))


def teach_model(
    model: str,
    file: Path | None,
    undo: bool,
    reset: bool,
    log: bool,
    export: Path | None,
    save: Path | None,
    forget: int | None = None,
    retrain: Path | None = None,
    preview: bool = False,
) -> Iterator[str]:
    """Do what was asked of a model's lessons, and yield lines that say what was done.

    Raises:
        DataError: nothing was asked, or it cannot be done.
    """
    if not (file or undo or reset or log or export or save or retrain) and forget is None:
        raise DataError(
            "say what to teach, or --undo, --forget, --reset, --log, --export, --save or --retrain"
        )
    lessons = TeachingLog(lessons_path(model))
    try:
        if undo:
            record = lessons.undo()
            yield f"forgotten: {record.correction.question if record.correction else ''}"
        if forget is not None:
            record = lessons.forget(forget)
            yield f"forgotten: {record.correction.question if record.correction else ''}"
        if reset:
            yield f"{lessons.reset()} lessons forgotten; the model is as it came"
        if file is not None:
            yield from _teach(load_run(model), lessons, file)
        if log:
            damaged = lessons.damaged()
            yield from [_line(record) for record in lessons.records()] or (
                [] if damaged else [NOTHING]
            )
            if damaged:
                yield f"{damaged:,} damaged records, which are passed over"
        if export is not None:
            _write(export, lessons.export())
            yield f"{export}: {len(lessons.lessons()):,} lessons"
        if save is not None:
            parser = load_run(model)
            taught = replace(parser, memory=Teacher(parser, lessons).memory())
            save_parser(save, taught)
            yield f"{save}: {save.stat().st_size / 1e6:.1f} MB"
        if retrain is not None:
            yield from retrained(Teacher(load_run(model), lessons), None if preview else retrain)
    finally:
        lessons.close()


def _teach(parser: Parser, lessons: TeachingLog, file: Path) -> Iterator[str]:
    """Teach every answer of a file, each with the answers before it as they should have been."""
    teacher = Teacher(parser, lessons)
    loaded = load_examples(file, "all")
    yield from (str(problem) for problem in loaded.problems)
    learnt = kept = 0
    for talk in conversations(loaded.examples):
        before: Denotation | None = None
        last = -1
        for turn in talk:
            question = turn.question
            if question.position != last + 1:
                before = None  # the turn before it has no answer
            correction = _correction(turn, before, parser)
            taught = teacher.teach(question.table, correction)
            before = _context(turn, taught, before)
            last = question.position
            learnt, kept = learnt + taught.learnt, kept + (not taught.learnt)
            if not taught.learnt:
                said = KEPT if correction.program == "" else f"{taught.said} ({question.text})"
                yield str(Problem(file, question.line, question.position + 1, said))
            if taught.contradicts:
                yield taught.contradicts
    yield f"{learnt:,} lessons learnt, {kept:,} kept for later: no program gives their answer"


NOTHING: Final = "nothing was taught yet"
KEPT: Final = (
    "this parser only learns to pick cells, and what this asks for is worked out by rules, "
    "so the lesson is kept and not learnt; give the cells instead"
)


def _correction(turn: Example, before: Denotation | None, parser: Parser) -> Correction:
    """A turn as a lesson, with questions as a conversation would put them to the parser."""
    question, answer = turn.question, turn.answer
    asked, *history = (
        _plain(text, question.table, parser) for text in (question.text, *question.history)
    )
    values = answer.items if isinstance(answer, Values) else None
    by_rules = values is not None and asked != question.text
    own = (question.text, asked, tuple(history), before, turn.cells)
    return Correction(*own, "" if by_rules else None, values)


def _plain(text: str, table: Table, parser: Parser) -> str:
    if computes(parser.language):
        return text
    return plain_question(text, request_in(text, table), table)


def _context(turn: Example, taught: Taught, before: Denotation | None) -> Denotation | None:
    """Return what the next turn follows up on: the right cells, or those a value comes from."""
    if isinstance(turn.answer, Cells):
        return Denotation.of_cells(turn.cells)
    if taught.taken is None:
        return None
    found = execute(taught.taken, turn.question.table, before)
    return replace(found, values=None, groups=())


def _line(record: Record) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(record.at))
    if record.correction is None:
        return f"{record.number:5}  {when}  {record.kind}"
    correction = record.correction
    right = f"{len(correction.cells)} cells"
    if correction.values is not None:
        right = ", ".join(map(value_text, correction.values[:4])) or "nothing"
    meant = f"  {correction.program}" if correction.program else ""
    return f"{record.number:5}  {when}  {record.kind}  {correction.question}  ({right}){meant}"


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path} cannot be written: {(error.strerror or '').lower()}") from None
