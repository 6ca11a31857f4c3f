"""What a question wants computed from cells: how many, how much in all, on average.

Some parsers only pick cells. For them a few rules of English take a question for a value apart,
into the value and a plain question for cells: "how many cities have a castle?" is COUNT of "which
cities have a castle?". Where a column holds the number ("how many visitors did it have?") it is
looked up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from denota.conversation.words import words_of, words_of_name
from denota.errors import DataError
from denota.inflect import is_plural, singular
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.lexicon import follow_up_phrases
from denota.programs.operators import AGGREGATES, SCOPES, STEPS, TESTS
from denota.programs.operators.groups import groups_of
from denota.programs.tree import And, Condition, Name, Or, Program, Test
from denota.tables.column import Column
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, tokenise

Kind = Literal["count", "sum", "average"]


@dataclass(frozen=True)
class AggregateRequest:
    """A value wanted of cells."""

    kind: Kind
    question: str
    """What is left to ask: for the cells it is computed from."""
    noun: tuple[str, ...] = ()
    """What is counted, word by word as it is asked for."""
    total: bool = False
    """Whether a number of things is wanted in all: the sum, where a column holds such numbers."""
    different: bool = False
    """Whether equal ones count once."""
    each: bool = False
    """Whether it is wanted for each of several."""
    done: bool = False
    """True for "how many X did Y ...", where a column X may hold the number."""
    group: str = ""
    """The column whose values make groups, where it is wanted of each of them."""
    rank: Literal["", "most", "least"] = ""
    """Which group is wanted, where it is not all."""
    every: bool = False
    """Whether one group is asked for that no operator takes, so that all of them are told."""
    versus: tuple[Test, Test] | None = None
    """The tests of the two sides, where their difference is wanted."""

    @property
    def apart(self) -> bool:
        """Whether `question` is what the parser is to be asked, whatever columns hold."""
        return bool(self.group) or self.versus is not None

    @property
    def says_more(self) -> bool:
        """Whether it says which cells; "how many is that?" does not."""
        return bool(set(tokenise(self.question)) - FUNCTION_WORDS - _EMPTY)


def computes(language: frozenset[str]) -> bool:
    """Say whether parsers of a language compute values; then they need nothing of this file."""
    return "count" in language


def gives_groups(program: Program, request: AggregateRequest) -> bool:
    """Say whether a program computes the value that is wanted of each group."""
    return program.aggregate == f"{request.kind}_per" and program.columns[0] == request.group


def singles_out(program: Program, request: AggregateRequest) -> bool:
    """Say whether a program takes one group where the value of every group is wanted."""
    step = program.then
    return not request.rank and step is not None and step.column == request.group


def request_in(question: str, table: Table) -> AggregateRequest | None:
    """Return what a question wants computed, None if it asks for cells.

    >>> table = Table.from_rows(["City", "Visitors"], [["Oslo", "120"], ["Moss", "8"]])
    >>> request_in("how many cities have more than 100 visitors?", table).question
    'which cities have more than 100 visitors?'
    >>> request_in("what is the average number of visitors?", table).kind
    'average'
    >>> request_in("which city has the most visitors?", table) is None
    True
    """
    if _ASKS_WHICH.match(question):
        return None
    named = words_of(table).names
    for kind, cue in (("average", _AVERAGE), ("sum", _TOTAL)):
        found = cue.search(question)
        if found is None or _is_called(tokenise(found[0]), question, table):
            continue
        if found[0].lower().startswith("mean") and not _is_noun(question, found, named):
            continue
        rest = _cut(question, found)
        if kind == "sum" and _HOW_MANY.search(rest):
            return _count(rest, total=True)
        each = _EACH.search(rest) is not None
        plain = _NUMBER_OF.sub("", rest)
        if not _BEGINS.match(plain):
            plain = f"what is the {plain.lstrip()}"
        return AggregateRequest("average" if kind == "average" else "sum", plain, each=each)
    found = _HOW_MANY.search(question)
    if found is None or _is_name(found, question, table):
        return None
    return _count(question, total=False)


def without_cue(text: str, kind: Literal["sum", "average"], table: Table) -> str | None:
    """Return a text without the words that ask for a sum or an average, None if it has none.

    >>> table = Table.from_rows(["Nation", "Total"], [["Norway", "3"]])
    >>> without_cue("total votes", "sum", table) is None
    True
    >>> without_cue("votes in all", "sum", table), without_cue("votes on average", "average", table)
    ('votes', 'votes')
    """
    found = (_TOTAL if kind == "sum" else _AVERAGE).search(text)
    if found is None or _is_called(tokenise(found[0]), text, table):
        return None
    return _cut(text, found)


def _is_called(cue: Sequence[str], question: str, table: Table) -> bool:
    """Whether a cue names a column (`Avg. price`, `Total`) or a row of totals."""
    if "total" in cue and words_of(table).has_totals:
        return True
    asked = {singular(word) for word in tokenise(question)}
    for column in table.columns:
        words = words_of_name(column)
        if not words.isdisjoint(cue):
            others = {singular(w) for w in words if w not in cue} - FUNCTION_WORDS - _SHORT
            if not others or not others.isdisjoint(asked):
                return True
    return False


def _is_noun(question: str, found: re.Match[str], named: frozenset[str]) -> bool:
    """Whether `mean` is the noun: "the mean weight", and not "what does this mean"."""
    before = tokenise(question[: found.start()])[-1:]
    after = tokenise(question[found.end() :])[:1]
    names = {singular(word) for word in named}
    return before == ("the",) or "of" in tokenise(found[0]) or singular("".join(after)) in names


def _count(question: str, total: bool) -> AggregateRequest:
    found = _HOW_MANY.search(question)
    assert found is not None
    rest = question[found.end() :].strip()
    different = _DIFFERENT.match(rest)
    rest = rest[different.end() :] if different else rest
    words: list[str] = []
    for word in tokenise(rest):
        if word in _ENDS_NOUN or len(words) == 4:
            break
        words.append(word)
    before = question[: found.start()].strip()
    asked = f"{before} which {rest}" if before else f"which {rest}"
    return AggregateRequest(
        "count",
        asked,
        tuple(words),
        total,
        different is not None,
        _EACH.search(rest) is not None,
        _DONE.match(rest) is not None and words[-1:] != ["times"],
    )


def _is_name(found: re.Match[str], question: str, table: Table) -> bool:
    """Whether the cue names a column: `Number of seats` and `Number` are looked up."""
    if "number" not in tokenise(found[0]):
        return False
    told = " ".join(tokenise(question[found.start() :]))
    names = [" ".join(tokenise(name)) for name in table.names]
    of_one = found[0].lower().endswith(" the")
    return any(
        (n == "number" and of_one) or (n.startswith("number of") and n in told) for n in names
    )


def _cut(question: str, found: re.Match[str]) -> str:
    kept = f"{question[: found.start()]} {question[found.end() :]}"
    return " ".join(kept.split()).replace(" ?", "?")


def is_amount(column: Column) -> bool:
    """Say whether a column has numbers that can be added up; years cannot."""
    return column.kind == "number" and column.unit != "year"


def holds(column: Column, noun: Sequence[str]) -> bool:
    """Say whether a column holds how many there are of a noun; a column `flight` does not.

    >>> holds(Column("Total visitors", ("12", "7")), ("visitors",))
    True
    >>> holds(Column("flight", ("12", "7")), ("flights",))
    False
    """
    name = set(tokenise(column.name)) - FUNCTION_WORDS
    many = {singular(word) for word in name if is_plural(word)}
    return is_amount(column) and any(word in name or singular(word) in many for word in noun)


def looks_up(request: AggregateRequest, table: Table) -> bool:
    """Say whether what is counted is what a column holds the number of."""
    return request.kind == "count" and any(holds(column, request.noun) for column in table.columns)


def plain_question(question: str, request: AggregateRequest | None, table: Table) -> str:
    """Return the question for cells: the question itself, or its rest without the request."""
    if request is None:
        return question
    if not request.apart and (request.done or looks_up(request, table)):
        return question
    return request.question


def computed(
    program: Program, found: Denotation, request: AggregateRequest, table: Table
) -> tuple[Program, Denotation] | None:
    """Return a program that computes a request of the cells that another picks; None if it cannot.

    Args:
        program: picks the cells.
        found: the cells.
        request: what to compute.
        table: what the program is about.
    """
    if request.versus is not None:
        return _difference(program, found, request, request.versus, table)
    if request.group:
        program, found = _with_repeats(program, found, table)
    if _takes_once(program):
        return None  # rows dropped because others are like them would be missing
    program, found = _without_totals(program, found, table)
    if request.group:
        return _of_groups(program, found, request, table)
    amount = _is_column_of_amounts(found, table)
    if request.kind == "count" and amount:
        column = table.columns[found.columns[0]]
        held = (
            request.each or request.done
        ) and not column.unit  # money and the like is not counted
        whole = program.where is None and not (request.each or request.done or request.total)
        if held or (holds(column, request.noun) and not (whole and len(found.rows) > 1)):
            several = request.total and len(found.rows) > 1
            return with_value(program, found, "sum", table) if several else (program, found)
        if len(found.rows) == 1 and column.name not in _tested(program):
            return program, found  # "how many people live in Oslo?", with a column `Population`
    if request.each:
        return None
    if request.kind != "count":
        if amount and len(found.rows) == 1:
            return program, found  # the sum and the average of one cell is the cell
        return with_value(program, found, request.kind, table) if amount else None
    if len(found.columns) != 1:
        return None
    column = table.columns[found.columns[0]]
    if request.different or (program.where is None and _repeats(column, request.noun)):
        if program.where is not None or program.scope == "cell":
            return None
        once = Test("distinct", column.name)
        program = replace(program, columns=(column.name,), where=once)
        rows = TESTS["distinct"].meaning(table, found.rows, once, ())
        found = Denotation(tuple(rows), found.columns)
    return with_value(program, found, "count", table)


def _of_groups(
    program: Program, found: Denotation, request: AggregateRequest, table: Table
) -> tuple[Program, Denotation] | None:
    """A value of each group, or the rows of the group that has the most."""
    if any(test.operator in _ONE_ROW for test in program.tests):
        return None
    group = table.names.index(request.group)
    others = [column for column in found.columns if is_amount(table.columns[column])]
    others = [column for column in others if column != group]
    kind = request.kind
    if kind == "count" and others and holds(table.columns[others[0]], request.noun):
        kind = "sum"
    of = others[:1] if kind != "count" else []
    if kind != "count" and (not of or len(others) > 1):
        return None
    if request.rank:
        step = _RANKED[request.rank, kind]
        argument = Name(table.names[of[0]]) if of else None
        then = Test(step, request.group, argument)
        rows = STEPS[step].meaning(table, found.rows, then, ())
        program = replace(program, columns=(request.group,), then=then)
        return program, Denotation(tuple(rows), (group,))
    columns = (group, *of)
    program = replace(program, columns=tuple(table.names[column] for column in columns))
    names = tuple(name for name, _ in groups_of(table, found.rows, group))
    found = replace(found, columns=columns, groups=names)
    return with_value(program, found, f"{kind}_per", table)


def _difference(
    program: Program,
    found: Denotation,
    request: AggregateRequest,
    sides: tuple[Test, Test],
    table: Table,
) -> tuple[Program, Denotation] | None:
    """The difference between what a program picks and the same with the other side's value."""
    if program.scope != "table" or _takes_once(program):
        return None
    amount = _is_column_of_amounts(found, table)
    kind = request.kind
    if kind == "count" and amount and holds(table.columns[found.columns[0]], request.noun):
        kind = "sum"
    where, (left, right) = program.where, sides
    if isinstance(where, And) and left in where.parts:
        parts = tuple(right if part == left else part for part in where.parts)
        other: Condition = replace(where, parts=parts)
    elif where in (left, None):
        where, other = left, right
    else:
        return None
    if kind != "count" and (not amount or table.names[found.columns[0]] == left.column):
        return None
    program = Program(
        () if kind == "count" else program.columns,
        where=where,
        aggregate=kind,
        versus=other,
        compare="difference",
    )
    value = execute(program, table)
    return (program, value) if value.values else None


