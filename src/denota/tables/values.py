"""Values of frames and databases as the text of cells: one way to write each, whoever keeps it.

| value | text |
| --- | --- |
| null, NaN | empty |
| 12.0, 0.1, a decimal | `12`, `0.1`, its own digits |
| true | `true` |
| a date, a moment at midnight | `2024-05-17` |
| another moment | `2024-05-17 13:45:00`, with `+00:00` if it has a zone |
| bytes, lists, records | JSON |
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final


def texts_of(column: Any) -> tuple[str, ...]:
    """Return one text a cell of an Arrow array or of a sequence of Python's values."""
    return _plain_texts(column) if isinstance(column, list | tuple) else _arrow_texts(column)


def text_of(value: Any) -> str:
    """Return the text of one of Python's values.

    >>> [text_of(value) for value in (None, True, 12.0, Decimal("1E+3"), [1, None], b"a")]
    ['', 'true', '12', '1000', '[1, null]', '"a"']
    """
    write = _WRITERS.get(type(value))
    if write is not None:
        return write(value)
    for kind, writes in _WRITERS.items():
        if isinstance(value, kind):
            return writes(value)
    return str(value)


def moment_text(text: str) -> str:
    """Return a moment in ISO form without what says nothing: midnight, zeros of a fraction.

    >>> moment_text("2024-05-17 00:00:00"), moment_text("2024-05-17 13:45:00.250000+00:00")
    ('2024-05-17', '2024-05-17 13:45:00.25+00:00')
    """
    if "." in text:
        text = _FRACTION.sub(lambda found: f".{found[1]}" if found[1] else "", text)
    return text.removesuffix(" 00:00:00")


def _plain_texts(values: Sequence[Any]) -> tuple[str, ...]:
    kinds = set(map(type, values)) - {type(None)}
    if len(kinds) != 1:
        return tuple(map(text_of, values))
    write = _WRITERS.get(kinds.pop(), text_of)  # looked up once, not for each cell
    return tuple("" if value is None else write(value) for value in values)


def _arrow_texts(column: Any) -> tuple[str, ...]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        return _dictionary_texts(column)
    if pa.types.is_floating(kind):
        column = pc.if_else(pc.is_nan(column), None, column)
        return tuple("" if value is None else _number(value) for value in column.to_pylist())
    if (
        pa.types.is_timestamp(kind)
        or pa.types.is_time(kind)
        or pa.types.is_nested(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    ):
        try:
            return tuple(map(text_of, column.to_pylist()))
        except (OverflowError, ValueError):
            pass  # moments that Python has no date for
    try:
        column = column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return tuple("" if value is None else str(value) for value in column.to_pylist())
    return tuple("" if value is None else value for value in column.to_pylist())


def _dictionary_texts(column: Any) -> tuple[str, ...]:
    """Return the texts of coded cells; equal ones are one text, however often they occur."""
    import pyarrow as pa

    found: list[str] = []
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        texts = _arrow_texts(chunk.dictionary)
        codes = chunk.indices.to_pylist()
        found += ["" if code is None else texts[code] for code in codes]
    return tuple(found)


def _number(value: float) -> str:
    if value != value:
        return ""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _decimal(value: Decimal) -> str:
    return "" if value.is_nan() else format(value, "f")


def _span(value: datetime.timedelta) -> str:
    """A time of MySQL, which may be longer than a day."""
    whole, micro = divmod(abs(value) // datetime.timedelta(microseconds=1), 10**6)
    minutes, seconds = divmod(whole, 60)
    fraction = f".{micro:06}".rstrip("0") if micro else ""
    sign = "-" if value < datetime.timedelta(0) else ""
    return f"{sign}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}{fraction}"


def _moment(value: datetime.datetime) -> str:
    return moment_text(value.isoformat(sep=" "))


def _time(value: datetime.time) -> str:
    return moment_text(value.isoformat())


def _nested(value: Any) -> str:
    return json.dumps(value, default=_inner, ensure_ascii=False)


def _inner(value: Any) -> str:
    return bytes(value).decode("utf-8", "replace") if isinstance(value, _BYTES) else text_of(value)


_BYTES: Final = (bytes, bytearray, memoryview)
_FRACTION: Final = re.compile(r"\.((?:0*+[^\D0])*+)0*+(?=$|[+-])")
_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    type(None): lambda value: "",
    str: str,
    bool: lambda value: "true" if value else "false",
    int: str,
    float: _number,
    Decimal: _decimal,
    datetime.datetime: _moment,
    datetime.date: datetime.date.isoformat,
    datetime.time: _time,
    datetime.timedelta: _span,
    **dict.fromkeys(_BYTES, _nested),
    list: _nested,
    tuple: _nested,
    dict: _nested,
}
