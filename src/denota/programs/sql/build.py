"""The SQL of a program: its rows, what is selected or computed of them, and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from denota.programs.execute import (
    check,
    check_aggregate,
    counts_rows,
    has_two_columns,
    looked_at,
    side_names,
)
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS
from denota.programs.sql.identifiers import KEPT_ROWS, PREVIOUS_ROWS, ROW, SCOPE_ROWS
from denota.programs.sql.names import Names
from denota.programs.sql.query import Query
from denota.programs.tree import Condition, Or, Program, Test
from denota.tables.table import Table


def to_sql(program: Program, table: Table, previous: Query | None = None) -> Query:
    """Return the SQL of a program, given that of the turn before if the program follows it up."""
    check(program, table, previous is not None)
    columns = program.columns or (previous.columns if previous else ())
    takes_previous = SCOPES[program.scope].follows and bool(columns)
    if counts_rows(program) and not program.columns and not takes_previous:
        columns = tuple(table.names[column] for column in looked_at(program, table))
    rows = _rows_of(program, program.where, table, previous)
    picked = rows.select(exp.column(ROW))
    if program.aggregate is None:
        shown = [rows.names.shown(column) for column in columns]
        query = rows.select(exp.column(ROW), *shown)
        return Query(query.order_by(exp.column(ROW), copy=False), picked, columns)
    taken = [table.names.index(column) for column in columns]
    check_aggregate(program.aggregate, taken, table, program.compare)
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
    """The rows of a program."""

    names: Names
    select: Callable[..., exp.Select]
    """Selects expressions of these rows."""


def _rows_of(
    program: Program, condition: Condition | None, table: Table, previous: Query | None
) -> _Rows:
    """Return the rows that a condition keeps, or that a step goes on to from there."""
    names = Names(table)
    narrowed = SCOPES[program.scope].sql(names)
    names.scope = exp.to_identifier(SCOPE_ROWS) if narrowed is not None else names.source
    where = _where(condition, names) if condition is not None else None
    step = None
    if program.then is not None:
        outside, names.scope = names.scope, exp.to_identifier(KEPT_ROWS)
        step = STEPS[program.then.operator].sql(program.then, names)
        names.scope, names.looks_around = outside, True
    looks_around = names.looks_around and narrowed is not None
    source = names.scope if looks_around else names.source
    inner = None if looks_around else narrowed
    widens = program.then is not None and STEPS[program.then.operator].widens

    def select(*what: Any) -> exp.Select:
        # copy=False, for sqlglot's builders copy the whole query each time
        start = exp.to_identifier(KEPT_ROWS) if step is not None and not widens else source
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
            query = query.with_(exp.to_identifier(KEPT_ROWS), as_=kept, copy=False)
        if looks_around:
            assert narrowed is not None
            every = exp.select(exp.Star()).from_(exp.Table(this=names.source.copy()))
            _put_first(query, SCOPE_ROWS, every.where(narrowed.copy(), copy=False))
        if previous is not None and _mentions(query, PREVIOUS_ROWS):
            _put_first(query, PREVIOUS_ROWS, previous.rows.copy())
        return query

    names.select = select
    return _Rows(names, select)


def _put_first(query: exp.Query, name: str, inside: exp.Query) -> None:
    """Add a named query (WITH) in front of those that a query has."""
    named = exp.CTE(this=inside, alias=exp.TableAlias(this=exp.to_identifier(name)))
    existing = query.args.get("with_") or query.args.get("with")
    if existing is not None:
        existing.expressions.insert(0, named)
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
    """Return the query that compares two values, each of a query of its own."""
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
        reverse = compare.sql(right.copy(), left.copy())
        value = exp.case().when(value, words[0]).when(reverse, words[1])
    return Query(exp.select(exp.alias_(value, "value")), picked, columns)


def rows_query(rows: Sequence[int], columns: Sequence[str], table: Table) -> Query:
    """Return the query of an answer without a program (a corrected one): its rows by number."""
    names = Names(table)
    among = (
        exp.column(ROW).isin(*(exp.Literal.number(row) for row in rows)) if rows else exp.false()
    )
    base = exp.Table(this=names.source)
    picked = exp.select(exp.column(ROW)).from_(base.copy()).where(among)
    shown = [names.shown(column) for column in columns]
    whole = exp.select(exp.column(ROW), *shown).from_(base).where(among.copy())
    return Query(whole.order_by(exp.column(ROW)), picked, tuple(columns))


def _where(condition: Condition, names: Names) -> exp.Expr:
    if isinstance(condition, Test):
        test: exp.Expr = TESTS[condition.operator].sql(condition, names)
        return test
    parts = [_where(part, names) for part in condition.parts]
    return exp.or_(*parts) if isinstance(condition, Or) else exp.and_(*parts)


def _mentions(query: exp.Query, name: str) -> bool:
    return any(table.name == name and not table.this.quoted for table in query.find_all(exp.Table))
