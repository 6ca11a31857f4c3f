"""The access log: a line a request on stderr, which never keeps a request waiting.

A line has the time, the request's id, its method, the pattern of its path, the status and the
milliseconds it took: no session's id, no question, no cell.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from typing import Final

WAITING: Final = 2000
"""Lines that may wait to be written; more are dropped."""


class AccessLog:
    """Lines that a thread of their own writes, so that a reader who stalls stalls nobody else.

    Args:
        to: the file descriptor.
    """

    def __init__(self, to: int = 2) -> None:
        self._to = to
        self._lines: queue.Queue[bytes] = queue.Queue(WAITING)
        threading.Thread(target=self._write_all, daemon=True).start()

    def write(self, id_: str, method: str, route: str, status: int, seconds: float) -> None:
        """Write a line, in a while."""
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = f"{at} {id_} {method} {route} {status} {1000 * seconds:.0f}ms\n"
        if not self._lines.full():
            self._lines.put(line.encode())

    def _write_all(self) -> None:
        while True:
            try:
                os.write(self._to, self._lines.get())
            except OSError:
                return  # nobody reads them any more
