"""What requests and answers of the REST API look like."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic import Strict as Strictly

from denota.app.web.messages import LARGEST, Source
from denota.app.web.picked import Total
from denota.app.web.rows import Sight
from denota.conversation.about import AskedScope, Scope
from denota.data.example import LONGEST
from denota.teaching.log import LARGEST_LESSON

Id = Annotated[str, Path(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]


class Strict(BaseModel):
    """A body whose types are taken as they are: `false` is no number."""

    model_config = ConfigDict(strict=True, extra="forbid", use_attribute_docstrings=True)


CellBody = Annotated[tuple[int, int], Strictly(False)]
"""A cell; JSON has lists where Python has tuples."""
ValueBody = Annotated[str, Field(max_length=LONGEST)] | bool | int | float
"""One value of an answer."""
GroupBody = Annotated[tuple[str, ValueBody], Strictly(False)]
"""A group and its value."""


MOST_ROWS: Final = 200_000
"""Rows or cells that a request names."""
CITIES: Final = "City,People\nOslo,709037\nBergen,291940\n"
"""A table for examples."""


class SessionBody(Strict):
    """A table to talk about: one that the server offers, one of the samples, or its text."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"sample": "castles"}]})

    table: str | None = Field(None, max_length=500)
    """A name that `GET /v1/tables` lists."""
    sample: str | None = Field(None, max_length=200)
    """A name that `GET /v1/samples` lists."""
    content: str | None = Field(None, max_length=LARGEST)
    """CSV, TSV, or what a spreadsheet puts on the clipboard."""
    name: str = Field("table", max_length=200)
    """What a table given as text is called."""

    @model_validator(mode="after")
    def _one_table(self) -> Self:
        if [self.table, self.sample, self.content].count(None) != 2:
            raise ValueError("give one of table, sample and content")
        return self

    @property
    def source(self) -> Source:
        """Where the table comes from."""
        if self.table is not None:
            return Source("offer", self.table)
        if self.sample is not None:
            return Source("sample", self.sample)
        text = self.content or ""
        return Source("file", shown_name(self.name), text.encode("utf-8", "replace"))


class OnceBody(SessionBody):
    """A table and one question about it, or several that follow each other."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"content": CITIES, "question": "which city has the most people?"}]
        }
    )

    question: str | None = Field(None, max_length=LONGEST)
    questions: list[Annotated[str, Field(max_length=LONGEST)]] | None = Field(
        None, min_length=1, max_length=20
    )

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if (self.question is None) == (self.questions is None):
            raise ValueError("give question or questions, one of the two")
        return self


def shown_name(name: str) -> str:
    """Return a table's name without what cannot be shown."""
    return "".join(c for c in name if c.isprintable()).strip()[:200] or "table"


class QuestionBody(Strict):
    """A question, the next of the conversation."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"question": "which castle is the oldest?"}]}
    )

    question: str = Field(max_length=LONGEST)
    scope: AskedScope = "auto"
    """`table` asks the whole table, as if nothing had been asked before; `auto` finds out."""


class ChoiceBody(Strict):
    """Another reading of the last question."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"program": "SELECT Castle"}]})

    program: str = Field(max_length=20_000)


class RowsBody(Strict):
    """Rows by their numbers in the table, counted from 0, and how the table is seen."""

    rows: list[Annotated[int, Field(ge=0, le=10_000_000)]] = Field(max_length=MOST_ROWS)
    sort: Annotated[int, Field(ge=0, le=100_000)] | None = None
    down: bool = False
    search: str = Field("", max_length=LONGEST)

    @property
    def sight(self) -> Sight:
        """How the table is seen, with all its rows."""
        return Sight(self.sort, self.down, self.search)


class SomeRowsBody(RowsBody):
    """Rows of which some are told, as they are seen."""

    start: int = Field(0, ge=0, le=10_000_000)
    count: int = Field(100, ge=0, le=500)


class TotalBody(Strict):
    """Cells that are counted, by rows, added up or averaged."""

    cells: list[CellBody] = Field(min_length=1, max_length=MOST_ROWS)
    of: Total


