r"""Tab-separated text as WikiTableQuestions writes it: a line a row.

Quotes are ordinary characters; `\n`, `\p` and `\\` stand for a line break, a pipe and a backslash.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from denota.data.disk import unreadable
from denota.errors import DataError


def read_lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file; only line feeds, and what DOS puts before them, end one.

    Raises:
        DataError: it cannot be read, or is not UTF-8.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text; save it as UTF-8") from error
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def unescape(text: str) -> str:
    r"""Return what an escaped text says.

    >>> unescape(r"a\\n \p b")
    'a\\n | b'
    """
    return _ESCAPE.sub(lambda found: _MEANT[found[1]], text) if "\\" in text else text


_MEANT: Final = {"n": "\n", "p": "|", "\\": "\\"}
_ESCAPE: Final = re.compile(r"\\([np\\])")