def _tested(program: Program) -> set[str | None]:
    """The columns that a program looks at to choose rows."""
    return {test.column for test in program.tests}


def _takes_once(program: Program) -> bool:
    return any(test.operator == "distinct" for test in program.tests)


def _with_repeats(program: Program, found: Denotation, table: Table) -> tuple[Program, Denotation]:
    """All rows, where a program drops only those that are like others."""
    once = all(test.operator == "distinct" for test in program.tests)
    if program.scope != "table" or not program.tests or not once:
        return program, found
    return replace(program, where=None), replace(found, rows=tuple(range(len(table))))


def _without_totals(
    program: Program, found: Denotation, table: Table
) -> tuple[Program, Denotation]:
    """Leave out rows that say `Total`: they would count twice."""
    if program.scope != "table" or len(found.rows) < 2:
        return program, found
    scope = SCOPES["without_totals"].meaning(table, ())
    if len(scope) == len(table):
        return program, found
    kept = set(scope)
    rows = tuple(row for row in found.rows if row in kept)
    return replace(program, scope="without_totals"), replace(found, rows=rows)


def with_value(
    program: Program, found: Denotation, aggregate: str, table: Table
) -> tuple[Program, Denotation]:
    """Return a program and its cells with a value computed of them."""
    values = AGGREGATES[aggregate].meaning(table, found.rows, found.columns)
    return replace(program, aggregate=aggregate), replace(found, values=values)