class CorrectionBody(Strict):
    """The right answer of a turn: its cells or its values, one of the two."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"turn": 0, "cells": [[2, 1]]}]})

    turn: int = Field(ge=0, le=10_000)
    cells: list[CellBody] | None = Field(None, min_length=1, max_length=LARGEST_LESSON)
    """`[row, column]` each."""
    values: list[ValueBody | GroupBody] | None = Field(None, min_length=1, max_length=20_000)
    """Texts, numbers, true or false, or `[group, value]` each."""
    program: str | None = Field(None, max_length=20_000)
    """Which of the readings is meant; the best if null, none of them if empty."""
    preview: bool = False
    """Whether to tell only what would come of it: nothing is learnt, changed or written."""

    @model_validator(mode="after")
    def _one_of_them(self) -> CorrectionBody:
        if (self.cells is None) == (self.values is None):
            raise ValueError("give cells or values, one of the two")
        return self


class ColumnInfo(BaseModel):
    """A column of a table."""

    name: str
    kind: str
    """`text`, `number` or `date`."""
    unit: str
    as_text: bool = False
    """Whether someone said that it is text."""


class ColumnSummaryInfo(ColumnInfo):
    """How a column was read, and what is in it in brief."""

    low: str
    """The smallest number, the earliest date or the first text."""
    high: str
    distinct: int
    missing: int
    """Cells that are empty or mark that there is no value."""
    unread: int
    """Cells that could not be read as the column's kind."""
    unread_cells: list[tuple[int, str]]
    """The first of them: `[row, text]`, rows counted from 0."""
    common: list[tuple[str, int]]
    """The most frequent values, with how often; empty where none is repeated."""
    bars: list[int]
    """How many numbers or dates are in each of some equal parts of their range."""


class HowReadInfo(BaseModel):
    """How a file was read; what does not apply to its kind is empty or 0."""

    format: str
    encoding: str
    delimiter: str
    sheet: str
    sheets: list[str]
    header: int
    """The row of the names, counted from 1."""


class PlotInfo(BaseModel):
    """A picture of an answer, as data and as SVG."""

    kind: Literal["bar", "line", "share"]
    title: str
    labels: list[str]
    values: list[float | None]
    """One for each label; null where there is none."""
    unit: str
    svg: str
    """One element without script or style; its colour is that of the CSS variable `--plot`."""


class ViewRowInfo(BaseModel):
    """A row of a view."""

    row: int | None
    """Its number in the table; null of a group."""
    cells: list[str]
    marked: list[bool]
    """Which of them are the answer, or what it was computed of."""


class ViewInfo(BaseModel):
    """An answer to be read at a glance."""

    headline: str
    columns: list[str]
    """The name of the row, the answer, and what decided."""
    rows: list[ViewRowInfo]
    """The first rows."""
    total: int
    """How many rows, or groups, the answer has."""
    counts: list[tuple[str, int]]
    """Different values with how often each occurs, where some repeat."""
    evidence: list[tuple[int, int]]
    """`[row, column]` each: the cells that decided."""
    note: str
    plot: PlotInfo | None


class OfferedInfo(BaseModel):
    """One of the readings that are asked back."""

    explanation: str
    differs: str
    """The words of the explanation that the other one does not have."""
    program: str
    """To be given to `choose`."""
    answer: list[str]
    confidence: float


class TurnInfo(BaseModel):
    """A question and its answer.

    A question that cannot be answered is declined: it has no program, and `reason` says why. Where
    two readings are close it is asked back which is meant: `readings` has both, and the answer is
    that of the first until one is chosen.
    """

    id: str
    """Of the turn: another one when it is read otherwise or corrected."""
    question: str
    kind: Literal["cells", "value", "groups", "none", "ask_back", "declined"]
    """Cells, values, a value for each group, that there is none, that it is asked back which
    reading is meant, or that it was declined."""
    answer: list[str]
    """As texts; of groups `group: value`, of yes and no the words."""
    values: list[str | bool | int | float | tuple[str, str | bool | int | float | None]]
    """Numbers, true or false, texts, or `[group, value]` each; empty where the answer is cells."""
    cells: list[tuple[int, int]]
    """`[row, column]` each, row 0 the first after the header; of values, their sources."""
    program: str
    sql: str
    explanation: str
    confidence: float
    sure: bool
    reason: str
    """Why it was declined."""
    readings: list[OfferedInfo]
    """Of what is asked back the readings to choose from."""
    builds_on: int | None
    """The place of the turn it builds on, where that was not sure and can be corrected first."""
    scope: Scope
    """Whether it is about the whole table, or about the answer before."""
    among: int
    """How many rows of the answer before it is about, where that is its scope."""
    total: int
    """How many items the answer has; `limit` cuts `answer`, `values` and `cells`."""
    computed: bool
    """Whether it is values computed of cells, and not the cells."""
    declined: bool
    view: ViewInfo | None
    """The answer to be read at a glance; null if it was declined."""


