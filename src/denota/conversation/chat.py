"""A conversation with a parser about a table: questions in, turns with answer and reason out.

A turn can be read in other ways: `readings` gives the best of them, `choose` takes one, and the
next question follows up on that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Final, get_args

from denota.conversation.about import AskedScope
from denota.conversation.answered import (
    AS_TAUGHT,
    POINTED,
    TOLD,
    Answered,
    Nested,
    Reading,
    accepted_before,
    as_correction,
    can_be_accepted,
    remarks_on,
)
from denota.conversation.asked import Asked, Context
from denota.conversation.behind import MANY, lesson_behind, shown, with_readings
from denota.conversation.confidence import confidence_in, sees_doubt
from denota.conversation.decline import nothing_found, off_topic
from denota.conversation.given import Given, items_in
from denota.conversation.html import ShownTurns
from denota.conversation.linking import linked
from denota.conversation.pushed_down import push_down
from denota.conversation.rating import RatedProgram, alike, rate
from denota.conversation.requests import cells_of, computes, with_value
from denota.conversation.turn import (
    Turn,
    asking_back,
    declined_turn,
    pointed_turn,
    told_turn,
    turn_of,
)
from denota.conversation.understand import PARSE, steps_of, understand, ways, with_programs
from denota.data.answer import Item
from denota.data.example import LONGEST, Question
from denota.errors import DataError, TableError
from denota.extras import needed_for
from denota.model.features import Features
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.operators import SCOPES
from denota.programs.sql import rows_query, to_sql
from denota.programs.text import parse_program, print_program
from denota.programs.tree import Program
from denota.search.preparer import Preparer
from denota.tables.io import read_table
from denota.tables.plain import table_read_as
from denota.tables.table import Cell, Table
from denota.teaching.log import Correction, Record, TeachingLog
from denota.teaching.teacher import Recalled, Taught, Teacher

DEEP: Final = 8
"""The most follow-ups whose SQL is nested; then SQL names the rows of the previous answer."""
Rate = Callable[[Question, Denotation | None], tuple[RatedProgram, ...]]
"""What finds a question's best programs, best first, given the answer before it."""


