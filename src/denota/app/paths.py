"""Where parsers are found: a run's folder, a saved file, or the one that comes with the package."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

from denota import sample
from denota.data.splits import ENVIRONMENT, resolve_data
from denota.errors import TrainingError
from denota.model.checkpoint import load_parser
from denota.model.parser import Parser


def model_path(run: str | Path) -> Path:
    """Return the file of a run's best parser; `default` is the one that comes with the package.

    Raises:
        TrainingError: there is none.
    """
    path = Path(run)
    if str(run) == "default" and not path.exists():
        path = Path(str(files("denota"))) / "models" / "default.safetensors"
        if not path.exists():
            raise TrainingError(
                "no model came with this copy of denota; train one (`denota train experiments/sample.toml --out runs/sample`) and name it with --model"
            )
    return path / "best.safetensors" if path.is_dir() else path


def lessons_path(run: str | Path) -> Path:
    """Return where what a model is taught is written down: beside it, or for the one in the package DENOTA_LESSONS, else a file of the user's."""
    path = model_path(run)
    if path.parent != Path(str(files("denota"))) / "models":
        return path.with_suffix(".lessons.sqlite")
    own = os.environ.get("DENOTA_LESSONS")
    if own:
        return Path(own)
    state = os.environ.get("XDG_STATE_HOME")
    base = Path(state) if state else Path.home() / ".local" / "state"
    return base / "denota" / "lessons.sqlite"


def load_run(run: str | Path) -> Parser:
    """Return the best parser of a run."""
    return load_parser(model_path(run))[0]


def data_path(given: str | None) -> Path:
    """Return the directory or file of a command's data.

    It is the one given, else the one that DENOTA_DATA names, else the bundled sample.
    """
    if not given and not os.environ.get(ENVIRONMENT, "").strip():
        return sample.path()
    return resolve_data(given, os.environ)
