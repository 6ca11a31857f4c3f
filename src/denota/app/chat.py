"""A conversation with a parser about a table: questions in, turns with answer, program, SQL and reason out.

A turn can be read in other ways: `readings` tells the best of them, `choose` takes one, and what is asked next follows up on that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from denota.app.computed import Wish, computed, looks_up, same_again, wish_of, with_value
from denota.app.declined import CAN, NO_GROUPS, nothing_found, off_topic, reason_to_decline
from denota.app.rating import RatedProgram, rate
from denota.app.run import Turn, declined_turn, turn_of
from denota.data.example import Question
from denota.errors import DataError, TableError
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.operators import SCOPES
from denota.programs.sql import Query, rows_query, to_sql
from denota.programs.text import parse_program, print_program
from denota.programs.tree import Program, Test
from denota.search.preparer import Preparer
from denota.tables.io import read_table
from denota.tables.plain import read_plainly
from denota.tables.table import Table
from denota.tokens import tokenise

LONGEST: Final = 2000
"""Characters of a question."""
DEEP: Final = 8
"""After so many follow-ups in a row SQL names the rows of the previous answer instead of nesting its query."""
UNLIKELY: Final = 0.35
"""Below this confidence, a question with no word of the table's is taken to be about something else."""
LIKELY: Final = 0.02
"""A program with this share of the best one's probability is worth a look."""
Rate = Callable[[Question, Denotation | None], tuple[RatedProgram, ...]]
"""What finds a question's best programs, best first, given the answer before it."""
_Rated = tuple[RatedProgram, ...]
_BY_RANK: Final = frozenset(("max", "min", "first", "last", "kth_max", "kth_min"))


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
    wish: Wish | None
    turn: Turn


