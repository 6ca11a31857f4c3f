"""A conversation with a parser about a table: questions in, turns with answer, program, SQL and reason out.

A turn can be read in other ways: `readings` tells the best of them, `choose` takes one, and what is asked next follows up on that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from denota.app.run import Turn, turn_of
from denota.data.example import Question
from denota.errors import DataError, TableError
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.operators import SCOPES
from denota.programs.sql import Query, rows_query, to_sql
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer
from denota.tables.plain import read_plainly
from denota.tables.table import Table

DEEP: Final = 8
"""After so many follow-ups in a row SQL names the rows of the previous answer instead of nesting its query."""
RATED: Final = 20
"""So many of the best programs are looked at; those with the same answer count for its probability."""


@dataclass(frozen=True)
class Reading:
    """One way to understand a question."""

    turn: Turn
    probability: float
    """Of its program, among all."""
    critique: float
    """How well the question's words bear the program out."""


@dataclass(frozen=True)
class _Context:
    """What a question is asked after."""

    asked: tuple[str, ...] = ()
    previous: Denotation | None = None
    query: Query | None = None
    depth: int = 0
    """How many turns the query nests."""


@dataclass(frozen=True, eq=False)
class _Told:
    """A question as it was understood."""

    before: _Context
    after: _Context
    ready: Prepared
    ids: list[int]
    """The best programs, best first."""
    probabilities: list[float]
    chosen: int
    """The program taken, as a place in these."""
    turn: Turn


class Chat:
    """A conversation; each question is understood with the question and the answer before it."""

    def __init__(self, parser: Parser, table: Table) -> None:
        if not len(table):
            raise TableError("the table has no rows, so there is nothing to ask it")
        config = parser.config
        self.parser = parser
        self.table = read_plainly(table) if config.data.numbers == "plain" else table
        self.preparer = Preparer.of(config, kept=2)
        self._told: list[_Told] = []

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The conversation so far."""
        return tuple(told.turn for told in self._told)

    @property
    def previous(self) -> Denotation | None:
        """The last answer, which the next question may follow up on."""
        return self._context.previous

    @property
    def _context(self) -> _Context:
        return self._told[-1].after if self._told else _Context()

    def ask(self, text: str) -> Turn:
        """Answer a question, the next of the conversation."""
        before = self._context
        place = len(before.asked)
        question = Question("chat", "0", place, text, self.table, "", before.asked)
        ready = self.preparer(question, before.previous)
        ids, probabilities = self.parser.rated([ready], RATED)[0]
        self._told.append(self._read(text, before, ready, ids, probabilities, 0))
        return self._told[-1].turn

    def readings(self, count: int = 3) -> tuple[Reading, ...]:
        """Return the best ways to understand the last question, each with an answer of its own, the one taken first.

        Raises:
            DataError: nothing was asked yet.
        """
        told = self._last()
        seen: list[Denotation] = []
        found = []
        order = [told.chosen, *(n for n in range(len(told.ids)) if n != told.chosen)]
        for place in order:
            answer = told.ready.denotation(told.ids[place])
            if any(answer.same_as(other) for other in seen):
                continue
            seen.append(answer)
            other = self._read(told.turn.question, told.before, told.ready, told.ids, told.probabilities, place)  # fmt: skip
            critique = float(told.ready.words.critique[told.ids[place]])
            found.append(Reading(other.turn, told.probabilities[place], critique))
            if len(found) == count:
                break
        return tuple(found)

    def choose(self, program: str) -> Turn:
        """Take another reading of the last question, by its program as written; what is asked next follows up on that.

        Raises:
            DataError: nothing was asked yet, or it is not among the readings.
        """
        told = self._last()
        for place in range(len(told.ids)):
            other = self._read(told.turn.question, told.before, told.ready, told.ids, told.probabilities, place)  # fmt: skip
            if other.turn.program == program:
                self._told[-1] = other
                return other.turn
        raise DataError(f"{program} is not among the readings of the last question")

    def undo(self) -> None:
        """Take the last question back.

        Raises:
            DataError: nothing was asked yet.
        """
        self._last()
        self._told.pop()

    def reset(self) -> None:
        """Begin again."""
        self._told.clear()

    def _last(self) -> _Told:
        if not self._told:
            raise DataError("nothing was asked yet")
        return self._told[-1]

    def _read(
        self,
        text: str,
        before: _Context,
        ready: Prepared,
        ids: list[int],
        probabilities: list[float],
        chosen: int,
    ) -> _Told:
        """A question understood as one of its best programs."""
        program, found = ready.space.program(ids[chosen]), ready.denotation(ids[chosen])
        query = to_sql(program, self.table, before.query)
        same = [ready.denotation(number).same_as(found) for number in ids]
        confidence, sure = self.parser.confidence(probabilities, same, bool(before.asked))
        turn = turn_of(text, self.table, program, found, query, confidence, sure)
        depth = before.depth + 1 if SCOPES[program.scope].follows else 0
        if depth >= DEEP:  # SQL that nests further would be no help to anyone
            columns = [self.table.names[column] for column in found.columns]
            query, depth = rows_query(found.rows, columns, self.table), 0
        after = _Context((*before.asked, text), found, query, depth)
        return _Told(before, after, ready, ids, probabilities, chosen, turn)
