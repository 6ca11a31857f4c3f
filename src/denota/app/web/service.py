"""Conversations behind the server: whose they are, in which order they change, and what is kept.

The service computes nothing about tables: desks do, in other processes (`pool`). It lets a request
through if the session is the client's, has one request at a time change a session, and writes what
changed to disk before it is answered. A change that could not be written, or that took too long,
was not made.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Literal, TypeVar

from denota import sample
from denota.app.web.messages import LARGEST, At, Change, Done, Source
from denota.app.web.people import Client, is_person
from denota.app.web.pool import Desks
from denota.app.web.queue import LARGE, WAITING, Job
from denota.app.web.refusals import (
    Busy,
    GoneOn,
    Late,
    NoRoom,
    NotThere,
    Refused,
    TooMany,
    no_session,
)
from denota.app.web.rows import Sight
from denota.app.web.sessions import Kept, SessionStore, new_id
from denota.conversation.about import AskedScope
from denota.conversation.given import Given
from denota.errors import DataError, TooLarge
from denota.teaching.log import TeachingLog

ANSWERING: Final = 30.0
"""Seconds that a question may take."""
READING: Final = 45.0
"""Seconds that a table may take to be read."""
PATIENCE: Final = 55.0
"""Seconds that a request may wait and take, together."""
REMEMBERED: Final = 500
"""Answers to requests with a key that are remembered, besides what is on disk."""
LONG: Final = 64 << 10
"""Bytes of an answer from which on it is not remembered."""
BYTES_A_CELL: Final = 8
"""What a cell of a file takes, roughly."""

T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """What a request says of itself besides what it asks for."""

    client: Client
    limit: int = 1000
    """The most items of an answer that are told."""
    seen: str | None = None
    """The version that the client has seen, from `If-Match`."""
    key: str = ""
    """The request's `Idempotency-Key`."""


@dataclass(frozen=True)
class Answer:
    """What a request is answered with."""

    body: bytes
    version: str = ""
    """Of the session, after it."""


