"""A worker process: a desk that does one job after the other, and can be stopped in the middle.

Workers are forked from a process that has imported everything and read the model, so that a lost
one is replaced at once and all share the model's memory. A job is stopped by a signal, which raises
`Stopped` in it; what does not heed that in time is killed by the server.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from denota.app.reading import ReaderOptions
from denota.app.web.messages import LIMITS, Done
from denota.errors import DenotaError, ModelError, TooLarge
from denota.extras import missing_package

if TYPE_CHECKING:
    from denota.app.web.desk import Desk

MODEL: Final = "DENOTA_SERVED_MODEL"
"""The environment variable that names the model to the process that workers are forked from."""
MEMORY: Final = 3 << 30
"""Bytes that jobs may take besides what a worker begins with."""
KEPT_TEXTS: Final = 1024
"""Texts of questions and tables that the parser's reader keeps."""


FULL: Final = TooLarge("this needs more memory than there is for one request; ask for less")


@dataclass(frozen=True)
class Setting:
    """What a worker is given when it begins."""

    model: str
    sessions: Path
    lessons: Path
    tables: tuple[str, ...] = ()
    """Addresses of the tables that are offered."""
    how: ReaderOptions = ReaderOptions()  # noqa: RUF009 - frozen
    """How those are read."""
    memory: int = MEMORY


@dataclass(frozen=True)
class Failed:
    """A fault of ours: what kind it is, and where."""

    kind: str
    where: str


class Stopped(BaseException):
    """A job that is not wanted any more."""


def begin(setting: Setting, server: Connection, unwanted: Any) -> None:
    """Do jobs until the server is gone.

    Args:
        setting: what there is to work with.
        server: where jobs come from and results go.
        unwanted: a shared number: the job that is to be stopped.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.unraisablehook = lambda raised: None  # a job may be stopped where nothing can be raised
    threading.Thread(target=_end_with_server, daemon=True).start()
    try:
        desk = _desk(setting)
    except DenotaError as error:
        server.send(error)
        return
    except Exception as error:  # weights that load and do not fit together
        server.send(ModelError(f"the model {setting.model} cannot answer ({type(error).__name__})"))
        return
    _bound_memory(setting.memory)
    server.send(Done(b""))
    running, full = 0, False

    def stop(number: int, frame: object) -> None:
        if running and running == unwanted.value:
            raise Stopped

    signal.signal(signal.SIGUSR1, stop)
    while True:
        job, name, given = pickle.loads(server.recv_bytes())
        try:
            running = job
            if job == unwanted.value and job:  # already, before the signal was listened for
                raise Stopped
            result = _result(desk, name, given)
            running = 0
        except Stopped:
            running, result = 0, None
        except MemoryError:
            full = True
        if full:  # what memory is left may be in pieces: another takes our place
            server.send(FULL)
            os._exit(1)
        if job:
            server.send(result)
        else:  # a word in passing, which is not answered: a table was forgotten
            _give_memory_back()


def _result(desk: Desk, name: str, given: Sequence[Any]) -> Done | DenotaError | Failed:
    try:
        return desk.do(name, *given)
    except DenotaError as error:
        return error
    except MemoryError:
        raise
    except RecursionError:
        return TooLarge("this is nested too deeply; ask for less")
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and (said := missing_package(error, "this")):
            return said
        last = traceback.extract_tb(error.__traceback__)[-1]  # no message: it may quote cells
        return Failed(type(error).__name__, f"{Path(last.filename).name}:{last.lineno}")


def _desk(setting: Setting) -> Desk:
    from denota.app.offers import offered_tables
    from denota.app.web import preloaded
    from denota.app.web.desk import desk_of

    parser = preloaded.parser(setting.model)
    offers = offered_tables(setting.tables, setting.how, LIMITS, check=False)
    return desk_of(parser, setting.sessions, setting.lessons, offers)


def _bound_memory(more: int) -> None:
    """Let no job take the machine's memory; where that cannot be done, it is not."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * os.sysconf("SC_PAGE_SIZE") + more
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, OSError, ValueError):
        print("denota: the memory of workers cannot be bounded here", file=sys.stderr)


def _give_memory_back() -> None:
    """Return to the system what the C library keeps of freed memory, where it can be told to."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _end_with_server() -> None:
    """Leave when the server is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
