"""Postgres through psycopg: a read-only transaction a statement, moments in UTC."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from denota.errors import TableError
from denota.tables.address import Address
from denota.tables.credentials import password_of, server_error
from denota.tables.source import SECONDS, TO_CONNECT, Result
from denota.tables.stored import Engine, Stored, StoredColumn, StoredKind
from denota.tables.values import moment_text

NO_DRIVER: Final = (
    "Postgres needs a driver that is not installed; `pip install 'denota[postgres]'` gets it"
)


def open_postgres(address: Address, seconds: float = SECONDS) -> PostgresSource:
    """Connect to a server.

    Raises:
        TableError: there is no driver, no such server, or it does not let us in.
    """
    try:
        import psycopg
    except ImportError:
        raise TableError(NO_DRIVER) from None
    login = address.login
    assert login is not None
    password = password_of(address)
    how: dict[str, Any] = {
        "host": login.host,
        "port": login.port,
        "user": login.user,
        "password": password,
        "dbname": login.database,
        "application_name": "denota",
        "connect_timeout": TO_CONNECT,
        **dict(login.settings),
    }
    try:
        connection = psycopg.connect(**{k: v for k, v in how.items() if v}, autocommit=True)
        connection.execute("SET default_transaction_read_only = on")
        connection.execute(f"SET statement_timeout = {int(1000 * seconds)}")
        connection.execute("SET TIME ZONE 'UTC'")
        connection.execute("SET datestyle = 'ISO'")
        # rows in the order they lie, and not from where another reader is
        connection.execute("SET synchronize_seqscans = off")
    except (psycopg.Error, UnicodeError, ValueError) as error:
        raise server_error(address, _why(error), password) from None
    return PostgresSource(connection, address.place, address, password)


class PostgresSource:
    """A Postgres database.

    Args:
        connection: of psycopg.
        label: what to call it.
        address: where it is, if we opened it.
        password: it was opened with, to be kept out of errors.
    """

    engine: Engine = "postgres"

    def __init__(
        self,
        connection: Any,
        label: str,
        address: Address | None = None,
        password: str | None = None,
    ) -> None:
        self.label = label
        self._connection, self._own = connection, address is not None
        self._address = address or Address("postgresql", label)
        self._password = password

    def catalogue(self) -> tuple[Stored, ...]:
        """Return the tables and views that may be read, by name."""
        return tables_in(self.query(CATALOGUE).rows())

    def query(self, sql: str) -> Result:
        """Run SQL in a transaction that only reads."""
        import psycopg

        idle = self._connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        try:
            with self._connection.cursor(row_factory=psycopg.rows.tuple_row) as cursor:
                _register(cursor)
                cursor.execute(sql)
                names = tuple(column.name for column in cursor.description or ())
                rows = cursor.fetchall()
            if idle and not self._connection.autocommit:
                self._connection.rollback()  # leave a connection as it was found
        except psycopg.errors.QueryCanceled:
            raise TableError(f"{self.label} took longer to read than it may") from None
        except psycopg.Error as error:
            raise server_error(self._address, _why(error), self._password) from None
        return Result.of_rows(names, rows)

    def close(self) -> None:
        """Leave the server."""
        if self._own:
            self._connection.close()


CATALOGUE: Final = """
SELECT n.nspname, pg_table_is_visible(c.oid), c.relname, a.attname, t.typname
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type AS t ON t.oid = a.atttypid
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT c.relispartition
AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND left(n.nspname, 4) <> 'pg_t'
AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
ORDER BY NOT pg_table_is_visible(c.oid), n.nspname, c.relname, a.attnum
"""


def tables_in(rows: Iterable[Sequence[Any]]) -> tuple[Stored, ...]:
    """Return the tables that the rows of `CATALOGUE` tell of."""
    tables: dict[tuple[str, ...], list[StoredColumn]] = defaultdict(list)
    for schema, is_own, table, column, kind in rows:
        name = (table,) if is_own else (schema, table)
        tables[name].append(StoredColumn(column, kind_of(kind), kind == "timestamptz"))
    return tuple(Stored("postgres", name, tuple(own)) for name, own in tables.items())


def kind_of(declared: str) -> StoredKind:
    """Return what a type of Postgres amounts to.

    >>> [kind_of(text) for text in ("numeric", "timestamptz", "_int4")]
    ['number', 'timestamp', 'other']
    """
    return _KINDS.get(declared, "other")


def _why(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    # of several attempts to connect the first says what is wrong; it stands behind the last colon
    first = lines[0] if lines else ""
    for mark in ("FATAL:  ", "failed: "):
        first = first.rpartition(mark)[2]
    return first


def _register(cursor: Any) -> None:
    """Have moments, spans and JSON as the server writes them: any that it can keep can be read."""
    from psycopg.adapt import Loader

    class Text(Loader):
        def load(self, data: Any) -> str:
            return bytes(data).decode("utf-8", "replace")

    class Moment(Text):
        def load(self, data: Any) -> str:
            return moment_text(super().load(data))

    class Zoned(Text):
        def load(self, data: Any) -> str:
            return _in_utc(super().load(data))

    for name in ("date", "time", "timetz", "interval", "json", "jsonb"):
        cursor.adapters.register_loader(name, Text)
    cursor.adapters.register_loader("timestamp", Moment)
    cursor.adapters.register_loader("timestamptz", Zoned)


def _in_utc(text: str) -> str:
    """A moment in UTC, as frames write it; what Python has no date for stays as it is.

    >>> _in_utc("2024-05-17 08:00:00-05"), _in_utc("infinity")
    ('2024-05-17 13:00:00+00:00', 'infinity')
    """
    try:
        moment = datetime.datetime.fromisoformat(text).astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return text
    return moment_text(moment.isoformat(sep=" "))


_KINDS: Final[dict[str, StoredKind]] = {
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "uuid", "citext"), "text"),
    **dict.fromkeys(("int2", "int4", "int8", "float4", "float8", "numeric"), "number"),
    **dict.fromkeys(("timestamp", "timestamptz"), "timestamp"),
    "date": "date",
    "time": "time",
    "bool": "boolean",
}
