"""Whose a request is: a cookie that the page sets, else a token, else nobody's.

What is kept belongs to a person, who is known here by a digest alone. A session that nobody began
belongs to whoever knows its id.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

COOKIE: Final = "denota-person"
SECRET: Final = re.compile(r"[A-Za-z0-9_-]{22,128}")
"""What a cookie is like that nobody can guess."""
YEAR: Final = 365 * 24 * 3600


@dataclass(frozen=True)
class Client:
    """Who sent a request."""

    person: str
    """A digest of the cookie or token; empty for nobody."""
    address: str
    """Where the request came from."""

    def key(self, given: str) -> str:
        """Return a request's key, if it counts: nobody's must be one that others cannot guess.

        >>> nobody, somebody = Client("", "127.0.0.1"), Client("a1", "127.0.0.1")
        >>> nobody.key("1"), somebody.key("1"), nobody.key("f81d4fae-7dec-11d0-a765-00a0c91e")
        ('', '1', 'f81d4fae-7dec-11d0-a765-00a0c91e')
        """
        return given if self.person or SECRET.fullmatch(given) else ""

    @property
    def owner(self) -> str:
        """Whose a session is that is begun now, for counting what each keeps."""
        return self.person or f"at {self.address}"

    def may_see(self, owner: str) -> bool:
        """Say whether a session is theirs; one that nobody began is everybody's who knows its id.

        >>> nobody, somebody = Client("", "127.0.0.1"), Client("a1", "127.0.0.1")
        >>> somebody.may_see(somebody.owner), nobody.may_see(somebody.owner)
        (True, False)
        >>> somebody.may_see(nobody.owner)
        True
        """
        return owner == self.person or not is_person(owner)


def is_person(owner: str) -> bool:
    """Say whether an owner is a person, and not an address or, in older files, nobody."""
    return bool(owner) and not owner.startswith("at ")


def client_of(request: HTTPConnection) -> Client:
    """Return who sent a request."""
    secret = request.cookies.get(COOKIE, "")
    if not SECRET.fullmatch(secret):
        secret = bearer(request.headers.get("authorization", ""))
    address = request.client.host if request.client is not None else ""
    return Client(_digest(secret) if secret else "", address)


def bearer(authorization: str) -> str:
    """Return the token of an `Authorization` header; the scheme may be in any case.

    >>> bearer("bearer abc"), bearer("Bearer  abc "), bearer("abc"), bearer("Basic abc")
    ('abc', 'abc', '', '')
    """
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def introduce(request: HTTPConnection, response: Response) -> None:
    """Give a browser that has none a cookie of its own."""
    if SECRET.fullmatch(request.cookies.get(COOKIE, "")):
        return
    response.set_cookie(
        COOKIE,
        secrets.token_urlsafe(24),
        max_age=YEAR,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


def _digest(secret: str) -> str:
    return hashlib.sha256(b"person " + secret.encode()).hexdigest()[:32]
