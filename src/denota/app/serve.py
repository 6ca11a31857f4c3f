"""`denota serve`: the page and the REST API, for oneself or, with a token, for others."""

from __future__ import annotations

import ipaddress
import os
import secrets
import sys
from pathlib import Path
from typing import Final

from denota.app.models import load_run
from denota.app.web.server import make_app
from denota.app.web.service import Service
from denota.app.web.store import SessionStore
from denota.errors import DataError

PATIENCE: Final = 20
"""Seconds that open connections have when the server is stopped."""


def serve(host: str, port: int, model: str, sessions: Path | None, token: str | None) -> None:
    """Serve until stopped."""
    import uvicorn

    store = SessionStore(sessions or sessions_path())
    if token is None and not is_local(host):
        token = secrets.token_urlsafe(24)
    app = make_app(Service(load_run(model), store), token)
    print(f"denota listens on {address(host, port, token)}", file=sys.stderr, flush=True)
    try:
        uvicorn.run(
            app,
            host=host,
            port=port,
            log_level="warning",
            timeout_graceful_shutdown=PATIENCE,
            h11_max_incomplete_event_size=64 << 10,
        )
    except OSError as error:
        raise DataError(f"{host}:{port} cannot be listened on: {error.strerror}") from None
    finally:
        store.close()


def is_local(host: str) -> bool:
    """Say whether an address is this machine's alone.

    >>> is_local("localhost"), is_local("127.0.0.1"), is_local("::1"), is_local("0.0.0.0"), is_local("example.org")
    (True, True, True, False, False)
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


def sessions_path() -> Path:
    """Return where conversations are kept: DENOTA_SESSIONS, else a file of the user's."""
    own = os.environ.get("DENOTA_SESSIONS")
    if own:
        return Path(own)
    state = os.environ.get("XDG_STATE_HOME")
    base = Path(state) if state else Path.home() / ".local" / "state"
    return base / "denota" / "sessions.sqlite"
