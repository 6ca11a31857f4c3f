"""The processes that torchrun starts: each finds in its environment which of them it is."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from denota.learning.group import Group, joined


@contextmanager
def together(device: str) -> Iterator[Group]:
    """Join the processes that torchrun started, if it did; only the first prints anything.

    What is raised is still told by every process.

    Args:
        device: `cpu`, `cuda` or `auto`.
    """
    rank, count, local = (
        int(os.environ.get(name, default))
        for name, default in (("RANK", "0"), ("WORLD_SIZE", "1"), ("LOCAL_RANK", "0"))
    )
    with joined(Group(rank, count, local), device) as group:
        if group.is_first:
            yield group
            return
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            yield group
