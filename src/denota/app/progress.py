"""Progress of long work: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)


@contextmanager
def bytes_progress(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Give a function to call with the bytes done and the bytes in all, where that is known."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(what)
        return
    columns = (TextColumn(what), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def count_progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Give a function to call with how many more are done."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _count_lines(what, total)
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda more: bar.update(task, advance=more)


_SECONDS_BETWEEN_LINES: Final = 5.0


def _count_lines(what: str, total: int) -> Callable[[int], None]:
    last, done = time.monotonic(), 0

    def report(more: int) -> None:
        nonlocal last, done
        done += more
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            print(f"{what}: {done:,} of {total:,}", file=sys.stderr)

    return report


def _lines(what: str) -> Callable[[int, int | None], None]:
    last = time.monotonic()

    def report(done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES or done == total:
            last = time.monotonic()
            of = f" of {decimal(total)}" if total else ""
            print(f"{what}: {decimal(done)}{of}", file=sys.stderr)

    return report
