"""A question on its way to an answer, and what it is asked after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from denota.conversation.rating import RatedProgram
from denota.conversation.requests import AggregateRequest
from denota.data.example import Question
from denota.evaluation.calibration import Chances
from denota.programs.denotation import Denotation
from denota.programs.tree import Program
from denota.tables.table import Table


@dataclass(frozen=True)
class Context:
    """What a question is asked after."""

    questions: tuple[str, ...] = ()
    """The earlier questions, as the parser was asked."""
    previous: Denotation | None = None
    """The cells of the last answer; of a value the cells it comes from."""
    program: Program | None = None
    """The program of the last answer, its aggregate included."""
    confidence: float = 1.0
    """Of the last answer."""
    sure: bool = True
    share: float = 1.0
    """How much of all probability the last answer had, times that of all it builds on."""


@dataclass(frozen=True)
class Asked:
    """A question, and what the steps of `understand` found out about it so far."""

    typed: str
    table: Table = field(repr=False)
    before: Context = Context()
    opens: bool = True
    """Whether nothing was asked before it; `scope` may forget what was."""
    text: str = ""
    """In the table's spelling."""
    respelled: Mapping[str, str] = field(default_factory=dict)
    """The words changed for that."""
    named: tuple[str, ...] = ()
    """The values, numbers and dates that the question names."""
    request: AggregateRequest | None = None
    """The value that English rules compute of cells, if the parser picks cells only."""
    plain: str = ""
    """The question that the parser is asked: the text, or its rest without the request."""
    reason: str = ""
    """Why it is declined, if it is."""
    settled: RatedProgram | None = None
    """The program, where a step knows it without the parser."""
    rated: tuple[RatedProgram, ...] = ()
    """The parser's programs, best first."""
    ranked: tuple[RatedProgram, ...] = ()
    """The programs in the order to take them."""
    best: RatedProgram | None = None
    """The program that is taken, with the requested value computed."""
    other: RatedProgram | None = None
    """The best program with another answer, if there is one."""
    chances: Chances = Chances(0.0, 0.0, 1.0)  # noqa: RUF009 - frozen
    confidence: float = 0.0
    """How likely the best is right; never above that of the answer it builds on."""
    sure: bool = False
    share: float = 1.0
    """How much of all probability the best has, times that of all it builds on."""
    asks_back: bool = False
    """Whether to ask which of the best and the other is meant."""

    @staticmethod
    def of(typed: str, table: Table, before: Context = Context()) -> Asked:  # noqa: B008 - frozen
        """Return a question as it was typed."""
        return Asked(typed, table, before, not before.questions, text=typed, plain=typed)

    @property
    def needs_parser(self) -> bool:
        """Whether no step has answered or declined it yet."""
        return not self.reason and self.settled is None

    @property
    def question(self) -> Question:
        """The question that the parser is asked."""
        past = self.before.questions
        return Question("chat", "0", len(past), self.plain, self.table, "", past)

    def vouched(self) -> Asked:
        """Return the question with an answer that a person says is right."""
        return replace(self, confidence=1.0, sure=True, share=1.0, asks_back=False)

    def after(self, program: Program, found: Denotation) -> Context:
        """Return what the next question is asked after, if this is the answer."""
        cells = Denotation(found.rows, found.columns)
        asked = (*self.before.questions, self.plain)
        return Context(asked, cells, program, self.confidence, self.sure, self.share)
