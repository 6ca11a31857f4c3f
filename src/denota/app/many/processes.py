"""Chunks answered by processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Final

from denota.app.commands.answering import cores
from denota.app.many.chunks import Chunk
from denota.app.many.work import Work, answer_chunk
from denota.errors import DataError

TRIES: Final = 3
"""After so many pools in a row that lost a process before any chunk was done, it is given up."""


def answer_chunks(
    work: Work, chunks: Sequence[Chunk], workers: int = 0, cluster: str | None = None
) -> Iterator[int]:
    """Yield the numbers of chunks as they are answered; a process that is killed is replaced.

    Args:
        work: how to answer.
        chunks: to answer.
        workers: how many processes to use, 0 for one a core.
        cluster: processes have none.

    Raises:
        DataError: processes are killed again and again.
    """
    if cluster is not None:
        raise DataError("processes have no cluster; add --on ray or --on spark, or leave it out")
    waiting, tries = {chunk.number: chunk for chunk in chunks}, TRIES
    while waiting and tries:
        tries -= 1
        try:
            for number in _once(work, list(waiting.values()), workers or cores()):
                del waiting[number]
                tries = TRIES
                yield number
        except BrokenProcessPool:
            continue
    if waiting:
        raise DataError(
            "the processes that answer are killed again and again; use fewer --workers, or a"
            " machine with more memory"
        )


def _once(work: Work, chunks: Sequence[Chunk], workers: int) -> Iterator[int]:
    spawn = multiprocessing.get_context("spawn")  # threads do not survive a fork
    with ProcessPoolExecutor(min(workers, len(chunks)), spawn, initializer=_watch_parent) as pool:
        try:
            for done in as_completed([pool.submit(answer_chunk, work, chunk) for chunk in chunks]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _watch_parent() -> None:
    """End this process when the one that started it ends, be it killed."""
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
