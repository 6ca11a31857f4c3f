"""The REST API: each request as a function over the conversations.

No text of a request is evaluated or becomes a path. Nothing is computed here: the service has it
done elsewhere, and stops it when the client leaves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from denota.app.reading import ReaderOptions
from denota.app.web.messages import Source
from denota.app.web.people import client_of
from denota.app.web.refusals import Left
from denota.app.web.rows import Sight
from denota.app.web.schema import (
    AcceptBody,
    AnswerPart,
    ChoiceBody,
    CorrectionBody,
    Id,
    LessonInfo,
    OnceBody,
    OnceInfo,
    OwnSession,
    QuestionBody,
    ReadingInfo,
    RetrainBody,
    RetrainInfo,
    Rows,
    Sentence,
    SessionBody,
    SessionInfo,
    TaughtInfo,
    TurnInfo,
    UntaughtInfo,
    shown_name,
)
from denota.app.web.service import Answer, Asked, Service
from denota.data.example import LONGEST
from denota.errors import TableError
from denota.tables.io import Format

ATTENTION: Final = 0.25
"""Seconds between looks at whether the client is still there."""
LIMIT: Final = 200_000
"""The most items of an answer that are told at a time."""
REFUSED: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": Sentence, "description": what}
    for status, what in {
        401: "The token is missing or wrong",
        403: "From another page, or to another name",
        404: "There is no such session, turn, sample or table",
        412: "The conversation has gone on since the version in `If-Match`",
        413: "Too large, as it was sent or as it becomes",
        422: "Not a request of this kind, or one that cannot be done; says what is wrong",
        429: "Too many requests of yours are waiting",
        503: "Too much to do, or the server is ending",
        504: "It took too long and was stopped; nothing was changed",
        507: "No room is left",
    }.items()
}
UPLOAD: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"file": {"type": "string", "format": "binary"}},
                    "required": ["file"],
                }
            },
        },
    }
}
"""What an upload is, for the description."""


async def asked(
    request: Request,
    limit: Annotated[
        int,
        Query(ge=0, le=LIMIT, description="The most items of each answer; `total` tells them all"),
    ] = 1000,
    if_match: Annotated[
        str | None,
        Header(max_length=100, description="The version of the session that you have seen"),
    ] = None,
    idempotency_key: Annotated[
        str,
        Header(max_length=200, description="The same key again gives the first answer again"),
    ] = "",
) -> Asked:
    """Return what a request says of itself."""
    seen = None if if_match in (None, "*") else str(if_match).removeprefix("W/").strip('"')
    return Asked(client_of(request), limit, seen, idempotency_key)


By = Annotated[Asked, Depends(asked)]


async def attended(request: Request, work: Coroutine[Any, Any, Answer]) -> Answer:
    """Return what work gives, and stop it if the client leaves."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=ATTENTION))[0]:
            if await request.is_disconnected():
                raise Left("the client left")
        return task.result()
    finally:
        task.cancel()  # does nothing to work that is done


def told(answer: Answer, status: int = 200) -> Response:
    """Return an answer in JSON, with the session's version."""
    headers = {"ETag": f'"{answer.version}"'} if answer.version else None
    return Response(answer.body, status, headers, "application/json")


