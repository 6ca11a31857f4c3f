"""The features of programs that `memory` has weights for: their parts, and what is particular.

A part is said as the question bears it out: a value as named or not, an operator with the word that
calls for it. So what is learnt of "who is the oldest?" is for `oldest`, in whatever question, and
what is learnt of "which Canadians ...?" is for countries that a question names.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

from denota.model.memory import PARTICULAR, UNSAID
from denota.model.wording import Wording, is_near_any, wording_of
from denota.programs.lexicon import words_of
from denota.programs.operators import SCOPES, TESTS, declared
from denota.programs.tree import Name, Program, Test, Value, Word, leaves_of
from denota.search.prepare import Prepared
from denota.tokens import FUNCTION_WORDS, tokenise

UNNAMED: Final = ("unnamed", "against")
BEGINS: Final = 3
"""Letters that words have in common if they are near."""


def features_of(question: Prepared, number: int) -> tuple[str, ...]:
    """Return what weights of a program belong to."""
    return Features(question).of(number)


class Features:
    """The features of a question's programs."""

    def __init__(self, question: Prepared) -> None:
        self._question = question
        self._asked = tuple(set(tokenise(question.text)) - FUNCTION_WORDS)
        self._called: dict[str, tuple[str, ...]] = {}
        self._values: dict[str, str] = {}
        self._columns: dict[str, bool] = {}

    @cached_property
    def wording(self) -> Wording:
        """The words of the question."""
        return wording_of(self._question.text)

    def of(self, number: int) -> tuple[str, ...]:
        """Return what weights of a program belong to: its parts, its constants and its answer."""
        rows, cells = self._question.answer_digests(number)
        program = self._question.space.program(number)
        computed = " ".join(filter(None, (program.compare, program.aggregate)))
        answer = f"{computed} of {cells}" if computed else f"cells {cells}"
        levels = {self._named(t) for t in program.tests if isinstance(t.argument, Value)}
        if "against" in levels:
            return (*self.parts(program), UNSAID)
        own = (*self.parts(program), *constants_of(program))
        if "unnamed" in levels:
            return (*own, UNSAID, f"{PARTICULAR}rows {rows}", f"{PARTICULAR}{answer}")
        return (*own, f"rows {rows}", answer)

    def parts(self, program: Program) -> tuple[str, ...]:
        """Return the parts of a program as the question bears them out."""
        found = [f"scope {program.scope}"]
        follows = SCOPES[program.scope].follows
        found += [f"select {name}" for name in program.columns] or [
            "select as before" if follows else "select rows"
        ]
        if program.where is None:
            found.append("all rows")
        for test in leaves_of(program.where):
            found.append(f"where {test.column}")
            found += [f"operator {said}" for said in self._said(test)]
            found += [f"test {test.column} {said}" for said in self._said(test)]
        for test in leaves_of(program.versus):
            found += ["versus", *(f"versus {test.column} {said}" for said in self._said(test))]
        if program.then is not None:
            said = self._said(program.then)
            found += [f"step {one}" for one in said]
            found += [f"step {program.then.column} {one}" for one in said]
        if program.aggregate is not None:
            found.append(f"compute {program.aggregate}")
        if program.compare is not None:
            found.append(f"compare {program.compare}")
        return tuple(found)

    def unsaid(self, program: Program) -> int:
        """Count the operators that the question does not call for and values it does not name."""
        found = 0
        for test in program.tests:
            found += test.operator in _NEEDY and not self.calls(test.operator)
            found += isinstance(test.argument, Value) and self._named(test) in UNNAMED
        return found

    def bears_out(self, program: Program) -> bool:
        """Say whether the question names all of a program's values, and calls for its operators."""
        negates = [t for t in program.tests if t.operator in TESTS and TESTS[t.operator].negates]
        return not self.unsaid(program) and (not negates or bool(self.calls("not_contains")))

    def calls(self, operator: str) -> tuple[str, ...]:
        """Return the words of the question that call for an operator."""
        if operator not in self._called:
            said = f" {self.wording.text} "
            words = {word for own in _alike(operator) for word in words_of(own)}
            found = (word for word in sorted(words) if f" {word.removeprefix('^')} " in said)
            self._called[operator] = tuple(found)
        return self._called[operator]

    def named(self, value: str) -> str:
        """Say whether the question names a value: `named`, `partly` or `unnamed`."""
        if value not in self._values:
            tokens = tokenise(value)
            own = [token for token in tokens if token not in FUNCTION_WORDS] or list(tokens)
            count = sum(is_near_any(token, self._asked) for token in own)
            whole = count == len(own)
            self._values[value] = "named" if whole else "partly" if count else "unnamed"
        return self._values[value]

    def _named(self, test: Test) -> str:
        """Whether a test's value is named; `against` if another of its column is, and it is not."""
        assert isinstance(test.argument, Value)
        found = self.named(test.argument.text)
        return "against" if found == "unnamed" and self._names_one(test.column or "") else found

    def _names_one(self, column: str) -> bool:
        """Whether the question names a value of a column."""
        if column not in self._columns:
            begins = {word[:BEGINS] for word in self._asked}
            self._columns[column] = any(
                self.named(text) == "named"
                for text in self._question.table[column].values
                if any(token[:BEGINS] in begins for token in tokenise(text))
            )
        return self._columns[column]

    def _said(self, test: Test) -> list[str]:
        """A test without its constant: its operator, and what calls for that or for its value."""
        if isinstance(test.argument, Value):
            return [f"{test.operator} {self._named(test)}"]
        if test.operator in _NEEDY:
            return [f"{test.operator} for {word}" for word in self.calls(test.operator)] or [
                f"{test.operator} uncalled"
            ]
        return [test.operator]


def constants_of(program: Program) -> tuple[str, ...]:
    """Return the tests of a program with their constants.

    >>> from denota.programs.text import parse_program
    >>> constants_of(parse_program("SELECT City WHERE Land = 'Norway' AND People > 50"))
    ('own test Land equal Norway',)
    """
    by_role = {
        "test": leaves_of(program.where),
        "versus": leaves_of(program.versus),
        "step": (program.then,) if program.then is not None else (),
    }
    return tuple(
        f"{PARTICULAR}{role} {test.column} {test.operator} {test.argument.text}"
        for role, tests in by_role.items()
        for test in tests
        if isinstance(test.argument, Value | Word | Name)
    )


def _alike(operator: str) -> tuple[str, ...]:
    """An operator and the one that keeps one of several tied rows where it keeps all."""
    return (operator, *(name for name, test in TESTS.items() if test.ties == operator))


_NEEDY = frozenset(name for name, own in declared().items() if own.needs == "trigger")
"""The operators that are called for by words."""
