"""Bytes to text: which encoding a file is in, or a sentence that says why it is no text at all."""

from __future__ import annotations

import codecs
import re
from typing import Final

from denota.errors import TableError


def decode(data: bytes, name: str, encoding: str | None = None) -> tuple[str, str]:
    """Return the text and the encoding it was in.

    UTF-8 (with or without BOM) and UTF-16 are recognised; bytes that are not UTF-8 are taken as
    Windows-1252 (a superset of printable Latin-1) unless most of them are good UTF-8, in which
    case the file is damaged.
    """
    encoding = encoding or _by_mark(data) or _guess(data, name)
    try:
        text = data.decode(encoding)
    except (LookupError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise _undecodable(data, name, encoding, error) from None
        raise TableError(
            f"{encoding!r} is not the name of an encoding; try utf-8, utf-16, latin-1 or cp1252"
        ) from None
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        raise TableError(
            f"{name} has a NUL byte on line {line}: it is damaged,"
            " or in an encoding to name with --encoding"
        )
    return text.removeprefix("\ufeff"), encoding


def refuse_binary(data: bytes, name: str, strict: bool = True) -> None:
    """Raise if the first bytes are of a file without a table or, if strict, hardly of text."""
    for magic, kind in _MAGIC.items():
        if data.startswith(magic):
            raise TableError(f"{name} is {kind}, not a table")
    if not strict:
        return
    head = data[:4096]
    odd = len(_CONTROL.findall(head))
    if odd > max(3, 0.1 * len(head)) and not _looks_like_utf16(head) and not _by_mark(head):
        raise TableError(f"{name} is a binary file, not a table")


def _undecodable(data: bytes, name: str, encoding: str, error: UnicodeDecodeError) -> TableError:
    line = data.count(b"\n", 0, error.start) + 1
    bad = f"0x{data[error.start]:02x}" if error.start < len(data) else "at the end"
    return TableError(
        f"{name} is not valid {encoding}: byte {bad} on line {line}; give the right --encoding"
    )


def _by_mark(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    return None


def _guess(data: bytes, name: str) -> str:
    if _looks_like_utf16(data[:4096]):
        return "utf-16-le" if data[1] == 0 else "utf-16-be"
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError as error:
        good = len(_MULTIBYTE.findall(data))
        bad = len(_HIGH.findall(_MULTIBYTE.sub(b"", data)))
        undefined = _UNDEFINED.search(data)
        if good > bad or (undefined and good):
            line = data.count(b"\n", 0, error.start) + 1
            raise TableError(
                f"{name} is UTF-8 but for an invalid byte"
                f" 0x{data[error.start]:02x} on line {line}; "
                "mend it or give another --encoding"
            ) from None
        return "latin-1" if undefined else "cp1252"


def _looks_like_utf16(head: bytes) -> bool:
    """Text that is mostly ASCII has a zero in every other byte of UTF-16."""
    if len(head) < 4:
        return False
    even, odd = head[0::2].count(0), head[1::2].count(0)
    return max(even, odd) > 0.6 * (len(head) // 2) and min(even, odd) < 0.1 * (len(head) // 2)


_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC: Final = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF document",
    b"\x7fELF": "a program",
    b"MZ": "a program",
    b"SQLite format 3\0": "an SQLite database",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file (save it as .xlsx or .csv)",
    b"BZh": "a bzip2 file (unpack it first)",
    b"\xfd7zXZ": "an xz file (unpack it first)",
    b"\x28\xb5\x2f\xfd": "a zstd file (unpack it first)",
}
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_HIGH: Final = re.compile(rb"[\x80-\xff]")
_MULTIBYTE: Final = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_UNDEFINED: Final = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
