"""Text from tables made safe and fit for a terminal."""

from __future__ import annotations

import unicodedata


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


def _shown(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Co"):
        return "\ufffd"
    return character
