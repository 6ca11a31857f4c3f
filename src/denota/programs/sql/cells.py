"""What SQL says about one row: its cells, their values, and tests of them."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from sqlglot import exp

from denota.programs.index import total_marks
from denota.programs.operators.parts import PARTS
from denota.programs.sql.identifiers import source_name, sql_names
from denota.programs.sql.literals import moment_literal, number_literal, sum_of
from denota.programs.stated_value import stated_by
from denota.programs.tree import Date, Name, Number
from denota.tables.table import Table
from denota.tokens import word_pattern

_COMPARE: Final = {"=": exp.EQ, ">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE}


class CellSql:
    """The cells of a row in SQL, by column."""

    def __init__(self, table: Table) -> None:
        self.table = table

    @cached_property
    def _names(self) -> dict[str, tuple[str, str]]:
        return dict(zip(self.table.names, sql_names(self.table), strict=True))

    @property
    def source(self) -> exp.Identifier:
        """The table's name."""
        return exp.to_identifier(source_name(self.table), quoted=True)

    def value(self, column: str, of: str | exp.Identifier | None = None) -> exp.Column:
        """The typed column."""
        return exp.column(exp.to_identifier(self._names[column][0], quoted=True), table=of)

    def text(self, column: str, of: str | exp.Identifier | None = None) -> exp.Column:
        """The column of texts."""
        return exp.column(exp.to_identifier(self._names[column][1], quoted=True), table=of)

    def shown(self, column: str) -> exp.Expr:
        """The column as an answer shows it: its text, under its own name."""
        if self.table[column].kind == "text":
            return self.value(column)
        return exp.alias_(self.text(column), exp.to_identifier(self._names[column][0], quoted=True))

    def key(self, column: str) -> exp.Expr:
        """One expression that is equal for cells of one value class, never NULL."""
        if self.table[column].kind == "text":
            return self.text(column)
        value = exp.cast(self.value(column), "text")
        return exp.Coalesce(this=value, expressions=[self.text(column)])

    def value_class(self, column: str, of: str | exp.Identifier | None = None) -> list[exp.Expr]:
        """Expressions that are equal for cells of one value class: the value, else the text."""
        if self.table[column].kind == "text":
            return [self.text(column, of)]
        value = self.value(column, of)
        own = exp.case().when(value.copy().is_(exp.null()), self.text(column, of))
        return [value, own]

    def same_value(self, column: str, text: str) -> exp.Expr:
        """Whether the cell has the value of a text; never NULL, so that it can be negated."""
        kind, value = stated_by(self.table[column], text)
        if kind == "text":
            return exp.EQ(this=self.text(column), expression=exp.Literal.string(str(value)))
        literal = number_literal if kind == "number" else moment_literal
        return exp.NullSafeEQ(this=self.value(column), expression=literal(float(value)))

    def has_word(self, column: str, word: str) -> exp.Expr:
        """Whether the text has a token."""
        lower = exp.Lower(this=self.text(column))
        return exp.RegexpLike(this=lower, expression=exp.Literal.string(word_pattern(word)))

    def compare(self, column: str, symbol: str, constant: Number | Date) -> exp.Expr:
        """Compare with a number, or with the parts that a date states."""
        kind = _COMPARE[symbol]
        if isinstance(constant, Number):
            if self.table[column].kind != "number":
                return exp.false()
            return kind(this=self.value(column), expression=number_literal(constant.value))
        if self.table[column].kind == "number" and not self.table[column].dates.known.any():
            return exp.false()
        if self.table[column].kind == "text":
            return exp.false()
        parts = [
            ("YEAR", 10_000, constant.year),
            ("MONTH", 100, constant.month),
            ("DAY", 1, constant.day),
        ]
        stated = [(name, factor, part) for name, factor, part in parts if part]
        if len(stated) == 1:
            ((name, _, part),) = stated
            return kind(this=self._date_part(column, name), expression=number_literal(part))
        key = sum_of([self._date_part(column, name) * factor for name, factor, _ in stated])
        wanted = sum(factor * part for _, factor, part in stated)
        return kind(this=key, expression=number_literal(wanted))

    def _date_part(self, column: str, name: str) -> exp.Expr:
        if self.table[column].kind == "number":  # a column of years: the first of January
            first = exp.case().when(self.value(column).is_(exp.null()).not_(), number_literal(1))
            return self.value(column) if name == "YEAR" else first
        return exp.Extract(this=exp.var(name), expression=self.value(column))

    def in_decade(self, column: str, start: Any) -> exp.Expr:
        """Whether the year is one of the ten from a year on."""
        if not self.table[column].dates.known.any():
            return exp.false()
        year = self._date_part(column, "YEAR")
        return exp.and_(
            exp.GTE(this=year, expression=number_literal(start.value)),
            exp.LT(this=year.copy(), expression=number_literal(start.value + 10)),
        )

    def is_missing(self, column: str) -> exp.Expr:
        """Whether the text is one of the column's marks for a missing value."""
        content = self.table[column]
        marks = dict.fromkeys(
            t for t, gone in zip(content.text, content.missing, strict=True) if gone
        )
        return self.text(column).isin(*map(exp.Literal.string, marks)) if marks else exp.false()

    def than_column(self, column: str, symbol: str, other: Any) -> exp.Expr:
        """Compare two columns of one kind."""
        assert isinstance(other, Name)
        kinds = {self.table[column].kind, self.table[other.text].kind}
        if len(kinds) > 1 or kinds == {"text"}:
            return exp.false()
        return _COMPARE[symbol](this=self.value(column), expression=self.value(other.text))

    def not_total(self) -> exp.Expr:
        """Whether the row is no total."""
        says = [
            self.text(column).isin(*map(exp.Literal.string, marks))
            for column, marks in total_marks(self.table).items()
        ]
        return exp.paren(exp.or_(*says)).not_() if says else exp.true()

    def part(self, column: str, name: str) -> exp.Expr:
        """A part of the cell's text, NULL if it has no such part."""
        inside = name.endswith("_inside")
        pattern = exp.Literal.string(PARTS["two_numbers" if inside else name])

        def group(number: int) -> exp.Expr:
            found = exp.RegexpExtract(
                this=self.text(column), expression=pattern, group=number_literal(number)
            )
            return exp.Nullif(this=found, expression=exp.Literal.string(""))

        def stated(number: int) -> exp.Expr:
            comma, nothing = exp.Literal.string(","), exp.Literal.string("")
            bare = exp.Replace(this=group(number), expression=comma, replacement=nothing)
            return exp.cast(bare, "double")

        if name == "difference_inside":
            return exp.Abs(this=exp.paren(stated(1) - stated(2)))
        if name == "sum_inside":
            return exp.paren(stated(1) + stated(2))
        return group(1) if name in ("first_part", "last_part", "in_brackets") else stated(1)
