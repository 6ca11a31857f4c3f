"""Files on the web: downloaded over https, never more than the limit."""

from __future__ import annotations

import base64
import http.client
import ipaddress
import ssl
import urllib.error
import urllib.request
from typing import Any, Final
from urllib.parse import quote, urlsplit

from denota.errors import TableError
from denota.tables.address import Address, Login
from denota.tables.limits import Limits

SECONDS: Final = 30
"""Without an answer."""


def download(address: Address, limits: Limits) -> tuple[bytes, str]:
    """Return the bytes of a file and its name.

    Raises:
        TableError: it cannot be had, or is too large; the sentence has neither what stands behind
            `?` in the address, which may be a key, nor a password.
    """
    login = address.login
    assert login is not None
    if address.scheme == "http" and not is_this_machine(login.host):
        raise TableError("http:// could be read on the way; use https://, or download the file")
    request = urllib.request.Request(_url(address.scheme, login))
    request.add_header("User-Agent", "denota")
    if login.user:
        own = base64.b64encode(f"{login.user}:{login.password}".encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {own}")
    name = login.database.rstrip("/").rpartition("/")[2] or login.host
    try:
        with urllib.request.build_opener(_SafeRedirects).open(request, timeout=SECONDS) as answer:
            data: bytes = answer.read(limits.bytes + 1)
            promised = answer.headers.get("Content-Length")
    except TableError:
        raise
    except urllib.error.HTTPError as error:
        error.close()
        raise TableError(f"{address.place} cannot be had: the server says {error.code}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise TableError(f"{address.place} cannot be had: {_why(error)}") from None
    limits.check_bytes(address.place, len(data))
    if promised and promised.isdecimal() and len(data) < int(promised):
        raise TableError(f"{address.place} was cut short on the way; try again")
    return data, name


def is_this_machine(host: str) -> bool:
    """Say whether a host is this machine under one of its own names.

    >>> [is_this_machine(host) for host in ("localhost", "127.0.0.1", "::1", "example.org")]
    [True, True, True, False]
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows an answer that points elsewhere, never from https to http."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        there = urlsplit(newurl)
        is_http = there.scheme == "http" and is_this_machine(there.hostname or "")
        if there.scheme != "https" and not (is_http and req.full_url.startswith("http://")):
            raise TableError("the server points to an address that is not https; download the file")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _url(scheme: str, login: Login) -> str:
    host = f"[{login.host}]" if ":" in login.host else login.host.encode("idna").decode()
    port = f":{login.port}" if login.port else ""
    query = login.settings[0][1] if login.settings else ""
    path = quote(login.database, safe="/%:@!$&'()*+,;=~")
    return f"{scheme}://{host}{port}{path}" + (f"?{quote(query, safe=_QUERY)}" if query else "")


def _why(error: BaseException) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return "the server does not answer"
    if isinstance(reason, ssl.SSLError):
        return "its certificate cannot be trusted"
    if isinstance(reason, OSError):
        return (reason.strerror or "there is no such host").lower()
    return "the server does not answer as a web server does"


_QUERY: Final = "/%:@!$&'()*+,;=~?"
