"""Programs as SQL, built as sqlglot expressions and never as text.

The table has one typed column a column (DOUBLE for numbers, TIMESTAMP for dates, NULL where a cell states none), the text of number and
date columns beside it as `name (text)`, and `_row`. A follow-up nests the SQL of the turn before as `previous`, so each turn's SQL
stands alone; conditions that look at other rows (IS MAX) look at the rows of `scope`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from sqlglot import exp

from denota.programs.execute import check, check_aggregate
from denota.programs.index import index_of, is_total
from denota.programs.operators import AGGREGATES, SCOPES, TESTS
from denota.programs.tree import Condition, Date, Number, Or, Program, Test
from denota.programs.values import stated_by
from denota.tables.table import Table
from denota.tokens import word_pattern

ROW: Final = "_row"
DIALECTS: Final = ("duckdb", "postgres", "spark", "bigquery", "sqlite")


@dataclass(frozen=True)
class Query:
    """A turn's SQL with what the next turn needs of it."""

    tree: exp.Query
    """Selects `_row` and the columns, or one value."""
    rows: exp.Query
    """Selects `_row` alone: what a follow-up nests."""
    columns: tuple[str, ...]
    """The names of the columns it answers with."""

    def sql(self, dialect: str = "duckdb", pretty: bool = False) -> str:
        """Render it for a database."""
        tree: exp.Expr = self.tree
        if dialect == "bigquery":
            tree = _bigquery_names(tree)
        if dialect == "sqlite":
            tree = tree.transform(_sqlite_parts)
        return tree.sql(dialect=dialect, identify=True, pretty=pretty)


def to_sql(program: Program, table: Table, previous: Query | None = None) -> Query:
    """Return the SQL of a program, given that of the turn before if it follows one up."""
    check(program, table, previous is not None)
    names = Names(table, previous)
    columns = program.columns or (previous.columns if previous else ())
    narrowed = SCOPES[program.scope].sql(names)
    names.scope = exp.to_identifier(SCOPE) if narrowed is not None else names.source
    where = _where(program.where, names) if program.where is not None else None
    looks_around = names.looks_around and narrowed is not None
    source = names.scope if looks_around else names.source
    inner = None if looks_around else narrowed

    def select(*what: Any) -> exp.Query:
        # what is new needs no copy: sqlglot's builders would copy the whole query each time
        query = exp.select(*what, copy=False).from_(exp.Table(this=source.copy()), copy=False)
        for condition in (inner, where):
            if condition is not None:
                query = query.where(condition.copy(), copy=False)
        if looks_around:
            every = exp.select(exp.Star()).from_(exp.Table(this=names.source.copy()))
            every = every.where(narrowed.copy(), copy=False)
            query = query.with_(exp.to_identifier(SCOPE), as_=every, copy=False)
        if previous is not None and _mentions(query, PREVIOUS):
            before = exp.CTE(
                this=previous.rows.copy(), alias=exp.TableAlias(this=exp.to_identifier(PREVIOUS))
            )
            existing = query.args.get("with_") or query.args.get("with")
            if existing is not None:
                existing.expressions.insert(0, before)
            else:
                query = query.with_(
                    exp.to_identifier(PREVIOUS), as_=previous.rows.copy(), copy=False
                )
        return query

    order = exp.column(ROW)
    rows = select(exp.column(ROW))
    if program.aggregate is not None:
        places = [table.names.index(column) for column in columns]
        check_aggregate(program.aggregate, places, table)
        value: exp.Expr
        if program.aggregate == "count":
            value = exp.Count(this=exp.Star())
            value = value * len(columns) if len(columns) != 1 else value
        else:
            value = AGGREGATES[program.aggregate].sql(names.value(columns[0]))
        return Query(select(exp.alias_(value, "value")), rows, columns)
    shown = [names.shown(column) for column in columns]
    return Query(select(exp.column(ROW), *shown).order_by(order, copy=False), rows, columns)


def rows_query(rows: Sequence[int], columns: Sequence[str], table: Table) -> Query:
    """Return the query of a corrected answer, which no program gave: its rows by number."""
    names = Names(table, None)
    among = (
        exp.column(ROW).isin(*(exp.Literal.number(row) for row in rows)) if rows else exp.false()
    )
    base = exp.Table(this=names.source)
    picked = exp.select(exp.column(ROW)).from_(base.copy()).where(among)
    shown = [names.shown(column) for column in columns]
    whole = exp.select(exp.column(ROW), *shown).from_(base).where(among.copy())
    return Query(whole.order_by(exp.column(ROW)), picked, tuple(columns))


SCOPE: Final = "scope"
PREVIOUS: Final = "previous"