@dataclass(eq=False)
class _Talk:
    """A session that requests are changing."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class Service:
    """Conversations with one parser.

    Args:
        store: where they are kept.
        log: where lessons are kept.
        desks: what computes.
        offered: names of the tables that the operator offers; no others are opened.
        shared: whether lessons are everybody's.
    """

    def __init__(
        self,
        store: SessionStore,
        log: TeachingLog,
        desks: Desks,
        offered: Sequence[str] = (),
        shared: bool = False,
    ) -> None:
        self.store, self.log, self.desks = store, log, desks
        self._offered, self._shared = tuple(offered), shared
        self._talks: dict[str, _Talk] = {}
        self._remembered: OrderedDict[tuple[str, str], tuple[str, Answer]] = OrderedDict()
        self._writer = ThreadPoolExecutor(1, "to-disk")
        self._example: Answer | None = None

    def close(self) -> None:
        """Stop answering and close the files."""
        self.desks.close()
        self._writer.shutdown()
        self.log.close()
        self.store.close()

    def samples(self) -> list[str]:
        """Return the names of the tables that come with denota."""
        return sample.names()

    def offered(self) -> list[str]:
        """Return the names of the tables that the operator offers."""
        return list(self._offered)

    def own(self, client: Client) -> list[Kept]:
        """Return the sessions of a person, the one used last first."""
        return self.store.of(client.person) if client.person else []

    async def begin(self, source: Source, asked: Asked) -> Answer:
        """Begin a conversation about a table.

        Raises:
            NotThere: there is no sample or offered table of this name.
            TableError: it cannot be read.
            NoRoom: the client keeps too much.
        """
        self._check(source)
        asked = replace(asked, key=asked.client.key(asked.key))
        owner, request = asked.client.owner, _digest(source)
        async with self._alone(f"begin {owner} {asked.key}" if asked.key else ""):
            before = self._begun(owner, asked.key, request)
            if before is not None:
                return await self.session(before.id, asked)
            id_ = new_id()
            at = At(id_, "", self._person(asked.client, id_), new_id(), asked.limit)
            size = len(source.data) // BYTES_A_CELL
            by = self._fair(asked.client, id_ if size <= LARGE else owner)
            done = await self._run(by, "open", (source, at), id_, size, READING)
            assert done.opened is not None
            opened = done.opened
            sizes = (opened.name, opened.rows, opened.cells, len(opened.content), 0, 0)
            kept = Kept(id_, owner, at.next_version, *sizes, asked.key, request)
            gone = await self._write(
                self.store.create, kept, opened.content, is_person(asked.client.owner)
            )
        for other in gone:
            self.desks.forget(other)
        return Answer(done.body, at.next_version)

    async def once(self, source: Source, questions: Sequence[str], asked: Asked) -> Answer:
        """Answer questions about a table that is not kept."""
        self._check(source)
        size = len(source.data) // BYTES_A_CELL
        given = (source, tuple(questions), asked.limit)
        by = self._fair(asked.client, new_id() if size <= LARGE else asked.client.owner)
        done = await self._run(by, "once", given, "", size, READING)
        return Answer(done.body)

    async def session(self, id_: str, asked: Asked) -> Answer:
        """Return a conversation."""
        return await self._look(id_, asked, "session")

    async def ask(self, id_: str, question: str, scope: AskedScope, asked: Asked) -> Answer:
        """Answer a question; it is on disk before the answer is given."""
        request = _digest((question, scope))
        return await self._change(id_, asked, "ask", (question, scope, asked.key, request), request)

    async def part(self, id_: str, place: int, start: int, count: int, asked: Asked) -> Answer:
        """Return a part of a long answer."""
        return await self._look(id_, asked, "part", place, start, count)

    async def readings(self, id_: str, count: int, asked: Asked) -> Answer:
        """Return the ways to understand the last question."""
        return await self._look(id_, asked, "readings", count)

    async def choose(self, id_: str, program: str, asked: Asked) -> Answer:
        """Take another reading of the last question."""
        return await self._change(id_, replace(asked, key=""), "choose", (program,))

    async def undo(self, id_: str, asked: Asked) -> Answer:
        """Take the last question back."""
        return await self._change(id_, replace(asked, key=""), "undo", ())

    async def reset(self, id_: str, asked: Asked) -> Answer:
        """Begin again."""
        return await self._change(id_, replace(asked, key=""), "reset", ())

    async def teach(
        self,
        id_: str,
        place: int,
        cells: Sequence[tuple[int, int]] | None,
        program: str | None,
        values: Sequence[Given] | None,
        asked: Asked,
    ) -> Answer:
        """Learn which cells or values answer a question."""
        own = (place, cells, program, values)
        request = _digest(own)
        return await self._change(id_, asked, "teach", (*own, asked.key, request), request)

    async def preview(
        self,
        id_: str,
        place: int,
        cells: Sequence[tuple[int, int]] | None,
        program: str | None,
        values: Sequence[Given] | None,
        asked: Asked,
    ) -> Answer:
        """Return what would come of a lesson; nothing is changed."""
        return await self._look(id_, asked, "preview", place, cells, program, values)

    async def unteach(self, id_: str, asked: Asked) -> Answer:
        """Take the person's last lesson back; conversations stay as they are."""
        return await self._change(id_, replace(asked, key=""), "unteach", ())

    async def accept(self, id_: str, which: int | str, asked: Asked) -> Answer:
        """Write down that an answer is right."""
        return await self._change(id_, replace(asked, key=""), "accept", (which,))

    async def forget_lesson(self, id_: str, lesson: int, asked: Asked) -> Answer:
        """Take one of the person's lessons back; conversations stay as they are."""
        return await self._change(id_, replace(asked, key=""), "forget_lesson", (lesson,))

    async def retrain(self, id_: str, asked: Asked) -> Answer:
        """Return what training on the person's lessons would take."""
        return await self._look(id_, asked, "retrain")

    async def lessons(self, id_: str, asked: Asked, every: bool = False) -> Answer:
        """Return the lessons in force of whoever asks, about the session's table or any."""
        return await self._look(id_, asked, "lessons", every)

    async def lessons_file(self, id_: str, asked: Asked) -> Answer:
        """Return the lessons in force of whoever asks, as data."""
        self._session(id_, asked.client)
        person = self._person(asked.client, id_)
        by = self._fair(asked.client, id_)
        return Answer((await self._run(by, "lessons_file", (person,))).body)

    async def rows(
        self, id_: str, start: int, count: int, sight: Sight, turn: int | None, asked: Asked
    ) -> Answer:
        """Return some rows as they are seen; of a turn, only those of its answer."""
        return await self._look(id_, asked, "rows", start, count, sight, turn)

    async def rows_file(self, id_: str, sight: Sight, turn: int | None, asked: Asked) -> Answer:
        """Return rows as they are seen as CSV."""
        return await self._look(id_, asked, "rows_file", sight, turn)

    async def places(self, id_: str, rows: Sequence[int], sight: Sight, by: Asked) -> Answer:
        """Return where rows are among those that are seen."""
        return await self._see(id_, by, "places", tuple(rows), sight)

    async def see(
        self, id_: str, asked: Asked, what: Literal["columns", "rows_with", "total"], *given: Any
    ) -> Answer:
        """Return something about a table, which a desk has a method for."""
        return await self._see(id_, asked, what, *given)

    async def example(self, client: Client) -> Answer:
        """Return a table with questions that were answered about it, the same for everybody."""
        if self._example is None:
            done = await self._run(self._fair(client, new_id()), "example", ())
            self._example = Answer(done.body)
        return self._example

    async def table_file(self, id_: str, asked: Asked) -> Answer:
        """Return a table as CSV."""
        return await self._see(id_, asked, "table_file")

    async def answer_file(self, id_: str, place: int | None, asked: Asked) -> Answer:
        """Return an answer as CSV."""
        return await self._look(id_, asked, "answer_file", place)

    async def talk_file(self, id_: str, asked: Asked) -> Answer:
        """Return a conversation as `denota train` takes it."""
        return await self._look(id_, asked, "talk_file")

    async def delete(self, id_: str, client: Client) -> None:
        """Erase a conversation: its table, its questions, and the lessons made in it."""
        self._session(id_, client)
        async with self._alone(id_):
            self._session(id_, client)
            await self._write(self._erase, id_)
        self.desks.forget(id_)
        for known in [one for one in self._remembered if one[0] == id_]:
            del self._remembered[known]

    def _erase(self, id_: str) -> None:
        self.log.erase(id_)  # first: a session whose lessons cannot be erased stays to be deleted
        self.store.delete(id_)

    def _check(self, source: Source) -> None:
        """Raise if there is no table of a name, or it is too large as it is."""
        if source.kind == "sample" and source.name not in sample.names():
            raise NotThere(f"there is no sample called {source.name[:80]}")
        if source.kind == "offer" and source.name not in self._offered:
            raise NotThere("there is no table of that name here")
        if len(source.data) > LARGEST:
            raise TooLarge(f"the table is larger than {LARGEST >> 20} MB")

    def _begun(self, owner: str, key: str, request: str) -> Kept | None:
        """The session that a request with this key began before."""
        if not key:
            return None
        for one in self.store.of(owner):
            if one.key == key:
                _same(one.request, request)
                return one
        return None

    def _session(self, id_: str, client: Client) -> Kept:
        found = self.store.find(id_)
        if not client.may_see(found.owner):
            raise no_session()
        return found

    def _person(self, client: Client, id_: str) -> str:
        """Whose lessons count in a session."""
        return "" if self._shared else client.person or f"session {id_}"

    def _fair(self, client: Client, else_: str) -> str:
        """Who is treated fairly: a person, or else a session that nobody began."""
        return client.person or else_

    async def _see(self, id_: str, asked: Asked, name: str, *given: Any) -> Answer:
        """Look at a table."""
        kept = self._session(id_, asked.client)
        done = await self._of(kept, asked, name, (id_, *given))
        return Answer(done.body, kept.version)

    async def _look(self, id_: str, asked: Asked, name: str, *given: Any) -> Answer:
        """Look at a conversation as it is now."""
        kept = self._session(id_, asked.client)
        person = self._person(asked.client, id_)
        at = At(id_, kept.version, person, limit=asked.limit)
        done = await self._of(kept, asked, name, (at, *given))
        return Answer(done.body, kept.version)

    async def _change(
        self, id_: str, asked: Asked, name: str, given: tuple[Any, ...], request: str = ""
    ) -> Answer:
        """Change a conversation, if it is as the client has seen it.

        Raises:
            GoneOn: it has gone on.
        """
        self._session(id_, asked.client)
        async with self._alone(id_):
            kept = self._session(id_, asked.client)
            if asked.key:
                before = await self._before(kept, asked, name, request)
                if before is not None:
                    return before
            if asked.seen is not None and asked.seen != kept.version:
                raise GoneOn("the conversation has gone on elsewhere; look at it again first")
            person = self._person(asked.client, id_)
            at = At(id_, kept.version, person, new_id(), asked.limit)
            done = await self._of(kept, asked, name, (at, *given))
            answer = Answer(done.body, at.next_version if _moves(done.change) else kept.version)
            await self._write(self._save, id_, done.change, at.next_version)
            if asked.key:
                self._remember(id_, asked.key, f"{name} {request}", answer)
        return answer

    async def _before(self, kept: Kept, asked: Asked, name: str, request: str) -> Answer | None:
        """The answer to a request with the same key, if there was one."""
        found = self._remembered.get((kept.id, asked.key))
        if found is not None:
            _same(found[0], f"{name} {request}")
            return found[1]
        place = await self._write(self.store.place_of, kept.id, asked.key)
        if place is None:
            return None
        _same(place[1], request)
        answer = await self._look(kept.id, asked, "turn", place[0])
        if name != "teach":
            return answer
        told = {"turn": json.loads(answer.body), "readings": [], "learnt": True}
        told |= {"said": "This lesson was taken before.", "contradicts": None}
        return replace(answer, body=json.dumps(told).encode())

    def _remember(self, id_: str, key: str, request: str, answer: Answer) -> None:
        if len(answer.body) > LONG:
            return  # it can be made again from what is on disk
        self._remembered[id_, key] = request, answer
        while len(self._remembered) > REMEMBERED:
            self._remembered.popitem(last=False)

    def _save(self, id_: str, change: Change | None, version: str) -> None:
        """Write what a request changes."""
        if change is None:
            return
        lessons = partial(self.log.write, change.entries) if change.entries else _nothing
        if change.put is not None:
            self.store.put(id_, *change.put, also=lessons)
            return
        lessons()
        if change.cut is not None:
            self.store.cut(id_, change.cut, version)

    async def _of(self, kept: Kept, asked: Asked, name: str, given: tuple[Any, ...]) -> Done:
        """Have something done about a session's table."""
        client = self._fair(asked.client, kept.id)
        return await self._run(client, name, given, kept.id, kept.cells)

    async def _run(
        self,
        client: str,
        name: str,
        given: tuple[Any, ...],
        table: str = "",
        cells: int = 0,
        seconds: float = ANSWERING,
    ) -> Done:
        job = Job(client, name, given, table, cells, seconds)
        try:
            async with asyncio.timeout(PATIENCE):
                return await self.desks.run(job)
        except TimeoutError:
            raise Late("the server did not come to this in time; ask again in a moment") from None

    async def _write(self, call: Callable[..., T], *given: Any) -> T:
        """Do something with the files, in order, to its end even if the client leaves."""
        loop = asyncio.get_running_loop()
        try:
            return await asyncio.shield(loop.run_in_executor(self._writer, call, *given))
        except Refused:
            raise
        except DataError as error:
            raise NoRoom(str(error)) from None
        except RuntimeError:
            raise Busy("the server is ending; ask again when it is back") from None

    @asynccontextmanager
    async def _alone(self, name: str) -> AsyncIterator[None]:
        """Let requests of a name change something one after the other.

        Raises:
            TooMany: too many are waiting.
        """
        if not name:
            yield
            return
        talk = self._talks.setdefault(name, _Talk())
        if talk.waiting > WAITING:
            raise TooMany("too many requests of this conversation are waiting; wait for answers")
        talk.waiting += 1
        try:
            async with talk.lock:
                yield
        finally:
            talk.waiting -= 1
            if not talk.waiting:
                self._talks.pop(name, None)


def _nothing() -> None:
    pass


def _moves(change: Change | None) -> bool:
    return change is not None and (change.put is not None or change.cut is not None)


def _same(before: str, now: str) -> None:
    if before != now:
        raise DataError("this Idempotency-Key was used for another request; make a new one")


def _digest(content: object) -> str:
    if isinstance(content, Source):
        written = repr((content.kind, content.name, content.how)).encode() + content.data
    else:
        written = repr(content).encode("utf-8", "replace")
    return hashlib.sha256(written).hexdigest()[:32]
