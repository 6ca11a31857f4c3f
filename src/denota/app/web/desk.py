"""What a worker process does for the server: opens tables, answers, teaches, shows rows.

A desk has the parser, and the tables and conversations that it had to do with lately. It writes
nothing: what a request changes is returned as a `Change`, which the server writes to disk before it
answers. A conversation in memory is known by the version it has after that change, so one whose
change was not written, or that went on at another desk, is put together again from the disk.
"""

from __future__ import annotations

import io
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from denota import sample
from denota.app.files.export import conversation_jsonl, table_csv
from denota.app.offers import Offers
from denota.app.retrain import COMMAND, plan_of
from denota.app.web.changed import changed_answers
from denota.app.web.columns import column_object
from denota.app.web.messages import LIMITS, At, Change, Done, Opened, Source
from denota.app.web.picked import Total, total_of_cells
from denota.app.web.refusals import NotThere
from denota.app.web.rows import SeenRows, Sight, rows_with
from denota.app.web.sessions import SavedTurn, SessionStore, packed
from denota.app.web.told import (
    in_json,
    lesson_object,
    table_object,
    taught_object,
    total_of,
    turn_object,
)
from denota.conversation.about import AskedScope
from denota.conversation.as_csv import answer_csv, rows_csv
from denota.conversation.chat import Chat
from denota.conversation.given import Given
from denota.conversation.turn import Turn
from denota.errors import DataError, ProgramError, TableError
from denota.model.parser import Parser
from denota.programs.denotation import plain_number
from denota.sample.about import CONVERSATIONS, EXAMPLE
from denota.tables.inline import whole_inline_table, whole_table_as_object
from denota.tables.table import Table
from denota.teaching.pending import PendingLog
from denota.teaching.teacher import Teacher

TURNS: Final = 500
"""Questions of a conversation."""
HELD: Final = 256
"""Tables that a desk remembers."""
HELD_CELLS: Final = 4_000_000
"""Cells of all of them together."""
SHOWN: Final = 5
"""Items of such an answer that are told."""
SEEN: Final = 1000
"""Items of an answer on the first page."""


@dataclass(eq=False)
class Held:
    """A table in memory, and the conversation about it."""

    table: Table
    rows: SeenRows
    chat: Chat | None = None
    version: str = ""
    ids: list[str] = field(default_factory=list)
    """Of the turns."""


