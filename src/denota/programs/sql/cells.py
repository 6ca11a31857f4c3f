"""What SQL says about one row: its cells, their values, and tests of them."""

from __future__ import annotations

import re
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
from sqlglot import exp

from denota.programs.index import total_marks
from denota.programs.sql.cleaning import cleaned
from denota.programs.sql.date_tests import compare_date
from denota.programs.sql.identifiers import column_names, folded, free_name, identifier
from denota.programs.sql.literals import moment_literal, number_literal
from denota.programs.sql.parts import part_of
from denota.programs.sql.readings import Reading, readings_of, value_name
from denota.programs.sql.words import having_word
from denota.programs.stated_value import stated_by
from denota.programs.tree import Date, Name, Number
from denota.tables.table import Table

MOST_LISTED: Final = 6
"""The most texts of one value that `=` lists, before it compares the value itself."""
_COMPARE: Final = {"=": exp.EQ, ">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE}


class CellSql:
    """The cells of a row in SQL, by column, with what had to be added to the table for them."""

    def __init__(self, table: Table, dialect: str) -> None:
        self.table = table
        self.dialect = dialect
        self.derived: dict[str, tuple[str, Any]] = {}
        """Column -> the name and the expression of its values, where texts had to be read."""
        self.row_name = ""
        """The name of the row numbers, if they are used."""

    @cached_property
    def own_names(self) -> dict[str, str]:
        """Column -> its name in the engine."""
        return dict(zip(self.table.names, column_names(self.table), strict=True))

    @cached_property
    def used(self) -> set[str]:
        """The names that are taken, as engines compare them."""
        return folded(self.own_names.values())

    @cached_property
    def readings(self) -> dict[str, Reading]:
        """Column -> what its texts state, and what the engine has."""
        return readings_of(self.table)

    def row(self) -> exp.Column:
        """The number of the row, from 1."""
        if not self.row_name:
            self.row_name = free_name("row_number", self.used)
        return exp.column(identifier(self.row_name, self.dialect))

    def cell(self, column: str) -> exp.Column:
        """The column as it is stored."""
        return exp.column(identifier(self.own_names[column], self.dialect))

    def value(self, column: str) -> exp.Column:
        """The column as numbers or dates; texts are read for that."""
        reading = self.readings[column]
        if reading.is_plain or reading.column.kind == "text":
            return self.cell(column)
        if column not in self.derived:
            if self.dialect not in reading.cleaned:
                literal = partial(self.literal, column)
                own = cleaned(reading, self.cell(column), literal, self.dialect)
                reading.cleaned[self.dialect] = own
            slug = _NO_WORD.sub("_", column.lower()).strip("_") or "column"
            what: str = value_name(reading.column)
            name = free_name(f"{slug}_{'value' if slug == what else what}", self.used)
            self.derived[column] = (name, reading.cleaned[self.dialect].copy())
        return exp.column(identifier(self.derived[column][0], self.dialect))

    def literal(self, column: str, text: str) -> Any:
        """The literal of a cell's text, as the engine has the column."""
        reading = self.readings[column]
        if reading.kind == "number":
            try:
                value = float(text)
            except ValueError:
                return exp.Literal.string(text)
            return number_literal(value) if np.isfinite(value) else exp.Literal.string(text)
        if reading.kind in ("date", "timestamp") and reading.stated.get(text) is not None:
            return moment_literal(float(reading.stated[text] or 0.0))
        if reading.kind == "boolean" and self.dialect not in ("duckdb", "postgres"):
            return exp.true() if text.casefold() in ("true", "t", "yes", "1") else exp.false()
        return exp.Literal.string(text)

    def has_blanks(self, column: str) -> bool:
        """Whether cells of the column are empty, which engines have as NULL."""
        return "" in self.table[column].values

    def is_blank(self, column: str) -> Any:
        """Whether the cell is empty; databases may keep an empty text as such."""
        cell = self.cell(column)
        if self.table.stored is not None and self.readings[column].kind == "text":
            nothing = exp.Literal.string("")
            whole = exp.Coalesce(this=cell, expressions=[nothing])
            return exp.EQ(this=whole, expression=nothing.copy())
        return cell.is_(exp.null())

    def same_value(self, column: str, text: str) -> Any:
        """Whether the cell has the value of a text."""
        kind, value = stated_by(self.table[column], text)
        if kind == "text":
            return self._same_text(column, str(value))
        reading = self.readings[column]
        if not reading.is_plain:
            texts = [own for own, stated in reading.stated.items() if stated == value]
            if not texts:
                return self._same_text(column, text)
            if len(texts) <= MOST_LISTED:
                return self._among(column, texts)
        literal = number_literal if kind == "number" else moment_literal
        return exp.EQ(this=self.value(column), expression=literal(float(value)))

    def _same_text(self, column: str, text: str) -> Any:
        if not text:
            return self.is_blank(column)
        reading = self.readings[column]
        if reading.kind not in ("text", "other") and text not in reading.column.values:
            return exp.false()  # an engine may refuse to compare the two
        return self._among(column, [text])

    def _among(self, column: str, texts: list[str]) -> Any:
        """Whether the cell's text is one of some."""
        every = (self.literal(column, text) for text in texts)
        literals = list({one.sql(): one for one in every}.values())
        if len(literals) == 1:
            return exp.EQ(this=self.cell(column), expression=literals[0])
        return self.cell(column).isin(*literals)

    def negated(self, test: Any, column: str) -> Any:
        """The opposite of a test of one column, true of empty cells too."""
        if isinstance(test, exp.Is):
            return self.negated_plainly(test)
        if isinstance(test, exp.Boolean):
            return exp.Boolean(this=not test.this)
        other = exp.NEQ(**test.args) if isinstance(test, exp.EQ) else test.not_()
        if not self.has_blanks(column) or isinstance(test.this, exp.Coalesce):
            return other
        return exp.paren(exp.or_(other, self.cell(column).is_(exp.null())))

    def has_word(self, column: str, word: str) -> Any:
        """Whether the text has a word."""
        found = having_word(self.readings[column], self.cell(column), word, self.dialect)
        return found if not isinstance(found, list) else self._among_many(column, found)

    def _among_many(self, column: str, texts: list[str]) -> Any:
        return self._among(column, texts) if texts else exp.false()

    def compare(self, column: str, symbol: str, constant: Number | Date) -> Any:
        """Compare with a number, or with the parts that a date states."""
        content = self.table[column]
        if isinstance(constant, Number):
            if content.kind != "number":
                return exp.false()
            literal = number_literal(constant.value)
            return _COMPARE[symbol](this=self.value(column), expression=literal)
        if content.kind == "text" or not content.dates.known.any():
            return exp.false()
        dated = content.kind == "date"
        has_time = self.readings[column].has_time
        return compare_date(self.value(column), symbol, constant, dated, has_time, self.dialect)

    def in_decade(self, column: str, start: Any) -> Any:
        """Whether the year is one of the ten from a year on."""
        content = self.table[column]
        if not content.dates.known.any():
            return exp.false()
        year: Any = self.value(column)
        if content.kind == "date":
            from denota.programs.sql.date_tests import part

            year = part(year, "YEAR", self.dialect)
        last = number_literal(start.value + 9)
        return exp.Between(this=year, low=number_literal(start.value), high=last)

    def is_missing(self, column: str) -> Any:
        """Whether the cell is empty, or its text is one of the column's marks for that."""
        content = self.table[column]
        marks = dict.fromkeys(content.values[code] for code in content.codes[content.missing])
        written = [mark for mark in marks if mark]
        if not written:
            return self.is_blank(column)
        marked = self._among(column, written)
        if "" not in marks:
            return marked
        return exp.paren(exp.or_(marked, self.is_blank(column)))

    def has_missing(self, column: str) -> bool:
        """Whether a cell of the column is missing."""
        return bool(self.table[column].missing.any())

    def is_present(self, column: str) -> Any:
        """Whether the cell is not missing."""
        test = self.is_missing(column)
        if isinstance(test, exp.Paren):  # empty, or marked
            either: Any = test.this
            return exp.and_(self.negated_plainly(either.right), self.negated_plainly(either.left))
        return self.negated_plainly(test)

    def negated_plainly(self, test: Any) -> Any:
        """The opposite of a test of one column, empty cells aside."""
        if isinstance(test, exp.Is):
            return exp.Is(this=test.this, expression=exp.not_(test.expression))
        return exp.NEQ(**test.args) if isinstance(test, exp.EQ) else test.not_()

    def than_column(self, column: str, symbol: str, other: Any) -> Any:
        """Compare two columns of one kind."""
        assert isinstance(other, Name)
        kinds = {self.table[column].kind, self.table[other.text].kind}
        if len(kinds) > 1 or kinds == {"text"}:
            return exp.false()
        return _COMPARE[symbol](this=self.value(column), expression=self.value(other.text))

    def not_total(self) -> Any:
        """Whether the row is no total."""
        says = [
            self.negated(self._among(column, list(marks)), column)
            for column, marks in total_marks(self.table).items()
        ]
        return exp.and_(*says) if says else None

    def part(self, column: str, name: str) -> Any:
        """A part of the cell's text, NULL if it has no such part."""
        reading = self.readings[column]
        literals = {text: self.literal(column, text) for text in reading.stated}
        return part_of(reading, self.cell(column), literals, name, self.dialect)


_NO_WORD: Final = re.compile(r"\W+")
