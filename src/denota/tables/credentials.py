"""Passwords that an address does not have: the application says where they are looked for.

Drivers look in places of their own besides, such as libpq in PGPASSWORD and ~/.pgpass.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from denota.errors import TableError
from denota.tables.address import Address, Login

FindPassword = Callable[[Address], str | None]
SHORTEST: Final = 4
"""Characters of a password that is taken out of what a driver says; shorter ones are words."""


def password_of(address: Address) -> str | None:
    """Return the password for a server: the address's own, else what the application finds."""
    assert address.login is not None
    return address.login.password or _find(address) or None


def find_passwords_with(find: FindPassword) -> None:
    """Ask a function for passwords from now on."""
    global _find
    _find = find


def server_error(address: Address, said: str, password: str | None) -> TableError:
    """Return an error that says plainly what a driver said, never with the password."""
    for pattern, plain in _PLAIN.items():
        if pattern.search(said):
            return TableError(f"{address.place} cannot be read: {plain}")
    login = address.login or Login("")
    line = " ".join((said.strip().splitlines() or ["it did not say why"])[0].split())[:300]
    for secret in {password or "", login.password}:
        if len(secret) >= SHORTEST:
            line = line.replace(secret, "***")
    return TableError(f"{address.place} cannot be read: {line}")


_TROUBLES = {
    r"resolve host|name or service not known|translate host name|getaddrinfo|nodename": (
        "there is no such host; check its name"
    ),
    r"connection refused|no such file or directory": (
        "no server listens there; check that it runs, and its host and port"
    ),
    r"password authentication failed|no password supplied"
    r"|access denied [^\n]{0,300}using password": (
        "the server does not take this user with this password; "
        "set DENOTA_PASSWORD or check the user's name"
    ),
    r"connection timeout|timeout expired|timed out": "the server does not answer",
    r"terminating connection|server closed the connection|lost connection|gone away"
    r"|connection is (?:closed|lost)|query execution was interrupted": (
        "the server ended the connection; ask again"
    ),
}
_PLAIN: Final = {re.compile(said, re.IGNORECASE): plain for said, plain in _TROUBLES.items()}
"""What drivers say of common troubles, and how people would."""


def _nowhere(address: Address) -> str | None:
    return None


_find: FindPassword = _nowhere
