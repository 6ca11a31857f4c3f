"""Find the data of a command and the split it asks for; `datasets` tells the kinds apart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from denota.data.datasets import dataset_of, datasets_at
from denota.data.loaded import Loaded
from denota.errors import DataError


def resolve_data(explicit: str | Path | None, environ: Mapping[str, str]) -> Path:
    """Return where the data lies: what was asked for, else what `DENOTA_DATA` says.

    Raises:
        DataError: neither says, or there is nothing there.
    """
    said = str(explicit or "") or environ.get(ENVIRONMENT, "").strip()
    if not said:
        raise DataError(
            "there is no data to read; pass --data with a directory or a .jsonl file,"
            f" or set {ENVIRONMENT} to one"
        )
    path = Path(said).expanduser()
    if not path.exists():
        source = "--data" if explicit else ENVIRONMENT
        raise DataError(f"there is nothing at {path}, which {source} names; check the path")
    return path


def load_questions(data: str | Path, split: str) -> Loaded:
    """Load the questions of a split and no answers.

    The problems are those of the whole file, whichever split the line would belong to.

    Raises:
        DataError: there is no such split, or its file cannot be read.
    """
    return dataset_of(Path(data), split).questions(Path(data), split)


def load_examples(data: str | Path, split: str) -> Loaded:
    """Load a split with its answers; questions without one are among its `questions` only.

    Raises:
        DataError: there is no such split, its file cannot be read, or it has no answers.
    """
    return dataset_of(Path(data), split).examples(Path(data), split)


def split_names(data: str | Path) -> tuple[str, ...]:
    """Return the names of the splits there are, sorted.

    Raises:
        DataError: there is no data at the path.
    """
    kinds = datasets_at(Path(data))
    return tuple(sorted({name for kind in kinds for name in kind.splits(Path(data))}))


ENVIRONMENT: Final = "DENOTA_DATA"
