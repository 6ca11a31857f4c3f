"""denota learns to answer questions about tables from answers alone."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from denota.errors import DataError, DenotaError, TableError
from denota.imported import when_imported

if TYPE_CHECKING:
    from denota.app.api import TableParser
    from denota.tables import Column, Table, read_table

__version__ = "0.1.0"
when_imported("pandas", "denota.app.frames", "register_pandas")
when_imported("polars", "denota.app.frames", "register_polars")
_TABLES = ("Column", "Table", "read_table")


def load(model: str | Path = "default") -> TableParser:
    """Load a parser: a saved file, the folder of a run, or `default`, the one in the package.

    Raises:
        DenotaError: there is none there, or it cannot be read.
    """
    from denota.app.api import load as load_parser  # numpy and all takes a while to import

    return load_parser(model)


def load_ipython_extension(shell: Any) -> None:
    """Bring `%denota` and `%%denota` to a notebook, on `%load_ext denota`."""
    import_module("denota.app.notebook").register(shell)


def __getattr__(name: str) -> Any:
    """Import tables, and numpy with them, when they are first used."""
    if name == "read_table":
        import_module("denota.app")  # it says where passwords are
    if name in _TABLES:
        return getattr(import_module("denota.tables"), name)
    raise AttributeError(f"module 'denota' has no attribute {name!r}")


__all__ = [
    "Column",
    "DataError",
    "DenotaError",
    "Table",
    "TableError",
    "__version__",
    "load",
    "read_table",
]
