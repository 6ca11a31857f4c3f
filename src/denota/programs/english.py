"""Programs in English: one sentence that says what was selected and why."""

from __future__ import annotations

import calendar
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from denota.programs.execute import has_two_columns
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS
from denota.programs.tree import (
    Argument,
    Condition,
    Date,
    Name,
    Number,
    Or,
    Program,
    Test,
    Value,
    Word,
)
from denota.tables.table import Table


def say(program: Program, answer_columns: tuple[str, ...] = (), dates: Collection[str] = ()) -> str:
    """Return a sentence for a program.

    Args:
        program: the tree.
        answer_columns: the names of the columns answered with, for a program that takes the
            previous ones.
        dates: the names of the columns of dates, which are early or late and not small or large.

    >>> say(Program(("Leader",), where=Test("greater", "Crew", Number(50))))
    'The Leader where Crew is more than 50.'
    >>> say(Program(("Crew",), aggregate="sum"))
    'The sum of Crew.'
    """
    if program.compare is not None:
        sentence = _compared(program, dates)
    else:
        sentence = _asked(program, answer_columns, dates)
    return sentence[:1].upper() + sentence[1:] + "."


def time_columns(table: Table) -> frozenset[str]:
    """Return the names of the columns of dates and years."""
    columns = (column for column in table.columns if column.kind == "date" or column.unit == "year")
    return frozenset(column.name for column in columns)


def _asked(program: Program, answer_columns: tuple[str, ...], dates: Collection[str]) -> str:
    """Return what a program without a comparison selects or computes, and of which rows."""
    columns = program.columns or answer_columns
    cells = _list(columns, "and") if columns else "the same columns"
    if program.aggregate is not None:
        return _computed(program, columns, dates)
    same = not program.columns and program.scope == "previous" and program.where is None
    if same and program.then is None:
        return "the same answer as before"
    if program.then is not None and _is_group(program.then) and columns == (program.then.column,):
        return _form(program.then, dates) + _rows(replace(program, then=None), program.where, dates)
    if columns and columns == _listed_once(program):
        return f"each different {cells}{_rows(program, None, dates)}"
    named = f"the {cells}" if columns else cells
    if program == Program(program.columns):
        return f"{named} of every row"
    return named + _rows(program, program.where, dates)


def _computed(program: Program, columns: tuple[str, ...], dates: Collection[str]) -> str:
    """Return a value and what it is computed of."""
    aggregate = AGGREGATES[program.aggregate or ""]
    rows = _rows(program, program.where, dates)
    once = _listed_once(program)
    if program.aggregate == "count" and once:
        cells = once[0] + _rows(program, None, dates)
        return AGGREGATES["count_distinct"].english.format(cells=cells)
    if "{rows}" in aggregate.english:
        return aggregate.english.format(rows=_as_noun(program, program.where, dates))
    if "{cells}" not in aggregate.english:
        return aggregate.english.format(group=_list(columns, "and") if columns else "value") + rows
    group, *of = columns if aggregate.grouped and columns else ("", *columns)
    cells = _list(tuple(of), "and") if of else "the same columns"
    if aggregate.grouped:
        return aggregate.english.format(cells=cells, group=group or "value") + rows
    return aggregate.english.format(cells=cells + rows)


def _listed_once(program: Program) -> tuple[str, ...]:
    """Return the column whose values are all listed once, where that is all a program tests."""
    test = program.where
    alone = isinstance(test, Test) and test.operator == "distinct" and program.then is None
    return (test.column or "",) if isinstance(test, Test) and alone else ()


def _as_noun(program: Program, where: Condition | None, dates: Collection[str]) -> str:
    """Return the rows as a noun: `those rows where Ships is 2`."""
    said = _rows(program, where, dates).removeprefix(" ")
    if said.startswith("of "):
        return said.removeprefix("of ")
    return f"rows {said}".rstrip()


