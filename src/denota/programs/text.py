"""Programs as text: a printer and a parser that are inverse to each other, both derived from the operators.

    SELECT Leader, Crew WHERE "Longest day's run" IS MAX
    FOLLOW-UP WHERE Ships = '2' OR Ships = '3'
    COUNT (SELECT Leader OF PREVIOUS WHERE Departed > DATE '1893')

Names stand bare or in double quotes, values in single quotes; a quote inside is doubled. Keywords are read in any case.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final, NamedTuple, NoReturn

from denota.errors import ProgramError
from denota.programs.execute import is_date
from denota.programs.operators import AGGREGATES, SCOPES, TESTS
from denota.programs.operators.declare import ScopeOperator, TestOperator
from denota.programs.tree import (
    And,
    Argument,
    Condition,
    Date,
    Number,
    Or,
    Program,
    Test,
    Value,
    Word,
)


def print_program(program: Program) -> str:
    """Return the text of a program.

    >>> print_program(Program(("Leader",), where=Test("greater", "Crew", Number(50))))
    'SELECT Leader WHERE Crew > 50'
    """
    scope = SCOPES[program.scope]
    if program.columns:
        text = "SELECT " + ", ".join(map(_name, program.columns))
        text += f" {scope.with_columns}" if scope.with_columns else ""
    elif program.where is None and program.scope == "previous":
        text = SAME
    else:
        text = scope.alone
    if program.where is not None:
        text += f" WHERE {_condition(program.where)}"
    return f"{AGGREGATES[program.aggregate].keyword} ({text})" if program.aggregate else text


def parse_program(text: str) -> Program:
    """Return the tree of a program's text.

    >>> parse_program("select Leader where Crew > 50").where
    Test(operator='greater', column='Crew', argument=Number(value=50.0, written='50'))

    Raises:
        ProgramError: with the place where it stops making sense.
    """
    return _Parser(text).program()


SAME: Final = "SAME AS PREVIOUS"


def print_date(date: Date) -> str:
    """Return a date's stated parts as `1993-05-17`, `1993`, `--05-17`."""
    parts = [f"{date.year:04d}" if date.year else "-"]
    parts += [f"{part:02d}" for part in (date.month, date.day) if part]
    return "-".join(parts)


def _condition(condition: Condition) -> str:
    if isinstance(condition, Test):
        test = TESTS[condition.operator]
        parts = [_name(condition.column)] if condition.column is not None else []
        parts += test.keywords
        if condition.argument is not None:
            parts.append(_argument(condition.argument))
        return " ".join(parts)
    joint = " OR " if isinstance(condition, Or) else " AND "
    return joint.join(map(_condition, condition.parts))


def _name(name: str) -> str:
    if _BARE.fullmatch(name) and name.upper() not in _KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def _argument(argument: Argument) -> str:
    if isinstance(argument, Number):
        whole = argument.value == int(argument.value) and abs(argument.value) < 1e15
        return str(int(argument.value)) if whole else repr(argument.value)
    if isinstance(argument, Date):
        return f"DATE '{print_date(argument)}'"
    return "'" + argument.text.replace("'", "''") + "'"


_BARE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PHRASES: Final = [
    *(test.keywords for test in TESTS.values()),
    *(
        tuple(phrase.split())
        for s in SCOPES.values()
        for phrase in (s.alone, s.with_columns)
        if phrase
    ),
    *((aggregate.keyword,) for aggregate in AGGREGATES.values()),
    tuple(SAME.split()),
    ("SELECT", "WHERE", "OR", "AND", "DATE"),
]
_KEYWORDS: Final = frozenset(word for phrase in _PHRASES for word in phrase)
_TOKEN: Final = re.compile(
    r"""(?P<space>\s+)|(?P<name>"(?:[^"]|"")*")|(?P<string>'(?:[^']|'')*')"""
    r"""|(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))|(?P<symbol>!=|>=|<=|[=<>,()])"""
    r"""|(?P<word>[^\W\d]\w*(?:-[^\W\d]\w*)*)"""
)
_DATE: Final = re.compile(r"(?:(\d{4})|-)(?:-(\d\d))?(?:-(\d\d))?")


class _Token(NamedTuple):
    kind: str
    text: str
    start: int

    @property
    def upper(self) -> str:
        return self.text.upper() if self.kind in ("word", "symbol") else ""


