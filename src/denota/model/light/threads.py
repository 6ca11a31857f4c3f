"""One thread a question: matrix products this small lose time when they are shared.

On a machine with other work they lose most of it: each product waits for the thread that comes
last. The command line tells numpy's library so before numpy is imported; a program that imported
numpy first is told here, for as long as a question takes.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Keep matrix products within on one core."""
    library = _sharing()
    return nullcontext() if library is None else library.limit(limits=1)


@cache
def _sharing() -> Any | None:
    """What sets the threads of the library behind numpy, None if it has only one."""
    from threadpoolctl import ThreadpoolController

    found = ThreadpoolController().select(user_api="blas")
    return found if any(own.num_threads > 1 for own in found.lib_controllers) else None
