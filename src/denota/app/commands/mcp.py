"""`denota mcp`: tables for an assistant, by the Model Context Protocol on stdin and stdout."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import denota
from denota.app.agents.allowed import Allowed
from denota.app.paths import model_path
from denota.errors import DataError, DenotaError
from denota.extras import missing_package

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

    from denota.app.agents.tools import Desk, Tool
    from denota.conversation.chat import Chat
    from denota.model.parser import Parser
    from denota.tables.table import Table
    from denota.teaching.teacher import Teacher

    Loaded = Future[tuple[Parser, Teacher]]

MISSING: Final = (
    "the Model Context Protocol is not installed here; `pip install 'denota[mcp]'` installs it"
)
TO_PEOPLE: Final = "an assistant starts this and speaks to it; Ctrl-C ends it"
AT_ONCE: Final = 4
"""Calls that are worked on at once; others wait."""


def serve_assistant(addresses: Sequence[str], folders: Sequence[Path], model: str) -> NoReturn:
    """Answer an assistant until it closes standard input."""
    allowed = Allowed(addresses, folders)
    if not model_path(model).exists():  # it is loaded later, and this is to be said at once
        raise DataError(f"there is no model {model}; name a run or a saved file with --model")
    try:
        import anyio
        import mcp  # noqa: F401
    except ImportError:
        raise DataError(MISSING) from None
    from denota.app.agents.shelf import Shelf
    from denota.app.agents.tools import Desk

    logging.basicConfig(stream=sys.stderr, level=logging.ERROR, format="denota: %(message)s")
    loaded: Loaded = Future()
    session = f"mcp-{secrets.token_hex(8)}"  # what is taught here can be told from other lessons

    def begin(table: Table) -> Chat:
        parser, teacher = loaded.result()
        from denota.conversation.chat import Chat

        return Chat(parser, table, teacher=teacher, session=session)

    desk = Desk(Shelf(allowed, begin))
    code = 1

    def end(number: int, frame: object) -> NoReturn:
        desk.sql.kill()
        os._exit(130 if number == signal.SIGINT else 0)

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, end)
    if sys.stdin.isatty():
        print(f"denota: {TO_PEOPLE}", file=sys.stderr, flush=True)
    try:
        server = _server(desk)
        threading.Thread(target=_load, args=(model, loaded), daemon=True).start()
        anyio.run(_serve, server)
        code = 0
    except Exception:
        traceback.print_exc()
    finally:
        desk.sql.close()
        sys.stderr.flush()
        os._exit(code)  # what is still being worked on is not waited for


async def _serve(server: Server[Any]) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _server(desk: Desk) -> Server[Any]:
    """What speaks the protocol."""
    import anyio
    import mcp_types as types
    from mcp.server.lowlevel.server import Server
    from pydantic import ValidationError

    from denota.app.agents.jobs import do
    from denota.app.agents.texts import text_of
    from denota.app.agents.tools import INSTRUCTIONS, TOOLS

    tools = {tool.name: tool for tool in TOOLS}
    room, beginning = anyio.Semaphore(AT_ONCE), anyio.Lock()

    async def list_tools(context: object, params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_declared(tool) for tool in TOOLS])

    async def call_tool(
        context: object, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        began, said = time.perf_counter(), "done"
        tool = tools.get(params.name)
        try:
            if tool is None:
                raise DataError(f"there is no such tool; there are {', '.join(tools)}")
            given = tool.given.model_validate(params.arguments or {})
            stop = desk.sql.kill if tool.name == "run_sql" else _nothing
            async with beginning:  # calls go to their lines in the order in which they came
                if not desk.shelf.has_begun:
                    await anyio.to_thread.run_sync(desk.shelf.all)
            line = desk.line(given)
            how = (tool.seconds, tool.stops, stop)
            told = await do(line, room, lambda: tool.run(desk, given), *how)
            text = types.TextContent(type="text", text=text_of(told))
            return types.CallToolResult(
                content=[text], structured_content=told.model_dump(mode="json")
            )
        except ValidationError as error:
            said = "refused"
            return _refused(_wrong(error))
        except DenotaError as error:
            said = "refused"
            return _refused(str(error))
        except Exception as error:
            if isinstance(error, ModuleNotFoundError) and (lacks := missing_package(error, "this")):
                said = "refused"
                return _refused(str(lacks))
            said = "failed"
            where = traceback.extract_tb(error.__traceback__)[-1]  # no message: it may quote cells
            kind, file = type(error).__name__, Path(where.filename).name
            print(f"denota: {kind} at {file}:{where.lineno}", file=sys.stderr)
            return _refused(f"something went wrong inside denota ({kind}); its log says where")
        except BaseException:
            said = "stopped"
            raise
        finally:
            took = 1000 * (time.perf_counter() - began)
            name = tool.name if tool is not None else "a tool that there is not"
            print(f"denota: {name} {said} in {took:.0f} ms", file=sys.stderr, flush=True)

    def _refused(sentence: str) -> types.CallToolResult:
        plain = " ".join(sentence.split())[:1000]
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=plain)], is_error=True
        )

    def _declared(tool: Tool) -> types.Tool:
        return types.Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=tool.given.model_json_schema(),
            output_schema=tool.told.model_json_schema(mode="serialization"),
            annotations=types.ToolAnnotations(
                title=tool.title,
                read_only_hint=tool.reads,
                destructive_hint=tool.name == "forget",
                idempotent_hint=tool.reads,
                open_world_hint=False,
            ),
        )

    return Server(
        "denota",
        title="denota",
        version=denota.__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _load(model: str, loaded: Loaded) -> None:
    """Read the model, while the assistant says who it is."""
    try:
        from denota.app.commands.ask import lessons_of
        from denota.app.paths import load_run
        from denota.teaching.teacher import Teacher

        parser = load_run(model)
        loaded.set_result((parser, Teacher(parser, lessons_of(model, new=True))))
    except BaseException as error:
        loaded.set_exception(error)


def _wrong(error: Any) -> str:
    """What is wrong with the arguments of a call, in a sentence that repeats none of them."""
    found = [
        f"{'.'.join(map(str, one['loc'])) or 'the arguments'}: {one['msg'].lower()}"
        for one in error.errors(include_input=False, include_url=False)[:3]
    ]
    return f"the arguments are not as the tool takes them; {'; '.join(found)}"


def _nothing() -> None:
    """Do nothing."""
