"""Chunks answered by the actors of a Ray cluster, each of which loads the parser once."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from denota.app.commands.answering import cores
from denota.app.many.chunks import Chunk
from denota.app.many.work import Work, answer_chunk, failed, loaded_parser
from denota.extras import needed_for

BLOCKS: Final = 1000
"""The most blocks that the rows of a data set are in."""


def answer_chunks(
    work: Work, chunks: Sequence[Chunk], workers: int = 0, cluster: str | None = None
) -> Iterator[int]:
    """Yield the numbers of chunks as they are answered; Ray replaces an actor that is killed.

    Args:
        work: how to answer.
        chunks: to answer.
        workers: how many actors to use, each with a core; 0 for as many as this machine has cores.
        cluster: its address, such as `ray://head:10001` or `auto`; where there is none, the one
            this process is connected to, else one that is started here.
    """
    workers = min(workers or cores(), len(chunks))
    with _connected(workers, cluster) as ray:
        rows = [{"number": chunk.number, "chunk": pickle.dumps(chunk)} for chunk in chunks]
        given = ray.data.from_items(rows, override_num_blocks=min(len(rows), BLOCKS))
        answered = given.map_batches(
            _Worker,
            fn_constructor_args=(work,),
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(size=workers),
            num_cpus=1,
        )
        try:
            for row in answered.iter_rows():
                yield int(row["number"])
        except ray.exceptions.RayError as error:
            raise failed("Ray", error) from error


class _Worker:
    """What an actor runs."""

    def __init__(self, work: Work) -> None:
        self.work = work
        loaded_parser(work.run)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[int]]:
        return {"number": [answer_chunk(self.work, pickle.loads(one)) for one in batch["chunk"]]}


@contextmanager
def _connected(workers: int, cluster: str | None) -> Iterator[Any]:
    """Connect to a cluster for a while, or start one."""
    with needed_for("answering on Ray"):
        import ray
        import ray.data
    if ray.is_initialized():
        yield ray
        return
    if cluster is not None:
        ray.init(address=cluster)
    else:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody else is told of it
        # a core more than workers have: what reads the rows needs one now and then
        ray.init(
            address="local",
            num_cpus=workers + 1,
            include_dashboard=False,
            logging_level=logging.ERROR,
        )
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    ray.data.DataContext.get_current().enable_progress_bars = False  # denota shows its own
    try:
        yield ray
    finally:
        ray.shutdown()
