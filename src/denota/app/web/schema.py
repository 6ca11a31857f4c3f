"""What requests and answers of the REST API look like."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic import Strict as Strictly

from denota.app.web.service import LARGEST
from denota.conversation.chat import LONGEST

Id = Annotated[str, Path(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]


class Strict(BaseModel):
    """A body whose types are taken as they are: `false` is no number."""

    model_config = ConfigDict(strict=True, extra="forbid")


CellBody = Annotated[tuple[int, int], Strictly(False)]
"""A cell; JSON has lists where Python has tuples."""
ValueBody = Annotated[str, Field(max_length=LONGEST)] | bool | int | float
"""One value of an answer."""
GroupBody = Annotated[tuple[str, ValueBody], Strictly(False)]
"""A group and its value."""


class SessionBody(Strict):
    """A table to talk about: one that the server offers, one of the samples, or its text."""

    table: str | None = Field(None, max_length=500)
    """A name that `GET /api/tables` lists."""
    sample: str | None = Field(None, max_length=200)
    content: str | None = Field(None, max_length=LARGEST)
    """CSV, TSV, or what a spreadsheet puts on the clipboard."""
    name: str = Field("table", max_length=200)


class QuestionBody(Strict):
    """A question, the next of the conversation."""

    question: str = Field(max_length=LONGEST)


class ChoiceBody(Strict):
    """Another reading of the last question."""

    program: str = Field(max_length=20_000)


class RowsBody(Strict):
    """Rows to be found among those that are seen."""

    rows: list[Annotated[int, Field(ge=0, le=10_000_000)]] = Field(max_length=100_000)
    sort: Annotated[int, Field(ge=0, le=100_000)] | None = None
    down: bool = False
    search: str = Field("", max_length=LONGEST)


class CorrectionBody(Strict):
    """The right answer of a turn: its cells or its values, one of the two."""

    turn: int = Field(ge=0, le=10_000)
    cells: list[CellBody] | None = Field(None, min_length=1, max_length=200_000)
    """`[row, column]` each."""
    values: list[ValueBody | GroupBody] | None = Field(None, min_length=1, max_length=20_000)
    """Texts, numbers, true or false, or `[group, value]` each."""
    program: str | None = Field(None, max_length=20_000)
    """Which of the readings is meant; the best if null, none of them if empty."""

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


class TurnInfo(BaseModel):
    """A question and its answer.

    A question that cannot be answered has no program, and the explanation says why.
    """

    question: str
    kind: Literal["cells", "value", "groups", "none", "declined"]
    """Cells, values, a value for each group, that there is none, or that it was declined."""
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


class UntaughtInfo(BaseModel):
    """A lesson was taken back."""

    said: str
    turns: list[TurnInfo]


class LessonInfo(BaseModel):
    """A lesson in force."""

    question: str
    program: str
    learnt: bool
    cells: int
    """How many were pointed at."""
    values: list[str | bool | int | float] | None
    """What was said to be right, where no cells were pointed at."""


class SessionInfo(BaseModel):
    """A conversation: its table's columns, and its turns."""

    id: str
    name: str
    rows: int
    notes: list[str]
    """What was assumed in reading the table."""
    columns: list[ColumnInfo]
    turns: list[TurnInfo]


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