class _Parser:
    """A hand over the tokens of one program."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens()
        self.at = 0

    def program(self) -> Program:
        program = self._aggregate() or self._select()
        if self._now.kind != "end":
            self._fail("the end")
        return program

    def _aggregate(self) -> Program | None:
        for name, aggregate in AGGREGATES.items():
            if self._take((aggregate.keyword,)):
                if not self._take(("(",)):
                    self._fail("( and a program")
                inside = self._select()
                if not self._take((")",)):
                    self._fail(")")
                return Program(inside.columns, inside.scope, inside.where, name)
        return None

    def _select(self) -> Program:
        columns: tuple[str, ...] = ()
        scope = "table"
        if self._take(("SELECT",)):
            columns = (self._column(),)
            while self._take((",",)):
                columns += (self._column(),)
            for name, operator in _by_length(lambda s: s.with_columns):
                if operator and self._take(operator):
                    scope = name
                    break
        elif self._take(tuple(SAME.split())):
            return Program((), "previous")
        else:
            for name, operator in _by_length(lambda s: s.alone):
                if operator and self._take(operator):
                    scope = name
                    break
            else:
                self._fail("SELECT, FOLLOW-UP or another way to begin")
        where = self._where() if self._take(("WHERE",)) else None
        if not columns and scope == "previous" and where is None:
            self._fail("WHERE (or SAME AS PREVIOUS)")
        return Program(columns, scope, where)

    def _where(self) -> Condition:
        parts = [self._test()]
        for keyword, kind in (("OR", Or), ("AND", And)):
            while self._take((keyword,)):
                parts.append(self._test())
            if len(parts) > 1:
                return kind(tuple(parts))
        return parts[0]

    def _test(self) -> Test:
        for test in _tests(has_column=False):
            if self._take(test.keywords):
                return Test(test.name, None, self._argument(test))
        column = self._column()
        for test in _tests(has_column=True):
            if self._take(test.keywords):
                return Test(test.name, column, self._argument(test))
        self._fail("a comparison such as =, > or IS MAX")

    def _argument(self, test: TestOperator) -> Argument | None:
        if test.takes is None:
            return None
        token = self._now
        if test.takes in ("value", "word") and token.kind in ("string", "number", "word"):
            self.at += 1
            text = _unquoted(token)
            return Value(text) if test.takes == "value" else Word(text.lower())
        if token.kind == "number" and test.takes in ("number", "constant"):
            if not math.isfinite(float(token.text)):
                self._fail("a number that is not so large")
            self.at += 1
            return Number(float(token.text), token.text)
        if test.takes == "constant" and self._take(("DATE",)):
            return self._date()
        wanted = {"number": "a number", "constant": "a number or DATE '1993-05-17'"}
        self._fail(wanted.get(test.takes, "a value in quotes"))

    def _date(self) -> Date:
        token = self._now
        found = _DATE.fullmatch(_unquoted(token)) if token.kind == "string" else None
        if not found or not (found[1] or found[2]):
            self._fail("a date such as '1993-05-17', '1993' or '--05-17'")
        self.at += 1
        year, month, day = (int(part or 0) for part in found.groups())
        date = Date(year, month, day, written=found[0])
        if not is_date(date) or "0000" in found[0] or "-00" in found[0]:
            self.at -= 1
            self._fail("a date that exists")
        return date

    def _column(self) -> str:
        token = self._now
        if token.kind == "name" or (token.kind == "word" and token.upper not in _KEYWORDS):
            self.at += 1
            return _unquoted(token)
        self._fail("the name of a column (in double quotes unless it is one plain word)")

    @property
    def _now(self) -> _Token:
        return self.tokens[self.at]

    def _take(self, keywords: tuple[str, ...]) -> bool:
        here = self.tokens[self.at : self.at + len(keywords)]
        if tuple(token.upper for token in here) != keywords:
            return False
        self.at += len(keywords)
        return True

    def _tokens(self) -> list[_Token]:
        tokens: list[_Token] = []
        place = 0
        while place < len(self.text):
            found = _TOKEN.match(self.text, place)
            if not found:
                tokens.append(_Token("unknown", self.text[place], place))
                break
            if found.lastgroup != "space":
                tokens.append(_Token(found.lastgroup or "", found[0], place))
            place = found.end()
        return [*tokens, _Token("end", "", len(self.text))]

    def _fail(self, wanted: str) -> NoReturn:
        place = self._now.start
        marked = f"{self.text[:place][-60:]}▸{self.text[place:][:60]}"
        raise ProgramError(f"expected {wanted} at character {place + 1} of the program: {marked}")


def _tests(has_column: bool) -> list[TestOperator]:
    """The tests, those with longer keywords first, so that IS MAX WITH TIES is not taken for IS MAX."""
    tests = [test for test in TESTS.values() if test.has_column == has_column]
    return sorted(tests, key=lambda test: -len(test.keywords))


def _by_length(spelling: Callable[[ScopeOperator], str]) -> list[tuple[str, tuple[str, ...]]]:
    phrases = [(name, tuple(spelling(scope).split())) for name, scope in SCOPES.items()]
    return sorted(phrases, key=lambda item: -len(item[1]))


def _unquoted(token: _Token) -> str:
    if token.kind not in ("name", "string"):
        return token.text
    quote = token.text[0]
    return token.text[1:-1].replace(quote * 2, quote)
