"""The SQL of a program: its rows, what is selected or computed of them, and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from denota.programs.denotation import Denotation
from denota.programs.execute import (
    check,
    check_aggregate,
    execute,
    has_two_columns,
    kept_rows,
    side_names,
)
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS
from denota.programs.sql.dialects import for_dialect
from denota.programs.sql.names import Names
from denota.programs.sql.query import Query
from denota.programs.sql.ranking import Ranking, cut_rows
from denota.programs.sql.rows import BASE, Rows
from denota.programs.tree import And, Condition, Or, Program, Test
from denota.tables.table import Table


def to_sql(
    program: Program,
    table: Table,
    previous: Query | None = None,
    answer: Denotation | None = None,
) -> Query:
    """Return the SQL of a program, given that of the turn before if the program follows it up.

    Args:
        program: the tree.
        table: the table.
        previous: the turn before.
        answer: what the program gives, if that is known.
    """
    check(program, table, previous is not None)
    before = previous.answer if previous is not None else None
    answer = answer if answer is not None else execute(program, table, before)
    if program.aggregate is not None:
        check_aggregate(program.aggregate, answer.columns, table, program.compare)
    return Query(table, program, answer, previous)


def rows_query(rows: Sequence[int], columns: Sequence[str], table: Table) -> Query:
    """Return the query of an answer without a program (a corrected one): its rows by number."""
    positions = tuple(table.names.index(column) for column in columns)
    return Query(table, None, Denotation(tuple(rows), positions))


def build(query: Query, dialect: str) -> exp.Query:
    """Return a turn's SQL for a dialect; it stands alone, with what it needs of turns before."""
    names = Names(query.table, dialect)
    tree = names.finished(_Built(names).answer(query))
    built: exp.Query = for_dialect(tree, dialect)
    return built


def build_rows(query: Query, dialect: str) -> exp.Query:
    """Return the SQL of all columns of the rows of a turn's answer, as they are stored."""
    names, program = Names(query.table, dialect), query.program
    built_rows, every = _Built(names), [names.cell(name) for name in query.table.names]
    if program is not None and program.aggregate is None and _is_distinct(program, names):
        chosen = built_rows.repeated(query).select(*every)
        only = exp.Distinct(on=exp.Tuple(expressions=[names.cell(program.columns[0])]))
        chosen.set("distinct", only)
    else:
        chosen = built_rows.rows(query).select(*every)
    tree = names.finished(chosen)
    built: exp.Query = for_dialect(tree, dialect)
    return built