def _rows(program: Program, where: Condition | None, dates: Collection[str]) -> str:
    """Return the rows as a clause that follows the columns."""
    rows = SCOPES[program.scope].english
    kept = f" where {_condition(where, dates)}" if where is not None else ""
    if program.then is None:
        return f" of {rows}{kept}" if rows else kept
    form = _form(program.then, dates, f"{rows or 'those'}{kept}" if kept else rows or "all rows")
    if _is_group(program.then):
        return f" of {form}" + (f" of {rows}{kept}" if rows else kept)
    if STEPS[program.then.operator].widens:
        return f" of {form}"
    before = f" of {rows}" if rows else ""
    return f"{before}{kept} and, of those, {form}" if kept else f"{before} where {form}"


def _is_group(step: Test) -> bool:
    """Whether a step leads to groups of rows, not to rows."""
    return step.operator not in TESTS and not STEPS[step.operator].widens


def _compared(program: Program, dates: Collection[str]) -> str:
    """Two values and how they are compared."""
    assert program.compare is not None and program.aggregate is not None
    if has_two_columns(program):
        sides = [_value(program, (column,)) for column in program.columns]
        sentence = COMPARES[program.compare].english.format(left=sides[0], right=sides[1])
        return sentence + _rows(program, program.where, dates)
    own = _value(program, program.columns)
    right = (
        f"{own}{_rows(program, program.versus, dates)}"
        if program.versus is not None
        else "the whole"
    )
    left = f"{own}{_rows(program, program.where, dates)}"
    return COMPARES[program.compare].english.format(left=left, right=right)


def _value(program: Program, columns: tuple[str, ...]) -> str:
    """Return the name of one side of a comparison."""
    noun = AGGREGATES[program.aggregate or ""].noun
    return noun.format(_list(columns, "and") if columns else "same columns")


def _condition(condition: Condition, dates: Collection[str]) -> str:
    if isinstance(condition, Test):
        return _form(condition, dates)
    first = condition.parts[0]
    one_column = len({part.column for part in condition.parts}) == 1
    if (
        isinstance(condition, Or)
        and one_column
        and all(p.operator == "equal" for p in condition.parts)
    ):
        values = tuple(_argument(part.argument) for part in condition.parts)
        return f"{first.column} is {_list(values, 'or')}"
    joint = " or " if isinstance(condition, Or) else " and "
    return joint.join(_condition(part, dates) for part in condition.parts)


def _form(test: Test, dates: Collection[str], those: str = "") -> str:
    operator = TESTS.get(test.operator) or STEPS[test.operator]
    form = operator.english
    argument = test.argument
    if test.operator in TESTS and (isinstance(argument, Date) or test.column in dates):
        form = TESTS[test.operator].english_of_dates or form
    return form.format(
        column=test.column or "",
        argument=_argument(argument),
        ordinal=_ordinal(argument),
        times=_times(argument),
        at="on" if isinstance(argument, Date) and argument.day else "in",
        those=those,
    )


def _ordinal(argument: Argument | None) -> str:
    """Return `2nd ` for 2, nothing for 1."""
    if not isinstance(argument, Number) or argument.value == 1:
        return ""
    number = f"{argument.value:.0f}"
    teens = number[-2:-1] == "1"
    return f"{number}{'th' if teens else _ENDINGS.get(number[-1], 'th')} "


def _times(argument: Argument | None) -> str:
    said = _argument(argument)
    return {"1": "once", "2": "twice"}.get(said, f"{said} times")


def _argument(argument: Argument | None) -> str:
    if isinstance(argument, Number):
        return (
            f"{argument.value:,.10g}" if abs(argument.value) >= 10_000 else f"{argument.value:.10g}"
        )
    if isinstance(argument, Date):
        day = str(argument.day) if argument.day else ""
        month = calendar.month_name[argument.month] if argument.month else ""
        year = str(argument.year) if argument.year else ""
        return " ".join(part for part in (day, month, year) if part)
    if isinstance(argument, Value):
        return argument.text or "empty"
    if isinstance(argument, Name):
        return argument.text
    return f"“{argument.text}”" if isinstance(argument, Word) else ""


def _list(items: tuple[str, ...], joint: str) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {joint} {items[-1]}"


_ENDINGS: Final = {"1": "st", "2": "nd", "3": "rd"}
