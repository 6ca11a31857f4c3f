"""The disk: files are written whole or not at all, and its errors are one sentence each."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from denota.errors import DataError


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Open a UTF-8 text file that replaces `path` when the block ends without an error.

    Raises:
        DataError: the file cannot be written; what stood there before is then untouched.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        if target.exists() and not target.is_file():  # /dev/stdout, a pipe: nothing to replace
            with target.open("w", encoding="utf-8", newline="") as stream:
                yield stream
            return
        with part.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        os.replace(part, target)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        with suppress(OSError):
            part.unlink()


def listed(directory: Path) -> list[Path]:
    """Return the files of a directory, sorted.

    Raises:
        DataError: it cannot be read.
    """
    try:
        return [file for file in sorted(directory.iterdir()) if file.is_file()]
    except OSError as error:
        raise unreadable(directory, error) from error


def unreadable(path: Path, error: OSError) -> DataError:
    """Say that a file or directory cannot be read, and why."""
    return DataError(f"cannot read {path} ({reason(error)}); check the path and its permissions")


def unwritable(path: Path, error: OSError) -> DataError:
    """Say that a file or directory cannot be written, and why."""
    return DataError(
        f"cannot write {path} ({reason(error)}); check its permissions and the space on the disk,"
        " or choose another place"
    )


def reason(error: OSError) -> str:
    """Return what the system says, to stand within a sentence.

    >>> reason(FileNotFoundError(2, "No such file or directory"))
    'no such file or directory'
    """
    return (error.strerror or str(error)).lower()
