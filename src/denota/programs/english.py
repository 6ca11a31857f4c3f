"""Programs in English: one sentence that says what was selected and why."""

from __future__ import annotations

import calendar

from denota.programs.execute import counts_rows, has_two_columns
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


def say(program: Program, answer_columns: tuple[str, ...] = ()) -> str:
    """Return a sentence for a program.

    Args:
        program: the tree.
        answer_columns: the names of the columns answered with, for a program that takes the
            previous ones.

    >>> say(Program(("Leader",), where=Test("greater", "Crew", Number(50))))
    'The Leader where Crew is more than 50.'
    """
    sentence = (
        _compared(program) if program.compare is not None else _asked(program, answer_columns)
    )
    return sentence[:1].upper() + sentence[1:] + "."


def _asked(program: Program, answer_columns: tuple[str, ...]) -> str:
    """Return what a program without a comparison selects or computes, and of which rows."""
    columns = program.columns or answer_columns
    if counts_rows(program) and not program.columns:
        sentence = "the rows"
    else:
        sentence = f"the {_list(columns, 'and')}" if columns else "the same columns"
    if program.aggregate is not None and AGGREGATES[program.aggregate].grouped and columns:
        group, *summed = columns
        what = _list(tuple(summed), "and") if summed else "rows"
        sentence = f"the {what} by {group}"
    same = not program.columns and program.scope == "previous" and program.where is None
    if same and program.then is None:
        sentence = "the same answer as before"
    else:
        sentence += _rows(program, program.where)
    if program.aggregate is not None:
        sentence = f"{AGGREGATES[program.aggregate].english}: {sentence}"
    return sentence


def _rows(program: Program, where: Condition | None) -> str:
    """Return the rows as a clause that follows the columns."""
    scope = SCOPES[program.scope]
    said = f", {scope.english}" if scope.english else ""
    if where is not None:
        said += f"{',' if scope.english else ''} where {_condition(where)}"
    if program.then is not None:
        step = STEPS[program.then.operator]
        form = _form(program.then)
        said += (
            f", and of those {form}"
            if not step.widens and step.name in TESTS
            else f", and then {form}"
        )
    return said


def _compared(program: Program) -> str:
    """Two values and how they are compared."""
    assert program.compare is not None and program.aggregate is not None
    if has_two_columns(program):
        sides = [_value(program, (column,)) for column in program.columns]
        sentence = COMPARES[program.compare].english.format(left=sides[0], right=sides[1])
        return sentence + _rows(program, program.where)
    own = _value(program, program.columns)
    right = f"{own}{_rows(program, program.versus)}" if program.versus is not None else "the whole"
    left = f"{own}{_rows(program, program.where)}"
    return COMPARES[program.compare].english.format(left=left, right=right)


def _value(program: Program, columns: tuple[str, ...]) -> str:
    """Return the name of one side of a comparison."""
    noun = AGGREGATES[program.aggregate or ""].noun
    named = _list(columns, "and") if columns else ""
    if "{}" in noun:
        return noun.format(named or "same columns")
    return f"{noun} of {named}" if named else noun


def _condition(condition: Condition) -> str:
    if isinstance(condition, Test):
        return _form(condition)
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
    return joint.join(map(_condition, condition.parts))


def _form(test: Test) -> str:
    operator = TESTS.get(test.operator) or STEPS[test.operator]
    form = operator.english
    if isinstance(test.argument, Date) and test.operator in TESTS:
        form = TESTS[test.operator].english_of_dates or form
    return form.format(column=test.column or "", argument=_argument(test.argument))


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