def table_routes(service: Service) -> APIRouter:
    """Return the requests that need no session, and those that begin one."""
    api = APIRouter(responses=REFUSED, tags=["Tables"])

    @api.get("/samples")
    async def samples() -> list[str]:
        """List the tables that come with denota."""
        return service.samples()

    @api.get("/tables")
    async def tables() -> list[str]:
        """List the tables that whoever runs the server offers."""
        return service.offered()

    @api.post("/ask", response_model=OnceInfo)
    async def once(body: OnceBody, request: Request, by: By) -> Response:
        """Answer questions about a table, and keep nothing."""
        questions = body.questions or [body.question or ""]
        return told(await attended(request, service.once(body.source, questions, by)))

    @api.get("/sessions", response_model=list[OwnSession])
    async def own(by: By) -> list[dict[str, Any]]:
        """List your own conversations, the last used first."""
        return [
            {"id": one.id, "name": one.name, "rows": one.rows, "turns": one.turns}
            for one in service.own(by.client)
        ]

    @api.post("/sessions", status_code=201, response_model=SessionInfo)
    async def begin(body: SessionBody, request: Request, by: By) -> Response:
        """Begin a conversation about a table: one that is offered, a sample, or text."""
        return told(await attended(request, service.begin(body.source, by)), 201)

    @api.post("/sessions/upload", status_code=201, response_model=SessionInfo, openapi_extra=UPLOAD)
    async def upload(
        request: Request,
        by: By,
        name: Annotated[str | None, Query(max_length=200)] = None,
        format: Format | None = None,
        encoding: Annotated[str | None, Query(max_length=40)] = None,
        delimiter: Annotated[str | None, Query(max_length=3)] = None,
        quotes: bool = True,
        sheet: Annotated[str | None, Query(max_length=200)] = None,
        header: Annotated[int | None, Query(ge=1, le=1_000_000)] = None,
        text: Annotated[
            list[str] | None, Query(max_length=500, description="Columns to read as text")
        ] = None,
    ) -> Response:
        """Begin a conversation about a table in a file.

        CSV, TSV, JSON, Excel or Parquet, gzipped or not: as the body, or as the one file of a form.
        What is not said of it is found out, and `notes` tells what was assumed.
        """
        data, called = await _body(request)
        as_text = tuple(text or ())
        how = ReaderOptions(format, encoding, delimiter, quotes, "fill", sheet, header, as_text)
        source = Source("file", shown_name(name or called), data, how)
        return told(await attended(request, service.begin(source, by)), 201)

    return api


def session_routes(service: Service) -> APIRouter:
    """Return the requests that lead and end conversations."""
    api = APIRouter(prefix="/sessions/{id}", responses=REFUSED, tags=["Conversations"])

    @api.get("", response_model=SessionInfo)
    async def session(id: Id, request: Request, by: By) -> Response:
        """Return a conversation."""
        return told(await attended(request, service.session(id, by)))

    @api.delete("", status_code=204)
    async def delete(id: Id, by: By) -> None:
        """Erase a conversation: its table, its questions and the lessons made in it."""
        await service.delete(id, by.client)

    @api.get("/rows", response_model=Rows)
    async def rows(
        id: Id,
        request: Request,
        by: By,
        start: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
        count: Annotated[int, Query(ge=0, le=500)] = 100,
        sort: Annotated[int | None, Query(ge=0, le=100_000)] = None,
        down: bool = False,
        search: Annotated[str, Query(max_length=LONGEST)] = "",
        turn: Annotated[
            int | None, Query(ge=0, le=10_000, description="Only the rows of this turn's answer")
        ] = None,
    ) -> Response:
        """Return some rows as they are seen, sorted and searched.

        Their numbers, as in all of the API but its CSV files, are counted from 0.
        """
        work = service.rows(id, start, count, Sight(sort, down, search), turn, by)
        return told(await attended(request, work))

    @api.post("/ask", response_model=TurnInfo)
    async def ask(id: Id, body: QuestionBody, request: Request, by: By) -> Response:
        """Answer a question, which may follow up on the one before."""
        return told(await attended(request, service.ask(id, body.question, body.scope, by)))

    @api.get("/turns/{turn}", response_model=AnswerPart)
    async def part(
        id: Id,
        turn: int,
        request: Request,
        by: By,
        start: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
        count: Annotated[int, Query(ge=0, le=LIMIT)] = 1000,
    ) -> Response:
        """Return a part of a long answer."""
        return told(await attended(request, service.part(id, turn, start, count, by)))

    @api.get("/readings", response_model=list[ReadingInfo])
    async def readings(
        id: Id, request: Request, by: By, count: Annotated[int, Query(ge=1, le=20)] = 5
    ) -> Response:
        """Return the best readings of the last question, the one taken first.

        Each has an answer of its own.
        """
        return told(await attended(request, service.readings(id, count, by)))

    @api.post("/choose", response_model=TurnInfo)
    async def choose(id: Id, body: ChoiceBody, request: Request, by: By) -> Response:
        """Take another reading of the last question."""
        return told(await attended(request, service.choose(id, body.program, by)))

    @api.post("/undo", response_model=SessionInfo)
    async def undo(id: Id, request: Request, by: By) -> Response:
        """Take the last question back."""
        return told(await attended(request, service.undo(id, by)))

    @api.post("/reset", response_model=SessionInfo)
    async def reset(id: Id, request: Request, by: By) -> Response:
        """Begin the conversation again."""
        return told(await attended(request, service.reset(id, by)))

    return api


