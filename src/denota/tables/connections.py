"""Connections that people bring: DuckDB, SQLite, psycopg, PyMySQL, ADBC, SQLAlchemy, any DBAPI.

They stay as they are: nothing is set on them, and they are not closed.
"""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from denota.errors import TableError
from denota.tables import duckdb_files, mysql, postgres, sqlite_files
from denota.tables.source import Result, Source
from denota.tables.stored import Engine, Stored


def source_of(connection: Any) -> Source | None:
    """Return a connection as a source; None if it is none.

    Raises:
        TableError: its engine is not one of those that are read.
    """
    library = type(connection).__module__.partition(".")[0]
    if isinstance(connection, sqlite3.Connection):
        return sqlite_files.SqliteSource(connection, "the database", own=False)
    if library in ("duckdb", "_duckdb"):
        is_connection = hasattr(connection, "interrupt") and hasattr(connection, "cursor")
        if is_connection:
            return duckdb_files.DuckdbSource(connection, "the database", own=False)
        return None
    if library == "psycopg" and hasattr(connection, "info"):
        return postgres.PostgresSource(connection, "the database")
    if library == "pymysql" and hasattr(connection, "decoders"):
        return mysql.MysqlSource(connection, "the database")
    if library == "sqlalchemy" and hasattr(connection, "dialect"):
        return SqlalchemySource(connection)
    if library.startswith("adbc_driver") and hasattr(connection, "adbc_get_info"):
        return AdbcSource(connection)
    if library in _DRIVERS and hasattr(connection, "cursor"):
        return DbapiSource(connection, _DRIVERS[library])
    return None


class DbapiSource:
    """A connection of a driver that is only known to follow Python's DBAPI."""

    def __init__(self, connection: Any, engine: Engine) -> None:
        self.engine: Engine = engine
        self.label = "the database"
        self._connection = connection

    def catalogue(self) -> tuple[Stored, ...]:
        """Return its tables and views with their columns, by name."""
        sql, tables_in = _CATALOGUES[self.engine]
        return tables_in(self.query(sql).rows())

    def query(self, sql: str) -> Result:
        """Run SQL."""
        try:
            cursor = self._connection.cursor()
            try:
                cursor.execute(sql)
                return self._result(cursor)
            finally:
                cursor.close()
        except Exception as error:  # every driver has errors of its own
            raise _error(error) from None

    def _result(self, cursor: Any) -> Result:
        names = tuple(column[0] for column in cursor.description or ())
        return Result.of_rows(names, [tuple(row) for row in cursor.fetchall()])

    def close(self) -> None:
        """Leave the connection to whoever brought it."""


class AdbcSource(DbapiSource):
    """A connection of ADBC, which speaks Arrow."""

    def __init__(self, connection: Any) -> None:
        vendor = str(connection.adbc_get_info().get("vendor_name", ""))
        super().__init__(connection, _engine(vendor))

    def _result(self, cursor: Any) -> Result:
        found = cursor.fetch_arrow_table()
        columns = (duckdb_files.in_utc(_stored(column)) for column in found.columns)
        return Result(tuple(found.column_names), tuple(columns))


class SqlalchemySource(DbapiSource):
    """An engine of SQLAlchemy, or a connection of one."""

    def __init__(self, bound: Any) -> None:
        super().__init__(bound, _engine(str(bound.dialect.name)))

    def query(self, sql: str) -> Result:
        """Run SQL; of an engine, on a connection for this alone."""
        try:
            if not hasattr(self._connection, "exec_driver_sql"):
                with self._connection.connect() as connection:
                    return self._run(connection, sql)
            return self._run(self._connection, sql)
        except Exception as error:  # SQLAlchemy's and the driver's
            raise _error(getattr(error, "orig", None) or error) from None

    def _run(self, connection: Any, sql: str) -> Result:
        if connection.dialect.paramstyle in ("format", "pyformat"):
            sql = sql.replace("%", "%%")  # which else begins a parameter
        found = connection.exec_driver_sql(sql)
        return Result.of_rows(tuple(found.keys()), [tuple(row) for row in found.fetchall()])


def _stored(column: Any) -> Any:
    """An Arrow array without a type of its own, which says nothing to a reader of text."""
    import pyarrow as pa

    if not isinstance(column.type, pa.BaseExtensionType):
        return column
    chunks = [chunk.storage for chunk in column.chunks]
    return pa.chunked_array(chunks, column.type.storage_type)


def _engine(name: str) -> Engine:
    found = _ENGINES.get(name.lower())
    if found is None:
        raise TableError(
            f"connections to {name[:40] or 'this database'} are not known; "
            "read the table into a data frame and pass that"
        )
    return found


def _error(error: BaseException) -> TableError:
    said = str(error).strip().splitlines()
    return TableError(f"the database cannot be read: {(said or [type(error).__name__])[0][:200]}")


_ENGINES: Final[dict[str, Engine]] = {
    "postgresql": "postgres",
    "mysql": "mysql",
    "mariadb": "mysql",
    "sqlite": "sqlite",
    "duckdb": "duckdb",
}
_DRIVERS: Final[dict[str, Engine]] = {
    "psycopg2": "postgres",
    "pg8000": "postgres",
    "MySQLdb": "mysql",
    "mysql": "mysql",
    "mariadb": "mysql",
}
_CATALOGUES: Final = {
    "sqlite": (sqlite_files.CATALOGUE, sqlite_files.tables_in),
    "duckdb": (duckdb_files.CATALOGUE, duckdb_files.tables_in),
    "postgres": (postgres.CATALOGUE, postgres.tables_in),
    "mysql": (mysql.CATALOGUE, mysql.tables_in),
}