def cells_of(program: Program) -> Program | None:
    """Return the program that picks the cells of which another computes; None if none does."""
    if program.compare is None:
        return replace(program, aggregate=None)
    left, right = program.where, program.versus
    if not (isinstance(left, Test) and isinstance(right, Test) and program.columns):
        return None
    return Program(program.columns, program.scope, Or((left, right)))


def _repeats(column: Column, noun: Sequence[str]) -> bool:
    """Whether a column is the noun that is counted and repeats values: each country counts once."""
    name = {singular(word) for word in tokenise(column.name)}
    named = column.kind == "text" and bool(noun) and singular(noun[-1]) in name
    return named and len(column.values) < len(column)


def repeated(request: AggregateRequest, table: Table, previous: Denotation | None) -> Program:
    """Return the program of a bare request: a value of the previous answer, or of all rows.

    Raises:
        DataError: there is nothing that it could be computed of.
    """
    if previous is not None:
        if request.kind != "count" and not _is_column_of_amounts(previous, table):
            raise DataError(
                f"The last answer is not one column of numbers, so it has no {request.kind};"
                " say of which column."
            )
        return Program((), "previous")
    if request.kind != "count":
        raise DataError(f"Say of which column you want the {request.kind}.")
    return Program((table.names[0],))


def _is_column_of_amounts(found: Denotation, table: Table) -> bool:
    return len(found.columns) == 1 and is_amount(table.columns[found.columns[0]])


