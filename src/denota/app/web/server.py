"""The server: a REST API over conversations, its documentation, and the page, none of which needs a network outside.

No text of a request is evaluated or becomes a path.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Body, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from fastapi_offline import FastAPIOffline
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic import Strict as Strictly

import denota
from denota.app.files.export import answer_csv, conversation_jsonl
from denota.app.web.guard import Guard
from denota.app.web.service import LARGEST, Service, session_object, to_csv
from denota.app.web.workers import Busy
from denota.conversation.chat import LONGEST, Reading
from denota.errors import DataError, DenotaError

PAGE: Final = files("denota.app.web") / "page"
KINDS: Final = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
PERSON: Final = "denota-person"
"""The cookie by which people are told apart."""
Id = Annotated[str, Path(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]


class Strict(BaseModel):
    """A body whose types are taken as they are: `false` is no number."""

    model_config = ConfigDict(strict=True, extra="forbid")


CellBody = Annotated[tuple[int, int], Strictly(False)]
"""A cell; JSON has lists where Python has tuples."""
Told = Annotated[str, Field(max_length=LONGEST)] | bool | int | float
"""One value of an answer."""
Group = Annotated[tuple[str, Told], Strictly(False)]
"""A group and its value."""


class NewSession(Strict):
    """A table to talk about: one of the samples, or its text."""

    sample: str | None = Field(None, max_length=200)
    content: str | None = Field(None, max_length=LARGEST)
    """CSV, TSV, or what a spreadsheet puts on the clipboard."""
    name: str = Field("table", max_length=200)


class NewQuestion(Strict):
    """A question, the next of the conversation."""

    question: str = Field(max_length=LONGEST)


class Choice(Strict):
    """Another reading of the last question."""

    program: str = Field(max_length=20_000)


class Wanted(Strict):
    """Rows to be found among those that are seen."""

    rows: list[Annotated[int, Field(ge=0, le=10_000_000)]] = Field(max_length=100_000)
    sort: Annotated[int, Field(ge=0, le=100_000)] | None = None
    down: bool = False
    search: str = Field("", max_length=LONGEST)


class CorrectionBody(Strict):
    """The right answer of a turn: its cells or its values, one of the two."""

    turn: int = Field(ge=0, le=10_000)
    cells: list[CellBody] | None = Field(None, min_length=1, max_length=200_000)
    """`[row, column]` each."""
    values: list[Told | Group] | None = Field(None, min_length=1, max_length=20_000)
    """Texts, numbers, true or false, or `[group, value]` each."""
    program: str | None = Field(None, max_length=20_000)
    """Which of the readings is meant; the best if null, none of them if empty."""

    @model_validator(mode="after")
    def _one_of_them(self) -> CorrectionBody:
        if (self.cells is None) == (self.values is None):
            raise ValueError("give cells or values, one of the two")
        return self


class ColumnInfo(BaseModel):
    """A column of a table."""

    name: str
    kind: str
    """`text`, `number` or `date`."""
    unit: str


class TurnInfo(BaseModel):
    """A question and its answer; a question that cannot be answered has no program, and the explanation says why."""

    question: str
    kind: Literal["cells", "value", "groups", "none", "declined"]
    """What the answer is: cells, values, a value for each group, that there is none, or that there is no answer."""
    answer: list[str]
    """As texts; of groups `group: value`, of yes and no the words."""
    values: list[str | bool | int | float | tuple[str, str | bool | int | float | None]]
    """What was computed: numbers, true or false, texts, or `[group, value]` each; empty where the answer is cells."""
    cells: list[tuple[int, int]]
    """`[row, column]` each, row 0 the first after the header; of values, the cells they come from."""
    program: str
    sql: str
    explanation: str
    confidence: float
    sure: bool
    reason: str
    """Why it was declined."""


class ReadingInfo(TurnInfo):
    """One way to understand the last question."""

    probability: float
    critique: float


class TaughtInfo(BaseModel):
    """What came of a lesson."""

    turn: TurnInfo
    readings: list[TurnInfo]
    """The best readings that give the answer."""
    learnt: bool
    said: str
    contradicts: str | None


class Untaught(BaseModel):
    """A lesson was taken back."""

    said: str
    turns: list[TurnInfo]


class LessonInfo(BaseModel):
    """A lesson in force."""

    question: str
    program: str
    learnt: bool
    cells: int
    """How many were pointed at."""
    values: list[str | bool | int | float] | None
    """What was said to be right, where no cells were pointed at."""


class SessionInfo(BaseModel):
    """A conversation: its table's columns, and its turns."""

    id: str
    name: str
    rows: int
    columns: list[ColumnInfo]
    turns: list[TurnInfo]


class Row(BaseModel):
    """A row, with its number in the table, which cells of answers go by."""

    row: int
    cells: list[str]


class Rows(BaseModel):
    """Some rows as they are seen, sorted and searched, and how many there are in all."""

    total: int
    rows: list[Row]


class Sentence(BaseModel):
    """Why something could not be done."""

    detail: str