def sql_names(table: Table) -> tuple[tuple[str, str], ...]:
    """(typed, text) names of each column in SQL: alike for a text column, all different even in lower case."""
    used = {ROW, SCOPE, PREVIOUS}
    plain = str.maketrans("\0", " ")
    result = []
    for column in table.columns:
        name = column.name.translate(plain)
        typed = _free(name, used)
        text = typed if column.kind == "text" else _free(f"{name} (text)", used)
        result.append((typed, text))
    return tuple(result)


def _free(name: str, used: set[str]) -> str:
    unique, count = name, 1
    while unique.casefold() in used:
        count += 1
        unique = f"{name} ({count})"
    used.add(unique.casefold())
    return unique


class Names:
    """How the operators say things about a table in SQL."""

    def __init__(self, table: Table, previous: Query | None) -> None:
        self.table = table
        self.previous = previous
        self.scope: exp.Identifier = self.source
        """What the rows of the scope are called: the table itself if nothing narrows it."""
        self.looks_around = False
        """Whether a condition looked at other rows of the scope."""

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

    def same_value(self, column: str, text: str) -> exp.Expr:
        """Never NULL, so that it can be negated."""
        kind, value = stated_by(self.table[column], text)
        if kind == "text":
            return exp.EQ(this=self.text(column), expression=exp.Literal.string(str(value)))
        literal = _number(float(value)) if kind == "number" else _moment(float(value))
        return exp.NullSafeEQ(this=self.value(column), expression=literal)

    def has_word(self, column: str, word: str) -> exp.Expr:
        """Whether the text has a token."""
        lower = exp.Lower(this=self.text(column))
        return exp.RegexpLike(this=lower, expression=exp.Literal.string(word_pattern(word)))

    def compare(self, column: str, symbol: str, constant: Number | Date) -> exp.Expr:
        """A comparison with a number, or with a date in the parts it states."""
        kind = _COMPARE[symbol]
        if isinstance(constant, Number):
            if self.table[column].kind != "number":
                return exp.false()
            return kind(this=self.value(column), expression=_number(constant.value))
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
            return kind(this=self._part(column, name), expression=_number(part))
        key = _sum([self._part(column, name) * factor for name, factor, _ in stated])
        return kind(this=key, expression=_number(sum(factor * part for _, factor, part in stated)))

    def _part(self, column: str, name: str) -> exp.Expr:
        if self.table[column].kind == "number":  # a column of years: the first of January
            first = exp.case().when(self.value(column).is_(exp.null()).not_(), _number(1))
            return self.value(column) if name == "YEAR" else first
        return exp.Extract(this=exp.var(name), expression=self.value(column))

    def in_decade(self, column: str, start: Any) -> exp.Expr:
        """Ten years from a year on."""
        if not self.table[column].dates.known.any():
            return exp.false()
        year = self._part(column, "YEAR")
        first = _number(start.value)
        return exp.and_(
            exp.GTE(this=year, expression=first),
            exp.LT(this=year.copy(), expression=_number(start.value + 10)),
        )

    def is_missing(self, column: str) -> exp.Expr:
        """Whether the text is one of the marks for no value that the column has."""
        content = self.table[column]
        marks = dict.fromkeys(
            t for t, gone in zip(content.text, content.missing, strict=True) if gone
        )
        return self.text(column).isin(*map(exp.Literal.string, marks)) if marks else exp.false()

    def ranked(self, column: str, largest: bool, skip: int, count: int) -> exp.Expr:
        """The rows at some places of the scope ordered by a column; of equal ones MAX takes the last, MIN the first."""
        if index_of(self.table).columns[self.table.names.index(column)].order is None:
            return exp.false()
        value = self.value(column)
        query = self._of_scope(exp.column(ROW)).where(value.is_(exp.null()).not_(), copy=False)
        query = query.order_by(
            exp.Ordered(this=value.copy(), desc=largest),
            exp.Ordered(this=exp.column(ROW), desc=largest),
            copy=False,
        )
        query = query.limit(count, copy=False)
        return exp.column(ROW).isin(query=query.offset(skip, copy=False) if skip else query)

    def extreme(self, column: str, largest: bool) -> exp.Expr:
        """The rows with the largest or smallest value of the scope."""
        if index_of(self.table).columns[self.table.names.index(column)].order is None:
            return exp.false()
        best = (exp.Max if largest else exp.Min)(this=self.value(column))
        return exp.EQ(this=self.value(column), expression=exp.Subquery(this=self._of_scope(best)))

    def placed(self, last: bool, count: int) -> exp.Expr:
        """The first or last rows of the scope."""
        order = exp.Ordered(this=exp.column(ROW), desc=last)
        return exp.column(ROW).isin(
            query=self._of_scope(exp.column(ROW)).order_by(order).limit(count)
        )

    def first_of_each(self, column: str) -> exp.Expr:
        """The first row of the scope with each value."""
        query = self._of_scope(exp.Min(this=exp.column(ROW))).group_by(*self._class(column))
        return exp.column(ROW).isin(query=query)

    def value_of_previous(self, column: str) -> exp.Expr:
        """Whether the previous answer's rows have the same value."""
        before = exp.Table(
            this=self.source.copy(), alias=exp.TableAlias(this=exp.to_identifier("before"))
        )
        self.looks_around = True
        mine = self._class(column, self.scope)
        theirs = self._class(column, "before")
        query = exp.select(_number(1)).from_(before).where(self.in_previous("before"))
        for left, right in zip(mine, theirs, strict=True):
            query = query.where(exp.NullSafeEQ(this=right, expression=left))
        return exp.Exists(this=query)

    def in_previous(self, of: str | exp.Identifier | None = None) -> exp.Expr:
        """Whether the row is one of the previous answer's."""
        return exp.column(ROW, table=of).isin(query=exp.select(exp.column(ROW)).from_(PREVIOUS))

    def beside_previous(self, by: int) -> exp.Expr:
        """Whether the row is so many after one of the previous answer's."""
        return exp.column(ROW).isin(query=exp.select(exp.column(ROW) + by).from_(PREVIOUS))

    def not_total(self) -> exp.Expr:
        """Whether no cell of the row says `Total`."""
        says = []
        for column in self.table.columns:
            marks = [text for text in column.values if is_total((text,))]
            if marks:
                says.append(self.text(column.name).isin(*map(exp.Literal.string, marks)))
        return exp.paren(exp.or_(*says)).not_() if says else exp.true()

    def _of_scope(self, what: Any) -> exp.Select:
        self.looks_around = True
        return exp.select(what).from_(exp.Table(this=self.scope.copy()))

    def _class(self, column: str, of: str | exp.Identifier | None = None) -> list[exp.Expr]:
        """What two cells of one value class share: the typed value, and the text where there is none."""
        if self.table[column].kind == "text":
            return [self.text(column, of)]
        value = self.value(column, of)
        own = exp.case().when(value.copy().is_(exp.null()), self.text(column, of))
        return [value, own]


