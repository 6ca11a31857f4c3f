"""Training on lessons: what it would take, and what it changes.

Lessons are learnt at once, for their own tables. Where there are many of a kind, training on all of
them makes a model that knows them everywhere. It learns from the lessons and, so that the rest
stays right, from the bundled sample; what it changes is told on questions that it did not learn
from: the sample's dev questions, and the answers that were accepted.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from denota import sample
from denota.app.api import TableParser
from denota.data.example import Question
from denota.errors import DataError
from denota.model.parser import Parser
from denota.search.preparer import Preparer
from denota.teaching.teacher import Teacher

EPOCHS: Final = 3
STEP: Final = 4.0
"""How much longer a question takes to learn from than to read."""
FEW: Final = 3
"""Fewer lessons than this are better left as they are."""
COMMAND: Final = "denota teach MODEL --retrain OUT.safetensors"


@dataclass(frozen=True)
class Plan:
    """What training on lessons would take."""

    lessons: int
    """How many have an answer that some program gives."""
    tables: int
    """How many tables they are about."""
    questions: int
    """How many questions an epoch has, those of the sample included."""
    seconds: float
    """How long it takes, as predicted from a few questions."""

    @property
    def said(self) -> str:
        """A sentence for people."""
        if not self.lessons:
            return "There is nothing to train on: no lesson that a program answers is in force."
        few = " They are few; learnt as they are, they do as well." if self.lessons < FEW else ""
        minutes = max(1, round(self.seconds / 60))
        about = f"{minutes} minute{'s' if minutes > 1 else ''}"
        return (
            f"Training on {_many(self.lessons, 'lesson')} about {_many(self.tables, 'table')} and"
            f" on {self.questions - self.lessons:,} questions that keep the rest right takes about"
            f" {about} here.{few}"
        )


@dataclass(frozen=True)
class Changed:
    """How many percent of the questions of a kind are answered right, before and after."""

    what: str
    questions: int
    before: float
    after: float


def plan_of(teacher: Teacher, person: str = "") -> Plan:
    """Return what training on a person's lessons would take, timed on one or two questions."""
    learnt = [record for record, program in teacher.lessons(person) if program]
    if not learnt:
        return Plan(0, 0, 0, 0.0)
    own = _turns(_lessons(teacher, person))
    questions = own + _turns(_sample("train"))
    seconds = _seconds_a_question(teacher.parser) * STEP * EPOCHS * questions
    tables = len({record.digest for record in learnt})
    return Plan(len(learnt), tables, questions, seconds)


def retrain(
    teacher: Teacher, out: Path, person: str = "", progress: bool = True
) -> tuple[Changed, ...]:
    """Train on a person's lessons, write the parser, and return what that changes.

    Raises:
        DataError: there is nothing to train on.
    """
    plan = plan_of(teacher, person)
    if not plan.lessons:
        raise DataError(plan.said)
    lessons = _lessons(teacher, person)
    held_out = {
        "the lessons themselves": lessons,
        "accepted answers": [json.loads(line) for line in _lines(teacher, person, "accepted")],
        "the sample's dev questions": _sample("dev"),
    }
    known = TableParser(teacher.parser)
    before = {what: known.score(some) for what, some in held_out.items() if some}
    after = TableParser(teacher.parser)
    after.fit([*lessons, *_sample("train")], epochs=EPOCHS, progress=progress)
    after.save(out)
    return tuple(
        Changed(what, _turns(held_out[what]), own, after.score(held_out[what]))
        for what, own in before.items()
    )


def retrained(teacher: Teacher, out: Path | None, person: str = "") -> Iterator[str]:
    """Yield lines on what training takes, and, where it is to be done, on what came of it."""
    plan = plan_of(teacher, person)
    yield plan.said
    if out is None or not plan.lessons:
        return
    for one in retrain(teacher, out, person):
        shares = f"{one.before:.1f}% right before, {one.after:.1f}% after"
        yield f"{one.what}: {shares}, of {one.questions:,}"
    yield f"{out}: {out.stat().st_size / 1e6:.1f} MB; lessons stay in the log of the old model"


def _lessons(teacher: Teacher, person: str) -> list[dict[str, Any]]:
    """A person's lessons that a program answers, as conversations."""
    learnt = {record.number for record, program in teacher.lessons(person) if program}
    return [json.loads(line) for line in _lines(teacher, person, "lesson", learnt)]


def _lines(teacher: Teacher, person: str, kind: str, numbers: set[int] | None = None) -> list[str]:
    return teacher.log.export(person, kind, numbers).splitlines()


def _sample(split: str) -> list[dict[str, Any]]:
    """The conversations of a split of the sample."""
    folder = sample.path()
    lines = (folder / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [{**one, "table": str(folder / one["table"])} for one in found]


def _turns(conversations: list[dict[str, Any]]) -> int:
    """Count the turns with an answer."""
    turns = (turn for one in conversations for turn in one["turns"])
    return sum("cells" in turn or "answer" in turn for turn in turns)


def _seconds_a_question(parser: Parser) -> float:
    """How long the parser takes to read a question, by one or two of the sample."""
    preparer = Preparer.of(parser.config)
    table = sample.table("bridges")
    took = []
    for text in ("which bridge is the longest?", "which bridges are there?"):
        began = time.perf_counter()
        parser.read(preparer(Question("plan", "0", 0, text, table, ""), None))
        took.append(time.perf_counter() - began)
    return min(took)


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
