"""What stands before the server: who may ask, how much at a time, and for how long.

A server for oneself listens to this machine alone and answers only under this machine's names, so
that no web page elsewhere can reach it through the browser; any other asks for a token. Every
request is counted and logged by its route, never by what it says.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import sys
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, cookie_parser
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from denota.app.web.people import bearer

PATIENCE: Final = 60.0
"""Seconds that a request may take."""
IN_FLIGHT: Final = 512 << 20
"""Bytes of bodies that are being taken, of all requests together."""
GUESSES: Final = 20
"""Wrong tokens from one address within `BRAKE` seconds, after which it is not listened to."""
BRAKE: Final = 60.0
ADDRESSES: Final = 10_000
"""Addresses whose wrong tokens are counted."""
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self'; img-src 'self' data:; "
    "object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What a browser is told of every answer: nothing from elsewhere is loaded, nothing is kept."""
OPEN: Final = ("/healthz",)
"""Paths for which no token is asked."""
Logged = Callable[[str, str, str, int, float], None]
"""Is told of every request: its id, method, route, status and seconds."""


class TooLargeBody(Exception):
    """A request with more bytes than are taken."""


class Guard:
    """Passes requests on that are in order, and answers others with a sentence.

    Args:
        app: what the requests are for.
        largest: bytes of a request.
        tokens: of which a request must bring one along, in `Authorization: Bearer` or once in
            `?token=`; nothing is asked for if there are none.
        hosts: the names the server answers to; any if none are given.
        patience: seconds that a request may take.
        logged: is told of every request.
    """

    def __init__(
        self,
        app: ASGIApp,
        largest: int,
        tokens: Collection[str] = (),
        hosts: Collection[str] | None = None,
        patience: float = PATIENCE,
        logged: Logged = lambda id_, method, route, status, seconds: None,
    ) -> None:
        self.app, self.largest, self.patience, self.logged = app, largest, patience, logged
        self.tokens = tuple(token.encode() for token in tokens)
        self.hosts = None if hosts is None else frozenset(hosts)
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()
        """When each address brought a wrong token."""
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, id_, status = time.perf_counter(), secrets.token_hex(4), 0

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers["X-Request-Id"] = id_
            await send(message)

        scope["denota.request"] = id_
        try:
            await self._passed_on(scope, receive, told)
        finally:
            seconds = time.perf_counter() - began
            self.logged(id_, scope["method"], route_of(scope), status, seconds)

    async def _passed_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        refused = self._refused(scope, headers)
        if refused is not None:
            await refused(scope, receive, send)
            return
        taken, begun = 0, False

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            size = len(message.get("body", b""))
            taken += size
            self._in_flight += size
            if taken > self.largest or self._in_flight > IN_FLIGHT:
                raise TooLargeBody
            return message

        async def told(message: Message) -> None:
            nonlocal begun
            if taken > self.largest and not begun:
                return  # what is made of half a body is not told
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        response = None
        try:
            await asyncio.wait_for(self.app(scope, counted, told), self.patience)
        except TimeoutError:
            response = _sentence(504, "this took too long; ask for less at a time")
        except TooLargeBody:
            response = _sentence(503, "the server is taking too much already; ask again", 5)
        except Exception as error:
            if taken <= self.largest:
                kind = type(error).__name__  # no message: it may quote a question
                print(f"denota: {kind} in request {scope['denota.request']}", file=sys.stderr)
                said = f"something went wrong inside denota (request {scope['denota.request']})"
                response = _sentence(500, said)
        finally:
            self._in_flight -= taken
        if taken > self.largest:
            response = self._too_large()
        if response is not None and not begun:
            await response(scope, receive, send)

    def _refused(self, scope: Scope, headers: Headers) -> Any | None:
        """The answer to a request that is not passed on."""
        host = headers.get("host", "")
        if self.hosts is not None and _name_of(f"//{host}") not in self.hosts:
            return _sentence(403, "this server answers only to the name it was started with")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            return _sentence(403, "requests from other pages are not answered")
        size = headers.get("content-length", "0")
        if not (size.isascii() and size.isdecimal() and len(size) < 16):
            return _sentence(422, "Content-Length is not a number of bytes")
        if int(size) > self.largest:
            return self._too_large()
        return self._without_token(scope, headers)

    def _without_token(self, scope: Scope, headers: Headers) -> Any | None:
        if not self.tokens or scope["path"] in OPEN:
            return None
        address = (scope.get("client") or ("",))[0]
        if self._braked(address):
            wait = f"{BRAKE:.0f} seconds"
            return _sentence(429, f"too many wrong tokens came from here; wait {wait}", BRAKE)
        query = parse_qs(scope["query_string"].decode("latin-1"))
        from_link = query.pop("token", [""])[0]
        given = bearer(headers.get("authorization", "")) or from_link
        given = given or cookie_parser(headers.get("cookie", "")).get("denota", "")
        if not self._is_right(given):
            if given:
                self._note_wrong(address)
            refused = _sentence(401, "a token is needed; the server printed a link that has it")
            refused.headers["WWW-Authenticate"] = 'Bearer realm="denota"'
            return refused
        if not from_link or scope["method"] != "GET":
            return None
        rest = urlencode(query, doseq=True)
        path = "/" + scope["path"].lstrip("/\\")  # never another host
        moved = RedirectResponse(path + (f"?{rest}" if rest else ""), 303)
        secure = HTTPConnection(scope).url.scheme == "https"
        moved.set_cookie("denota", given, httponly=True, samesite="strict", secure=secure)
        return moved  # and the token is out of the address bar

    def _is_right(self, given: str) -> bool:
        """Whether a token is one of ours; it takes as long for a wrong one."""
        matches = [hmac.compare_digest(given.encode(), token) for token in self.tokens]
        return any(matches)

    def _braked(self, address: str) -> bool:
        wrong = self._wrong.get(address)
        if wrong is None:
            return False
        while wrong and wrong[0] < time.monotonic() - BRAKE:
            wrong.popleft()
        return len(wrong) >= GUESSES

    def _note_wrong(self, address: str) -> None:
        self._wrong.setdefault(address, deque(maxlen=GUESSES)).append(time.monotonic())
        self._wrong.move_to_end(address)
        while len(self._wrong) > ADDRESSES:
            self._wrong.popitem(last=False)

    def _too_large(self) -> JSONResponse:
        return _sentence(413, f"more than {self.largest >> 20} MB at a time are not taken")


def route_of(scope: Scope) -> str:
    """Return the pattern that a request's path matched, without what is in the path itself."""
    pattern = getattr(scope.get("route"), "path", None)
    if pattern is None:
        return "-"
    version = "/" + scope["path"].split("/", 2)[1]
    return str(pattern) if pattern.startswith(version) else version + pattern


def _name_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _sentence(status: int, text: str, retry_after: float | None = None) -> JSONResponse:
    more = None if retry_after is None else {"Retry-After": f"{retry_after:.0f}"}
    return JSONResponse({"detail": text}, status, headers=more)
