"""A plugin for Datasette: a page on which a table is asked questions, and the same as JSON.

`/-/denota/DATABASE/TABLE?q=QUESTION` is the page, `/-/denota/DATABASE/TABLE.json?q=QUESTION` the
answer for programs; several `q` are a conversation. Tables are read through Datasette's own
connection, by who may see them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from datasette import Forbidden, NotFound, Response, hookimpl
from datasette.utils import sqlite_timelimit, tilde_decode, tilde_encode

from denota.errors import DataError, DenotaError, TableError
from denota.tables.io import read_table
from denota.tables.limits import Limits
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.app.api import TableParser
    from denota.conversation.turn import Turn

LIMITS: Final = Limits(columns=500, cells=1_000_000, text=32_000_000, cell=100_000, sketches=False)
"""Of a table that is read for a question."""
MOST: Final = 20
"""Questions of a conversation."""
TOLD: Final = 1_000
"""Items of an answer that JSON has."""
PATH: Final = r"^/-/denota/(?P<database>[^/.]+)/(?P<table>[^/.]+)"


@hookimpl  # type: ignore[untyped-decorator]
def register_routes() -> list[tuple[str, Any]]:
    """Return what answers the two addresses."""
    return [(PATH + "$", _page), (PATH + r"\.json$", _json)]


@hookimpl  # type: ignore[untyped-decorator]
def table_actions(datasette: Any, database: str, table: str) -> list[dict[str, str]]:
    """Return a link for the menu of a table."""
    return [{"href": _address(datasette, database, table), "label": "Ask this table questions"}]


async def _page(datasette: Any, request: Any) -> Any:
    database, table = await _allowed(datasette, request)
    questions, error = _questions(request), ""
    turns: tuple[Turn, ...] = ()
    if questions:
        try:
            turns = await _turns(datasette, database, table, questions)
        except DenotaError as raised:
            error = str(raised)
    sql = await datasette.permission_allowed(request.actor, "execute-sql", database, default=True)
    shown = [_shown(turn, datasette.urls.database(database) if sql else "") for turn in turns]
    context = {"database": database, "table": table, "turns": shown, "error": error}
    here = {"address": _address(datasette, database, table), "questions": questions, "most": MOST}
    page = await datasette.render_template("denota.html", {**context, **here}, request=request)
    return Response.html(page, status=400 if error else 200)


async def _json(datasette: Any, request: Any) -> Any:
    database, table = await _allowed(datasette, request)
    try:
        turns = await _turns(datasette, database, table, _questions(request))
    except DenotaError as error:
        return Response.json({"ok": False, "error": str(error)}, status=400)
    told = [_cut(turn.as_json()) for turn in turns]
    return Response.json({"ok": True, "database": database, "table": table, "turns": told})


async def _allowed(datasette: Any, request: Any) -> tuple[str, str]:
    """The table of an address, if it is there and whoever asks may see it."""
    database = tilde_decode(request.url_vars["database"])
    table = tilde_decode(request.url_vars["table"])
    if request.method not in ("GET", "HEAD"):
        raise Forbidden("a question is asked with GET")
    wanted = [("view-table", (database, table)), ("view-database", database), "view-instance"]
    await datasette.ensure_permissions(request.actor, wanted)
    # the name as it is written: another case of it would be another name to the permissions
    known = datasette.databases.get(database)
    if known is None or table not in [*await known.table_names(), *await known.view_names()]:
        raise NotFound(f"Table not found: {table}")
    return database, table


def _questions(request: Any) -> list[str]:
    return [text.strip() for text in request.args.getlist("q") if text.strip()]


async def _turns(
    datasette: Any, database: str, table: str, questions: Sequence[str]
) -> tuple[Turn, ...]:
    """The answers to questions about a table, asked as one conversation."""
    if not questions:
        raise DataError("there is no question; write what you want to know as ?q=")
    if len(questions) > MOST:
        raise DataError(f"a conversation has at most {MOST} questions; begin a new one")

    def read(connection: Any) -> Table:
        with sqlite_timelimit(connection, datasette.sql_time_limit_ms):
            return read_table(connection, table=table, limits=LIMITS)

    try:
        found = await datasette.databases[database].execute_fn(read)
    except TableError as error:
        if "took longer" in str(error):
            raise TableError(f"{table} takes longer to read than Datasette allows") from None
        raise
    return await asyncio.to_thread(_answers, found, questions)


_one_at_a_time: Final = threading.Lock()


def _answers(table: Table, questions: Sequence[str]) -> tuple[Turn, ...]:
    with _one_at_a_time:
        chat = _parser().chat(table)
        return tuple(chat.ask(question) for question in questions)


@cache
def _parser() -> TableParser:
    from denota.app.api import load  # numpy and all takes a while to import

    return load()


def _shown(turn: Turn, database: str) -> dict[str, Any]:
    """What the page says of an answer."""
    from denota.conversation.view import view_of

    return {
        "turn": turn,
        "view": view_of(turn),
        "run": f"{database}?{urlencode({'sql': turn.sql})}" if database and turn.sql else "",
    }


def _cut(told: dict[str, Any]) -> dict[str, Any]:
    total = max(len(told["answer"]), len(told["cells"]))
    some = {name: told[name][:TOLD] for name in ("answer", "values", "cells")}
    return {**told, **some, "total": total}


def _address(datasette: Any, database: str, table: str) -> str:
    path = f"/-/denota/{tilde_encode(database)}/{tilde_encode(table)}"
    return str(datasette.urls.path(path))
