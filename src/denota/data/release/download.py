"""Download one file over HTTP, going on where an earlier attempt stopped.

The bytes that have arrived lie in `NAME.part`; `NAME.part.json` says which file they are from. The
request names the version of that file (If-Range), so the server starts again if it has changed.
"""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from denota.data.disk import reason, unwritable
from denota.errors import DataError

Progress = Callable[[int, int | None], None]
"""Told the bytes that are there and, where the server says, how many there will be."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Timeout and retries."""

    timeout: float = 30.0  #: seconds without a byte before a connection counts as dropped
    attempts: int = 4
    pause: float = 1.0  #: seconds before the second attempt, doubled for each one after


PATIENT: Final = Patience()


def download(
    url: str, target: Path, *, limit: int, progress: Progress, patience: Patience = PATIENT
) -> None:
    """Download a file to `target`, which appears only when it is complete.

    Args:
        url: an http or https address.
        target: where the file goes; its directory exists.
        limit: the most bytes to accept.
        progress: told how far it is, from where an earlier download stopped.
        patience: timeouts and retries.

    Raises:
        DataError: it cannot be reached, is not there, is too large, or cannot be written.
    """
    if not _ADDRESS.fullmatch(url):
        raise DataError(
            f"{url} is not an http or https address; give one, or the path of a .zip file"
        )
    part = _Part(target.with_name(target.name + ".part"), url)
    for attempt in range(patience.attempts):
        if attempt:
            time.sleep(patience.pause * 2 ** (attempt - 1))
        try:
            _attempt(part, limit, progress, patience.timeout)
            part.finish(target)
            return
        except _Dropped as error:
            why = str(error)
    raise DataError(
        f"cannot download {url} ({why}); check the connection and run it again:"
        " it goes on where it stopped"
    )


class _Dropped(Exception):
    """The connection failed in a way that trying again may mend."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The part of a file that has arrived, on disk."""

    path: Path
    url: str

    @property
    def note(self) -> Path:
        return self.path.with_name(self.path.name + ".json")

    def version(self) -> str | None:
        """Return the server's mark of the version being fetched, None if there is no part."""
        try:
            note: Any = json.loads(self.note.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(note, dict) or note.get("url") != self.url or not self.path.is_file():
            return None
        version = note.get("version")
        return version if isinstance(version, str) and version.isprintable() else None

    def size(self) -> int:
        return self.path.stat().st_size

    def begin(self, version: str | None) -> BinaryIO:
        """Start anew; the file is emptied before the note, which never describes other bytes."""
        try:
            file = self.path.open("wb")
            self.note.write_text(json.dumps({"url": self.url, "version": version}), "utf-8")
        except OSError as error:
            raise unwritable(self.path, error) from error
        return file

    def go_on(self) -> BinaryIO:
        try:
            return self.path.open("ab")
        except OSError as error:
            raise unwritable(self.path, error) from error

    def finish(self, target: Path) -> None:
        try:
            self.path.replace(target)
            self.note.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(target, error) from error

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)


def _attempt(part: _Part, limit: int, progress: Progress, timeout: float) -> None:
    """Fetch what is missing."""
    version = part.version()
    have = part.size() if version else 0
    headers = {"User-Agent": "denota", "Accept-Encoding": "identity"}
    if version and have:
        headers |= {"Range": f"bytes={have}-", "If-Range": version}
    request = urllib.request.Request(part.url, headers=headers)
    try:
        response = urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 416:  # what is there does not fit the file: start again
                part.discard()
            if error.code in _PASSING:
                raise _Dropped(f"the server answers {error.code}") from error
            raise DataError(
                f"{part.url} cannot be had: the server answers {error.code} {error.reason};"
                " check the address"
            ) from error
    except urllib.error.URLError as error:
        raise _Dropped(_reason(error.reason)) from error
    except (OSError, http.client.HTTPException) as error:
        raise _Dropped(_reason(error)) from error
    with response:
        goes_on = response.status == 206 and _range_start(response.headers) == have > 0
        if response.status == 206 and not goes_on:
            part.discard()
            raise _Dropped("the server sends another part of the file than it was asked for")
        have = have if goes_on else 0
        length = response.headers.get("Content-Length", "")
        total = have + int(length) if length.isascii() and length.isdigit() else None
        if total is not None and total > limit:
            raise _too_large(part, limit)
        with part.go_on() if goes_on else part.begin(_version(response.headers)) as file:
            have = _receive(response, file, have, total, limit, progress)
    if have > limit:
        part.discard()
        raise _too_large(part, limit)
    if total is not None and have < total:
        raise _Dropped(f"the connection was closed after {have:,} of {total:,} bytes")


def _receive(
    response: http.client.HTTPResponse,
    file: BinaryIO,
    have: int,
    total: int | None,
    limit: int,
    progress: Progress,
) -> int:
    """Write what comes until it ends or passes the limit; return how many bytes there are then."""
    progress(have, total)
    while have <= limit:
        try:
            chunk = response.read(_CHUNK)
        except (OSError, http.client.HTTPException) as error:
            raise _Dropped(_reason(error)) from error
        if not chunk:
            break
        have += len(chunk)
        try:
            file.write(chunk)
            file.flush()
        except OSError as error:
            raise unwritable(Path(file.name), error) from error
        progress(have, total)
    return have


_ADDRESS: Final = re.compile(r"https?://[!-.0-~][!-~]*", re.IGNORECASE)
_CHUNK: Final = 1 << 16
_PASSING: Final = frozenset({408, 416, 425, 429, 500, 502, 503, 504})


def _version(headers: Any) -> str | None:
    """Return what names this version of the file.

    A weak ETag may stand for files that differ in bytes.
    """
    etag: str | None = headers.get("ETag")
    if etag and not etag.startswith("W/"):
        return etag
    modified: str | None = headers.get("Last-Modified")
    return modified


def _range_start(headers: Any) -> int | None:
    unit, _, rest = headers.get("Content-Range", "").partition(" ")
    start = rest.partition("-")[0]
    return int(start) if unit == "bytes" and start.isascii() and start.isdigit() else None


def _reason(error: object) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError) and error.strerror:
        return reason(error)
    return str(error) or type(error).__name__


def _too_large(part: _Part, limit: int) -> DataError:
    return DataError(
        f"{part.url} is larger than {limit:,} bytes, the most that is accepted; check the address"
    )
