"""Where a command's data lies: what it was given, else DENOTA_DATA, else the bundled sample."""

from __future__ import annotations

import os
from pathlib import Path

from denota import sample
from denota.data.splits import ENVIRONMENT, resolve_data


def data_path(given: str | None) -> Path:
    """Return the directory or file of a command's data."""
    if not given and not os.environ.get(ENVIRONMENT, "").strip():
        return sample.path()
    return resolve_data(given, os.environ)
