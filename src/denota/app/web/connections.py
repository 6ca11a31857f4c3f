"""Connections that are let go: those that say nothing, and the idle ones when there are too many.

A connection has a few seconds to send the head of a request, from when it is made or from its first
byte. When there are too many connections, the one that has said nothing for longest makes room, be
it between two requests or within one, so nobody can shut others out by holding connections open.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from typing import Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from denota.app.web.guard import HEADERS

HEAD: Final = 10.0
"""Seconds in which the head of a request is sent."""
MOST: Final = 500
"""Connections at a time."""


class PatientProtocol(H11Protocol):
    """HTTP on a connection that is let go if it says nothing."""

    silent: ClassVar[OrderedDict[PatientProtocol, None]] = OrderedDict()
    """Connections from which something is to come, the one silent for longest first."""
    count: ClassVar[int] = 0
    """Connections that are open."""

    def connection_made(self, transport: Any) -> None:
        """Begin, and make room if there is none."""
        super().connection_made(transport)
        cls = PatientProtocol
        cls.count += 1
        cls.silent[self] = None
        self._head: asyncio.TimerHandle | None = None
        self._expect_head()
        if cls.count > MOST:
            oldest = next(iter(cls.silent))
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        PatientProtocol.count -= 1
        PatientProtocol.silent.pop(self, None)
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; those of a new request's head have a deadline."""
        super().data_received(data)
        PatientProtocol.silent.pop(self, None)
        if not self._is_answering():
            PatientProtocol.silent[self] = None
            if self._head is None:
                self._expect_head()
            return
        self._stop_waiting()
        if self.cycle.more_body:
            PatientProtocol.silent[self] = None

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing() and not self._is_answering():
            PatientProtocol.silent[self] = None

    def send_400_response(self, msg: str) -> None:
        """Answer a head that cannot be read, as any other request is."""
        body = json.dumps({"detail": "this is not a request that can be read"}).encode()
        own = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        headers = [(n.encode(), v.encode()) for n, v in {**HEADERS, **own}.items()]
        headers.append((b"Connection", b"close"))
        reason = b"Bad Request"
        for event in (
            h11.Response(status_code=400, headers=headers, reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _expect_head(self) -> None:
        self._head = self.loop.call_later(HEAD, self._give_up)

    def _stop_waiting(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _give_up(self) -> None:
        if not self._is_answering():
            self.transport.abort()
