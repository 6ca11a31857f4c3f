"""The server: the REST API, its documentation and the page; nothing needs a network outside."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from importlib.resources import files
from typing import Final

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi_offline import FastAPIOffline

import denota
from denota.app.web.guard import Guard
from denota.app.web.routes import file_routes, session_routes, teaching_routes
from denota.app.web.service import LARGEST, Service
from denota.app.web.workers import Busy
from denota.errors import DenotaError

PAGE: Final = files("denota.app.web") / "page"
KINDS: Final = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
PERSON: Final = "denota-person"
"""The cookie by which people are told apart."""


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

    app.include_router(session_routes(service, person))
    app.include_router(teaching_routes(service, person))
    app.include_router(file_routes(service))
    app.include_router(_pages(apart))
    return app


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
