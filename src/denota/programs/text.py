"""Programs as text: a printer and a parser, inverse to each other, derived from the operators.

    SELECT Leader, Crew WHERE "Longest day's run" IS MAX
    FOLLOW-UP WHERE Ships = '2' OR Ships = '3'
    COUNT (ROWS WHERE Departed > DATE '1893')
    SELECT Leader WHERE Ships = '2' THEN Crew IS MAX
    DIFFERENCE (SUM (SELECT Crew WHERE Ships = '2' VERSUS Ships = '3'))

Names stand bare or in double quotes, values in single quotes; a quote inside is doubled. Keywords
are read in any case.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple, NoReturn

from denota.errors import ProgramError
from denota.programs.execute import is_date
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS
from denota.programs.operators.declare import StepOperator, TestOperator
from denota.programs.tree import (
    And,
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


def print_program(program: Program) -> str:
    """Return the text of a program.

    >>> print_program(Program(("Leader",), where=Test("greater", "Crew", Number(50))))
    'SELECT Leader WHERE Crew > 50'
    """
    text = _body(program)
    if program.where is not None:
        text += f" WHERE {_condition(program.where)}"
    if program.versus is not None:
        text += f" VERSUS {_condition(program.versus)}"
    if program.then is not None:
        text += f" THEN {_test(program.then, STEPS[program.then.operator])}"
    if program.aggregate is not None:
        text = f"{AGGREGATES[program.aggregate].keyword} ({text})"
    return f"{COMPARES[program.compare].keyword} ({text})" if program.compare is not None else text


def _body(program: Program) -> str:
    """Return the columns and the scope."""
    scope = SCOPES[program.scope]
    behind = f" {scope.with_columns}" if scope.with_columns else ""
    if program.columns:
        return "SELECT " + ", ".join(map(_name, program.columns)) + behind
    if not scope.follows:
        return f"{ROWS}{behind}"
    if program.where is None and program.scope == "previous" and program.then is None:
        return SAME
    return scope.alone


def parse_program(text: str) -> Program:
    """Return the tree of a program's text.

    >>> parse_program("select Leader where Crew > 50").where
    Test(operator='greater', column='Crew', argument=Number(value=50.0, written='50'))

    Raises:
        ProgramError: with the place where it stops making sense.
    """
    return _Parser(text).program()


SAME: Final = "SAME AS PREVIOUS"
ROWS: Final = "ROWS"


def print_date(date: Date) -> str:
    """Return a date's stated parts as `1993-05-17`, `1993`, `--05-17`."""
    parts = [f"{date.year:04d}" if date.year else "-"]
    parts += [f"{part:02d}" for part in (date.month, date.day) if part]
    return "-".join(parts)


def _condition(condition: Condition) -> str:
    if isinstance(condition, Test):
        return _test(condition, TESTS[condition.operator])
    joint = " OR " if isinstance(condition, Or) else " AND "
    return joint.join(map(_condition, condition.parts))


def _test(test: Test, operator: TestOperator | StepOperator) -> str:
    parts = [_name(test.column)] if test.column is not None else []
    parts += operator.keywords
    if test.argument is not None:
        parts.append(_argument(test.argument))
    return " ".join(parts)


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
    if isinstance(argument, Name):
        return _name(argument.text)
    return "'" + argument.text.replace("'", "''") + "'"


