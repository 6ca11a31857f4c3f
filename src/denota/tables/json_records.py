"""JSON records and JSON lines to rows; numbers keep the digits they are written with."""

from __future__ import annotations

import json
from typing import Any

from denota.errors import TableError
from denota.tables.limits import Limits


def read_json_records(text: str, name: str, limits: Limits) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a list of objects, a list of lists, or one object a line."""
    records = _load(text, name)
    if not records:
        raise TableError(f"{name} holds no records")
    if isinstance(records[0], list):
        return _from_lists(records, name)
    header: dict[str, None] = {}
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise TableError(f"record {number} of {name} is not an object like the first")
        header.update(dict.fromkeys(record))
        limits.check(name, 1, len(header))
    limits.check(name, len(records), len(header))
    rows = [[_text(record.get(key)) for key in header] for record in records]
    return list(header), rows


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
    except ValueError:
        return False


def _parse(text: str, name: str, line: int) -> Any:
    try:
        return json.loads(text, parse_float=_Digits, parse_int=_Digits)
    except json.JSONDecodeError as error:
        raise TableError(
            f"{name} is not valid JSON: {error.msg.lower()} on line {line + error.lineno - 1}, "
            f"column {error.colno}"
        ) from None
    except RecursionError:
        raise TableError(f"{name} is JSON nested too deeply for a table") from None


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


def _from_lists(records: list[Any], name: str) -> tuple[list[str], list[list[str]]]:
    for number, record in enumerate(records, start=1):
        if not isinstance(record, list) or len(record) != len(records[0]):
            raise TableError(f"record {number} of {name} is not a list as long as the first")
    texts = [[_text(value) for value in record] for record in records]
    return texts[0], texts[1:]
