"""Programs as SQL, built as sqlglot expressions and never as text.

The table has one typed column a column (DOUBLE for numbers, TIMESTAMP for dates, NULL where a cell states none), the text of number and
date columns beside it as `name (text)`, and `_row`. A follow-up nests the SQL of the turn before as `previous`, so each turn's SQL
stands alone; conditions that look at other rows (IS MAX) look at the rows of `scope`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from sqlglot import exp

from denota.programs.execute import (
    check,
    check_aggregate,
    counts_rows,
    has_two_columns,
    looked_at,
    side_names,
)
from denota.programs.index import index_of, is_total
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS
from denota.programs.operators.aggregates import PARTS
from denota.programs.tree import Condition, Date, Name, Number, Or, Program, Test
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
    columns = program.columns or (previous.columns if previous else ())
    takes_previous = SCOPES[program.scope].follows and bool(columns)
    if counts_rows(program) and not program.columns and not takes_previous:
        columns = tuple(table.names[place] for place in looked_at(program, table))
    rows = _rows_of(program, program.where, table, previous)
    picked = rows.select(exp.column(ROW))
    if program.aggregate is None:
        shown = [rows.names.shown(column) for column in columns]
        order = exp.column(ROW)
        return Query(rows.select(exp.column(ROW), *shown).order_by(order, copy=False), picked, columns)  # fmt: skip
    check_aggregate(program.aggregate, [table.names.index(c) for c in columns], table, program.compare)  # fmt: skip
    aggregate = AGGREGATES[program.aggregate]
    if program.compare is not None:
        return _compared(program, table, previous, columns, rows, picked)
    value = aggregate.sql(rows.names, program.columns or columns)
    if isinstance(value, exp.Query):
        return Query(value, picked, columns)
    if aggregate.grouped:
        query = rows.select(*rows.names.group(columns[0]), exp.alias_(value, "value"))
        query = query.where(rows.names.is_missing(columns[0]).not_(), copy=False)
        query = query.group_by(rows.names.key(columns[0]), copy=False)
        return Query(query.order_by(exp.Min(this=exp.column(ROW)), copy=False), picked, columns)
    if aggregate.part is not None:
        query = rows.select(exp.alias_(value, "value")).where(value.copy().is_(exp.null()).not_())
        return Query(query.order_by(exp.column(ROW), copy=False), picked, columns)
    return Query(rows.select(exp.alias_(value, "value")), picked, columns)


@dataclass
class _Rows:
    """The rows of a program, ready to have something selected of them."""

    names: Names
    select: Callable[..., exp.Select]


def _rows_of(
    program: Program, condition: Condition | None, table: Table, previous: Query | None
) -> _Rows:
    """The rows that a condition keeps, and a step goes on to."""
    names = Names(table, previous)
    narrowed = SCOPES[program.scope].sql(names)
    names.scope = exp.to_identifier(SCOPE) if narrowed is not None else names.source
    where = _where(condition, names) if condition is not None else None
    step = None
    if program.then is not None:
        outside, names.scope = names.scope, exp.to_identifier(KEPT)
        step = STEPS[program.then.operator].sql(program.then, names)
        names.scope, names.looks_around = outside, True
    looks_around = names.looks_around and narrowed is not None
    source = names.scope if looks_around else names.source
    inner = None if looks_around else narrowed
    widens = program.then is not None and STEPS[program.then.operator].widens

    def select(*what: Any) -> exp.Select:
        # what is new needs no copy: sqlglot's builders would copy the whole query each time
        start = exp.to_identifier(KEPT) if step is not None and not widens else source
        query = exp.select(*what, copy=False).from_(exp.Table(this=start.copy()), copy=False)
        own = (inner, where) if step is None else (inner, step) if widens else (step,)
        for one in own:
            if one is not None:
                query = query.where(one.copy(), copy=False)
        if step is not None:
            kept = exp.select(exp.Star()).from_(exp.Table(this=source.copy()))
            for one in (inner, where):
                if one is not None:
                    kept = kept.where(one.copy(), copy=False)
            query = query.with_(exp.to_identifier(KEPT), as_=kept, copy=False)
        if looks_around:
            assert narrowed is not None
            every = exp.select(exp.Star()).from_(exp.Table(this=names.source.copy()))
            _put_first(query, SCOPE, every.where(narrowed.copy(), copy=False))
        if previous is not None and _mentions(query, PREVIOUS):
            _put_first(query, PREVIOUS, previous.rows.copy())
        return query

    names.select = select
    return _Rows(names, select)


def _put_first(query: exp.Query, name: str, inside: exp.Query) -> None:
    """Name a query in front of those that a query names already."""
    one = exp.CTE(this=inside, alias=exp.TableAlias(this=exp.to_identifier(name)))
    existing = query.args.get("with_") or query.args.get("with")
    if existing is not None:
        existing.expressions.insert(0, one)
    else:
        query.with_(exp.to_identifier(name), as_=inside, copy=False)


def _compared(
    program: Program,
    table: Table,
    previous: Query | None,
    columns: tuple[str, ...],
    rows: _Rows,
    picked: exp.Query,
) -> Query:
    """Two values, each a query of its own, compared."""
    assert program.compare is not None and program.aggregate is not None
    compare, aggregate = COMPARES[program.compare], AGGREGATES[program.aggregate]
    other, sides = rows, (columns, columns)
    if has_two_columns(program):
        sides = (columns[:1], columns[1:])
    elif program.versus is not None:
        other = _rows_of(program, program.versus, table, previous)
        queries = (picked.copy(), other.select(exp.column(ROW)))
        among = exp.or_(*(exp.column(ROW).isin(query=query) for query in queries))
        picked = exp.select(exp.column(ROW)).from_(exp.Table(this=rows.names.source)).where(among)
    else:
        other = _rows_of(replace(program, then=None), None, table, previous)
    values = (aggregate.sql(one.names, side) for one, side in ((rows, sides[0]), (other, sides[1])))
    left, right = (
        exp.Subquery(this=value if isinstance(value, exp.Query) else one.select(value))
        for one, value in zip((rows, other), values, strict=True)
    )
    value = compare.sql(left, right)
    if compare.gives in ("side", "word"):
        named = side_names(program) if compare.gives == "side" else compare.answers
        words = [exp.Literal.string(word) for word in named]
        value = exp.case().when(value, words[0]).when(compare.sql(right.copy(), left.copy()), words[1])  # fmt: skip
    return Query(exp.select(exp.alias_(value, "value")), picked, columns)


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
KEPT: Final = "kept"


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
        self.select: Callable[..., exp.Select] = exp.select
        """Selects something of the program's rows."""

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

    def than_column(self, column: str, symbol: str, other: Any) -> exp.Expr:
        """Two columns of one kind compared."""
        assert isinstance(other, Name)
        kinds = {self.table[column].kind, self.table[other.text].kind}
        if len(kinds) > 1 or kinds == {"text"}:
            return exp.false()
        return _COMPARE[symbol](this=self.value(column), expression=self.value(other.text))

    def beside_kept(self, by: int) -> exp.Expr:
        """Whether the row is so many after one that was kept."""
        return exp.column(ROW).isin(query=exp.select(exp.column(ROW) + by).from_(KEPT))

    def after_first_kept(self) -> exp.Expr:
        """Whether the row is the one after the first that was kept."""
        first = exp.select(exp.Min(this=exp.column(ROW)) + 1).from_(KEPT)
        return exp.EQ(this=exp.column(ROW), expression=exp.Subquery(this=first))

    def beyond_kept(self, after: bool) -> exp.Expr:
        """Whether the row comes after or before all that were kept."""
        edge = (exp.Max if after else exp.Min)(this=exp.column(ROW))
        kept = exp.Subquery(this=exp.select(edge).from_(KEPT))
        return (exp.GT if after else exp.LT)(this=exp.column(ROW), expression=kept)

    def than_kept(self, column: str, above: bool) -> exp.Expr:
        """Whether the value is above or below all those that were kept."""
        if index_of(self.table).columns[self.table.names.index(column)].order is None:
            return exp.false()
        edge = (exp.Max if above else exp.Min)(this=self.value(column))
        kept = exp.Subquery(this=exp.select(edge).from_(KEPT))
        return (exp.GT if above else exp.LT)(this=self.value(column), expression=kept)

    def same_as_kept(self, column: str) -> exp.Expr:
        """Whether another row that was kept has the same value."""
        theirs = exp.select(self.key(column)).from_(KEPT)
        own = exp.select(exp.column(ROW)).from_(KEPT)
        return exp.and_(self.key(column).isin(query=theirs), exp.column(ROW).isin(query=own).not_())

    def grouped(self, step: Test, largest: bool) -> exp.Expr:
        """Whether the row's group, among those kept, occurs or sums to the most, the least, or so often."""
        column = step.column or ""
        present = self.is_missing(column).not_()
        amount: exp.Expr = exp.Count(this=exp.Star())
        if isinstance(step.argument, Name):
            amount = exp.Sum(this=self.value(step.argument.text))
            if self.table[step.argument.text].kind != "number":
                return exp.false()
        groups = exp.select(self.key(column)).from_(KEPT).where(present).group_by(self.key(column))
        if isinstance(step.argument, Number):
            chosen = groups.having(exp.EQ(this=amount, expression=_number(step.argument.value)))
        else:
            amounts = exp.select(exp.alias_(amount.copy(), "amount")).from_(KEPT)
            amounts = amounts.where(present.copy()).group_by(self.key(column))
            best = (exp.Max if largest else exp.Min)(this=exp.column("amount"))
            edge = exp.select(best).from_(exp.Subquery(this=amounts, alias=exp.TableAlias(this=exp.to_identifier("amounts"))))  # fmt: skip
            chosen = groups.having(exp.EQ(this=amount, expression=exp.Subquery(this=edge)))
        return exp.and_(self.key(column).isin(query=chosen), present.copy())

    def key(self, column: str) -> exp.Expr:
        """One expression that is equal for cells of one value class, never NULL."""
        if self.table[column].kind == "text":
            return self.text(column)
        value = exp.cast(self.value(column), "text")
        return exp.Coalesce(this=value, expressions=[self.text(column)])

    def count_distinct(self, column: str) -> exp.Expr:
        """How many different values the rows have, blank cells left out."""
        present = exp.case().when(self.is_missing(column).not_(), self.key(column))
        return exp.Count(this=exp.Distinct(expressions=[present]))

    def group(self, column: str) -> list[exp.Expr]:
        """What a group of rows with one value is called."""
        return [exp.alias_(exp.Min(this=self.text(column)), "group", quoted=True)]

    def day(self, column: str) -> exp.Expr:
        """The first date in days."""
        seconds = exp.Anonymous(this="EPOCH", expressions=[exp.Min(this=self.value(column))])
        return exp.paren(seconds) / exp.Literal.number("86400.0")

    def best_column(self, largest: bool) -> exp.Expr:
        """The name of the column of numbers with the largest or smallest sum, none if two are tied."""
        names = [c.name for c in self.table.columns if c.kind == "number"]
        if not names:
            return exp.null()
        sums = {name: exp.Sum(this=self.value(name)) for name in names}
        compare = exp.GT if largest else exp.LT
        chosen = exp.case()
        for name, total in sums.items():
            least = exp.Literal.number("-1e308" if largest else "1e308")
            others = [
                compare(this=total.copy(), expression=exp.Coalesce(this=other.copy(), expressions=[least.copy()]))
                for own, other in sums.items()
                if own != name
            ]  # fmt: skip
            stated = total.copy().is_(exp.null()).not_()
            chosen = chosen.when(exp.and_(stated, *others), exp.Literal.string(name))
        return chosen

    def longest_run(self) -> exp.Select:
        """The most rows that follow each other: a row's number less its place is the same all along a run."""
        place = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=[exp.column(ROW)]))
        runs = self.select(exp.alias_(exp.column(ROW) - place, "run"))
        size = exp.Coalesce(this=_largest("size"), expressions=[_number(0)])
        return exp.select(exp.alias_(size, "value")).from_(_sizes(runs, "run"))

    def most_common_part(self, column: str, name: str) -> exp.Select:
        """The part that most cells have, all that are tied."""
        part = self.part(column, name)
        parts = self.select(exp.column(ROW), exp.alias_(part, "value"))
        parts = parts.where(part.copy().is_(exp.null()).not_(), copy=False)
        most = exp.Subquery(this=exp.select(_largest("size")).from_(_sizes(parts, "value")))
        chosen = exp.select(exp.column("value")).from_(_named(parts, "parts")).group_by("value")
        chosen = chosen.having(exp.EQ(this=exp.Count(this=exp.Star()), expression=most))
        return chosen.order_by(exp.Min(this=exp.column(ROW)))

    def part(self, column: str, name: str) -> exp.Expr:
        """A part of the text of each cell."""
        inside = name.endswith("_inside")
        pattern = exp.Literal.string(PARTS["two_numbers" if inside else name])

        def group(number: int) -> exp.Expr:
            found = exp.RegexpExtract(this=self.text(column), expression=pattern, group=_number(number))  # fmt: skip
            return exp.Nullif(this=found, expression=exp.Literal.string(""))

        def stated(number: int) -> exp.Expr:
            bare = exp.Replace(this=group(number), expression=exp.Literal.string(","), replacement=exp.Literal.string(""))  # fmt: skip
            return exp.cast(bare, "double")

        if name == "difference_inside":
            return exp.Abs(this=exp.paren(stated(1) - stated(2)))
        if name == "sum_inside":
            return exp.paren(stated(1) + stated(2))
        return group(1) if name in ("first_part", "last_part", "in_brackets") else stated(1)

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
    own = (SCOPE, PREVIOUS, KEPT, ROW, "before", "amounts")
    return name if name.casefold() not in own else f"{name} table"


def _where(condition: Condition, names: Names) -> exp.Expr:
    if isinstance(condition, Test):
        test: exp.Expr = TESTS[condition.operator].sql(condition, names)
        return test
    parts = [_where(part, names) for part in condition.parts]
    return exp.or_(*parts) if isinstance(condition, Or) else exp.and_(*parts)


def _largest(column: str) -> exp.Expr:
    return exp.Max(this=exp.column(column))


def _named(query: exp.Query, name: str) -> exp.Subquery:
    alias = exp.TableAlias(this=exp.to_identifier(name))
    return exp.Subquery(this=query.copy(), alias=alias)


def _sizes(query: exp.Query, column: str) -> exp.Subquery:
    """How many rows of a query have each value of a column, as `size`."""
    size = exp.alias_(exp.Count(this=exp.Star()), "size")
    return _named(exp.select(size).from_(_named(query, "parts")).group_by(column), "sizes")


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