class Desk:
    """A parser at work on tables.

    Args:
        parser: what answers.
        store: where conversations are; they are only read here.
        log: what was taught; it is only read here, too.
        offers: tables that can be asked about by name; no others are opened.
    """

    def __init__(
        self, parser: Parser, store: SessionStore, log: PendingLog, offers: Offers | None = None
    ) -> None:
        self.parser, self._store, self._log = parser, store, log
        self._offers = offers or {}
        self._teacher = Teacher(parser, log)
        self._held: OrderedDict[str, Held] = OrderedDict()

    def do(self, name: str, *given: Any) -> Done:
        """Do what a request asks for: one of the methods below, by its name."""
        method: Callable[..., Done] = getattr(self, name)
        self._log.drop()
        return method(*given)

    def open(self, source: Source, at: At) -> Done:
        """Read a table and begin a conversation about it."""
        table = self._read(source)
        chat = self._chat(table, at.id)
        held = self._keep(at.id, Held(table, SeenRows(table), chat, at.next_version))
        content = packed(whole_table_as_object(table))
        rows, columns = table.shape
        opened = Opened(table.name, rows, rows * columns, content)
        return Done(in_json(self._session(at.id, at.next_version, held, at.limit)), None, opened)

    def once(self, source: Source, questions: Sequence[str], limit: int) -> Done:
        """Answer questions about a table that is not kept."""
        table = self._read(source)
        chat = self._chat(table)
        turns = [turn_object(chat.ask(text), str(n), limit) for n, text in enumerate(questions)]
        self._log.drop()
        return Done(in_json({**table_object(table), "turns": turns}))

    def example(self) -> Done:
        """Tell a bundled table with questions that were answered about it."""
        table = sample.table(EXAMPLE)
        turns = []
        for questions in CONVERSATIONS:
            chat = self._chat(table)
            turns += [turn_object(chat.ask(text), "", SEEN) for text in questions]
        self._log.drop()
        rows = [list(table.row(row)) for row in range(len(table))]
        return Done(in_json({**table_object(table), "cells": rows, "turns": turns}))

    def session(self, at: At) -> Done:
        """Tell a conversation."""
        held = self._talk(at)
        return Done(in_json(self._session(at.id, at.version, held, at.limit)))

    def ask(
        self,
        at: At,
        question: str,
        scope: AskedScope = "auto",
        key: str = "",
        request: str = "",
    ) -> Done:
        """Answer a question."""
        with self._changing(at) as (held, chat):
            if len(chat.turns) >= TURNS:
                raise DataError(f"a conversation has at most {TURNS} questions; begin a new one")
            turn = chat.ask(question, scope)
            held.ids.append(at.next_version)
        return self._put(at, held, turn, turn_object(turn, at.next_version, at.limit), key, request)

    def turn(self, at: At, place: int) -> Done:
        """Tell a turn."""
        held = self._talk(at)
        turn = _turn_at(held, place)
        return Done(in_json(turn_object(turn, held.ids[place], at.limit)))

    def part(self, at: At, place: int, start: int, count: int) -> Done:
        """Tell a part of a long answer."""
        turn = _turn_at(self._talk(at), place)
        whole, some = turn.as_json(), slice(start, start + count)
        parts = {name: whole[name][some] for name in ("answer", "values", "cells")}
        return Done(in_json({"total": total_of(turn), "start": start, **parts}))

    def readings(self, at: At, count: int) -> Done:
        """Tell the ways to understand the last question."""
        held = self._talk(at)
        assert held.chat is not None
        held.chat.person = at.person
        own = held.ids[-1] if held.ids else ""
        found = [
            {
                **turn_object(one.turn, own, at.limit),
                "probability": one.probability,
                "critique": one.critique,
            }
            for one in held.chat.readings(count)
        ]
        return Done(in_json(found))

    def choose(self, at: At, program: str) -> Done:
        """Take another reading of the last question."""
        with self._changing(at) as (held, chat):
            turn = chat.choose(program)
            held.ids[-1] = at.next_version
        return self._put(at, held, turn, turn_object(turn, at.next_version, at.limit))

    def undo(self, at: At) -> Done:
        """Take the last question back."""
        with self._changing(at) as (held, chat):
            chat.undo()
            held.ids.pop()
        return self._cut(at, held)

    def reset(self, at: At) -> Done:
        """Begin again."""
        with self._changing(at) as (held, chat):
            chat.reset()
            held.ids.clear()
        return self._cut(at, held)

    def teach(
        self,
        at: At,
        place: int,
        cells: Sequence[tuple[int, int]] | None,
        program: str | None,
        values: Sequence[Given] | None,
        key: str = "",
        request: str = "",
    ) -> Done:
        """Learn which cells or values answer a question."""
        with self._changing(at) as (held, chat):
            taught = chat.teach(place, cells, program, values)
            turn = chat.turns[-1]
            held.ids[place:] = [at.next_version]
            readings = chat.told_as(taught.readings)
        told = taught_object(taught, turn, readings, at.next_version, at.limit)
        return self._put(at, held, turn, told, key, request)

    def preview(
        self,
        at: At,
        place: int,
        cells: Sequence[tuple[int, int]] | None,
        program: str | None,
        values: Sequence[Given] | None,
    ) -> Done:
        """Tell what would come of a lesson, and learn nothing."""
        held = self._talk(at)
        assert held.chat is not None
        before = held.chat.turns
        try:
            chat = self._again(at, held.table)
            taught = chat.teach(place, cells, program, values)
            turn = chat.turns[-1]
            readings = chat.told_as(taught.readings)
            changed = changed_answers(self._again(at, held.table), before[:place])
        finally:
            self._log.drop()
        changes = [
            {"turn": n, "question": new.question, "answer": list(new.answer[:SHOWN])}
            for n, new in changed
        ]
        told = taught_object(taught, turn, readings, held.ids[place], at.limit)
        told |= {"changes": changes}
        return Done(in_json(told))

    def unteach(self, at: At) -> Done:
        """Take the person's last lesson back."""
        held = self._talk(at)
        assert held.chat is not None
        held.chat.person = at.person
        question = held.chat.unteach()
        turns = self._turns(held, at.limit)
        told = {"said": f"Forgotten: “{question}”.", "turns": turns}
        return Done(in_json(told), Change(entries=self._log.taken()))

    def accept(self, at: At, which: int | str) -> Done:
        """Write down that an answer is right."""
        held = self._talk(at)
        assert held.chat is not None
        held.chat.person = at.person
        place = which if isinstance(which, int) else _place_of(held, which)
        turn = _turn_at(held, place)
        held.chat.accept(place)
        told = turn_object(turn, held.ids[place], at.limit)
        return Done(in_json(told), Change(entries=self._log.taken()))

    def forget_lesson(self, at: At, lesson: int) -> Done:
        """Take one of the person's lessons back."""
        held = self._talk(at)
        assert held.chat is not None
        held.chat.person = at.person
        try:
            question = held.chat.forget(lesson)
        except DataError as error:
            raise NotThere(str(error)) from None
        told = {"said": f"Forgotten: “{question}”.", "turns": self._turns(held, at.limit)}
        return Done(in_json(told), Change(entries=self._log.taken()))

    def retrain(self, at: At) -> Done:
        """Tell what training on all lessons would take."""
        plan = plan_of(self._teacher, at.person)
        return Done(in_json({**asdict(plan), "said": plan.said, "command": COMMAND}))

    def lessons(self, at: At, every: bool = False) -> Done:
        """Tell a person's lessons in force, oldest first, of the session's table or of all."""
        found = []
        table = None if every else self._table(at.id).table
        for record, program in self._teacher.lessons(at.person, table):
            found.append(lesson_object(record, program, self._log.table(record.digest).name))
        return Done(in_json(found))

    def lessons_file(self, person: str) -> Done:
        """Write a person's lessons as `denota train` takes them."""
        return Done(self._log.export(person).encode())

    def rows(self, at: At, start: int, count: int, sight: Sight, turn: int | None = None) -> Done:
        """Tell some rows as they are seen; of a turn, only those of its answer."""
        held, sight = self._seen(at, sight, turn)
        shown, total = held.rows.some(start, count, sight)
        rows = [{"row": row, "cells": cells} for row, cells in shown]
        return Done(in_json({"total": total, "rows": rows}))

    def rows_file(self, at: At, sight: Sight, turn: int | None = None) -> Done:
        """Write rows as they are seen as CSV; of a turn, only those of its answer."""
        held, sight = self._seen(at, sight, turn)
        rows = held.rows.order(sight).tolist()
        return Done(rows_csv(held.table, rows).encode("utf-8", "replace"))

    def _seen(self, at: At, sight: Sight, turn: int | None) -> tuple[Held, Sight]:
        if turn is None:
            return self._table(at.id), sight
        held = self._talk(at)
        return held, sight.among(sorted({row for row, _ in _turn_at(held, turn).cells}))

    def places(self, id_: str, rows: Sequence[int], sight: Sight) -> Done:
        """Tell where rows are among those that are seen."""
        return Done(in_json(self._table(id_).rows.places(rows, sight)))

    def rows_with(self, id_: str, column: int, value: str) -> Done:
        """Tell which rows have a text in a column."""
        return Done(in_json(rows_with(self._table(id_).table, column, value)))

    def total(self, id_: str, cells: Sequence[tuple[int, int]], of: Total) -> Done:
        """Tell what cells come to."""
        found = total_of_cells(self._table(id_).table, cells, of)
        return Done(in_json({"value": plain_number(found.value), "left_out": found.left_out}))

    def columns(self, id_: str) -> Done:
        """Tell how the columns were read, and what is in them in brief."""
        return Done(in_json([column_object(one) for one in self._table(id_).table.columns]))

    def table_file(self, id_: str) -> Done:
        """Write a table as CSV."""
        return Done(table_csv(self._table(id_).table).encode("utf-8", "replace"))

    def answer_file(self, at: At, place: int | None) -> Done:
        """Write an answer as CSV, the last if no place is named."""
        held = self._talk(at)
        turn = _turn_at(held, len(held.ids) - 1 if place is None else place)
        return Done(answer_csv(turn, held.table).encode("utf-8", "replace"))

    def talk_file(self, at: At) -> Done:
        """Write a conversation as `denota train` takes it."""
        held = self._talk(at)
        assert held.chat is not None
        return Done(conversation_jsonl(held.chat).encode("utf-8", "replace"))

    def forget(self, id_: str) -> Done:
        """Forget a conversation and its table, and words that may be of it."""
        self._held.pop(id_, None)
        self.parser.forget()
        return Done(b"")

    def _read(self, source: Source) -> Table:
        if source.kind == "file":
            table = source.how.read(io.BytesIO(source.data), LIMITS, name=source.name)
        elif source.kind == "offer":
            table = self._offered(source.name)
        else:
            table = sample.table(source.name)
        if not len(table):
            raise TableError("the table has no rows, so there is nothing to ask it")
        return table

    def _offered(self, name: str) -> Table:
        try:
            return self._offers[name]()
        except TableError as error:  # it may name hosts and paths, which are the operator's
            print(f"denota: {name}: {error}", file=sys.stderr, flush=True)
            raise TableError(
                f"{name} cannot be read now; whoever runs the server can see why"
            ) from None

    def _chat(self, table: Table, session: str = "") -> Chat:
        return Chat(self.parser, table, teacher=self._teacher, session=session)

    def _keep(self, id_: str, held: Held) -> Held:
        self._held[id_] = held
        self._held.move_to_end(id_)
        while len(self._held) > HELD or (
            len(self._held) > 1 and sum(_cells(one) for one in self._held.values()) > HELD_CELLS
        ):
            self._held.popitem(last=False)
        return held

    def _table(self, id_: str) -> Held:
        """A table, from the disk if it is not at hand."""
        held = self._held.get(id_)
        if held is None:
            table = whole_inline_table(self._store.load(id_).content)
            held = Held(table, SeenRows(table))
        return self._keep(id_, held)

    def _talk(self, at: At) -> Held:
        """A conversation as it is now, from the disk if it is not at hand."""
        held = self._table(at.id)
        if held.chat is None or held.version != at.version:
            held.chat, held.version = self._again(at, held.table, held.ids), at.version
        return held

    def _again(self, at: At, table: Table, ids: list[str] | None = None) -> Chat:
        """A conversation as the disk has it, and the ids of its turns if they are asked for."""
        chat = self._chat(table, at.id)
        chat.person = at.person
        found = []
        for asked in self._store.turns(at.id):
            own = (asked.question, asked.program, asked.confidence, asked.sure)
            try:
                chat.recall(*own, asked.cells, asked.values, asked.taught, asked.afresh)
            except ProgramError:  # of a version with another language
                break
            found.append(asked.id)
        if ids is not None:
            ids[:] = found
        return chat

    @contextmanager
    def _changing(self, at: At) -> Iterator[tuple[Held, Chat]]:
        """A conversation that is about to change; if that fails, it is as it was."""
        held = self._talk(at)
        assert held.chat is not None
        held.chat.person = at.person
        try:
            yield held, held.chat
        except BaseException:
            held.chat = None
            raise
        held.version = at.next_version

    def _put(
        self,
        at: At,
        held: Held,
        turn: Turn,
        told: dict[str, Any],
        key: str = "",
        request: str = "",
    ) -> Done:
        corrected = not turn.program and not turn.declined
        cells = turn.cells if corrected and turn.cells else None
        values = turn.items if corrected and not turn.cells else None
        own = (turn.question, turn.program, turn.confidence, turn.sure, cells, values)
        place = len(held.ids) - 1
        assert held.chat is not None
        asked = SavedTurn(*own, held.chat.taught[place], at.next_version, key, request)
        asked = replace(asked, afresh=place > 0 and held.chat.afresh[place])
        change = Change(put=(place, asked), entries=self._log.taken())
        return Done(in_json(told), change)

    def _cut(self, at: At, held: Held) -> Done:
        told = self._session(at.id, at.next_version, held, at.limit)
        return Done(in_json(told), Change(cut=len(held.ids), entries=self._log.taken()))

    def _session(self, id_: str, version: str, held: Held, limit: int) -> dict[str, Any]:
        more = {"turns": self._turns(held, limit)}
        return {"id": id_, "version": version, **table_object(held.table), **more}

    def _turns(self, held: Held, limit: int) -> list[dict[str, Any]]:
        assert held.chat is not None
        pairs = zip(held.chat.turns, held.ids, strict=True)
        return [turn_object(turn, own, limit) for turn, own in pairs]


def desk_of(parser: Parser, sessions: Path, lessons: Path | None, offers: Offers) -> Desk:
    """Return a desk that reads from files which a server writes."""
    return Desk(parser, SessionStore(sessions, alone=False), PendingLog(lessons), offers)


def _turn_at(held: Held, place: int) -> Turn:
    assert held.chat is not None
    if not 0 <= place < len(held.chat.turns):
        raise NotThere("there is no such turn")
    return held.chat.turns[place]


def _place_of(held: Held, id_: str) -> int:
    if id_ not in held.ids:
        raise NotThere("there is no such turn")
    return held.ids.index(id_)


def _cells(held: Held) -> int:
    rows, columns = held.table.shape
    return rows * columns
