"""The server: the REST API, its documentation and the page; nothing needs a network outside."""

from __future__ import annotations

from collections.abc import Collection
from importlib.resources import files
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException

import denota
from denota.app.web.api_page import api_page
from denota.app.web.guard import Guard
from denota.app.web.look_routes import example_routes, look_routes
from denota.app.web.messages import LARGEST
from denota.app.web.metrics import Metrics
from denota.app.web.people import introduce
from denota.app.web.refusals import Refused, status_of
from denota.app.web.routes import file_routes, session_routes, table_routes, teaching_routes
from denota.app.web.schema import Health
from denota.app.web.service import Service
from denota.errors import DenotaError

PAGE: Final = files("denota.app.web") / "page"
KINDS: Final = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
ABOUT: Final = """\
Begin a session with a table, then ask it questions: each may follow up on the one before. `POST \
/v1/ask` answers without a session. What cannot be done is answered with `{"detail": "a sentence"}`.
"""
SAID: Final = {
    404: "there is nothing here",
    405: "this cannot be done here",
    422: "the body cannot be read as what it is said to be",
}
"""What is said of requests that no function of ours meets."""
SHAPE: Final = 1 << 16
"""Bytes of a request besides the table it sends."""


def make_app(
    service: Service,
    tokens: Collection[str] = (),
    hosts: Collection[str] | None = None,
    metrics: Metrics | None = None,
) -> FastAPI:
    """Return the server's application.

    Args:
        service: the conversations.
        tokens: of which a request must bring one along; none is asked for if there are none.
        hosts: the names the server answers to; any if none are given.
        metrics: what counts requests.
    """
    metrics = metrics or Metrics()
    app = FastAPI(
        title="denota",
        version=denota.__version__,
        summary="Questions about tables, answered with a program, SQL and a reason",
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # such a redirect would name the host that the request names
    )

    @app.exception_handler(DenotaError)
    async def _sentence(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, DenotaError)
        wait = error.retry_after if isinstance(error, Refused) else None
        headers = None if wait is None else {"Retry-After": str(wait)}
        return JSONResponse({"detail": str(error)}, status_of(error), headers)

    @app.exception_handler(RequestValidationError)
    async def _wrong_request(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part)[:80] for part in first["loc"][1:]) or "the body"
        what = first["msg"].removeprefix("Value error, ")
        return JSONResponse({"detail": f"{where}: {what[:1].lower()}{what[1:]}"}, 422)

    @app.exception_handler(HTTPException)
    async def _no_such_path(request: Request, error: HTTPException) -> JSONResponse:
        status = 422 if error.status_code == 400 else error.status_code
        detail = SAID.get(status, str(error.detail))
        return JSONResponse({"detail": detail}, status, error.headers)

    app.add_middleware(
        Guard, largest=LARGEST + SHAPE, tokens=tokens, hosts=hosts, logged=metrics.request
    )
    talking = (session_routes, look_routes, teaching_routes, file_routes)
    for router in [routes(service) for routes in (table_routes, example_routes, *talking)]:
        app.include_router(router, prefix="/v1")
        app.include_router(router, prefix="/api", include_in_schema=False)  # its earlier name
    app.include_router(_state(service, metrics))
    app.include_router(api_page())
    app.include_router(_pages())
    description = _described(app.openapi(), bool(tokens))
    app.openapi = lambda: description  # type: ignore[method-assign]
    return app


def _described(found: dict[str, Any], by_token: bool) -> dict[str, Any]:
    """Return a description whose summaries are sentences, and that says if a token is needed."""
    for operations in found["paths"].values():
        for operation in operations.values():
            first, _, rest = operation.pop("description", "").partition("\n")
            operation["summary"] = first.rstrip(".") or operation["summary"]
            if rest.strip():
                operation["description"] = rest.strip()
    if by_token:
        schemes = found.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes["token"] = {"type": "http", "scheme": "bearer"}
        found["security"] = [{"token": []}]
    return found


def _state(service: Service, metrics: Metrics) -> APIRouter:
    state = APIRouter(tags=["Operation"])

    @state.get("/healthz", responses={503: {"model": Health}})
    async def health(response: Response) -> Health:
        """Say whether the server can answer; needs no token."""
        if service.desks.ready:
            return Health(status="ok")
        response.status_code = 503
        return Health(status="starting")

    text: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {}}}}

    @state.get("/metrics", response_class=PlainTextResponse, responses=text)
    async def figures() -> Response:
        """Return counts and times, as Prometheus reads them."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4")

    return state


def _pages() -> APIRouter:
    pages = APIRouter(include_in_schema=False)
    parts = {part.name: part.read_bytes() for part in PAGE.iterdir() if _kind(part.name)}
    index_html = (PAGE / "index.html").read_text(encoding="utf-8")

    @pages.api_route("/", methods=["GET", "HEAD"])
    async def index(request: Request) -> HTMLResponse:
        response = HTMLResponse(index_html)
        introduce(request, response)
        return response

    @pages.api_route("/page/{name}", methods=["GET", "HEAD"])
    async def part(name: str) -> Response:
        if name not in parts:  # a name, never a path
            raise HTTPException(404)
        return Response(parts[name], media_type=_kind(name))

    return pages


def _kind(name: str) -> str | None:
    return KINDS.get(name.rpartition(".")[2])
