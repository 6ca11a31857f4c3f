"""The requests that look at a table: its columns, some of its rows, and what cells come to."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from denota.app.web.routes import REFUSED, By, attended, file, file_of, told
from denota.app.web.rows import Sight
from denota.app.web.schema import (
    ColumnSummaryInfo,
    ExampleInfo,
    Id,
    Rows,
    RowsBody,
    SampleInfo,
    SomeRowsBody,
    TotalBody,
    TotalInfo,
)
from denota.app.web.service import Service
from denota.data.example import LONGEST
from denota.sample.about import ABOUT, FIRST


def example_routes(service: Service) -> APIRouter:
    """Return the requests that show a newcomer what can be asked."""
    api = APIRouter(responses=REFUSED, tags=["Tables"])

    @api.get("/samples/about")
    async def about() -> list[SampleInfo]:
        """Tell what the tables that come with denota are about, and a question for each."""
        names = sorted(service.samples(), key=lambda name: name not in FIRST)
        found = ((name, *ABOUT.get(name, ("", ""))) for name in names)
        return [SampleInfo(name=name, about=tells, question=q) for name, tells, q in found]

    @api.get("/example", response_model=ExampleInfo)
    async def example(request: Request, by: By) -> Response:
        """Return a table with questions that this server's model answered about it."""
        return told(await attended(request, service.example(by.client)))

    return api


def look_routes(service: Service) -> APIRouter:
    """Return the requests that look at a session's table."""
    api = APIRouter(prefix="/sessions/{id}", responses=REFUSED, tags=["Table of a conversation"])

    @api.get("/columns", response_model=list[ColumnSummaryInfo])
    async def columns(id: Id, request: Request, by: By) -> Response:
        """Tell how each column was read, and what is in it in brief."""
        return told(await attended(request, service.see(id, by, "columns")))

    @api.post("/rows", response_model=Rows)
    async def some(id: Id, body: SomeRowsBody, request: Request, by: By) -> Response:
        """Return some of the given rows, as they are seen."""
        sight = body.sight.among(body.rows)
        work = service.rows(id, body.start, body.count, sight, None, by)
        return told(await attended(request, work))

    @api.post("/places", response_model=list[tuple[int, int]])
    async def places(id: Id, body: RowsBody, request: Request, by: By) -> Response:
        """Return `[place, row]` of those rows that the search finds, in the order seen."""
        return told(await attended(request, service.places(id, body.rows, body.sight, by)))

    @api.get("/rows/with", response_model=list[int])
    async def rows_with(
        id: Id,
        request: Request,
        by: By,
        column: Annotated[int, Query(ge=0, le=100_000)],
        value: Annotated[str, Query(max_length=LONGEST)],
    ) -> Response:
        """Return the rows that have a text in a column, whatever its case."""
        return told(await attended(request, service.see(id, by, "rows_with", column, value)))

    @api.post("/total", response_model=TotalInfo)
    async def total(id: Id, body: TotalBody, request: Request, by: By) -> Response:
        """Return how many rows cells are in, what they add up to, or what they are on average."""
        return told(await attended(request, service.see(id, by, "total", body.cells, body.of)))

    @api.get("/rows.csv", response_class=Response, responses=file_of("text/csv"))
    async def rows_file(
        id: Id,
        request: Request,
        by: By,
        sort: Annotated[int | None, Query(ge=0, le=100_000)] = None,
        down: bool = False,
        search: Annotated[str, Query(max_length=LONGEST)] = "",
        turn: Annotated[int | None, Query(ge=0, le=10_000)] = None,
    ) -> Response:
        """Return rows as they are seen with all their columns, of a turn those of its answer.

        Rows are counted from 1, as on the page.
        """
        work = service.rows_file(id, Sight(sort, down, search), turn, by)
        return file(await attended(request, work), "rows.csv", "text/csv")

    @api.post("/rows.csv", response_class=Response, responses=file_of("text/csv"))
    async def given_rows_file(id: Id, body: RowsBody, request: Request, by: By) -> Response:
        """Return the given rows as they are seen with all their columns, counted from 1."""
        work = service.rows_file(id, body.sight.among(body.rows), None, by)
        return file(await attended(request, work), "rows.csv", "text/csv")

    return api
