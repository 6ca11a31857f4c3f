"""Tables as arrays of value classes, for the program space.

Two cells of a column are of one value class if they state the same number in a number column, the
same date in a date column, or have the same text. `=` and `!=` are about classes.
"""

from denota.programs.index.column import LINKED, LONG, ColumnIndex
from denota.programs.index.sets import ROOM, Bits, Mask, bits_of, counted
from denota.programs.index.table import TableIndex, index_of
from denota.programs.index.totals import total_marks, totals

__all__ = [
    "Bits",
    "ColumnIndex",
    "LINKED",
    "LONG",
    "Mask",
    "ROOM",
    "TableIndex",
    "bits_of",
    "counted",
    "index_of",
    "total_marks",
    "totals",
]
