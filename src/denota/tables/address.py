"""One address for a table: a file, a folder, a web page or a database, and a table within it.

A password in an address is taken out when the address is read. Nothing here but `Login.password`
has it, and no error repeats an address as it was written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import parse_qsl, unquote

from denota.errors import TableError

Scheme = Literal["file", "https", "http", "postgresql", "mysql"]
LONGEST: Final = 8_000
"""Characters of an address with a scheme."""
DEFAULT_PORTS: Final = {"postgresql": 5432, "mysql": 3306, "https": 443, "http": 80}


@dataclass(frozen=True)
class Login:
    """A server, and who logs in there."""

    host: str
    port: int | None = None
    user: str = ""
    password: str = field(default="", repr=False)
    database: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    """What stands behind `?`."""


@dataclass(frozen=True)
class Address:
    """Where a table is."""

    scheme: Scheme
    place: str
    """A path, or what to call the server in messages: never with a password."""
    table: str | None = None
    """What stands behind `#`: a table or a sheet."""
    login: Login | None = None
    """Of a server."""


def parse_address(text: str) -> Address:
    """Return the parts of an address.

    >>> parse_address("shop.sqlite#orders")
    Address(scheme='file', place='shop.sqlite', table='orders', login=None)
    >>> parse_address("postgresql://ada:secret@db/shop#sales.orders").place
    'postgresql://ada@db/shop'

    Raises:
        TableError: it cannot be one.
    """
    found = _SCHEME.match(text)
    if found is None:
        place, mark, table = text.rpartition("#")
        if not mark or not place:
            return Address("file", text)
        return Address("file", place, table or None)
    name = found[1].lower()
    if name in _REFUSED:
        raise TableError(_REFUSED[name])
    scheme = _SCHEMES.get(name)
    if scheme is None:
        raise TableError(
            f"{name[:20]}:// is not known; an address begins with "
            "postgresql://, mysql:// or https://, or is a path"
        )
    if len(text) > LONGEST:
        raise TableError(f"the address is longer than {LONGEST:,} characters")
    if not text.isprintable():
        raise TableError("the address has a character that no address has, such as a line break")
    return _server(scheme, text[found.end() :])


def is_remote(text: str) -> bool:
    """Say whether an address has a scheme, so that it is no path."""
    return _SCHEME.match(text) is not None


def without_password(text: str) -> str:
    """Return a text with whatever may be a password before an @ taken out.

    >>> without_password("no file postgres:/ada:secret@db/shop")
    'no file postgres:/ada:***@db/shop'
    """
    end, start = text.rfind("@"), text.find(":")
    while start >= 0 and text[start + 1 : start + 2] == "/":  # of a scheme
        start = text.find(":", start + 1)
    return text if not 0 <= start < end else f"{text[:start]}:***{text[end:]}"


def _server(scheme: Scheme, rest: str) -> Address:
    # a password may hold any character, so all before the last @ is who logs in
    own, mark, rest = rest.rpartition("@") if "@" in rest else ("", "", rest)
    user, _, password = own.partition(":")
    rest, _, table = rest.partition("#")
    rest, _, query = rest.partition("?")
    host, _, path = rest.partition("/")
    name, port = _host(host)
    pairs = parse_qsl(query, keep_blank_values=True)
    if scheme in ("https", "http"):
        if not name:
            raise TableError(f"the {scheme} address names no host")
        login = Login(name, port, unquote(user), unquote(password), "/" + path, (("", query),))
        shown = f"{scheme}://{_shown(name, port)}/{path}"
        return Address(scheme, shown, unquote(table) or None, login)
    passwords = [value for key, value in pairs if key in ("password", "passwd")]
    settings = tuple((key, value) for key, value in pairs if key not in ("password", "passwd"))
    _check_settings(scheme, settings)
    database = unquote(path.strip("/"))
    if "/" in database:
        raise TableError(
            f"a {scheme} address is {scheme}://user@host/database#table; "
            "this one has more than one / behind the host"
        )
    password = unquote(password) or (passwords[-1] if passwords else "")
    login = Login(name, port, unquote(user), password, database, settings)
    who = f"{user}@" if mark else ""
    shown = f"{scheme}://{who}{_shown(name, port)}/{path.strip('/')}"
    return Address(scheme, shown, unquote(table) or None, login)


def _host(text: str) -> tuple[str, int | None]:
    """Return host and port; what cannot be a port may be a password and is not repeated."""
    found = _HOST.fullmatch(text)
    if found is None or (found[3] and not 0 < int(found[3]) < 65536):
        raise TableError(
            "the address names no host and port as user@host:5432/database does; "
            "write an @ before the host if there is a user and a password"
        )
    return found[1] or found[2], int(found[3]) if found[3] else None


def _shown(host: str, port: int | None) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{port}" if port else shown


def _check_settings(scheme: Scheme, settings: tuple[tuple[str, str], ...]) -> None:
    known = _SETTINGS[scheme]
    for key, _ in settings:
        if key not in known:
            raise TableError(
                f"a {scheme} address has no setting of that name; it has {', '.join(known)}"
            )


_SCHEME: Final = re.compile(r"\A([A-Za-z][A-Za-z0-9+.-]*)://")
_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]\s]*))(?::([0-9]{1,5})?)?")
_SCHEMES: Final[dict[str, Scheme]] = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "mysql": "mysql",
    "mariadb": "mysql",
    "https": "https",
    "http": "http",
}
_REFUSED: Final = {
    "file": "a file is named by its path alone, without file://",
    "sqlite": "an SQLite file is named by its path, such as orders.sqlite#orders",
    "duckdb": "a DuckDB file is named by its path, such as warehouse.duckdb#sales",
    "s3": "s3:// is not read, for that DuckDB would have to download its httpfs extension; "
    "copy the file here first, or read it in Python and pass the frame",
}
_SETTINGS: Final = {
    "postgresql": ("host", "sslmode", "sslrootcert", "sslcert", "sslkey", "service"),
    "mysql": ("unix_socket", "ssl_ca"),
}