def teaching_routes(service: Service) -> APIRouter:
    """Return the requests that teach, and that list what was taught."""
    api = APIRouter(prefix="/sessions/{id}", responses=REFUSED, tags=["Teaching"])

    @api.post("/teach", response_model=TaughtInfo)
    async def teach(id: Id, body: CorrectionBody, request: Request, by: By) -> Response:
        """Give the right cells or values of a question; the questions after it are dropped.

        With `preview` nothing is learnt or changed: it tells how the question would be read.
        """
        given = (id, body.turn, body.cells, body.program, body.values, by)
        work = service.preview(*given) if body.preview else service.teach(*given)
        return told(await attended(request, work))

    @api.post("/unteach", response_model=UntaughtInfo)
    async def unteach(id: Id, request: Request, by: By) -> Response:
        """Take your last lesson back."""
        return told(await attended(request, service.unteach(id, by)))

    @api.post("/accept", response_model=TurnInfo)
    async def accept(id: Id, body: AcceptBody, request: Request, by: By) -> Response:
        """Say that an answer is right, so that lessons must not spoil it."""
        return told(await attended(request, service.accept(id, body.turn, by)))

    @api.get("/lessons", response_model=list[LessonInfo])
    async def lessons(id: Id, request: Request, by: By, all: bool = False) -> Response:
        """Return your lessons in force about this table, or `all` of them, oldest first."""
        return told(await attended(request, service.lessons(id, by, all)))

    @api.delete("/lessons/{lesson}", response_model=UntaughtInfo)
    async def forget(id: Id, lesson: int, request: Request, by: By) -> Response:
        """Take one of your lessons back."""
        return told(await attended(request, service.forget_lesson(id, lesson, by)))

    @api.post("/retrain", response_model=RetrainInfo)
    async def retrain(id: Id, body: RetrainBody, request: Request, by: By) -> Response:
        """Say what training on all of your lessons would take, and how it is done."""
        return told(await attended(request, service.retrain(id, by)))

    return api


def file_routes(service: Service) -> APIRouter:
    """Return the requests that download something."""
    api = APIRouter(prefix="/sessions/{id}", responses=REFUSED, tags=["Downloads"])

    @api.get("/lessons.jsonl", response_class=Response, responses=file_of("application/jsonl"))
    async def lessons(id: Id, request: Request, by: By) -> Response:
        """Return your lessons in force as `denota train` takes them."""
        found = await attended(request, service.lessons_file(id, by))
        return file(found, "lessons.jsonl", "application/jsonl")

    @api.get("/export.jsonl", response_class=Response, responses=file_of("application/jsonl"))
    async def export(id: Id, request: Request, by: By) -> Response:
        """Return the conversation as `denota train` takes it, with the table in it."""
        found = await attended(request, service.talk_file(id, by))
        return file(found, "conversation.jsonl", "application/jsonl")

    @api.get("/table.csv", response_class=Response, responses=file_of("text/csv"))
    async def table(id: Id, request: Request, by: By) -> Response:
        """Return the table."""
        return file(await attended(request, service.table_file(id, by)), "table.csv", "text/csv")

    @api.get("/answer.csv", response_class=Response, responses=file_of("text/csv"))
    async def answer(
        id: Id,
        request: Request,
        by: By,
        turn: Annotated[int | None, Query(ge=0, le=10_000)] = None,
    ) -> Response:
        """Return the answer of a turn as CSV, of the last if none is named.

        Its rows are counted from 1, as on the page.
        """
        found = await attended(request, service.answer_file(id, turn, by))
        return file(found, "answer.csv", "text/csv")

    return api


async def _body(request: Request) -> tuple[bytes, str]:
    """The file that a request sends, as its body or as the one file of a form, and its name."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/"):
        return await request.body(), "table"
    try:
        form = await request.form(max_files=1, max_fields=10)
    except (MultiPartException, ValueError, AssertionError):
        raise TableError("the form cannot be read; send one file in it") from None
    files = [part for part in form.values() if isinstance(part, UploadFile)]
    if len(files) != 1:
        raise TableError("the form has no file; send one file in it")
    return await files[0].read(), files[0].filename or "table"


def file_of(kind: str) -> dict[int | str, dict[str, Any]]:
    """Return the description of a file that is answered with."""
    return {200: {"content": {kind: {"schema": {"type": "string"}}}, "description": "The file"}}


def file(answer: Answer, name: str, kind: str) -> Response:
    """Return an answer as a file to be kept."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(answer.body, 200, headers, f"{kind}; charset=utf-8")