_BARE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED: Final = (
    "SELECT WHERE OR AND DATE CONTAINS NOT IS IN DECADE EMPTY ZERO POSITIVE MAX MIN WITH TIES TOP"
    " BOTTOM NUMBER FIRST LAST ROW ROWS DISTINCT SAME AS PREVIOUS FOLLOW-UP OF CELL WITHOUT TOTALS"
    " OTHERS NEXT BEFORE COUNT SUM AVERAGE SMALLEST LARGEST = != > >= < <="
)
"""Words that are no bare names. Those of newer operators stand where no name can."""
_KEYWORDS: Final = frozenset(_RESERVED.split())
_TOKEN: Final = re.compile(
    r"""(?P<space>\s+)|(?P<name>"(?:[^"]|"")*")|(?P<string>'(?:[^']|'')*')"""
    r"""|(?P<number>[+-]?(?<!\d)(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))|(?P<symbol>!=|>=|<=|[=<>,()])"""
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
        program = self._aggregate() or self._compared() or self._select()
        if self._now.kind != "end":
            self._fail("the end")
        if not program.columns and not SCOPES[program.scope].follows and not program.aggregate:
            raise ProgramError("ROWS stands only inside what is computed of rows, such as COUNT")
        return program

    def _compared(self) -> Program | None:
        for name, keywords in _by_length({n: c.keyword for n, c in COMPARES.items()}):
            if self._take(keywords):
                self._open()
                inside = self._aggregate()
                if inside is None:
                    self._fail("COUNT, SUM or another value")
                self._close()
                return replace(inside, compare=name)
        return None

    def _aggregate(self) -> Program | None:
        for name, keywords in _by_length({n: a.keyword for n, a in AGGREGATES.items()}):
            if self._take(keywords):
                self._open()
                inside = self._select()
                self._close()
                return replace(inside, aggregate=name)
        return None

    def _open(self) -> None:
        if not self._take(("(",)):
            self._fail("( and a program")

    def _close(self) -> None:
        if not self._take((")",)):
            self._fail(")")

    def _select(self) -> Program:
        columns: tuple[str, ...] = ()
        scope = "table"
        with_columns = {name: s.with_columns for name, s in SCOPES.items()}
        if self._take(("SELECT",)) or self._take((ROWS,)):
            if self.tokens[self.at - 1].upper == "SELECT":
                columns = (self._column(),)
                while self._take((",",)):
                    columns += (self._column(),)
            else:
                with_columns = {n: p for n, p in with_columns.items() if not SCOPES[n].follows}
            scope = self._scope(with_columns) or scope
        elif self._take(tuple(SAME.split())):
            return Program((), "previous")
        else:
            found = self._scope({name: s.alone for name, s in SCOPES.items()})
            if found is None:
                self._fail("SELECT, FOLLOW-UP or another way to begin")
            scope = found
        where = self._where() if self._take(("WHERE",)) else None
        versus = self._where() if self._take(("VERSUS",)) else None
        then = self._step() if self._take(("THEN",)) else None
        if not columns and scope == "previous" and where is None and then is None:
            self._fail("WHERE (or SAME AS PREVIOUS)")
        return Program(columns, scope, where, None, then, versus)

    def _scope(self, phrases: dict[str, str]) -> str | None:
        """The scope whose phrase comes next, if one does."""
        for name, words in _by_length(phrases):
            if words and self._take(words):
                return name
        return None

    def _where(self) -> Condition:
        parts = [self._test()]
        for keyword, kind in (("OR", Or), ("AND", And)):
            while self._take((keyword,)):
                parts.append(self._test())
            if len(parts) > 1:
                return kind(tuple(parts))
        return parts[0]

    def _test(self) -> Test:
        return self._one_of(list(TESTS.values()), "a comparison such as =, > or IS MAX")

    def _step(self) -> Test:
        return self._one_of(list(STEPS.values()), "a step such as IS MAX or NEXT ROW")

    def _one_of(self, operators: Sequence[TestOperator | StepOperator], wanted: str) -> Test:
        """Read one of some operators, longer keywords first: IS MAX WITH TIES before IS MAX."""
        ordered = sorted(operators, key=lambda operator: -len(operator.keywords))
        for operator in ordered:
            if not operator.has_column and self._take(operator.keywords):
                return Test(operator.name, None, self._argument(operator))
        column = self._column()
        for operator in ordered:
            if operator.has_column and self._take(operator.keywords):
                return Test(operator.name, column, self._argument(operator))
        self._fail(wanted)

    def _argument(self, test: TestOperator | StepOperator) -> Argument | None:
        if test.takes is None:
            return None
        if test.takes == "column":
            return Name(self._column())
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


def _by_length(phrases: dict[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    """Names with the words they are written in, the longest first."""
    split = [(name, tuple(phrase.split())) for name, phrase in phrases.items()]
    return sorted(split, key=lambda item: -len(item[1]))


def _unquoted(token: _Token) -> str:
    if token.kind not in ("name", "string"):
        return token.text
    quote = token.text[0]
    return token.text[1:-1].replace(quote * 2, quote)
