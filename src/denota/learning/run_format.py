"""The format of a run's folder, which its run.json tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from denota.errors import newer_format

FORMAT: Final = 1
"""Folders from before formats were numbered say none; they are laid out alike and are read."""


def check_run_format(run: Path) -> None:
    """Refuse a folder that a newer denota wrote.

    Raises:
        FormatError: its format is newer than this one.
    """
    try:
        record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return  # nothing is there yet, or it was cut short: the checkpoints tell the rest
    found = record.get("format", 0) if isinstance(record, dict) else 0
    if isinstance(found, int) and found > FORMAT:
        raise newer_format(run, found, FORMAT)