class Chat:
    """A conversation; each question is understood with the question and the answer before it.

    Args:
        parser: what understands the questions.
        table: what they are about, in any form that `denota.read_table` takes.
        rated_by: what rates programs, if not the parser by itself.
    """

    def __init__(self, parser: Parser, table: Any, rated_by: Rate | None = None) -> None:
        self.source = table
        table = read_table(table)
        if not len(table):
            raise TableError("the table has no rows, so there is nothing to ask it")
        config = parser.config
        self.parser = parser
        self.table: Table = read_plainly(table) if config.data.numbers == "plain" else table
        self.preparer = Preparer.of(config, kept=1, keep_spaces=True)
        self._rate = rated_by or (lambda asked, before: rate(parser, self.preparer, asked, before))
        self._told: list[_Told] = []
        self._last_rated: tuple[_Told, _Rated] | None = None

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
        """Answer a question, the next of the conversation; what cannot be said is declined with a sentence.

        Raises:
            DataError: there is no question, or one that is too long.
        """
        text = text.strip()
        if not text:
            raise DataError("the question is empty; write what you want to know")
        if len(text) > LONGEST:
            raise DataError(f"the question is longer than {LONGEST:,} characters; ask it in short")
        before = self._context
        wish = wish_of(text, self.table)
        rated: _Rated | None = None
        sentence = reason_to_decline(text, self.table, wish)
        if sentence is None and wish is not None and not wish.says_more:
            told = self._compute_again(text, before, wish)
        elif sentence is None:
            rated = self._rated(text, before, wish)
            told = self._best(text, before, wish, rated)
        else:
            told = _Told(before, before, wish, declined_turn(text, sentence))
        self._told.append(told)
        self._last_rated = (told, rated) if rated is not None else None
        return told.turn

    def readings(self, count: int = 3) -> tuple[Reading, ...]:
        """Return the best ways to understand the last question, each with an answer of its own, the one taken first.

        There are none of a question that was declined because it is not about the table.

        Raises:
            DataError: nothing was asked yet.
        """
        told = self._last()
        if told.turn.declined and off_topic(told.turn.question, self.table):
            return ()
        found: list[Reading] = []
        seen: list[Denotation] = []
        for way in self._ways(told):
            if any(way.answer.same_as(other) for other in seen):
                continue
            seen.append(way.answer)
            taken = print_program(way.program) == told.turn.program
            turn = told.turn if taken else self._tell(told.turn.question, told.before, told.wish, way).turn  # fmt: skip
            found.insert(0 if taken else len(found), Reading(turn, way.probability, way.critique))
            if len(found) >= count and (not told.turn.program or found[0].turn is told.turn):
                break
        return tuple(found[:count])

    def choose(self, program: str) -> Turn:
        """Take another reading of the last question, by its program as written; what is asked next follows up on that.

        Raises:
            DataError: nothing was asked yet, or it is not among the readings.
        """
        told = self._last()
        for way in self._ways(told):
            if print_program(way.program) == program:
                rated = self._last_rated
                self._told[-1] = self._tell(told.turn.question, told.before, told.wish, way)
                self._last_rated = (self._told[-1], rated[1]) if rated is not None else None
                return self._told[-1].turn
        raise DataError(f"{program} is not among the readings of the last question")

    def recall(self, text: str, program: str, confidence: float, sure: bool) -> Turn:
        """Take up a turn of before as it was, without asking the parser.

        Args:
            text: the question.
            program: what it was taken to mean, as written; empty if it was declined.
            confidence: as it was.
            sure: as it was.

        Raises:
            ProgramError: the program does not belong to this table and what was asked before.
        """
        before, wish = self._context, wish_of(text, self.table)
        if program:
            tree = parse_program(program)
            found = execute(tree, self.table, before.previous)
            told = self._turn(text, before, wish, tree, found, confidence, sure)
        else:
            sentence = reason_to_decline(text, self.table, wish) or nothing_found(self.table)
            told = _Told(before, before, wish, declined_turn(text, sentence))
        self._told.append(told)
        return told.turn

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

    def _rated(self, text: str, before: _Context, wish: Wish | None) -> _Rated:
        """The best programs of a question."""
        asked = self._plain(text, wish)
        question = Question("chat", "0", len(before.asked), asked, self.table, "", before.asked)
        return self._rate(question, before.previous)

    def _plain(self, text: str, wish: Wish | None) -> str:
        """The question for cells: as it was asked, or what is left of it when something is to be computed."""
        if wish is None or wish.done or looks_up(wish, self.table):
            return text
        return wish.question

    def _best(self, text: str, before: _Context, wish: Wish | None, rated: _Rated) -> _Told:
        """The best way to understand a question, or a sentence if there is none."""
        way = next(self._each_way(wish, rated), None)
        unlikely = (
            wish is not None
            and wish.each
            and way is not None
            and way.probability < rated[0].probability / 5
        )
        if way is None or unlikely:
            sentence = _cannot_compute(wish)
            return _Told(before, before, wish, declined_turn(text, sentence))
        confidence, sure = self._confidence(way, wish, rated, before)
        if confidence < UNLIKELY and not before.asked and off_topic(text, self.table):
            return _Told(before, before, wish, declined_turn(text, nothing_found(self.table)))
        return self._turn(text, before, wish, way.program, way.answer, confidence, sure)

    def _ways(self, told: _Told) -> Iterator[RatedProgram]:
        """All ways to understand the last question, likely ones first; then the cells of a value, or the sum of several numbers."""
        if self._last_rated is None or self._last_rated[0] is not told:
            self._last_rated = told, self._rated(told.turn.question, told.before, told.wish)
        rated, wish = self._last_rated[1], told.wish
        if wish is not None and not wish.says_more:
            again = self._same_again(told.before, wish)
            if again is not None:
                yield again
        first = None
        for way in self._each_way(wish, rated):
            first = first or way
            yield way
        if first is None or wish is None:
            return
        if first.program.aggregate is not None:
            plain = replace(first.answer, value=None)
            yield replace(first, program=replace(first.program, aggregate=None), answer=plain)
        elif len(first.answer.rows) > 1:
            program, found = with_value(first.program, first.answer, "sum", self.table)
            yield replace(first, program=program, answer=found)

    def _each_way(self, wish: Wish | None, rated: _Rated) -> Iterator[RatedProgram]:
        """The best programs, each with what is wished computed of its cells; those of which it cannot be are left out."""
        if wish is None:
            yield from rated
            return
        for way in _said_first(rated, wish):
            value = computed(way.program, way.answer, wish, self.table)
            if value is not None:
                yield replace(way, program=value[0], answer=value[1])

    def _confidence(
        self, way: RatedProgram, wish: Wish | None, rated: _Rated, before: _Context
    ) -> tuple[float, bool]:
        counts = wish is not None and wish.kind == "count" and way.program.aggregate == "count"
        plain = replace(way.answer, value=None)
        same = [
            other.answer.rows == plain.rows if counts else other.answer.same_as(plain)
            for other in rated
        ]
        probabilities = [other.probability for other in rated]
        return self.parser.confidence(probabilities, same, bool(before.asked))

    def _same_again(self, before: _Context, wish: Wish) -> RatedProgram | None:
        try:
            program = same_again(wish, self.table, before.previous)
        except DataError:
            return None
        found = execute(program, self.table, before.previous)
        way = computed(program, found, wish, self.table)
        return RatedProgram(*way, 1.0, 1.0, 0.0) if way is not None else None

    def _compute_again(self, text: str, before: _Context, wish: Wish) -> _Told:
        """A value of the previous answer, as sure as that was."""
        try:
            same_again(wish, self.table, before.previous)
        except DataError as error:
            return _Told(before, before, wish, declined_turn(text, str(error)))
        way = self._same_again(before, wish)
        if way is None:
            return _Told(before, before, wish, declined_turn(text, _cannot_compute(wish)))
        last = next((t.turn for t in reversed(self._told) if t.turn.program), None)
        confidence, sure = (last.confidence, last.sure) if last is not None else (1.0, True)
        return self._turn(text, before, wish, way.program, way.answer, confidence, sure)

    def _tell(self, text: str, before: _Context, wish: Wish | None, way: RatedProgram) -> _Told:
        """A question understood in some way."""
        assert self._last_rated is not None
        confidence, sure = self._confidence(way, wish, self._last_rated[1], before)
        return self._turn(text, before, wish, way.program, way.answer, confidence, sure)

    def _turn(
        self,
        text: str,
        before: _Context,
        wish: Wish | None,
        program: Program,
        found: Denotation,
        confidence: float,
        sure: bool,
    ) -> _Told:
        query = to_sql(program, self.table, before.query)
        turn = turn_of(text, self.table, program, found, query, confidence, sure)
        depth = before.depth + 1 if SCOPES[program.scope].follows else 0
        if depth >= DEEP:  # SQL that nests further would be no help to anyone
            columns = [self.table.names[column] for column in found.columns]
            query, depth = rows_query(found.rows, columns, self.table), 0
        asked = (*before.asked, self._plain(text, wish))
        after = _Context(asked, replace(found, value=None), query, depth)
        return _Told(before, after, wish, replace(turn, source=self.source))


