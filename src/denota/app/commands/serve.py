"""`denota serve`: the page and the REST API, for oneself or, with a token, for others."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer
import uvicorn

from denota.app.offers import offered_tables
from denota.app.paths import lessons_path, model_path, sessions_path
from denota.app.reading import ReaderOptions
from denota.app.web.access_log import AccessLog
from denota.app.web.connections import PatientProtocol
from denota.app.web.messages import LIMITS
from denota.app.web.metrics import Metrics, resident
from denota.app.web.pool import Pool
from denota.app.web.server import make_app
from denota.app.web.service import Service
from denota.app.web.sessions import SessionStore
from denota.app.web.worker import Setting
from denota.errors import DataError
from denota.teaching.log import TeachingLog

ENDING: Final = 4
"""Seconds that work has to be done when the server is stopped."""
CLOSING: Final = 7
"""Seconds after which connections that are still open then are closed."""
IDLE: Final = 30
"""Seconds that a connection may be idle between two requests."""
SHORTEST: Final = 8
"""Characters of a token."""


def serve(
    host: str,
    port: int,
    model: str,
    sessions: Path | None,
    tables: Sequence[str],
    how: ReaderOptions,
    tokens: Sequence[str],
    workers: int | None,
    shared: bool,
    quiet: bool,
) -> None:
    """Serve until stopped."""
    if any(len(token) < SHORTEST or not token.isprintable() or " " in token for token in tokens):
        raise typer.BadParameter(f"a token has {SHORTEST} characters at least, and no blanks")
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # it quotes what was sent
    offers = offered_tables(tables, how, LIMITS)
    if port and not is_free(host, port):
        raise DataError(f"port {port} of {host} cannot be listened on; name another with --port")
    port = port or some_port(host)
    model_path(model)  # a model that is not there is said at once
    path, lessons = sessions or sessions_path(), lessons_path(model)
    store, log, metrics = (
        SessionStore(path),
        TeachingLog(lessons),
        Metrics(None if quiet else AccessLog()),
    )
    setting = Setting(model, path, lessons, tuple(tables), how)
    pool = Pool(setting, workers or cores(), metrics.job)
    service = Service(store, log, pool, list(offers), shared)
    if not tokens and not is_local(host):
        tokens = [secrets.token_urlsafe(24)]
    hosts = None if tokens else {"localhost", "127.0.0.1", "::1", host}
    metrics.gauge("sessions", "Sessions that are kept", lambda: len(store))
    metrics.gauge("waiting_jobs", "Jobs that wait for a worker", lambda: pool.waiting)
    metrics.gauge("workers", "Workers that are ready", lambda: pool.ready)
    metrics.gauge("server_bytes", "Memory of the server", resident)
    metrics.gauge("worker_bytes", "Memory of the workers", pool.memory)
    settings = uvicorn.Config(
        make_app(service, tokens, hosts, metrics),
        host=host,
        port=port,
        http=PatientProtocol,
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=CLOSING,
        timeout_keep_alive=IDLE,
        h11_max_incomplete_event_size=64 << 10,
    )
    at = address(host, port, tokens[0] if tokens else None)
    # uvicorn passes the signal on when it has finished; it is to end us in order, not on the spot
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    try:
        asyncio.run(_Server(settings, pool, at).work())
    finally:
        service.close()


class _Server(uvicorn.Server):
    """A server that listens when its workers are there, and ends them when it ends."""

    def __init__(self, settings: uvicorn.Config, pool: Pool, address: str) -> None:
        super().__init__(settings)
        self._pool, self._address = pool, address

    async def work(self) -> None:
        """Serve until stopped."""
        await self._pool.start()
        await self.serve()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say where."""
        await super().startup(sockets)
        print(f"denota listens on {self._address}", file=sys.stderr, flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer or refuse what is asked, and end."""
        self._pool.end(ENDING)
        await super().shutdown(sockets)


def cores() -> int:
    """Return how many workers there are: one a core, but two at least and four at most.

    With two, small questions do not wait for large ones.
    """
    return max(2, min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2))


def is_free(host: str, port: int) -> bool:
    """Say whether a port can be listened on."""
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except OSError:
        return False
    return True


def some_port(host: str) -> int:
    """Return a port that nobody listens on."""
    family, *_, place = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.bind(place)
        return int(probe.getsockname()[1])


def is_local(host: str) -> bool:
    """Say whether an address is this machine's alone.

    >>> [is_local(host) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def address(host: str, port: int, token: str | None) -> str:
    """Return what to open in a browser; a server on all addresses has this machine's name.

    >>> address("::1", 8000, None), address("127.0.0.1", 80, "abc")
    ('http://[::1]:8000/', 'http://127.0.0.1:80/?token=abc')
    """
    host = socket.gethostname() if host in ("0.0.0.0", "::") else host
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
