"""JSON records and JSON lines to rows; numbers keep the digits they are written with."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from denota.errors import TableError
from denota.tables.limits import Limits, Tally


def read_json_records(text: str, name: str, limits: Limits) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a list of objects, a list of lists, or one object a line."""
    _check_values(text, name, limits)
    try:
        return _read(_load(text, name), name, limits)
    except RecursionError:
        raise TableError(f"{name} is JSON nested too deeply for a table") from None


def _read(records: list[Any], name: str, limits: Limits) -> tuple[list[str], list[list[str]]]:
    if not records:
        raise TableError(f"{name} holds no records")
    tally = Tally(name, limits)
    if isinstance(records[0], list):
        return _from_lists(records, name, limits, tally)
    header: dict[str, None] = {}
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise TableError(f"record {number} of {name} is not an object like the first")
        header.update(dict.fromkeys(record))
        limits.check(name, 1, len(header))
    limits.check(name, len(records), len(header))
    rows = []
    for record in records:
        rows.append([_text(record.get(key)) for key in header])
        tally.add(rows[-1])
    return list(header), rows


def _check_values(text: str, name: str, limits: Limits) -> None:
    """Raise if a text has far more values than a table may have cells, before they are made.

    Each costs many times what it takes in the text: `[]` is two characters and 60 bytes.
    """
    most = 2 * limits.cells
    if _count_values(text) <= most:
        return
    found = 0
    for stretch in _STRETCH.finditer(text):
        found += _count_values(_STRING.sub("", stretch[0]))
        if found > most:
            limits.check(name, found, 1)


def _count_values(text: str) -> int:
    """Return how many values JSON has if no string holds a comma or a bracket."""
    return sum(map(text.count, ",[{"))


def _load(text: str, name: str) -> list[Any]:
    stripped = text.lstrip()
    if stripped.startswith("["):
        records = _parse(text, name, 1)
        if isinstance(records, list):
            return records
    lines = text.split("\n")
    if stripped.startswith("{") and len([line for line in lines if line.strip()]) > 1:
        try:
            return [_parse(line, name, n) for n, line in enumerate(lines, 1) if line.strip()]
        except TableError:
            if not stripped.startswith("{\\n") and _is_object(lines[0]):
                raise
    whole = _parse(text, name, 1)
    if isinstance(whole, dict):
        inside = [value for value in whole.values() if isinstance(value, list)]
        if len(inside) == 1 and inside[0] and isinstance(inside[0][0], dict):
            return inside[0]  # {"rows": [...]}
        return [whole]
    raise TableError(f"{name} is JSON, but neither a list of records nor one record a line")


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _parse(text: str, name: str, line: int) -> Any:
    try:
        return json.loads(text, parse_float=_Digits, parse_int=_Digits)
    except json.JSONDecodeError as error:
        raise TableError(
            f"{name} is not valid JSON: {error.msg.lower()} on line {line + error.lineno - 1}, "
            f"column {error.colno}"
        ) from None


class _Digits(str):
    """A number as written, told from a string when it is printed inside a nested value."""

    __slots__ = ()


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return _dump(value)


def _dump(value: Any) -> str:
    if isinstance(value, _Digits):
        return str(value)
    if isinstance(value, dict):
        inside = (
            f"{json.dumps(key, ensure_ascii=False)}: {_dump(item)}" for key, item in value.items()
        )
        return "{" + ", ".join(inside) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_dump, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _from_lists(
    records: list[Any], name: str, limits: Limits, tally: Tally
) -> tuple[list[str], list[list[str]]]:
    limits.check(name, len(records) - 1, len(records[0]))
    for number, record in enumerate(records, start=1):
        if not isinstance(record, list) or len(record) != len(records[0]):
            raise TableError(f"record {number} of {name} is not a list as long as the first")
    texts = []
    for record in records:
        texts.append([_text(value) for value in record])
        tally.add(texts[-1])
    return texts[0], texts[1:]


_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
"""To the end of the text if it is not closed, so that none is looked for twice."""
_STRETCH: Final = re.compile(rf'(?:[^"]{{1,4096}}+|{_STRING.pattern}){{1,256}}+', re.DOTALL)
"""Some values, no string of them cut in two."""