def source_name(table: Table) -> str:
    """The table's name in SQL: its file name without the ending, never one of our own words."""
    name = table.name.split(".")[0].strip() or "table"
    return name if name.casefold() not in (SCOPE, PREVIOUS, ROW, "before") else f"{name} table"


def _where(condition: Condition, names: Names) -> exp.Expr:
    if isinstance(condition, Test):
        test: exp.Expr = TESTS[condition.operator].sql(condition, names)
        return test
    parts = [_where(part, names) for part in condition.parts]
    return exp.or_(*parts) if isinstance(condition, Or) else exp.and_(*parts)


def _mentions(query: exp.Query, name: str) -> bool:
    return any(table.name == name and not table.this.quoted for table in query.find_all(exp.Table))


def _number(value: float) -> exp.Expr:
    whole = value == int(value) and abs(value) < 1e15
    literal = exp.Literal.number(str(int(abs(value))) if whole else repr(abs(value)))
    return exp.Neg(this=literal) if value < 0 else literal


def _moment(days: float) -> exp.Expr:
    import numpy as np

    moment = np.datetime64(round(days * 86_400_000_000), "us")
    return exp.cast(exp.Literal.string(str(moment).replace("T", " ")), "timestamp")


def _sum(parts: list[exp.Expr]) -> exp.Expr:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return exp.paren(total)


def _bigquery_names(tree: exp.Expr) -> exp.Expr:
    """BigQuery allows only some characters in names; others become underscores, and names stay different."""
    names: dict[str, str] = {}
    used: set[str] = set()
    for node in tree.find_all(exp.Identifier):
        if node.this not in names:
            kept = "".join(c if c.isalnum() or c in " _-()%$#&" else "_" for c in node.this)
            names[node.this] = _free(kept or "_", used)

    def renamed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Identifier):
            return exp.to_identifier(names[node.this], quoted=True)
        return node

    return tree.transform(renamed)


def _sqlite_parts(node: exp.Expr) -> exp.Expr:
    """SQLite has no EXTRACT."""
    if isinstance(node, exp.Extract):
        letter = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d"}[node.name.upper()]
        part = exp.Anonymous(
            this="STRFTIME", expressions=[exp.Literal.string(letter), node.expression]
        )
        return exp.cast(part, "int")
    return node


_COMPARE: Final = {"=": exp.EQ, ">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE}
