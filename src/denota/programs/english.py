"""Programs in English: one sentence that says what was selected and why."""

from __future__ import annotations

import calendar

from denota.programs.operators import AGGREGATES, SCOPES, TESTS
from denota.programs.tree import Argument, Condition, Date, Number, Or, Program, Test, Value, Word


def say(program: Program, answer_columns: tuple[str, ...] = ()) -> str:
    """Return a sentence for a program.

    Args:
        program: the tree.
        answer_columns: the names of the columns answered with, for a program that takes the previous ones.

    >>> say(Program(("Leader",), where=Test("greater", "Crew", Number(50))))
    'The Leader where Crew is more than 50.'
    """
    columns = program.columns or answer_columns
    what = f"the {_list(columns, 'and')}" if columns else "the same columns"
    scope = SCOPES[program.scope]
    if not program.columns and program.scope == "previous" and program.where is None:
        sentence = "the same answer as before"
    else:
        sentence = what + (f", {scope.english}" if scope.english else "")
        if program.where is not None:
            sentence += f"{',' if scope.english else ''} where {_condition(program.where)}"
    if program.aggregate is not None:
        sentence = f"{AGGREGATES[program.aggregate].english}: {sentence}"
    return sentence[:1].upper() + sentence[1:] + "."


def _condition(condition: Condition) -> str:
    if isinstance(condition, Test):
        test = TESTS[condition.operator]
        form = test.english
        if isinstance(condition.argument, Date) and test.english_of_dates:
            form = test.english_of_dates
        return form.format(column=condition.column or "", argument=_argument(condition.argument))
    first = condition.parts[0]
    one_column = len({part.column for part in condition.parts}) == 1
    if (
        isinstance(condition, Or)
        and one_column
        and all(p.operator == "equal" for p in condition.parts)
    ):
        return f"{first.column} is {_list(tuple(_argument(p.argument) for p in condition.parts), 'or')}"
    joint = " or " if isinstance(condition, Or) else " and "
    return joint.join(map(_condition, condition.parts))


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
    return f"“{argument.text}”" if isinstance(argument, Word) else ""


def _list(items: tuple[str, ...], joint: str) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {joint} {items[-1]}"
