"""A conversation with a parser about a table: questions in, turns with answer, program, SQL and reason out."""

from __future__ import annotations

from typing import Final

from denota.app.run import Turn, turn_of
from denota.data.example import Question
from denota.errors import TableError
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.operators import SCOPES
from denota.programs.sql import Query, rows_query, to_sql
from denota.search.preparer import Preparer
from denota.tables.plain import read_plainly
from denota.tables.table import Table

DEEP: Final = 8
"""After so many follow-ups in a row SQL names the rows of the previous answer instead of nesting its query."""
RATED: Final = 20
"""Of so many of the best programs, those with the same answer count for its probability."""


class Chat:
    """A conversation; each question is understood with the question and the answer before it."""

    def __init__(self, parser: Parser, table: Table) -> None:
        if not len(table):
            raise TableError("the table has no rows, so there is nothing to ask it")
        config = parser.config
        self.parser = parser
        self.table = read_plainly(table) if config.data.numbers == "plain" else table
        self.preparer = Preparer.of(config, kept=2)
        self.asked: tuple[str, ...] = ()
        self.previous: Denotation | None = None
        self.query: Query | None = None
        self.depth = 0
        """How many turns the last query nests."""

    def ask(self, text: str) -> Turn:
        """Answer a question, the next of the conversation."""
        question = Question("chat", "0", len(self.asked), text, self.table, "", self.asked)
        ready = self.preparer(question, self.previous)
        ids, probabilities = self.parser.rated([ready], RATED)[0]
        answers = [ready.denotation(number) for number in ids]
        program, found = ready.space.program(ids[0]), answers[0]
        query = to_sql(program, self.table, self.query)
        same = [answer.same_as(found) for answer in answers]
        confidence, sure = self.parser.confidence(probabilities, same, bool(self.asked))
        self.asked, self.previous, self.query = (*self.asked, text), found, query
        if SCOPES[program.scope].follows:
            self.depth += 1
        else:
            self.depth = 0
        if self.depth >= DEEP:  # SQL that nests further would be no help to anyone
            columns = [self.table.names[column] for column in found.columns]
            self.query, self.depth = rows_query(found.rows, columns, self.table), 0
        return turn_of(text, self.table, program, found, query, confidence, sure)
