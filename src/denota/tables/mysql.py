"""MySQL and MariaDB through PyMySQL: sessions that only read, moments in UTC."""

from __future__ import annotations

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
    "MySQL needs a driver that is not installed; `pip install 'denota[mysql]'` gets it"
)
TOO_LONG: Final = (1969, 3024)
"""What a server says of a statement that took too long: MariaDB's number, and MySQL's."""


def open_mysql(address: Address, seconds: float = SECONDS) -> MysqlSource:
    """Connect to a server.

    Raises:
        TableError: there is no driver, no such server, or it does not let us in.
    """
    try:
        import pymysql
    except ImportError:
        raise TableError(NO_DRIVER) from None
    login = address.login
    assert login is not None
    if not login.database:
        raise TableError("a mysql address names a database: mysql://user@host/database#table")
    password = password_of(address)
    settings = dict(login.settings)
    how: dict[str, Any] = {
        "host": login.host or "localhost",
        "port": login.port or 3306,
        "user": login.user or None,
        "password": password or "",
        "database": login.database,
        "unix_socket": settings.get("unix_socket"),
        "ssl_ca": settings.get("ssl_ca"),
        "ssl_verify_identity": True if "ssl_ca" in settings else None,
    }
    try:
        connection = pymysql.connect(
            **{key: value for key, value in how.items() if value is not None},
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=TO_CONNECT,
            read_timeout=int(seconds) + TO_CONNECT,
            local_infile=False,
        )
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION TRANSACTION READ ONLY")
            cursor.execute("SET time_zone = '+00:00'")
            if "MariaDB" in connection.get_server_info():
                cursor.execute(f"SET max_statement_time = {seconds}")
            else:
                cursor.execute(f"SET max_execution_time = {int(1000 * seconds)}")
    except (pymysql.Error, OSError, RuntimeError, UnicodeError, ValueError) as error:
        raise server_error(address, why(error), password) from None
    return MysqlSource(connection, address.place, address, password)


class MysqlSource:
    """A database of MySQL or MariaDB.

    Args:
        connection: of PyMySQL.
        label: what to call it.
        address: where it is, if we opened it.
        password: it was opened with, to be kept out of errors.
    """

    engine: Engine = "mysql"

    def __init__(
        self,
        connection: Any,
        label: str,
        address: Address | None = None,
        password: str | None = None,
    ) -> None:
        self.label = label
        self._connection, self._own = connection, address is not None
        self._address = address or Address("mysql", label)
        self._password = password

    def catalogue(self) -> tuple[Stored, ...]:
        """Return the tables and views of the database, by name."""
        return tables_in(self.query(CATALOGUE).rows(), in_utc=self._own)

    def query(self, sql: str) -> Result:
        """Run SQL in a transaction that only reads."""
        import pymysql

        try:
            with self._connection.cursor(pymysql.cursors.Cursor) as cursor:
                before = self._connection.decoders
                self._connection.decoders = {**before, **_as_written()}
                try:
                    cursor.execute(sql)
                    names = tuple(column[0] for column in cursor.description or ())
                    rows = cursor.fetchall()
                finally:
                    self._connection.decoders = before
        except (pymysql.Error, OSError, ValueError) as error:
            if error.args and error.args[0] in TOO_LONG:
                raise TableError(f"{self.label} took longer to read than it may") from None
            raise server_error(self._address, why(error), self._password) from None
        return Result.of_rows(names, rows)

    def close(self) -> None:
        """Leave the server."""
        if self._own:
            self._connection.close()


CATALOGUE: Final = (
    "SELECT table_name, column_name, LOWER(data_type), LOWER(column_type) "
    "FROM information_schema.columns WHERE table_schema = DATABASE() "
    "ORDER BY table_name, ordinal_position"
)


def tables_in(rows: Iterable[Sequence[Any]], in_utc: bool = False) -> tuple[Stored, ...]:
    """Return the tables that the rows of `CATALOGUE` tell of.

    Args:
        rows: of the catalogue.
        in_utc: whether the session's time zone is UTC.
    """
    tables: dict[tuple[str, ...], list[StoredColumn]] = defaultdict(list)
    for table, column, kind, whole in rows:
        shown = "bool" if whole == "tinyint(1)" else kind
        zoned = in_utc and kind == "timestamp"
        tables[(table,)].append(StoredColumn(column, kind_of(shown), zoned))
    return tuple(Stored("mysql", name, tuple(own)) for name, own in tables.items())


def kind_of(declared: str) -> StoredKind:
    """Return what a type of MySQL amounts to.

    >>> [kind_of(text) for text in ("decimal", "datetime", "json")]
    ['number', 'timestamp', 'other']
    """
    return _KINDS.get(declared, "other")


def why(error: BaseException) -> str:
    """Return what an error of the driver says, without its number."""
    said = [argument for argument in error.args if isinstance(argument, str)]
    return said[-1] if said else type(error).__name__


def _as_written() -> dict[int, Any]:
    """Have moments as the server writes them: any that it can keep can be read."""
    from pymysql.constants import FIELD_TYPE

    return {
        FIELD_TYPE.DATE: str,
        FIELD_TYPE.TIME: moment_text,
        FIELD_TYPE.DATETIME: moment_text,
        FIELD_TYPE.TIMESTAMP: moment_text,
    }


_KINDS: Final[dict[str, StoredKind]] = {
    **dict.fromkeys(("char", "varchar", "enum"), "text"),
    **dict.fromkeys(("tinytext", "text", "mediumtext", "longtext"), "text"),
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "bigint"), "number"),
    **dict.fromkeys(("decimal", "float", "double", "year"), "number"),
    **dict.fromkeys(("datetime", "timestamp"), "timestamp"),
    "date": "date",
    "time": "time",
    "bool": "boolean",
}
