"""Where files lie: models, lessons, sessions, questions, data, word vectors and the cache.

Nothing below the application reads the environment; it is given what it needs from here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from denota.errors import TrainingError
from denota.extras import needed_for

if TYPE_CHECKING:
    from denota.model.parser import Parser


def model_path(run: str | Path) -> Path:
    """Return the file of a run's best parser; `default` is the one that comes with the package.

    Raises:
        TrainingError: there is none.
    """
    path = Path(run)
    if str(run) == "default" and not path.exists():
        path = _own_models() / "default.safetensors"
        if not path.exists():
            raise TrainingError(
                "no model came with this copy of denota; train one "
                "(`denota train experiments/sample.toml --out runs/sample`) "
                "and name it with --model"
            )
    return path / "best.safetensors" if path.is_dir() else path


def load_run(run: str | Path) -> Parser:
    """Return the best parser of a run."""
    return load_run_and_facts(run)[0]


def load_run_and_facts(run: str | Path) -> tuple[Parser, Mapping[str, str]]:
    """Return the best parser of a run, and the facts saved beside it.

    What an encoder scores is computed without torch; other scorers need it.
    """
    from denota.model.light.parser import SCORER, light_parser
    from denota.model.saved import read_saved

    path = model_path(run)
    saved = read_saved(path)
    if saved.config.model.scorer == SCORER:
        return light_parser(saved, path), saved.facts
    with needed_for(f"the model {path}"):
        import torch

        from denota.model.checkpoint import parser_of
    torch.set_num_threads(1)  # its steps are too small to share: threads would wait for each other
    return parser_of(saved, path), saved.facts


def lessons_path(run: str | Path) -> Path:
    """Return the file of a model's teaching log.

    It is beside the model; for the default model DENOTA_LESSONS, else in the user's state folder.
    """
    path = model_path(run)
    if path.parent != _own_models():
        return path.with_suffix(".lessons.sqlite")
    return _named("DENOTA_LESSONS") or _state_folder() / "lessons.sqlite"


def sessions_path() -> Path:
    """Return the file of the server's conversations: DENOTA_SESSIONS, else in the state folder."""
    return _named("DENOTA_SESSIONS") or _state_folder() / "sessions.sqlite"


def questions_path() -> Path:
    """Return the file of the questions that were typed at the prompt."""
    return _state_folder() / "questions"


def data_path(given: str | None) -> Path:
    """Return the data of a command: what is given, else DENOTA_DATA, else the bundled sample."""
    from denota import sample
    from denota.data.splits import ENVIRONMENT, resolve_data

    if not given and not os.environ.get(ENVIRONMENT, "").strip():
        return sample.path()
    return resolve_data(given, os.environ)


def vectors_path() -> str | None:
    """Return the file of word vectors that DENOTA_VECTORS names, if it names one."""
    return os.environ.get("DENOTA_VECTORS") or None


def user_cache() -> Path:
    """Return the folder for what can be made again: DENOTA_CACHE, else in the user's cache."""
    return _named("DENOTA_CACHE") or _xdg("XDG_CACHE_HOME", ".cache")


def _own_models() -> Path:
    return Path(str(files("denota"))) / "models"


def _state_folder() -> Path:
    return _xdg("XDG_STATE_HOME", ".local/state")


def _xdg(variable: str, default: str) -> Path:
    return (_named(variable) or Path.home() / default) / "denota"


def _named(variable: str) -> Path | None:
    named = os.environ.get(variable)
    return Path(named) if named else None
