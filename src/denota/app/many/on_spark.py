"""Chunks answered by the Python workers of a Spark cluster, each of which loads the parser once."""

from __future__ import annotations

import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from denota.app.commands.answering import cores
from denota.app.many.chunks import Chunk
from denota.app.many.work import Work, answer_chunk, failed
from denota.errors import DataError
from denota.extras import needed_for

FAILURES: Final = 4
"""A task that failed so often fails the job; a cluster's own default too."""


def answer_chunks(
    work: Work, chunks: Sequence[Chunk], workers: int = 0, cluster: str | None = None
) -> Iterator[int]:
    """Yield the numbers of chunks when all are answered; Spark repeats a task that is killed.

    Args:
        work: how to answer.
        chunks: to answer.
        workers: how many tasks run at a time where Spark is started here, 0 for one a core.
        cluster: its address, such as `spark://head:7077`; where there is none, the session this
            process has, else one that is started here.
    """
    with needed_for("answering on Spark"):
        from pyspark.errors import PySparkException
    with _session(workers or cores(), cluster) as spark:
        rows = [(chunk.number, pickle.dumps(chunk)) for chunk in chunks]
        apart = spark.sparkContext.parallelize(rows, len(rows))  # a task a chunk
        given = spark.createDataFrame(apart, "number int, chunk binary")
        try:
            answered = given.mapInPandas(_answering(work), "number int").collect()
        except PySparkException as error:
            raise failed("Spark", error) from error
    yield from (int(row["number"]) for row in answered)


def _answering(work: Work) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What a Python worker does with the frames of a task."""

    def answer(frames: Iterator[Any]) -> Iterator[Any]:
        for frame in frames:
            numbers = [answer_chunk(work, pickle.loads(one)) for one in frame["chunk"]]
            yield frame[["number"]].assign(number=numbers)

    return answer


@contextmanager
def _session(workers: int, cluster: str | None) -> Iterator[Any]:
    """Give the session that there is, or start one for a while."""
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    if spark is not None:
        yield spark
        return
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        raise DataError("Spark needs Java, which is not here; install it (Debian: default-jre)")
    builder = SparkSession.builder.appName("denota").config("spark.ui.enabled", "false")
    builder.config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
    if cluster is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder.config("spark.driver.bindAddress", "127.0.0.1")  # no other machine has to reach it
        builder.config("spark.driver.host", "127.0.0.1")
    spark = builder.master(cluster or f"local[{workers},{FAILURES}]").getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()
