"""A conversation with a parser about a table: questions in, turns with answer, program, SQL and reason out.

A turn can be read in other ways: `readings` tells the best of them, `choose` takes one, and what is asked next follows up on that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from denota.conversation.choosing import alike, in_order, with_ties
from denota.conversation.decline import CAN, NO_GROUPS, nothing_found, off_topic, reason_to_decline
from denota.conversation.given import Given, items_in
from denota.conversation.mentions import named_in, unused
from denota.conversation.rating import RatedProgram, rate
from denota.conversation.requests import (
    Wish,
    computed,
    computes,
    plain_question,
    same_again,
    wish_of,
    with_value,
)
from denota.conversation.spelling import respelt
from denota.conversation.turn import Turn, declined_turn, pointed_turn, told_turn, turn_of
from denota.data.answer import Item
from denota.data.example import Question
from denota.errors import DataError, TableError
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.operators import SCOPES
from denota.programs.sql import Query, rows_query, to_sql
from denota.programs.text import parse_program, print_program
from denota.programs.tree import Program
from denota.search.preparer import Preparer
from denota.tables.io import read_table
from denota.tables.plain import table_read_as
from denota.tables.table import Cell, Table
from denota.teaching.log import Pointed, TeachingLog
from denota.teaching.teacher import Taught, Teacher

LONGEST: Final = 2000
"""Characters of a question."""
LEFT_OUT: Final = 0.75
"""Confidence is worth so much where a value or number of the question is left out: on SQA's dev questions 50% of such answers are right, of others 67%."""
POINTED: Final = "These cells were pointed at; no program gives just them."
TOLD: Final = "This is what it was said to be; no program gives it."
NOT_YET: Final = "This parser only learns to pick cells, and the rest of this question is worked out by rules, so the lesson is kept and not learnt; click the cells to be counted or added up instead."
DEEP: Final = 8
"""After so many follow-ups in a row SQL names the rows of the previous answer instead of nesting its query."""
UNLIKELY: Final = 0.35
"""Below this confidence, a question with no word of the table's is taken to be about something else."""
Rate = Callable[[Question, Denotation | None], tuple[RatedProgram, ...]]
"""What finds a question's best programs, best first, given the answer before it."""
_Rated = tuple[RatedProgram, ...]


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
class _Asked:
    """A question before it is understood."""

    typed: str
    text: str
    """In the table's spelling."""
    respelt: Mapping[str, str]
    """What was changed for that."""
    before: _Context
    wish: Wish | None
    """What is to be computed, if anything."""
    plain: str
    """The question for cells: the text, or what is left of it when something is to be computed."""
    named: tuple[str, ...]
    """The values and numbers that it names."""


@dataclass(frozen=True, eq=False)
class _Told:
    """A question as it was understood."""

    asked: _Asked
    after: _Context
    turn: Turn


