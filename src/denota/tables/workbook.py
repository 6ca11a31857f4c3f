"""Excel workbooks opened so that no part of one is made into objects before it is counted.

openpyxl makes an element of every tag, and a cell of every place up to the last of a row. So each
part is looked through before it is parsed, and rows are taken with the cells they have.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from denota.errors import TooLarge
from denota.tables.limits import Limits


@dataclass(frozen=True)
class Sheet:
    """A sheet that can be read."""

    title: str
    is_visible: bool
    path: str
    """The part of the workbook that has its cells."""
    parent: Any
    """openpyxl's workbook, which has the formats of cells."""
    strings: Sequence[str]
    """The texts that cells share."""
    parts: zipfile.ZipFile

    def rows(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield the number of each row, counted from 1, and the cells that are in it."""
        from openpyxl.cell.read_only import ReadOnlyCell
        from openpyxl.worksheet._reader import WorkSheetParser

        with self.parts.open(self.path) as source:
            parser = WorkSheetParser(
                source,
                self.strings,
                data_only=True,
                epoch=self.parent.epoch,
                date_formats=self.parent._date_formats,
                timedelta_formats=self.parent._timedelta_formats,
            )
            for number, cells in parser.parse():
                yield number, [ReadOnlyCell(self, **cell) for cell in cells]


def open_sheets(data: bytes, name: str, limits: Limits) -> list[Sheet]:
    """Return the sheets of a workbook, none of them read.

    Raises:
        TooLarge: a part of it has more in it than is read.
    """
    from openpyxl.reader.excel import ExcelReader
    from openpyxl.styles.stylesheet import apply_stylesheet

    reader = ExcelReader(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    reader.archive = parts = _Parts(data, name, limits)
    reader.read_manifest()
    reader.read_strings()
    reader.read_workbook()
    apply_stylesheet(parts, reader.wb)
    found: dict[str, Sheet] = {}
    for sheet, rel in reader.parser.find_sheets():
        path, is_shown = rel.target, sheet.state == "visible"
        if path in reader.valid_files and "chartsheet" not in rel.Type:
            one = Sheet(sheet.name, is_shown, path, reader.wb, reader.shared_strings, parts)
            found.setdefault(path, one)  # no part is read for two sheets
    return list(found.values())


class _Parts(zipfile.ZipFile):
    """The parts of a workbook, each looked through when it is first opened."""

    def __init__(self, data: bytes, name: str, limits: Limits) -> None:
        super().__init__(io.BytesIO(data))
        self._name, self._limits = name, limits
        self._seen: set[str] = set()

    def open(self, name: Any, *args: Any, **options: Any) -> Any:
        info = self.getinfo(name) if isinstance(name, str) else name
        if info.filename not in self._seen and info.file_size > _SMALL:
            with super().open(info) as part:
                look_through(part, self._name, self._limits)
        self._seen.add(info.filename)
        return super().open(name, *args, **options)


def look_through(part: Any, name: str, limits: Limits) -> None:
    """Raise if a part has too many rows, values or texts, or too much in one of them.

    Args:
        part: an open file of XML.
        name: what to call the workbook in messages.
        limits: of the table.
    """
    items = values = inside = without_tag = 0
    while block := part.read(_BLOCK):
        found = _ITEM.findall(block)
        items += len(found)
        values += block.count(b"<v>")
        begin = block.rfind(found[-1]) if found else 0
        inside = (0 if found else inside) + block.count(b"<", begin) - block.count(b"</", begin)
        last = block.rfind(b"<")
        without_tag = without_tag + len(block) if last < 0 else len(block) - last
        limits.check_cell(name, without_tag // _LONGEST_CHARACTER)
        limits.check(name, max(items - 1, values - limits.columns), 1)
        if inside > _MOST_INSIDE:
            raise TooLarge(
                f"{name} has a row or text of more than {_MOST_INSIDE:,} parts; "
                "save the table in a new workbook or as CSV"
            )


_SMALL: Final = 1 << 20
"""Bytes of a part that cannot have many elements in it."""
_BLOCK: Final = 1 << 16
_ITEM: Final = re.compile(rb"<(?:\w{1,20}:)?(?:row|si)[\s/>]")
"""The start of a row or of a text that cells share."""
_MOST_INSIDE: Final = 1 << 18
"""Elements of a row, which has at most 16,384 cells, of a text, or outside of them."""
_LONGEST_CHARACTER: Final = 12
"""Bytes of one character in XML, at most: `&#x1F600;`."""
