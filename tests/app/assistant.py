"""An assistant: the official client, with `denota mcp` in a process of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

import denota

mcp = pytest.importorskip("mcp", reason="the Model Context Protocol is not installed")
stdio = pytest.importorskip("mcp.client.stdio")


@dataclass(frozen=True)
class Said:
    """What a tool answered."""

    text: str
    data: dict[str, Any]
    is_error: bool

    def refusal(self) -> str:
        """The one sentence of a call that could not be done."""
        assert self.is_error, self
        assert self.text and "\n" not in self.text and "Traceback" not in self.text
        assert "inside denota" not in self.text, self.text
        return self.text


@dataclass
class Assistant:
    """A client that is connected."""

    client: Any
    portal: BlockingPortal
    log: Path

    def __call__(self, tool: str, /, **given: Any) -> Said:
        return self.portal.call(partial(self.said, tool, given))

    async def said(self, tool: str, given: dict[str, Any], seconds: float = 60) -> Said:
        found = await self.client.call_tool(tool, given, read_timeout_seconds=seconds)
        (content,) = found.content
        return Said(content.text, found.structured_content or {}, bool(found.is_error))

    def together(self, *calls: tuple[str, dict[str, Any]]) -> list[Said]:
        """Make calls at once, and return what they answered in the order of the calls."""

        async def all_of_them() -> list[Said]:
            found: list[Any] = [None] * len(calls)

            async def one(place: int, tool: str, given: dict[str, Any]) -> None:
                found[place] = await self.said(tool, given)

            async with anyio.create_task_group() as group:
                for place, call in enumerate(calls):
                    group.start_soon(one, place, *call)
                    await anyio.sleep(0)
            return found

        return self.portal.call(all_of_them)


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "denota", "mcp", *map(str, arguments)]


def environment(folder: Path) -> dict[str, str]:
    source = str(Path(denota.__file__).parent.parent)
    own = {"PYTHONPATH": source, "DENOTA_LESSONS": str(folder / "lessons.sqlite")}
    return {**os.environ, **own, "OMP_NUM_THREADS": "1"}


@contextmanager
def connected(
    folder: Path, *arguments: str | Path, cwd: Path | None = None, mode: str = "auto"
) -> Iterator[Assistant]:
    """Start a server and connect to it; what it logs and learns lies in the folder."""
    first, *rest = command(*arguments)
    how = stdio.StdioServerParameters(command=first, args=rest, env=environment(folder), cwd=cwd)
    log = folder / "log"
    with log.open("w") as errors, start_blocking_portal() as portal:
        client = mcp.Client(stdio.stdio_client(how, errlog=errors), mode=mode)
        with portal.wrap_async_context_manager(client) as entered:
            yield Assistant(entered, portal, log)
