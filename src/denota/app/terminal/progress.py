"""Progress of long work: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

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

if TYPE_CHECKING:
    from denota.learning.trainer import Epoch


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


@contextmanager
def training_progress(prepared: int, trained: int, quiet: bool = False) -> Iterator[TrainingShown]:
    """Give what shows a training run: bars with loss, dev accuracy and speed, or plain lines.

    Args:
        prepared: how many questions are made ready first.
        trained: how many question-updates the whole run has.
        quiet: whether to show nothing.
    """
    if quiet:
        yield TrainingShown(lambda more: None, lambda more, said: None, lambda line: None)
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        yield TrainingShown(
            _count_lines("preparing", prepared), _count_lines("training", trained), print
        )
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, redirect_stdout=False
    ) as bar:
        ready = bar.add_task("preparing", total=prepared)
        learnt = bar.add_task("training", total=trained, start=False)

        def train(more: int, said: str) -> None:
            bar.start_task(learnt)
            bar.update(learnt, advance=more, description=said)

        yield TrainingShown(
            lambda more: bar.update(ready, advance=more),
            train,
            lambda line: print(line, flush=True),
        )


class TrainingShown:
    """Shows the progress of a run."""

    def __init__(
        self,
        prepared: Callable[[int], None],
        train: Callable[[int, str], None],
        say: Callable[[str], None],
    ) -> None:
        self.prepared, self._train, self._say = prepared, train, say
        self._done, self._began, self._dev = 0, time.monotonic(), ""

    def step(self, done: int, loss: float) -> None:
        """Tell of questions done within an epoch, and the loss so far."""
        if done < self._done:
            self._done, self._began = 0, time.monotonic()
        speed = done / max(time.monotonic() - self._began, 1e-3)
        self._train(done - self._done, f"loss {loss:.3f}{self._dev}, {speed:,.0f}/s")
        self._done = done

    def epoch(self, done: Epoch) -> None:
        """Tell of an epoch."""
        self._done, self._began = 0, time.monotonic()
        if done.dev_accuracy is not None:
            self._dev = f", dev {done.dev_accuracy:.2f}"
        self._say(
            f"epoch {done.epoch}: loss {done.loss:.4f}{self._dev}, "
            f"{done.questions_per_s:,.0f} questions/s"
        )


_SECONDS_BETWEEN_LINES: Final = 5.0


def _count_lines(what: str, total: int) -> Callable[..., None]:
    last, done = time.monotonic(), 0

    def report(more: int, said: str = "") -> None:
        nonlocal last, done
        done += more
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            print(f"{what}: {done:,} of {total:,}{said and f', {said}'}", file=sys.stderr)

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
