"""What tests of the server share: a service whose desk is in this process, and a small parser."""

from __future__ import annotations

from pathlib import Path

from denota import sample
from denota.app.offers import Offers
from denota.app.web.desk import desk_of
from denota.app.web.pool import Inline
from denota.app.web.service import Service
from denota.app.web.sessions import SessionStore
from denota.config import Config, ModelConfig, TrainConfig
from denota.data import load_examples
from denota.learning.start import new_parser
from denota.model.parser import Parser
from denota.search.preparer import Preparer
from denota.teaching.log import TeachingLog


def small_parser() -> Parser:
    """A parser that has learnt nothing."""
    config = Config(model=ModelConfig(dimension=16, hidden=6), train=TrainConfig(device="cpu"))
    examples = load_examples(sample.path(), "dev").examples[:40]
    return new_parser(config, Preparer("dynsp++").ahead(examples))


def serve_inline(
    parser: Parser, folder: Path, shared: bool = False, offers: Offers | None = None
) -> Service:
    """A service with its files in a folder."""
    sessions, lessons = folder / "sessions.sqlite", folder / "lessons.sqlite"
    store, log = SessionStore(sessions), TeachingLog(lessons)
    desk = desk_of(parser, sessions, lessons, offers or {})
    return Service(store, log, Inline(desk), list(offers or {}), shared)
