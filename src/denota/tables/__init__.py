"""Tables: read from any common format, frozen, with number and date views of every column."""

from denota.tables.column import Column
from denota.tables.dates import Dates
from denota.tables.io import read_table
from denota.tables.limits import Limits
from denota.tables.table import Cell, Table

__all__ = ["Cell", "Column", "Dates", "Limits", "Table", "read_table"]