def make_app(
    service: Service,
    token: str | None = None,
    hosts: Collection[str] | None = None,
    apart: bool = False,
) -> FastAPI:
    """Return the server's application.

    Args:
        service: the conversations.
        token: what a request must bring along; none is asked for if there is none.
        hosts: the names the server answers to; any if none are given.
        apart: whether what people teach is for themselves alone, told apart by a cookie.
    """
    app = FastAPIOffline(
        title="denota",
        version=denota.__version__,
        summary="Questions about tables, answered with a program, SQL and a reason",
    )

    @app.exception_handler(DenotaError)
    async def _sentence(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 503 if isinstance(error, Busy) else 400)

    @app.exception_handler(RequestValidationError)
    async def _wrong_request(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the body"
        return JSONResponse({"detail": f"{where}: {first['msg'].lower()}"}, 422)

    app.add_middleware(Guard, largest=LARGEST + (1 << 16), token=token, hosts=hosts)

    def person(request: Request) -> str:
        """Who asks: everybody is one, unless people are kept apart."""
        return request.cookies.get(PERSON, "")[:64] if apart else ""

    app.include_router(_sessions(service, person))
    app.include_router(_teaching(service, person))
    app.include_router(_files(service))
    app.include_router(_pages(apart))
    return app


REFUSED: Final[dict[int | str, dict[str, Any]]] = {
    400: {"model": Sentence, "description": "Could not be done; says why"},
    413: {"model": Sentence, "description": "Too large"},
    422: {"model": Sentence, "description": "Not a request of this kind; says what is wrong"},
    503: {"model": Sentence, "description": "Too much to do"},
}


def _sessions(service: Service, person: Callable[[Request], str]) -> APIRouter:
    api = APIRouter(prefix="/api", responses=REFUSED)

    @api.get("/samples")
    def samples() -> list[str]:
        """List the tables that come with denota."""
        return service.samples()

    @api.post("/sessions", status_code=201, response_model=SessionInfo)
    def begin(body: NewSession) -> dict[str, Any]:
        """Begin a conversation about a table: a sample, or text."""
        if body.sample is not None:
            return session_object(service.begin_sample(body.sample))
        text = body.content or ""
        return session_object(service.begin(body.name, text.encode("utf-8", "replace")))

    @api.post("/sessions/upload", status_code=201, response_model=SessionInfo)
    def upload(
        data: Annotated[bytes, Body(media_type="application/octet-stream")],
        name: Annotated[str, Query(max_length=200)] = "table",
    ) -> dict[str, Any]:
        """Begin a conversation about a table in a file: CSV, TSV, JSON, Excel or Parquet, gzipped or not."""
        return session_object(service.begin(name, data))

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
        shown, total = service.rows(service.get(id), start, count, sort, down, search)
        return {"total": total, "rows": [{"row": row, "cells": cells} for row, cells in shown]}

    @api.post("/sessions/{id}/places")
    def places(id: Id, body: Wanted) -> list[tuple[int, int]]:
        """Return where rows are seen, as `[place, row]`; those that the search leaves out are not there."""
        live = service.get(id)
        return service.places(live, body.rows, body.sort, body.down, body.search)

    @api.post("/sessions/{id}/ask", response_model=TurnInfo)
    def ask(id: Id, body: NewQuestion, request: Request) -> dict[str, Any]:
        """Answer a question."""
        return service.ask(service.get(id), body.question, person(request)).as_json()

    @api.get("/sessions/{id}/readings", response_model=list[ReadingInfo])
    def readings(id: Id, count: Annotated[int, Query(ge=1, le=20)] = 5) -> list[dict[str, Any]]:
        """Return the best ways to understand the last question, each with an answer of its own, the one taken first."""
        return [reading_object(one) for one in service.readings(service.get(id), count)]

    @api.post("/sessions/{id}/choose", response_model=TurnInfo)
    def choose(id: Id, body: Choice) -> dict[str, Any]:
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


def _teaching(service: Service, person: Callable[[Request], str]) -> APIRouter:
    api = APIRouter(prefix="/api/sessions/{id}", responses=REFUSED)

    @api.post("/teach", response_model=TaughtInfo)
    def teach(id: Id, body: CorrectionBody, request: Request) -> dict[str, Any]:
        """Say which cells or values are the right answer to a question; what was asked after it is dropped."""
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

    @api.post("/unteach", response_model=Untaught)
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


def _files(service: Service) -> APIRouter:
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
        return _file(to_csv(service.get(id).table), "table.csv")

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


def _pages(apart: bool) -> APIRouter:
    pages = APIRouter(include_in_schema=False)
    parts = {part.name: part.read_bytes() for part in PAGE.iterdir() if _kind(part.name)}
    index_html = (PAGE / "index.html").read_text(encoding="utf-8")

    @pages.get("/")
    def index(request: Request) -> HTMLResponse:
        response = HTMLResponse(index_html)
        if apart and PERSON not in request.cookies:
            year = 365 * 24 * 3600
            own = secrets.token_urlsafe(16)
            response.set_cookie(PERSON, own, max_age=year, httponly=True, samesite="strict")
        return response

    @pages.get("/page/{name}")
    def part(name: str) -> Response:
        if name not in parts:  # a name, never a path
            return JSONResponse({"detail": "there is no such part of the page"}, 404)
        return Response(parts[name], media_type=_kind(name))

    return pages


def _kind(name: str) -> str | None:
    return KINDS.get(name.rpartition(".")[2])


def reading_object(reading: Reading) -> dict[str, Any]:
    """Return a reading for JSON."""
    more = {"probability": reading.probability, "critique": reading.critique}
    return {**reading.turn.as_json(), **more}


def _file(text: str, name: str) -> PlainTextResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text, headers=headers)
