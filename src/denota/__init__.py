"""denota learns to answer questions about tables from answers alone."""

from denota.errors import DataError, DenotaError, TableError
from denota.tables import Column, Table, read_table

__version__ = "0.1.0"

__all__ = [
    "Column",
    "DataError",
    "DenotaError",
    "Table",
    "TableError",
    "__version__",
    "read_table",
]