class ReadingInfo(TurnInfo):
    """One way to understand the last question."""

    probability: float
    critique: float


class TaughtInfo(BaseModel):
    """What came of a lesson."""

    turn: TurnInfo
    readings: list[TurnInfo]
    """The best readings that give the answer."""
    learnt: bool
    said: str
    contradicts: str | None
    changes: list[ChangedInfo] = []
    """Of a preview: earlier answers of the conversation that would be others, the last ten seen."""


class ChangedInfo(BaseModel):
    """An earlier question, and how it would be answered."""

    turn: int
    question: str
    answer: list[str]
    """The first items."""


class UntaughtInfo(BaseModel):
    """A lesson was taken back."""

    said: str
    turns: list[TurnInfo]


class AcceptBody(Strict):
    """An answer that is right."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"turn": 0}]})

    turn: int | str = Field(union_mode="left_to_right")
    """Its place in the conversation, or its id."""


class RetrainBody(Strict):
    """Whether to train on lessons; here it can only be looked into."""

    preview: Literal[True] = True
    """Training itself is for the command line, which the answer names."""


class RetrainInfo(BaseModel):
    """What training on all of one's lessons would take."""

    lessons: int
    """How many have an answer that some program gives."""
    tables: int
    """How many tables they are about."""
    questions: int
    """How many questions an epoch has, those that keep the rest right included."""
    seconds: float
    """How long it takes, as predicted from a few questions."""
    said: str
    command: str


class LessonInfo(BaseModel):
    """A lesson in force."""

    id: int
    """For `DELETE .../lessons/{lesson}`."""
    table: str
    """The name of its table."""
    question: str
    program: str
    learnt: bool
    cells: int
    """How many were pointed at."""
    values: list[str | bool | int | float] | None
    """What was said to be right, where no cells were pointed at."""


class AnswerPart(BaseModel):
    """A part of a long answer."""

    total: int
    start: int
    answer: list[str]
    values: list[str | bool | int | float | tuple[str, str | bool | int | float | None]]
    cells: list[tuple[int, int]]


class OwnSession(BaseModel):
    """One of one's own conversations."""

    id: str
    name: str
    rows: int
    turns: int


class Health(BaseModel):
    """Whether the server can answer."""

    status: Literal["ok", "starting"]


class OnceInfo(BaseModel):
    """A table that was not kept, and the answers about it."""

    name: str
    rows: int
    notes: list[str]
    """What was assumed in reading the table."""
    read: HowReadInfo | None
    """How its file was read; null for a table that is not of a file."""
    columns: list[ColumnInfo]
    turns: list[TurnInfo]


class SessionInfo(BaseModel):
    """A conversation: its table's columns, and its turns."""

    id: str
    version: str
    """Changes with every turn that is added, changed or taken back; also the `ETag`."""
    name: str
    rows: int
    notes: list[str]
    """What was assumed in reading the table."""
    read: HowReadInfo | None
    """How its file was read; null for a table that is not of a file."""
    columns: list[ColumnInfo]
    turns: list[TurnInfo]


class SampleInfo(BaseModel):
    """A table that comes with denota."""

    name: str
    about: str
    """What its columns tell."""
    question: str
    """One that it can be asked."""


class ExampleInfo(OnceInfo):
    """A table with questions that were answered about it."""

    cells: list[list[str]]
    """Its rows."""


class TotalInfo(BaseModel):
    """What cells come to."""

    value: int | float
    left_out: int
    """Cells that state no number."""


class Row(BaseModel):
    """A row, with its number in the table, which cells of answers go by."""

    row: int
    cells: list[str]


class Rows(BaseModel):
    """Some rows as they are seen, sorted and searched, and how many there are in all."""

    total: int
    rows: list[Row]


class Sentence(BaseModel):
    """Why something could not be done."""

    detail: str
