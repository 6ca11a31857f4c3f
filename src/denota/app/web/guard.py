"""What stands before the server: who may ask, how much at a time, and for how long.

A server for oneself listens to this machine alone and answers only under this machine's names, so
that no web page elsewhere can reach it through the browser; any other asks for a token.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Collection
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATIENCE: Final = 60.0
"""Seconds that a request may take."""
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""What a browser is told of every page of ours: nothing from elsewhere is loaded."""
DOCUMENTATION: Final = ("/docs", "/redoc", "/static-offline-docs")
"""Pages that are not ours, and need scripts within."""


class TooLarge(Exception):
    """A request with more bytes than are taken."""


class Guard:
    """Passes requests on that are in order, and answers others with a sentence.

    Args:
        app: what the requests are for.
        largest: bytes of a request.
        token: what a request must bring along, in `Authorization: Bearer` or once in `?token=`;
            nothing if None.
        hosts: the names the server answers to; any if none are given.
    """

    def __init__(
        self,
        app: ASGIApp,
        largest: int,
        token: str | None = None,
        hosts: Collection[str] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.app, self.largest, self.token, self.patience = app, largest, token, patience
        self.hosts = None if hosts is None else frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._refused(scope, headers)
        if refused is not None:
            await refused(scope, receive, send)
            return
        taken, begun = 0, False

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self.largest:
                raise TooLarge
            return message

        async def told(message: Message) -> None:
            nonlocal begun
            if taken > self.largest and not begun:
                return  # what is made of half a body is not told
            if message["type"] == "http.response.start":
                begun = True
                if not scope["path"].startswith(DOCUMENTATION):
                    MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        response = None
        try:
            await asyncio.wait_for(self.app(scope, counted, told), self.patience)
        except TimeoutError:
            response = _sentence(504, "this took too long; ask for less at a time")
        except Exception:
            if taken <= self.largest:
                raise
        if taken > self.largest:
            response = self._too_large()
        if response is not None and not begun:
            await response(scope, receive, send)

    def _refused(self, scope: Scope, headers: Headers) -> Any | None:
        """The answer to a request that is not passed on."""
        host = headers.get("host", "")
        if self.hosts is not None and (urlsplit(f"//{host}").hostname or "") not in self.hosts:
            return _sentence(403, "this server answers only to the name it was started with")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return _sentence(403, "requests from other pages are not answered")
        size = headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > self.largest:
            return self._too_large()
        return self._without_token(scope, headers)

    def _without_token(self, scope: Scope, headers: Headers) -> Any | None:
        if self.token is None:
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        from_link = query.pop("token", [""])[0]
        given = headers.get("authorization", "").removeprefix("Bearer ")
        given = given or from_link or cookie_parser(headers.get("cookie", "")).get("denota", "")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return _sentence(401, "a token is needed; the server printed a link that has it")
        if not from_link or scope["method"] != "GET":
            return None
        rest = urlencode(query, doseq=True)
        moved = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
        moved.set_cookie("denota", self.token, httponly=True, samesite="strict")
        return moved  # and the token is out of the address bar

    def _too_large(self) -> JSONResponse:
        return _sentence(413, f"more than {self.largest >> 20} MB at a time are not taken")


def _sentence(status: int, text: str) -> JSONResponse:
    return JSONResponse({"detail": text}, status, headers=HEADERS)
