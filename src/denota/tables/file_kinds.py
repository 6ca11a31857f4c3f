"""The types that a file gives its columns, where it has types of its own: Parquet."""

from __future__ import annotations

from typing import Any

from denota.tables.stored import StoredKind


def parquet_kinds(data: bytes) -> tuple[StoredKind, ...]:
    """Return what the type of each column of a Parquet file amounts to."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    return tuple(map(_kind, pq.read_schema(pa.BufferReader(data)).types))


def _kind(kind: Any) -> StoredKind:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_string(kind) or types.is_large_string(kind):
        return "text"
    checks: tuple[tuple[Any, StoredKind], ...] = (
        (types.is_boolean, "boolean"),
        (types.is_date, "date"),
        (types.is_timestamp, "timestamp"),
        (types.is_time, "time"),
    )
    return next((name for check, name in checks if check(kind)), "other")
