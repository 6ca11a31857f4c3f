"""Parsers that tests share."""

from __future__ import annotations

from dataclasses import replace

from denota.app.paths import load_run
from denota.model.parser import Parser


def picks_cells() -> Parser:
    """The packaged parser kept to programs that pick cells: rules of English compute for it."""
    parser = load_run("default")
    data = replace(parser.config.data, language="extended")
    return replace(parser, config=replace(parser.config, data=data))