class Chat:
    """A conversation; each question is understood with the question and the answer before it.

    Args:
        parser: what understands the questions.
        table: what they are about, in any form that `denota.read_table` takes.
        rated_by: what rates programs, if not the parser by itself.
        teacher: what it is taught by; without one lessons last as long as the conversation.
        person: who teaches, where several do.
    """

    def __init__(
        self,
        parser: Parser,
        table: Any,
        rated_by: Rate | None = None,
        teacher: Teacher | None = None,
        person: str = "",
    ) -> None:
        self.source = table
        table = read_table(table)
        if not len(table):
            raise TableError("the table has no rows, so there is nothing to ask it")
        config = parser.config
        self.parser = parser
        self.table: Table = table_read_as(table, config.data.numbers)
        self.preparer = Preparer.of(config, 1, True, parser.language)
        self.teacher = teacher or Teacher(parser, TeachingLog())
        self.person = person
        self.rated_by: Rate = rated_by or self._rated_here
        self._told: list[_Told] = []
        self._last_rated: tuple[_Told, _Rated] | None = None

    @property
    def computes(self) -> bool:
        """Whether the parser itself computes values: then no rule of English takes a question apart, changes the order of programs or declines a count.

        Else what a question wants computed is a matter of `computed`, and which of its programs is taken one of `choosing`.
        """
        return computes(self.parser.language)

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
        asked = self._asked(text)
        rated: _Rated | None = None
        sentence = reason_to_decline(asked.text, self.table, asked.wish, self.computes)
        if sentence is not None:
            told = _declined(asked, sentence)
        elif asked.wish is not None and not asked.wish.says_more:
            told = self._compute_again(asked, asked.wish)
        else:
            rated = self._rated(asked)
            told = self._best(asked, rated)
        self._told.append(told)
        self._last_rated = (told, rated) if rated is not None else None
        if told.turn.program and (told.turn.cells or self._is_computed(told.turn)):
            self.teacher.note(self.table, self._pointed(told), self.person)
        return told.turn

    def readings(self, count: int = 3) -> tuple[Reading, ...]:
        """Return the best ways to understand the last question, each with an answer of its own, the one taken first.

        There are none of a question that was declined because it is not about the table.

        Raises:
            DataError: nothing was asked yet.
        """
        told = self._last()
        if told.turn.declined and off_topic(told.asked.text, self.table):
            return ()
        found: list[Reading] = []
        seen: list[Denotation] = []
        for way in self._ways(told):
            if any(alike(way.answer, other) for other in seen):
                continue
            seen.append(way.answer)
            taken = print_program(way.program) == told.turn.program
            turn = told.turn if taken else self._tell(told.asked, way).turn
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
                self.teacher.forget(self.table, self._pointed(told), self.person)
                self._told[-1] = self._tell(told.asked, way)
                self.teacher.note(self.table, self._pointed(self._told[-1]), self.person)
                self._last_rated = (self._told[-1], rated[1]) if rated is not None else None
                return self._told[-1].turn
        raise DataError(f"{program} is not among the readings of the last question")

    def recall(
        self,
        text: str,
        program: str,
        confidence: float,
        sure: bool,
        cells: Iterable[Cell] | None = None,
        values: Iterable[Given] | None = None,
    ) -> Turn:
        """Take up a turn of before as it was, without asking the parser.

        Args:
            text: the question.
            program: what it was taken to mean, as written; empty if it was declined.
            confidence: as it was.
            sure: as it was.
            cells: that were pointed at, if no program gives them.
            values: that a person said are right, likewise.

        Raises:
            ProgramError: the program does not belong to this table and what was asked before.
        """
        asked = self._asked(text)
        if program:
            tree = parse_program(program)
            found = execute(tree, self.table, asked.before.previous)
            told = self._turn(asked, tree, found, confidence, sure)
        elif cells is not None:
            told = self._pointed_at(asked, frozenset(cells), POINTED)
        elif values is not None:
            told = self._told_of(asked, items_in(values), TOLD)
        else:
            reason = reason_to_decline(asked.text, self.table, asked.wish, self.computes)
            told = _declined(asked, reason or nothing_found(self.table))
        self._told.append(told)
        return told.turn

    def teach(
        self,
        turn: int | Turn,
        cells: Iterable[Cell] | None = None,
        program: str | None = None,
        values: Iterable[Given] | None = None,
    ) -> Taught:
        """Say what the right answer to a question is, so that the parser learns; what was asked after it is dropped.

        Args:
            turn: the question, as its place in the conversation or as the turn itself.
            cells: of the answer, `(row, column)` each.
            program: which of the readings that give the answer is meant, as written; the best if None, none of them if empty.
            values: the answer, where it is not given as cells: texts, numbers, true or false, or `(group, value)` pairs; no value at all says that there is none.

        Raises:
            DataError: there is no such turn, there are no such cells, or the answer is given as cells and values, or not at all.
        """
        if (cells is None) == (values is None):
            raise DataError("say which cells are right, or which values; one of the two")
        place = turn if isinstance(turn, int) else _place(self.turns, turn)
        if not -len(self._told) <= place < len(self._told):
            raise DataError("there is no such turn")
        place %= len(self._told)
        asked = self._told[place].asked
        before = asked.before
        items = None if values is None else items_in(values)
        own = frozenset((int(row), int(column)) for row, column in cells or ())
        by_rules = items is not None and asked.plain != asked.text
        pointed = Pointed(
            asked.typed,
            asked.plain,
            before.asked,
            before.previous,
            own,
            "" if by_rules else program,
            items,
        )
        for told in self._told[place:]:
            self.teacher.forget(self.table, self._pointed(told), self.person)
        taught = self.teacher.teach(self.table, pointed, self.person)
        if by_rules:
            taught = replace(taught, readings=(), said=NOT_YET)
        if taught.taken is not None:
            found = execute(taught.taken, self.table, before.previous)
            corrected = self._turn(asked, taught.taken, found, 1.0, True)
        elif items is not None:
            corrected = self._told_of(asked, items, taught.said)
        else:
            corrected = self._pointed_at(asked, own, taught.said)
        self._told[place:] = [corrected]
        self._last_rated = None
        return taught

    def told_as(self, programs: Iterable[Program]) -> tuple[Turn, ...]:
        """Return the last question as it would be told for each of some programs."""
        asked = self._last().asked
        found = ((one, execute(one, self.table, asked.before.previous)) for one in programs)
        return tuple(self._turn(asked, one, answer, 1.0, True).turn for one, answer in found)

    def unteach(self) -> str:
        """Take the last lesson back and return the question it was about; answers that were given stay as they are.

        Raises:
            DataError: there is none.
        """
        record = self.teacher.undo(self.person)
        self._last_rated = None
        return record.pointed.question if record.pointed is not None else ""

    def undo(self) -> None:
        """Take the last question back.

        Raises:
            DataError: nothing was asked yet.
        """
        self.teacher.forget(self.table, self._pointed(self._last()), self.person)
        self._told.pop()

    def reset(self) -> None:
        """Begin again."""
        self._told.clear()

    def _last(self) -> _Told:
        if not self._told:
            raise DataError("nothing was asked yet")
        return self._told[-1]

    def _rated_here(self, question: Question, previous: Denotation | None) -> _Rated:
        parser = replace(self.parser, memory=self.teacher.memory(self.person))
        return rate(parser, self.preparer, question, previous)

    def _pointed_at(self, asked: _Asked, cells: frozenset[Cell], said: str) -> _Told:
        """A question whose answer a person pointed at, and that no program gives."""
        found = Denotation.of_cells(cells)
        names = [self.table.names[column] for column in found.columns]
        query = rows_query(found.rows, names, self.table)
        turn = pointed_turn(asked.typed, self.table, cells, query, said)
        after = _Context((*asked.before.asked, asked.plain), found, query, 0)
        return _Told(asked, after, replace(turn, source=self.source))

    def _told_of(self, asked: _Asked, items: tuple[Item, ...], said: str) -> _Told:
        """A question whose answer a person said in values, and that no program gives: there are no cells to follow up on."""
        turn = told_turn(asked.typed, self.table, items, said)
        after = _Context((*asked.before.asked, asked.plain))
        return _Told(asked, after, replace(turn, source=self.source))

    def _is_computed(self, turn: Turn) -> bool:
        """Whether an answer is values that the parser itself gives."""
        return turn.computed and self.computes

    def _pointed(self, told: _Told) -> Pointed:
        """A turn as if its answer had been said to be right: its values, or, where rules computed those, the cells that the parser picked."""
        asked, before, turn = told.asked, told.asked.before, told.turn
        values = turn.items if self._is_computed(turn) else None
        cells = frozenset(turn.cells) if values is None else frozenset[Cell]()
        own = (asked.typed, asked.plain, before.asked, before.previous, cells)
        return Pointed(*own, turn.program or None, values)

    def _asked(self, typed: str) -> _Asked:
        """A question, the next of the conversation, with what can be said of it beforehand."""
        text, changed = respelt(typed, self.table, self.parser.scorer.knows)
        wish = None if self.computes else wish_of(text, self.table)
        plain = plain_question(text, wish, self.table)
        named = named_in(text, self.table)
        return _Asked(typed, text, changed, self._context, wish, plain, named)

    def _rated(self, asked: _Asked) -> _Rated:
        """The best programs of a question."""
        past = asked.before.asked
        question = Question("chat", "0", len(past), asked.plain, self.table, "", past)
        return self.rated_by(question, asked.before.previous)

    def _best(self, asked: _Asked, rated: _Rated) -> _Told:
        """The best way to understand a question, or a sentence if there is none."""
        wish = asked.wish
        way = next(self._each_way(asked, rated), None)
        if way is None:
            return _declined(asked, _cannot_compute(wish))
        if wish is not None and wish.each and way.probability < rated[0].probability / 5:
            return _declined(asked, _cannot_compute(wish))
        confidence, sure = self._confidence(asked, way, rated)
        if confidence < UNLIKELY and not asked.before.asked and off_topic(asked.text, self.table):
            return _declined(asked, nothing_found(self.table))
        return self._turn(asked, way.program, way.answer, confidence, sure)

    def _ways(self, told: _Told) -> Iterator[RatedProgram]:
        """All ways to understand the last question, likely ones first; then the cells of a value, or the sum of several numbers."""
        asked = told.asked
        if self._last_rated is None or self._last_rated[0] is not told:
            self._last_rated = told, self._rated(asked)
        rated, wish = self._last_rated[1], asked.wish
        if wish is not None and not wish.says_more:
            again = self._same_again(asked.before, wish)
            if again is not None:
                yield again
        first = None
        for way in self._each_way(asked, rated):
            first = first or way
            yield way
        if first is None or wish is None:
            return
        if first.program.aggregate is not None:
            plain = replace(first.answer, values=None)
            yield replace(first, program=replace(first.program, aggregate=None), answer=plain)
        elif len(first.answer.rows) > 1:
            program, found = with_value(first.program, first.answer, "sum", self.table)
            yield replace(first, program=program, answer=found)

    def _each_way(self, asked: _Asked, rated: _Rated) -> Iterator[RatedProgram]:
        """Yield programs in the order to try them, with what is wished computed of their cells; skip those of which it cannot be."""
        if self.computes:
            yield from rated
            return
        for one in in_order(rated, asked.plain, asked.named, asked.wish):
            way = with_ties(one, self.table, asked.before.previous)
            if asked.wish is not None:
                value = computed(way.program, way.answer, asked.wish, self.table)
                if value is None:
                    continue
                way = replace(way, program=value[0], answer=value[1])
            yield way

    def _confidence(self, asked: _Asked, way: RatedProgram, rated: _Rated) -> tuple[float, bool]:
        """How likely a way is right, and whether that is sure; never if it leaves out what the question names."""
        own = way.rated_as
        counts = way.program.aggregate == "count" and own.values is None  # counted by rules
        same = [
            other.rated_as.rows == own.rows if counts else alike(other.rated_as, own)
            for other in rated
        ]
        probabilities = [other.probability for other in rated]
        confidence, sure = self.parser.confidence(probabilities, same, bool(asked.before.asked))
        if unused(asked.named, way.program):
            return confidence * LEFT_OUT, False
        return confidence, sure

    def _same_again(self, before: _Context, wish: Wish) -> RatedProgram | None:
        try:
            program = same_again(wish, self.table, before.previous)
        except DataError:
            return None
        found = execute(program, self.table, before.previous)
        way = computed(program, found, wish, self.table)
        return RatedProgram(*way, found, 1.0, 1.0, 0.0) if way is not None else None

    def _compute_again(self, asked: _Asked, wish: Wish) -> _Told:
        """A value of the previous answer, as sure as that was."""
        try:
            same_again(wish, self.table, asked.before.previous)
        except DataError as error:
            return _declined(asked, str(error))
        way = self._same_again(asked.before, wish)
        if way is None:
            return _declined(asked, _cannot_compute(wish))
        last = next((t.turn for t in reversed(self._told) if t.turn.program), None)
        confidence, sure = (last.confidence, last.sure) if last is not None else (1.0, True)
        return self._turn(asked, way.program, way.answer, confidence, sure)

    def _tell(self, asked: _Asked, way: RatedProgram) -> _Told:
        """A question understood in some way."""
        assert self._last_rated is not None
        confidence, sure = self._confidence(asked, way, self._last_rated[1])
        return self._turn(asked, way.program, way.answer, confidence, sure)

    def _turn(
        self, asked: _Asked, program: Program, found: Denotation, confidence: float, sure: bool
    ) -> _Told:
        before = asked.before
        query = to_sql(program, self.table, before.query)
        turn = turn_of(asked.typed, self.table, program, found, query, confidence, sure)
        said = turn.explanation + _remarks(asked, program)
        depth = before.depth + 1 if SCOPES[program.scope].follows else 0
        if depth >= DEEP:  # SQL that nests further would be no help to anyone
            columns = [self.table.names[column] for column in found.columns]
            query, depth = rows_query(found.rows, columns, self.table), 0
        after = _Context(
            (*before.asked, asked.plain), replace(found, values=None, groups=()), query, depth
        )
        return _Told(asked, after, replace(turn, explanation=said, source=self.source))


def _place(turns: Sequence[Turn], turn: Turn) -> int:
    for place in reversed(range(len(turns))):
        if turns[place] is turn or turns[place] == turn:
            return place
    raise DataError("there is no such turn")


def _declined(asked: _Asked, sentence: str) -> _Told:
    """A question that is not answered; the conversation goes on as if it had not been asked."""
    return _Told(asked, asked.before, declined_turn(asked.typed, sentence))


def _remarks(asked: _Asked, program: Program) -> str:
    """What a person should know of an answer besides: how words were read, and which were left out."""
    remarks = [f" “{typed}” is read as “{meant}”." for typed, meant in asked.respelt.items()]
    left_out = unused(asked.named, program)
    if left_out:
        remarks.append(f" It does not use {' and '.join(f'“{name}”' for name in left_out[:3])}.")
    return "".join(remarks)


def _cannot_compute(wish: Wish | None) -> str:
    if wish is not None and wish.each:
        return f"{NO_GROUPS}; {CAN}."
    if wish is None or wish.kind == "count":
        return "I can count different values only in the whole table or in the last answer: ask for the rows first, then how many different ones there are."
    return f"I found no column of numbers for the {wish.kind} that you ask for; name it as it is in the table's head."