class Chat(ShownTurns):
    """A conversation; each question is understood with the question and the answer before it.

    Args:
        parser: what understands the questions.
        table: what they are about, in any form that `denota.read_table` takes.
        rated_by: what rates programs, if not the parser by itself.
        teacher: what it is taught by; without one lessons last as long as the conversation.
        person: who teaches, where several do.
        session: what the conversation is called in the log of lessons, from which all of it can be
            erased.
        without: names of steps of `understand` to leave out.
    """

    def __init__(
        self,
        parser: Parser,
        table: Any,
        rated_by: Rate | None = None,
        teacher: Teacher | None = None,
        person: str = "",
        without: Sequence[str] = (),
        session: str = "",
    ) -> None:
        # a slice of a frame can be an answer; an address is needed no more, and may be private
        self.source = None if isinstance(table, str | PathLike) else table
        with needed_for("this table"):
            table = read_table(table)
        if not len(table):
            raise TableError("the table has no rows, so there is nothing to ask it")
        config = parser.config
        self.parser = parser
        self.table: Table = table_read_as(table, config.data.numbers)
        self.preparer = Preparer.of(config, 1, True, parser.language)
        self.teacher = teacher or Teacher(parser, TeachingLog())
        self.person, self.session = person, session
        self.rated_by: Rate = rated_by or self._rated_here
        self.pipeline = steps_of(parser, without)
        self._answered: list[Answered] = []

    @property
    def computes(self) -> bool:
        """Whether the parser computes values; else the steps `requests` and `compute` do."""
        return computes(self.parser.language)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The conversation so far."""
        return tuple(one.turn for one in self._answered)

    @property
    def taught(self) -> tuple[bool, ...]:
        """Of which turns a person said what is right."""
        return tuple(one.taught for one in self._answered)

    @property
    def afresh(self) -> tuple[bool, ...]:
        """Which turns were understood as if nothing had been asked before."""
        return tuple(one.asked.before == Context() for one in self._answered)

    @property
    def previous(self) -> Denotation | None:
        """The last answer, which the next question may follow up on."""
        return self._context.previous

    @property
    def _context(self) -> Context:
        return self._answered[-1].after if self._answered else Context()

    @property
    def _nested(self) -> Nested:
        return self._answered[-1].nested if self._answered else Nested()

    def ask(self, text: str, scope: AskedScope = "auto") -> Turn:
        """Answer the next question; what cannot be said is declined with a sentence.

        Args:
            text: the question.
            scope: `table` asks the whole table, as if nothing had been asked before; `auto` finds
                out whether the question follows up on the last answer.

        Raises:
            DataError: there is no question, one that is too long, or no such scope.
        """
        if scope not in get_args(AskedScope):
            raise DataError(f"there is no scope {scope}; it is {' or '.join(get_args(AskedScope))}")
        text = text.strip()
        if not text:
            raise DataError("the question is empty; write what you want to know")
        if len(text) > LONGEST:
            raise DataError(f"the question is longer than {LONGEST:,} characters; ask it in short")
        self.table = linked(self.table, text)
        before = Context() if scope == "table" else self._context
        known = self.teacher.recalled(self.table, text, before.previous, self.person)
        if known is not None:
            answered = self._as_taught(self._before_parsing(text, before), known)
        else:
            asked = Asked.of(text, self.table, before)
            asked = understand(asked, self.parser, self._rate_all, self.pipeline)
            if asked.best is None or asked.reason:
                answered = self._declined(asked, asked.reason or nothing_found(self.table))
            else:
                answered = self._told(asked, asked.best.program, asked.best.answer)
                if asked.asks_back and asked.other is not None:
                    answered = self._asked_back(answered, asked.other)
        self._add(answered)
        if answered.turn.scope == "previous" and self.teacher.has_taught(self.table, self.person):
            self.teacher.accept(
                accepted_before(self._answered, self.computes, self.table, 1),
                self.person,
                self.session,
            )
        return self._answered[-1].turn

    def accept(self, turn: int | Turn = -1) -> Turn:
        """Say that an answer is right: lessons must not spoil it. It is written down.

        Raises:
            DataError: there is no such turn, or it is no answer of the parser's own.
        """
        place = self._place(turn)
        if not can_be_accepted(self._answered[place], self.computes):
            raise DataError("only an answer that the parser gave can be said to be right")
        self._answered[place] = replace(self._answered[place], accepted=True)
        one = self._answered[place]
        answered = [(one.table or self.table, as_correction(one, self.computes))]
        self.teacher.accept(answered, self.person, self.session)
        return one.turn

    def readings(self, count: int = 3, turn: int | Turn = -1) -> tuple[Reading, ...]:
        """Return the best ways to understand a question, the one taken first.

        Each has an answer of its own. There are none of a question that was declined because it is
        not about the table.

        Args:
            count: how many, at most.
            turn: the question, as its place in the conversation or as the turn itself.

        Raises:
            DataError: nothing was asked yet, or there is no such turn.
        """
        self._last()
        place = self._place(turn)
        answered = self._answered[place]
        if answered.turn.declined and off_topic(answered.asked.text, self.table):
            return ()
        found: list[Reading] = []
        seen: list[Denotation] = []
        first = False
        for way in self._ways(place):
            if any(alike(way.answer, other) for other in seen):
                continue
            seen.append(way.answer)
            taken = way.program == answered.turn.tree
            first = first or taken
            stands = taken and not answered.turn.asks_back
            own = answered.turn if stands else self._as(way, place).turn
            found.insert(0 if taken else len(found), Reading(own, way.probability, way.critique))
            if len(found) >= count and (first or not answered.turn.program):
                break
        return tuple(found[:count])

    def choose(self, program: str, turn: int | Turn = -1) -> Turn:
        """Take a reading of a question, by its program as written; a person says it is meant.

        What was asked after it is dropped.

        Raises:
            DataError: nothing was asked yet, or it is not among the readings.
        """
        self._last()
        place = self._place(turn)
        for way in self._ways(place):
            if print_program(way.program) == program:
                answered = self._as(way, place, chosen=True)
                self._answered[place:] = [answered]
                return answered.turn
        raise DataError(f"{program} is not among the readings of the question")

    def recall(
        self,
        text: str,
        program: str,
        confidence: float,
        sure: bool,
        cells: Iterable[Cell] | None = None,
        values: Iterable[Given] | None = None,
        taught: bool = False,
        afresh: bool = False,
    ) -> Turn:
        """Take up a turn of before as it was, without asking the parser.

        Args:
            text: the question.
            program: what it was taken to mean, as written; empty if it was declined.
            confidence: as it was.
            sure: as it was.
            cells: that were pointed at, if no program gives them.
            values: that a person said are right, likewise.
            taught: whether a person said what is right, as `Chat.taught` had it.
            afresh: whether it was understood without what was before, as `Chat.afresh` had it.

        Raises:
            ProgramError: the program does not belong to this table and what was asked before.
        """
        asked = self._before_parsing(text, Context() if afresh else self._context)
        asked = replace(asked, confidence=confidence, sure=sure, share=confidence)
        if program:
            tree = parse_program(program)
            found = execute(tree, self.table, asked.before.previous)
            answered = self._told(asked, tree, found)
        elif cells is not None:
            answered = self._pointed_at(asked, frozenset(cells), POINTED)
        elif values is not None:
            answered = self._told_of(asked, items_in(values), TOLD)
        else:
            answered = self._declined(asked, asked.reason or nothing_found(self.table))
        self._add(replace(answered, taught=taught))
        return self._answered[-1].turn

    def teach(
        self,
        turn: int | Turn,
        cells: Iterable[Cell] | None = None,
        program: str | None = None,
        values: Iterable[Given] | None = None,
    ) -> Taught:
        """Learn the right answer to a question; what was asked after it is dropped.

        The answers before it that were accepted, or that later questions built on, stay right.

        Args:
            turn: the question, as its place in the conversation or as the turn itself.
            cells: of the answer, `(row, column)` each.
            program: the reading that is meant, as written; the best that gives the answer if None,
                none of them if empty.
            values: the answer, if it is not cells: texts, numbers, true or false, or
                `(group, value)` pairs; empty if there is none.

        Raises:
            DataError: there is no such turn or cell, the answer is given twice or not at all, or
                the reading does not give it. Nothing changes then.
        """
        if (cells is None) == (values is None):
            raise DataError("say which cells are right, or which values; one of the two")
        place = self._place(turn)
        asked = replace(self._answered[place].asked.vouched(), rated=())
        items = None if values is None else items_in(values)
        own = frozenset((int(row), int(column)) for row, column in cells or ())
        before = asked.before
        question = (asked.typed, asked.plain, before.questions, before.previous)
        correction, readings = Correction(*question, own, program, items), None
        if items is not None and asked.plain != asked.text:
            said = Features(self.preparer(asked.question, before.previous))
            rated = rate(self._taught_parser, self.preparer, asked.question, before.previous, MANY)
            some = [one for one in rated if said.bears_out(one.program)]
            correction, readings = lesson_behind(asked, correction, some, self.pipeline)
        before_it = accepted_before(self._answered[:place], self.computes, self.table)
        taught = self.teacher.teach(self.table, correction, self.person, self.session, before_it)
        known = Recalled(correction, taught.taken)
        if readings is not None:
            taught = with_readings(taught, readings, before.previous, self.table)
        corrected = self._as_taught(asked, known, taught.said, self._nested_before(place))
        self._answered[place:] = [replace(corrected, taught=True)]
        return taught

    def told_as(self, programs: Iterable[Program]) -> tuple[Turn, ...]:
        """Return the last question as it would be told for each of some programs."""
        asked = self._last().asked.vouched()
        nested = self._nested_before(-1)
        found = ((one, execute(one, self.table, asked.before.previous)) for one in programs)
        return tuple(self._told(asked, one, answer, nested).turn for one, answer in found)

    def unteach(self) -> str:
        """Take the last lesson back and return its question; answers that were given stay.

        Raises:
            DataError: there is none.
        """
        return self._forgotten(self.teacher.undo(self.person, self.session))

    def forget(self, lesson: int) -> str:
        """Take one lesson back, by its number in the log, and return its question.

        Raises:
            DataError: there is none such.
        """
        return self._forgotten(self.teacher.forget(lesson, self.person, self.session))

    def _forgotten(self, record: Record) -> str:
        if self._answered:  # what it learnt may rate the last question otherwise
            last = self._answered[-1]
            self._answered[-1] = replace(last, asked=replace(last.asked, rated=()))
        return record.correction.question if record.correction is not None else ""

    def undo(self) -> None:
        """Take the last question back.

        Raises:
            DataError: nothing was asked yet.
        """
        self._last()
        self._answered.pop()

    def reset(self) -> None:
        """Begin again."""
        self._answered.clear()

    def _place(self, turn: int | Turn) -> int:
        """The place of a turn, which may be counted from the end."""
        count = len(self._answered)
        places = (n for n in reversed(range(count)) if turn in (n, n - count, self.turns[n]))
        place = next(places, None)
        if place is None:
            raise DataError("there is no such turn")
        return place

    def _last(self) -> Answered:
        if not self._answered:
            raise DataError("nothing was asked yet")
        return self._answered[-1]

    def _nested_before(self, place: int) -> Nested:
        """The SQL that a turn may nest."""
        place %= len(self._answered)
        return self._answered[place - 1].nested if place else Nested()

    @property
    def _taught_parser(self) -> Parser:
        return replace(self.parser, memory=self.teacher.memory(self.person))

    def _rated_here(
        self, question: Question, previous: Denotation | None
    ) -> tuple[RatedProgram, ...]:
        return rate(self._taught_parser, self.preparer, question, previous)

    def _rate_all(self, questions: Sequence[Asked]) -> list[tuple[RatedProgram, ...]]:
        return [self.rated_by(one.question, one.before.previous) for one in questions]

    def _ways(self, place: int) -> Iterator[RatedProgram]:
        """All ways to understand a question, and the cells of a value or their sum."""
        one = self._answered[place]
        asked = with_programs(one.asked, self.parser, self._rate_all, self.pipeline)
        self._answered[place] = replace(one, asked=asked)
        first = None
        for way in ways(asked, self.pipeline):
            first = first or way
            yield way
        if first is None or asked.request is None:
            return
        if first.program.aggregate is not None:
            cells = replace(first.answer, values=None, groups=())
            picks = cells_of(first.program)
            if picks is not None:
                yield replace(first, program=picks, answer=cells)
        elif len(first.answer.rows) > 1 and not asked.request.rank:
            program, found = with_value(first.program, first.answer, "sum", self.table)
            yield replace(first, program=program, answer=found)

    def _as(self, way: RatedProgram, place: int, chosen: bool = False) -> Answered:
        """A question understood in another way, which a person may have chosen."""
        asked = self._answered[place].asked
        if chosen and sees_doubt(self.parser) is not None:
            asked = asked.vouched()
        else:
            confidence, sure = confidence_in(asked, way, self.parser)
            asked = replace(asked, confidence=confidence, sure=sure)
        return self._told(asked, way.program, way.answer, self._nested_before(place))

    def _asked_back(self, answered: Answered, other: RatedProgram) -> Answered:
        """A question with two readings, as the question which of them is meant."""
        asked = answered.asked
        confidence, _ = confidence_in(asked, other, self.parser)
        confidence = min(confidence, asked.confidence)
        rival = replace(asked, confidence=confidence, sure=False)
        turn = self._told(rival, other.program, other.answer).turn
        return replace(answered, turn=asking_back(answered.turn, turn))

    def _told(
        self, asked: Asked, program: Program, found: Denotation, nested: Nested | None = None
    ) -> Answered:
        """A question with its program and answer."""
        nested = nested if nested is not None else self._nested
        query = to_sql(program, self.table, nested.query, found)
        remarks, known, rows = remarks_on(asked, program), found, 0
        if self.table.large is not None:
            pushed = push_down(query)
            self.table, query = pushed.table, pushed.query
            found, known = pushed.found, pushed.known
            remarks += pushed.remark
            rows = pushed.rows
        shown = (query, asked.confidence, asked.sure)
        turn = turn_of(asked.typed, self.table, program, found, *shown)
        follows = SCOPES[program.scope].follows
        turn = replace(turn, explanation=turn.explanation + remarks, rows=rows)
        if follows:
            before = asked.before.previous
            turn = replace(turn, scope="previous", among=len(before.rows) if before else 0)
        depth = nested.depth + 1 if follows else 0
        if depth >= DEEP:
            columns = [self.table.names[column] for column in found.columns]
            query, depth = rows_query(found.rows, columns, self.table), 0
        turn = replace(turn, source=self.source)
        after = asked.after(program, known)
        return Answered(asked, turn, after, Nested(query, depth), self.table)

    def _as_taught(
        self, asked: Asked, known: Recalled, said: str = "", nested: Nested | None = None
    ) -> Answered:
        """A question with the answer that a person taught."""
        asked = asked.vouched()
        if known.program is not None:
            found = execute(known.program, self.table, asked.before.previous)
            way = RatedProgram.certain(known.program, found, found)
            told = shown(way, asked, self.pipeline, but="ties") or way
            if known.correction.told is None and told.answer.cells != found.cells:
                told = way  # what was pointed at is the answer
            answered = self._told(asked, told.program, told.answer, nested)
            if said:
                return answered
            explanation = answered.turn.explanation + AS_TAUGHT
            return replace(answered, turn=replace(answered.turn, explanation=explanation))
        one = known.correction
        items = one.told if one.told is not None else one.values
        if items is not None:
            return self._told_of(asked, items, said or TOLD + AS_TAUGHT)
        return self._pointed_at(asked, one.cells, said or POINTED + AS_TAUGHT)

    def _before_parsing(self, text: str, before: Context) -> Asked:
        """A question with what the steps before the parser find out; its scope is known."""
        asked = Asked.of(text, self.table, before)
        for step in self.pipeline[: self.pipeline.index(PARSE)]:
            if step.change is not None and step.name != "scope":
                asked = step.change(asked, self.parser)
        return replace(asked, settled=None)

    def _add(self, answered: Answered) -> None:
        """Go on with an answer; if it builds on the one before, that is accepted by it.

        One that was not sure is not accepted by that: it is offered to be corrected first.
        """
        if answered.turn.scope == "previous":
            for place in reversed(range(len(self._answered))):
                before = self._answered[place]
                if before.turn.declined:
                    continue
                if before.turn.sure or before.accepted or sees_doubt(self.parser) is None:
                    self._answered[place] = replace(before, accepted=True)
                else:
                    turn = replace(answered.turn, builds_on=place)
                    answered = replace(answered, turn=turn)
                break
        self._answered.append(answered)

    def _pointed_at(self, asked: Asked, cells: frozenset[Cell], said: str) -> Answered:
        """A question whose answer a person pointed at, and that no program gives."""
        found = Denotation.of_cells(cells)
        names = [self.table.names[column] for column in found.columns]
        query = rows_query(found.rows, names, self.table)
        turn = pointed_turn(asked.typed, self.table, cells, query, said)
        after = Context((*asked.before.questions, asked.plain), found)
        return Answered(asked, replace(turn, source=self.source), after, Nested(query))

    def _told_of(self, asked: Asked, items: tuple[Item, ...], said: str) -> Answered:
        """A question whose answer a person said in values; there are no cells to follow up on."""
        turn = told_turn(asked.typed, self.table, items, said)
        after = Context((*asked.before.questions, asked.plain))
        return Answered(asked, replace(turn, source=self.source), after)

    def _declined(self, asked: Asked, sentence: str) -> Answered:
        """A question that is not answered; the conversation goes on as if it was not asked."""
        return Answered(asked, declined_turn(asked.typed, sentence), asked.before, self._nested)
