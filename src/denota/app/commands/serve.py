"""`denota serve`: the page and the REST API, for oneself or, with a token, for others."""

from __future__ import annotations

import ipaddress
import os
import secrets
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from denota.app.offers import offered_tables
from denota.app.paths import lessons_path, load_run, sessions_path
from denota.app.reading import ReaderOptions
from denota.app.web.server import make_app
from denota.app.web.service import LIMITS, Service
from denota.app.web.sessions import SessionStore
from denota.app.web.workers import Workers
from denota.errors import DataError
from denota.teaching.log import TeachingLog
from denota.teaching.teacher import Teacher

PATIENCE: Final = 20
"""Seconds that open connections have when the server is stopped."""
MOST: Final = 500
"""Connections at a time."""


def serve(
    host: str,
    port: int,
    model: str,
    sessions: Path | None,
    token: str | None,
    workers: int | None,
    apart: bool,
    tables: Sequence[str],
    how: ReaderOptions,
) -> None:
    """Serve until stopped."""
    import uvicorn

    offers = offered_tables(tables, how, LIMITS)
    if port and not is_free(host, port):
        raise DataError(f"port {port} of {host} cannot be listened on; name another with --port")
    port = port or some_port(host)
    path = sessions or sessions_path()
    store = SessionStore(path)
    parser = load_run(model)
    teacher = Teacher(parser, TeachingLog(lessons_path(model)))
    service = Service(parser, store, Workers(model, path, workers or cores()), teacher, offers)
    if token is None and not is_local(host):
        token = secrets.token_urlsafe(24)
    hosts = None if token is not None else {"localhost", "127.0.0.1", "::1", host}
    app = make_app(service, token, hosts, apart)
    print(f"denota listens on {address(host, port, token)}", file=sys.stderr, flush=True)
    # uvicorn passes the signal on when it has finished; it is to end us in order, not on the spot
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    try:
        uvicorn.run(
            app,
            host=host,
            port=port,
            log_level="warning",
            timeout_graceful_shutdown=PATIENCE,
            timeout_keep_alive=30,
            limit_concurrency=MOST,
            h11_max_incomplete_event_size=64 << 10,
        )
    finally:
        service.close()


def cores() -> int:
    """Return how many cores there are for us, four at most: a worker takes half a gigabyte."""
    return max(1, min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2))


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
    """Return what to open in a browser.

    >>> address("::1", 8000, None), address("0.0.0.0", 80, "abc")
    ('http://[::1]:8000/', 'http://0.0.0.0:80/?token=abc')
    """
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