def _said_first(rated: _Rated, wish: Wish) -> list[RatedProgram]:
    """A question's best programs, in the order in which a value is computed of them: nobody notices rows too many or too few in a sum.

    First those that the question bears out, those that single out a row by rank last (a column may be called "First ascent"), and of them those that go on with the last answer, where it says "of those". All rows are taken only if no likely program says
    more of the question, for parsers learn that first questions often ask for whole columns.
    """
    asked = f" {' '.join(tokenise(wish.question))} "
    those = any(f" {words} " in asked for words in ("of those", "of these", "of them"))

    def rank(way: RatedProgram) -> tuple[bool, bool]:
        likely = way.probability >= LIKELY * rated[0].probability
        follows = SCOPES[way.program.scope].follows
        ranks = wish.kind != "count" and len(way.answer.rows) == 1 and _is_by_rank(way.program)
        return those and not follows, not (likely and way.grounded and not ranks)

    order = sorted(rated, key=rank)
    first = order[0]
    if first.program.where is not None:
        return order
    likely = [way for way in order if way.probability >= LIKELY * first.probability]
    best = min(likely, key=lambda way: (rank(way), way.missed))
    return [best, *(way for way in order if way is not best)]


def _is_by_rank(program: Program) -> bool:
    where = program.where
    tests = () if where is None else (where,) if isinstance(where, Test) else where.parts
    return any(test.operator in _BY_RANK for test in tests)


def _cannot_compute(wish: Wish | None) -> str:
    if wish is not None and wish.each:
        return f"{NO_GROUPS}; {CAN}."
    if wish is None or wish.kind == "count":
        return "I can count different values only in the whole table or in the last answer: ask for the rows first, then how many different ones there are."
    return f"I found no column of numbers for the {wish.kind} that you ask for; name it as it is in the table's head."
