"""Answer many questions on whatever there is: chunks, workers, and the answers joined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Final, Literal, get_args

from denota.app.many.chunks import Chunk, cut, joined, missing
from denota.app.many.work import Work, claim
from denota.data.example import Question
from denota.errors import ConfigError
from denota.evaluation.metrics import Key
from denota.programs.denotation import Denotation

Where = Literal["processes", "ray", "spark"]
AnswerChunks = Callable[[Work, Sequence[Chunk], int, str | None], Iterator[int]]
_MODULES: Final = {"processes": "processes", "ray": "on_ray", "spark": "on_spark"}


def answer_on(
    work: Work,
    questions: Sequence[Question],
    on: Where = "processes",
    workers: int = 0,
    cluster: str | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[Key, Denotation]:
    """Answer questions in chunks and return one answer for each.

    What the folder of the work has already is not answered again.

    Args:
        work: how to answer, and where chunks are kept.
        questions: of any number of conversations, in any order.
        on: who answers.
        workers: how many, 0 for one a core.
        cluster: the address of a Ray or Spark cluster, if it is not to be found or started.
        progress: is told of questions answered since it was last told.

    Raises:
        MissingPackage: Ray or Spark is not installed.
        DataError: the folder holds other work, or some chunk could not be answered.
    """
    if on not in get_args(Where):
        raise ConfigError(f"questions cannot be answered on {on!r}; say processes, ray or spark")
    chunks = cut(questions)
    claim(work, chunks)
    left = missing(work.folder, chunks)
    progress(len(questions) - sum(len(chunk.questions) for chunk in left))
    if left:
        sizes = {chunk.number: len(chunk.questions) for chunk in left}
        answer: AnswerChunks = import_module(f"denota.app.many.{_MODULES[on]}").answer_chunks
        for number in answer(work, left, workers, cluster):
            progress(sizes[number])
    return joined(work.folder, chunks)
