"""The server: a REST API over conversations, its documentation, and the page, none of which needs a network outside.

No text of a request is evaluated or becomes a path; requests are limited in size, and a server that listens beyond this machine asks for a token.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Annotated, Any, Final

from fastapi import APIRouter, FastAPI, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from fastapi_offline import FastAPIOffline
from pydantic import BaseModel, ConfigDict, Field

import denota
from denota.app.chat import Reading
from denota.app.run import Turn
from denota.app.web.export import answer_csv, conversation_jsonl
from denota.app.web.service import LARGEST, LONGEST, Live, Service
from denota.errors import DenotaError

PAGE: Final = files("denota.app.web") / "page"
KINDS: Final = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""What a browser is told of every page of ours: nothing from elsewhere is loaded."""
Id = Annotated[str, Path(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]


class Strict(BaseModel):
    """A body whose types are taken as they are: `false` is no number."""

    model_config = ConfigDict(strict=True, extra="forbid")


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


def make_app(service: Service, token: str | None = None) -> FastAPI:
    """Return the server's application.

    Args:
        service: the conversations.
        token: what a request must bring along, in `Authorization: Bearer` or once in `?token=`; none is asked for if there is none.
    """
    app = FastAPIOffline(
        title="denota",
        version=denota.__version__,
        summary="Questions about tables, answered with a program, SQL and a reason",
    )

    @app.exception_handler(DenotaError)
    async def _sentence(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 400)

    @app.middleware("http")
    async def _guard(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        size = request.headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > LARGEST + (1 << 16):
            return JSONResponse({"detail": f"more than {LARGEST >> 20} MB are not taken"}, 413)
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        given = given or request.cookies.get("denota", "") or request.query_params.get("token", "")
        if token is not None and not hmac.compare_digest(given.encode(), token.encode()):
            return JSONResponse({"detail": "a token is needed; the server printed it"}, 401)
        response = await go_on(request)
        if not request.url.path.startswith(("/docs", "/redoc", "/static-offline-docs")):
            response.headers.update(HEADERS)
        if token is not None and request.query_params.get("token"):
            response.set_cookie("denota", token, httponly=True, samesite="strict")
        return response

    app.include_router(_api(service))
    app.include_router(_pages())
    return app


def _api(service: Service) -> APIRouter:
    api = APIRouter(prefix="/api", responses={400: {"description": "Could not be done; says why"}})

    @api.get("/samples")
    def samples() -> list[str]:
        """List the tables that come with denota."""
        return service.samples()

    @api.post("/sessions", status_code=201)
    def begin(body: NewSession) -> dict[str, Any]:
        """Begin a conversation about a table."""
        if body.sample is not None:
            return session_json(service.begin_sample(body.sample))
        return session_json(service.begin(body.name, body.content or ""))

    @api.get("/sessions/{id}")
    def session(id: Id) -> dict[str, Any]:
        """Return a conversation: its table's columns, and its turns."""
        return session_json(service.get(id))

    @api.get("/sessions/{id}/rows")
    def rows(
        id: Id,
        start: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
        count: Annotated[int, Query(ge=0, le=500)] = 100,
        sort: Annotated[int | None, Query(ge=0, le=100_000)] = None,
        down: bool = False,
        search: Annotated[str, Query(max_length=LONGEST)] = "",
    ) -> dict[str, Any]:
        """Return some rows as they are seen, sorted and searched; each with its number in the table, which cells of answers go by."""
        shown, total = service.rows(service.get(id), start, count, sort, down, search)
        return {"total": total, "rows": [{"row": row, "cells": cells} for row, cells in shown]}

    @api.post("/sessions/{id}/ask")
    def ask(id: Id, body: NewQuestion) -> dict[str, Any]:
        """Answer a question."""
        return service.ask(service.get(id), body.question).as_json()

    @api.get("/sessions/{id}/readings")
    def readings(id: Id, count: Annotated[int, Query(ge=1, le=20)] = 5) -> list[dict[str, Any]]:
        """Return the best ways to understand the last question, each with an answer of its own, the one taken first."""
        return [reading_json(one) for one in service.readings(service.get(id), count)]

    @api.post("/sessions/{id}/choose")
    def choose(id: Id, body: Choice) -> dict[str, Any]:
        """Take another reading of the last question."""
        return service.choose(service.get(id), body.program).as_json()

    @api.post("/sessions/{id}/undo")
    def undo(id: Id) -> dict[str, Any]:
        """Take the last question back."""
        live = service.get(id)
        service.undo(live)
        return session_json(live)

    @api.post("/sessions/{id}/reset")
    def reset(id: Id) -> dict[str, Any]:
        """Begin the conversation again."""
        live = service.get(id)
        service.reset(live)
        return session_json(live)

    @api.get("/sessions/{id}/export.jsonl", response_class=PlainTextResponse)
    def export(id: Id) -> PlainTextResponse:
        """Return the conversation as `denota train` takes it, the table in it."""
        return _file(conversation_jsonl(service.get(id)), "conversation.jsonl")

    @api.get("/sessions/{id}/table.csv", response_class=PlainTextResponse)
    def table(id: Id) -> PlainTextResponse:
        """Return the table that an exported conversation names."""
        from denota.app.web.service import to_csv

        return _file(to_csv(service.get(id).table), "table.csv")

    @api.get("/sessions/{id}/answer.csv", response_class=PlainTextResponse)
    def answer(id: Id) -> PlainTextResponse:
        """Return the last answer as CSV."""
        return _file(answer_csv(service.get(id)), "answer.csv")

    return api


def _pages() -> APIRouter:
    pages = APIRouter(include_in_schema=False)

    @pages.get("/")
    def index() -> HTMLResponse:
        return HTMLResponse((PAGE / "index.html").read_text(encoding="utf-8"))

    names = {part.name for part in PAGE.iterdir() if part.name.rpartition(".")[2] in KINDS}

    @pages.get("/page/{name}")
    def part(name: str) -> Response:
        if name not in names:  # a name, never a path
            return JSONResponse({"detail": "there is no such part of the page"}, 404)
        return Response((PAGE / name).read_bytes(), media_type=KINDS[name.rpartition(".")[2]])

    return pages


def session_json(live: Live) -> dict[str, Any]:
    """Return a conversation for JSON."""
    table = live.table
    return {
        "id": live.id,
        "name": table.name,
        "rows": len(table),
        "columns": [{"name": c.name, "kind": c.kind, "unit": c.unit} for c in table.columns],
        "turns": [turn.as_json() for turn in live.chat.turns],
    }


def reading_json(reading: Reading) -> dict[str, Any]:
    """Return a reading for JSON."""
    turn: Turn = reading.turn
    more = {"probability": reading.probability, "critique": reading.critique}
    return {**turn.as_json(), **more}


def _file(text: str, name: str) -> PlainTextResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text, headers=headers)