class _Built:
    """The SQL of a conversation's last turn, in the making."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.known: dict[int, Rows] = {}

    def answer(self, query: Query) -> exp.Query:
        """What a turn asks of its rows."""
        names, program = self.names, query.program
        columns = query.columns
        if program is None or program.aggregate is None:
            if program is not None and _is_distinct(program, names):
                return self.repeated(query).select(names.cell(program.columns[0])).distinct()
            shown: list[Any] = [names.cell(column) for column in columns] or [exp.Star()]
            return self.rows(query).select(*shown)
        aggregate = AGGREGATES[program.aggregate]
        if program.compare is not None:
            return self.compared(query)
        rows = self.names.opened(self.rows(query), "kept")
        names.rows = rows
        if aggregate.grouped:
            return self.by_group(rows, aggregate, columns)
        value = aggregate.sql(names, columns)
        if isinstance(value, exp.Query):
            return value
        if aggregate.part is not None:
            texts = query.table[columns[0]].text
            if any(aggregate.part(texts[row]) is None for row in query.answer.rows):
                rows = rows.filtered(value.copy().is_(exp.not_(exp.null())))
        return rows.select(value)

    def repeated(self, query: Query) -> Rows:
        """The rows of which those with different values are asked for."""
        assert query.program is not None
        others = [one for one in query.program.tests if one.operator != "distinct"]
        condition = And(tuple(others)) if len(others) > 1 else others[0] if others else None
        if condition is None:
            return self.names.opened(self.scope(query), "previous")
        return self.names.opened(self.kept(self.scope(query), condition), "kept")

    def by_group(self, rows: Rows, aggregate: Any, columns: Sequence[str]) -> exp.Query:
        """A value for each group, groups called by their first text."""
        names, group = self.names, columns[0]
        value = aggregate.sql(names, columns)
        key = names.group_key(group)
        shown: Any = names.cell(group)
        if not names.has_own_key(group):
            own = exp.to_identifier(shown.name, quoted=shown.this.quoted)
            shown = exp.alias_(exp.Min(this=shown), own)
        present = names.present_rows(rows, group)
        return present.select(shown, value).group_by(key, copy=False)

    def rows(self, query: Query) -> Rows:
        """The rows of a turn's answer, which the next may follow up on."""
        if id(query) not in self.known:
            self.known[id(query)] = self._rows(query).of(query.answer.rows)
        return self.known[id(query)]

    def _rows(self, query: Query) -> Rows:
        program, names = query.program, self.names
        if program is None:
            return self.numbered(query.answer.rows)
        if program.versus is None:
            return self.reached(query, program.where)
        sides = [self.reached(query, side) for side in (program.where, program.versus)]
        if any(side.is_cut or side.source != BASE or len(side.where) != 1 for side in sides):
            settled = map(names.settled, sides)
            among = [names.row().isin(query=side.select(names.row())) for side in settled]
            return Rows().filtered(exp.or_(*among))
        return Rows().filtered(exp.or_(*(side.where[0].copy() for side in sides)))

    def brief(self, rows: Rows) -> Rows:
        """Return rows of a turn before, as a named query if their conditions are long."""
        nested = any(one.find(exp.Select) for one in rows.where)
        return self.names.named(rows, "previous") if nested or len(rows.where) > 3 else rows

    def numbered(self, rows: Sequence[int]) -> Rows:
        """Some rows by their numbers, which count from 1."""
        if not rows:
            return Rows().filtered(exp.false())
        numbers = [exp.Literal.number(row + 1) for row in rows]
        return Rows().filtered(self.names.row().isin(*numbers))

    def scope(self, query: Query) -> Rows:
        """The rows that a turn starts from."""
        names, program = self.names, query.program
        assert program is not None
        before = query.before.answer.rows if query.before is not None else ()
        operator = SCOPES[program.scope]
        members = tuple(operator.meaning(query.table, before))
        if query.before is not None and _speaks_of_previous(program):
            names.previous = self.known[id(query.before)] = self.brief(self.rows(query.before))
        found = operator.sql(names)
        if isinstance(found, Rows):
            return found.of(members)
        rows = Rows(members)
        return rows if found is None else rows.filtered(found)

    def reached(self, query: Query, condition: Condition | None) -> Rows:
        """The rows that a condition keeps, or that a step goes on to from there."""
        names, program = self.names, query.program
        assert program is not None
        scope = self.scope(query)
        if program.then is not None:
            scope = names.opened(scope, "previous")
        rows = self.kept(scope, condition)
        if program.then is None:
            return rows
        before = query.before.answer.rows if query.before is not None else ()
        members = scope.members
        if condition is not None:
            members = kept_rows(condition, query.table, scope.members, before)
        rows, step = rows.of(members), STEPS[program.then.operator]
        if step.widens:
            names.kept = rows
            found = step.sql(program.then, names)
            return scope.filtered(found)
        rows = names.opened(rows, "kept")
        names.scope = names.kept = rows
        found = step.sql(program.then, names)
        if isinstance(found, Ranking):
            return cut_rows(names, rows, found)
        return rows.filtered(found)

    def kept(self, scope: Rows, condition: Condition | None) -> Rows:
        """The rows of a scope that a condition keeps."""
        if condition is None:
            return scope
        names = self.names
        scope = names.opened(scope, "previous")
        names.scope = scope
        if isinstance(condition, Test):
            found = TESTS[condition.operator].sql(condition, names)
            return (
                cut_rows(names, scope, found)
                if isinstance(found, Ranking)
                else scope.filtered(found)
            )
        parts = [self.expression(part) for part in condition.parts]
        if isinstance(condition, Or):
            return scope.filtered(_either(parts))
        return scope.filtered(*parts)

    def expression(self, test: Test) -> Any:
        """A test as a condition, whatever stands beside it."""
        found = TESTS[test.operator].sql(test, self.names)
        return self.names.among(found) if isinstance(found, Ranking) else found

    def compared(self, query: Query) -> exp.Query:
        """Two values compared, each of a query of its own."""
        program, names = query.program, self.names
        assert program is not None and program.compare is not None and program.aggregate is not None
        compare, aggregate = COMPARES[program.compare], AGGREGATES[program.aggregate]
        names.compared_by = program.compare
        columns = query.columns
        sides = (columns, columns)
        ones = [self.reached(query, program.where)]
        if has_two_columns(program):
            sides = (columns[:1], columns[1:])
            ones.append(ones[0])
        elif program.versus is not None:
            ones.append(self.reached(query, program.versus))
        else:
            ones.append(self.scope(query))
        values = []
        for rows, side in zip(ones, sides, strict=True):
            names.rows = names.opened(rows, "kept")
            value = aggregate.sql(names, side)
            inner = value if isinstance(value, exp.Query) else names.rows.select(value)
            values.append(exp.Subquery(this=inner))
        if compare.gives not in ("side", "word"):
            return exp.select(compare.sql(*values))
        named = side_names(program) if compare.gives == "side" else compare.answers
        aliased = [exp.alias_(one, name) for one, name in zip(values, _SIDES, strict=True)]
        both = names.query_named("compared", exp.select(*aliased))
        left, right = (exp.column(name) for name in _SIDES)
        chosen = exp.case().when(compare.sql(left, right), exp.Literal.string(named[0]))
        chosen = chosen.when(compare.sql(right, left), exp.Literal.string(named[1]))
        return exp.select(chosen).from_(both)


_SIDES = ("one", "two")


def _speaks_of_previous(program: Program) -> bool:
    """Whether a program needs the rows of the answer before."""
    tests = program.tests
    return SCOPES[program.scope].follows or any(test.operator == "same_value" for test in tests)


def _is_distinct(program: Program, names: Names) -> bool:
    """Whether a program asks for the different values of one column, among those it tests."""
    if program.then is not None or len(program.columns) != 1 or isinstance(program.where, Or):
        return False
    asks = any(test.operator == "distinct" for test in program.tests)
    of_it = all(test.column == program.columns[0] for test in program.tests)
    plain = all(test.operator in _OF_A_VALUE for test in program.tests)
    return asks and of_it and plain and names.has_own_key(program.columns[0])


_OF_A_VALUE = ("distinct", "equal", "not_equal", "greater", "at_least", "less", "at_most")
"""Tests that all rows of one value meet, or none."""


def _either(parts: Sequence[Any]) -> Any:
    """Join conditions by OR; values of one column become a list."""
    plain = all(
        isinstance(one, exp.EQ) and isinstance(one.expression, exp.Literal) for one in parts
    )
    if plain and len({one.this.sql() for one in parts}) == 1:
        literals = {one.expression.sql(): one.expression for one in parts}
        return parts[0].this.copy().isin(*literals.values())
    return exp.or_(*parts)
