"""What is printed: text from tables made safe and fit for a terminal, or JSON."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Return a console on stdout that colours nothing by itself."""
    from rich.console import Console

    return Console(highlight=False)


def visible(text: str, width: int | None = None) -> str:
    r"""Return the text on one line with control characters shown rather than sent, cut to a width.

    >>> visible("a\x1b[31mb\nc")
    'a␛[31mb␊c'
    """
    if width is not None:
        text = text[: 4 * width + 4]  # a cell can be megabytes long
    if not (text.isascii() and text.isprintable()):
        text = "".join(_shown(character) for character in text)
    if width is not None and len(text) > width:
        text = text[: max(width - 1, 1)] + "…"
    return text


def to_json(value: Any) -> str:
    """Return one line of JSON that can be printed anywhere.

    Letters stay as they are where stdout can show them; control characters are escaped.
    """
    text = json.dumps(value, ensure_ascii="utf" not in (sys.stdout.encoding or "").lower())
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_UNSAFE: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def _shown(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Co"):
        return "\ufffd"
    return character
