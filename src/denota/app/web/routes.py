"""The REST API: each request as a function over the conversations.

No text of a request is evaluated or becomes a path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import PlainTextResponse

from denota.app.files.export import answer_csv, conversation_jsonl, table_csv
from denota.app.reading import ReaderOptions
from denota.app.web.schema import (
    ChoiceBody,
    CorrectionBody,
    Id,
    LessonInfo,
    QuestionBody,
    ReadingInfo,
    Rows,
    RowsBody,
    Sentence,
    SessionBody,
    SessionInfo,
    TaughtInfo,
    TurnInfo,
    UntaughtInfo,
)
from denota.app.web.service import Service, session_object
from denota.conversation.chat import LONGEST, Reading
from denota.errors import DataError
from denota.tables.io import Format

Person = Callable[[Request], str]
"""Says who sent a request."""
REFUSED: Final[dict[int | str, dict[str, Any]]] = {
    400: {"model": Sentence, "description": "Could not be done; says why"},
    413: {"model": Sentence, "description": "Too large"},
    422: {"model": Sentence, "description": "Not a request of this kind; says what is wrong"},
    503: {"model": Sentence, "description": "Too much to do"},
}


def session_routes(service: Service, person: Person) -> APIRouter:
    """Return the requests that begin, lead and end conversations."""
    api = APIRouter(prefix="/api", responses=REFUSED)

    @api.get("/samples")
    def samples() -> list[str]:
        """List the tables that come with denota."""
        return service.samples()

    @api.get("/tables")
    def tables() -> list[str]:
        """List the tables that whoever runs the server offers."""
        return service.offered()

    @api.post("/sessions", status_code=201, response_model=SessionInfo)
    def begin(body: SessionBody) -> dict[str, Any]:
        """Begin a conversation about a table: one that is offered, a sample, or text."""
        if body.table is not None:
            return session_object(service.begin_offered(body.table))
        if body.sample is not None:
            return session_object(service.begin_sample(body.sample))
        text = body.content or ""
        return session_object(service.begin(body.name, text.encode("utf-8", "replace")))

    @api.post("/sessions/upload", status_code=201, response_model=SessionInfo)
    def upload(
        data: Annotated[bytes, Body(media_type="application/octet-stream")],
        name: Annotated[str, Query(max_length=200)] = "table",
        format: Format | None = None,
        encoding: Annotated[str | None, Query(max_length=40)] = None,
        delimiter: Annotated[str | None, Query(max_length=3)] = None,
        quotes: bool = True,
        sheet: Annotated[str | None, Query(max_length=200)] = None,
        header: Annotated[int | None, Query(ge=1, le=1_000_000)] = None,
    ) -> dict[str, Any]:
        """Begin a conversation about a table in a file.

        CSV, TSV, JSON, Excel or Parquet, gzipped or not. What is not said of it is found out, and
        `notes` tells what was assumed.
        """
        how = ReaderOptions(format, encoding, delimiter, quotes, "fill", sheet, header)
        return session_object(service.begin(name, data, how))

    @api.get("/sessions/{id}", response_model=SessionInfo)
    def session(id: Id) -> dict[str, Any]:
        """Return a conversation."""
        return session_object(service.get(id))

    @api.delete("/sessions/{id}", status_code=204)
    def delete(id: Id) -> None:
        """Forget a conversation and its table."""
        service.delete(service.get(id))

    @api.get("/sessions/{id}/rows", response_model=Rows)
    def rows(
        id: Id,
        start: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
        count: Annotated[int, Query(ge=0, le=500)] = 100,
        sort: Annotated[int | None, Query(ge=0, le=100_000)] = None,
        down: bool = False,
        search: Annotated[str, Query(max_length=LONGEST)] = "",
    ) -> dict[str, Any]:
        """Return some rows as they are seen, sorted and searched."""
        shown, total = service.get(id).rows.some(start, count, sort, down, search)
        return {"total": total, "rows": [{"row": row, "cells": cells} for row, cells in shown]}

    @api.post("/sessions/{id}/places")
    def places(id: Id, body: RowsBody) -> list[tuple[int, int]]:
        """Return `[place, row]` of those rows that the search finds, in the order seen."""
        seen = service.get(id).rows
        return seen.places(body.rows, body.sort, body.down, body.search)

    @api.post("/sessions/{id}/ask", response_model=TurnInfo)
    def ask(id: Id, body: QuestionBody, request: Request) -> dict[str, Any]:
        """Answer a question."""
        return service.ask(service.get(id), body.question, person(request)).as_json()

    @api.get("/sessions/{id}/readings", response_model=list[ReadingInfo])
    def readings(id: Id, count: Annotated[int, Query(ge=1, le=20)] = 5) -> list[dict[str, Any]]:
        """Return the best readings of the last question, the one taken first.

        Each has an answer of its own.
        """
        return [reading_object(one) for one in service.readings(service.get(id), count)]

    @api.post("/sessions/{id}/choose", response_model=TurnInfo)
    def choose(id: Id, body: ChoiceBody) -> dict[str, Any]:
        """Take another reading of the last question."""
        return service.choose(service.get(id), body.program).as_json()

    @api.post("/sessions/{id}/undo", response_model=SessionInfo)
    def undo(id: Id) -> dict[str, Any]:
        """Take the last question back."""
        live = service.get(id)
        service.undo(live)
        return session_object(live)

    @api.post("/sessions/{id}/reset", response_model=SessionInfo)
    def reset(id: Id) -> dict[str, Any]:
        """Begin the conversation again."""
        live = service.get(id)
        service.reset(live)
        return session_object(live)

    return api


def teaching_routes(service: Service, person: Person) -> APIRouter:
    """Return the requests that teach, and that list what was taught."""
    api = APIRouter(prefix="/api/sessions/{id}", responses=REFUSED)

    @api.post("/teach", response_model=TaughtInfo)
    def teach(id: Id, body: CorrectionBody, request: Request) -> dict[str, Any]:
        """Give the right cells or values of a question; the questions after it are dropped."""
        live = service.get(id)
        turn, taught, readings = service.teach(
            live, body.turn, body.cells, body.program, person(request), body.values
        )
        return {
            "turn": turn.as_json(),
            "readings": [one.as_json() for one in readings],
            "learnt": taught.learnt,
            "said": taught.said,
            "contradicts": taught.contradicts,
        }

    @api.post("/unteach", response_model=UntaughtInfo)
    def unteach(id: Id, request: Request) -> dict[str, Any]:
        """Take the last lesson back."""
        live = service.get(id)
        question = service.unteach(live, person(request))
        turns = [turn.as_json() for turn in live.chat.turns]
        return {"said": f"Forgotten: “{question}”.", "turns": turns}

    @api.get("/lessons", response_model=list[LessonInfo])
    def lessons(id: Id, request: Request) -> list[dict[str, Any]]:
        """Return the lessons in force, oldest first."""
        service.get(id)
        return service.lessons(person(request))

    @api.get("/lessons.jsonl", response_model=None)
    def export(id: Id, request: Request) -> PlainTextResponse:
        """Return the lessons in force as `denota train` takes them."""
        service.get(id)
        return _file(service.teacher.log.export(person(request)), "lessons.jsonl")

    return api


def file_routes(service: Service) -> APIRouter:
    """Return the requests that download something."""
    text: dict[int | str, dict[str, Any]] = {
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}}
    }
    api = APIRouter(prefix="/api/sessions/{id}", responses={**REFUSED, **text})

    @api.get("/export.jsonl", response_model=None)
    def export(id: Id) -> PlainTextResponse:
        """Return the conversation as `denota train` takes it, with the table in it."""
        return _file(conversation_jsonl(service.get(id).chat), "conversation.jsonl")

    @api.get("/table.csv", response_model=None)
    def table(id: Id) -> PlainTextResponse:
        """Return the table."""
        return _file(table_csv(service.get(id).table), "table.csv")

    @api.get("/answer.csv", response_model=None)
    def answer(
        id: Id, turn: Annotated[int | None, Query(ge=0, le=10_000)] = None
    ) -> PlainTextResponse:
        """Return the answer of a turn as CSV, of the last if none is named."""
        live = service.get(id)
        turns = live.chat.turns
        place = len(turns) - 1 if turn is None else turn
        if not 0 <= place < len(turns):
            raise DataError("there is no such turn")
        return _file(answer_csv(turns[place], live.table), "answer.csv")

    return api


def reading_object(reading: Reading) -> dict[str, Any]:
    """Return a reading for JSON."""
    more = {"probability": reading.probability, "critique": reading.critique}
    return {**reading.turn.as_json(), **more}


def _file(text: str, name: str) -> PlainTextResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text, headers=headers)
