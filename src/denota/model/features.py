"""The features of programs that `memory` has weights for: their parts, and what is particular.

A part is said as the question bears it out: a value as named or not, an operator with the word that
calls for it. So what is learnt of "who is the oldest?" is for `oldest`, in whatever question, and
what is learnt of "which Canadians ...?" is for countries that a question names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from denota.model.wording import Wording, is_near_any, wording_of
from denota.programs.lexicon import words_of
from denota.programs.operators import SCOPES, TESTS, declared
from denota.programs.tree import Name, Program, Test, Value, Word, leaves_of
from denota.search.prepare import Prepared
from denota.tokens import FUNCTION_WORDS, tokenise


LEX = 0


def features_of(question: Prepared, number: int) -> tuple[str, ...]:
    """Return what weights of a program belong to."""
    return Features(question).of(number)


class Features:
    """The features of a question's programs."""

    def __init__(self, question: Prepared) -> None:
        self._question = question
        self._called: dict[str, tuple[str, ...]] = {}
        self._named: dict[str, str] = {}

    @cached_property
    def wording(self) -> Wording:
        """The words of the question."""
        return wording_of(self._question)

    def of(self, number: int) -> tuple[str, ...]:
        """Return what weights of a program belong to: its parts, its constants and its answer."""
        rows, cells = self._question.answer_digests(number)
        program = self._question.space.program(number)
        computed = " ".join(filter(None, (program.compare, program.aggregate)))
        answer = f"{computed} of {cells}" if computed else f"cells {cells}"
        constants = (f"constant {constant}" for constant in _constants(program))
        kind = "own" if any(
            isinstance(t.argument, Value) and self.named(t.argument.text) == "unnamed"
            for t in program.tests
        ) else "answer"
        return (*self.parts(program), *constants, f"{kind} rows {rows}", f"{kind} {answer}")

    def parts(self, program: Program) -> tuple[str, ...]:
        """Return the parts of a program as the question bears them out."""
        found = [f"scope {program.scope}"]
        follows = SCOPES[program.scope].follows
        found += [f"select {name}" for name in program.columns] or [
            "select as before" if follows else "select rows"
        ]
        if LEX:
            odd = sorted(self.wording.words - self.wording.named)
            cols = [f"select {name}" for name in program.columns] + [f"where {t.column}" for t in program.tests]
            found += [f"{c} for {w}" for w in odd for c in cols] * LEX
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

    def is_borne_out(self, program: Program) -> bool:
        """Say whether the question calls for the operators and names the values of a program."""
        return self.unsaid(program) == 0

    def unsaid(self, program: Program) -> int:
        """Count the operators that the question does not call for and values it does not name."""
        found = 0
        for test in program.tests:
            found += test.operator in _NEEDY and not self.calls(test.operator)
            if isinstance(test.argument, Value):
                found += self.named(test.argument.text) == "unnamed"
        return found

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
        if value not in self._named:
            tokens = tokenise(value)
            own = [token for token in tokens if token not in FUNCTION_WORDS] or list(tokens)
            words = self.wording.text.split()
            count = sum(is_near_any(token, words) for token in own)
            whole = count == len(own)
            self._named[value] = "named" if whole else "partly" if count else "unnamed"
        return self._named[value]

    def _said(self, test: Test) -> list[str]:
        """A test without its constant: its operator, and what calls for that or for its value."""
        if isinstance(test.argument, Value):
            return [f"{test.operator} {self.named(test.argument.text)}"]
        if test.operator in _NEEDY:
            return [f"{test.operator} for {word}" for word in self.calls(test.operator)] or [
                f"{test.operator} uncalled"
            ]
        return [test.operator]


def _constants(program: Program) -> Iterator[str]:
    """The tests of a program with their constants."""
    for role, tests in (("test", leaves_of(program.where)), ("versus", leaves_of(program.versus))):
        yield from (f"{role} {written}" for written in _written(tests))
    if program.then is not None:
        yield from (f"step {written}" for written in _written([program.then]))


def _written(tests: Iterable[Test]) -> Iterator[str]:
    for test in tests:
        if isinstance(test.argument, Value | Word | Name):
            yield f"{test.column} {test.operator} {test.argument.text}"


def _alike(operator: str) -> tuple[str, ...]:
    """An operator and the one that keeps one of several tied rows where it keeps all."""
    return (operator, *(name for name, test in TESTS.items() if test.ties == operator))


_NEEDY = frozenset(name for name, own in declared().items() if own.needs == "trigger")
"""The operators that are called for by words."""
