"""The operators that a program uses."""

from __future__ import annotations

from collections.abc import Iterator

from denota.programs.tree import And, Condition, Number, Program, Test, leaves_of


def operators_used(program: Program) -> frozenset[str]:
    """Return the names of a program's operators and features.

    `nothing_left` is not among them: it depends on the table.

    >>> sorted(operators_used(Program(("Crew", "Cost"), where=Test("max", "Crew"))))
    ['max', 'several_columns', 'table']
    >>> sorted(operators_used(Program(aggregate="count", then=Test("first"))))
    ['count', 'first', 'table', 'then']
    """
    return operators_of_rows(program) | operators_of_columns(program)


def operators_of_rows(program: Program) -> frozenset[str]:
    """Return those of its rows and of what it computes: equal for programs of equal conditions."""
    used = {program.scope}
    for condition in program.conditions:
        used.update(_of_condition(condition))
    if program.then is not None:
        used.update(("then", *_of_test(program.then)))
    if program.versus is not None:
        used.add("versus")
    used.update(name for name in (program.aggregate, program.compare) if name is not None)
    return frozenset(used)


def operators_of_columns(program: Program) -> frozenset[str]:
    """Return those of the columns that it asks for."""
    used = set()
    if program.aggregate is None:  # an aggregate says itself which columns it takes
        if len(program.columns) > 1:
            used.add("several_columns")
        if program.scope == "previous" and program.columns:
            used.add("columns_of_previous")
    return frozenset(used)


def _of_condition(condition: Condition) -> Iterator[str]:
    tests = leaves_of(condition)
    for test in tests:
        yield from _of_test(test)
    if isinstance(condition, And):
        yield "and"
        if len(tests) > 2:
            yield "three"
    elif not isinstance(condition, Test):
        of_one_column = {(test.operator, test.column) for test in tests} == {
            ("equal", tests[0].column)
        }
        yield "either" if not of_one_column else "or" if len(tests) == 2 else "any_of"


def _of_test(test: Test) -> Iterator[str]:
    yield test.operator
    if isinstance(test.argument, Number) and test.argument.written.isalpha():
        yield "number_words"
