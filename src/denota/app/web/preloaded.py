"""What workers are forked with: everything imported, and the model read.

The process that they are forked from imports this module. It starts no threads, which a fork would
lose.
"""

from __future__ import annotations

import gc
import os
from contextlib import suppress

from denota import sample
from denota.app.paths import load_run
from denota.app.web import worker
from denota.app.web.desk import Desk  # noqa: F401 - workers have it without importing it
from denota.conversation.chat import Chat
from denota.model.parser import Parser

_loaded: dict[str, Parser] = {}


def parser(model: str) -> Parser:
    """Return the parser of a model, read once."""
    if model not in _loaded:
        found = _loaded[model] = load_run(model)
        found.keep(worker.KEPT_TEXTS)
        Chat(found, sample.table("castles")).ask("which castle is the oldest?")  # warms up
    return _loaded[model]


def _preload() -> None:
    model = os.environ.get(worker.MODEL)
    if model:
        with suppress(Exception):  # a worker meets it again, and says so
            parser(model)
    gc.collect()
    gc.freeze()  # or each worker's collector would write to, and so copy, all that they share


_preload()