_ONE_ROW: Final = frozenset(name for name, test in TESTS.items() if test.one_row)
_RANKED: Final = {
    ("most", "count"): "most_common",
    ("least", "count"): "least_common",
    ("most", "sum"): "has_most",
    ("least", "sum"): "has_least",
}
_THOSE: Final = f"(?:{'|'.join(follow_up_phrases('conversation'))})"
OF_THOSE: Final = re.compile(rf"\b{_THOSE}\b", re.IGNORECASE)
"""How a question says that it is about the last answer."""
_ASKS_WHICH: Final = re.compile(
    rf"\W*(?:and |but |so |{_THOSE},? )*(?:who|whose|whom|which|where|when|why)\b",
    re.IGNORECASE,
)
_BEGINS: Final = re.compile(
    r"\W*(?:what|how|which|who|of|and|for|in|give|show|tell|find|please|can|could|do|does|did|is|are|was|were|i|so|then)\b",
    re.IGNORECASE,
)
_EACH: Final = re.compile(r"\b(?:each|every)\b", re.IGNORECASE)
_DONE: Final = re.compile(r"(?:[\w'-]+ ){0,3}(?:did|do|does)\b", re.IGNORECASE)
_HOW_MANY: Final = re.compile(
    rf"\bhow many\b|^(?:\W*(?:and|so|please|{_THOSE},?)\s)*\s*"
    r"(?:(?:what|tell me|give me|show me|find)(?:'s| is| was| are| were)?\s+)?"
    r"(?:(?:the|their|its)\s+)?(?:number|count)\s+of\b(?:\s+(?:all|the)\b)*"
    r"|^\s*(?:please\s+)?count\b(?:\s+(?:up|all|the)\b)*",
    re.IGNORECASE,
)
_NUMBER_OF: Final = re.compile(r"\b(?:number|amount) of\s+", re.IGNORECASE)
_TOTAL: Final = re.compile(
    r"\b(?:in (?:grand )?total|altogether|all together|taken together|put together"
    r"|combined(?! with))\b|\bin all(?=\W*$)"
    r"|\b(?:(?:grand|overall|combined)\s+)?(?:total|sum)\b(?:\s+sum\b)?(?:\s+of\b)?(?:\s+(?:all|the)\b)*"
    r"|^\s*(?:please\s+)?(?:add|sum)\s+up\b",
    re.IGNORECASE,
)
_AVERAGE: Final = re.compile(
    r"\bon average\b|\bis typical\b|\baverage(?:d)?\b(?:\s+of\b)?(?:\s+(?:all|the)\b)*"
    r"|\bmean\b(?:\s+of\b)?(?:\s+(?:all|the)\b)*",
    re.IGNORECASE,
)
_DIFFERENT: Final = re.compile(r"(?:different|distinct|unique|separate)\s+", re.IGNORECASE)
_ENDS_NOUN: Final = FUNCTION_WORDS | frozenset(
    "took lives live lived won lost played scored made came went"
    " contain contains say got take takes cost".split()
)
_SHORT: Final = frozenset(("avg", "ave", "tot"))
_EMPTY: Final = frozenset(
    "total sum average mean count number rows row entries entry records record lines"
    " table listed list please tell give show value values".split()
)
