"""denota learns to answer questions about tables from answers alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from denota.errors import DataError, DenotaError, TableError
from denota.tables import Column, Table, read_table

if TYPE_CHECKING:
    from denota.app.api import TableParser

__version__ = "0.1.0"


def load(model: str | Path = "default") -> TableParser:
    """Load a parser: a saved file, the folder of a run, or `default`, the one that comes with the package.

    Raises:
        DenotaError: there is none there, or it cannot be read.
    """
    from denota.app.api import load as load_parser  # torch takes a second to import

    return load_parser(model)


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
