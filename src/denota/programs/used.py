"""Which operators a program uses."""

from __future__ import annotations

from collections.abc import Iterator

from denota.programs.tree import And, Condition, Number, Or, Program, Test


def operators_used(program: Program) -> frozenset[str]:
    """Return the names of a program's operators and features.

    >>> sorted(operators_used(Program(("Crew", "Cost"), where=Test("max", "Crew"))))
    ['max', 'several_columns', 'table']
    """
    used = {program.scope, *_of_condition(program.where)}
    if len(program.columns) > 1:
        used.add("several_columns")
    if program.scope == "previous" and program.columns:
        used.add("columns_of_previous")
    if program.aggregate is not None:
        used.add(program.aggregate)
    return frozenset(used)


def _of_condition(condition: Condition | None) -> Iterator[str]:
    if isinstance(condition, Test):
        yield condition.operator
        if isinstance(condition.argument, Number) and condition.argument.written.isalpha():
            yield "number_words"
    elif isinstance(condition, Or | And):
        yield (
            "and" if isinstance(condition, And) else "or" if len(condition.parts) == 2 else "any_of"
        )
        for part in condition.parts:
            yield from _of_condition(part)
