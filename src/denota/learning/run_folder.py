"""The folder of a run: checked before training, held by one run at a time, written safely."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from denota.errors import TrainingError

DISK_ROOM: Final = 200 << 20
"""Bytes that must be free on the disk before training starts."""


@contextmanager
def writing(out: Path) -> Iterator[None]:
    """Say what to do where the disk is full or gone; what was saved before is still there."""
    try:
        yield
    except OSError as error:
        what = (error.strerror or str(error)).lower()
        raise TrainingError(
            f"{out} can no longer be written into ({what}); the last whole epoch is kept: make "
            "room, and go on with --resume"
        ) from None


def check_folder(out: Path, resume: bool) -> None:
    """Make the folder of a run, or say why training could not write into it."""
    try:
        if (out / "last.safetensors").exists() and not resume:
            raise TrainingError(
                f"there is a run in {out}; pass --resume to go on with it, or another --out"
            )
        out.mkdir(parents=True, exist_ok=True)
        probe = out / ".probe"
        probe.write_text("x")
        probe.unlink()
        free = shutil.disk_usage(out).free
    except OSError as error:
        raise TrainingError(
            f"{out} cannot be written into: {(error.strerror or str(error)).lower()}"
        ) from None
    if free < DISK_ROOM:
        raise TrainingError(
            f"there are only {free >> 20} MiB free at {out}; a run needs {DISK_ROOM >> 20}"
        )


def check_room(out: Path, needed: int) -> None:
    """Say before training starts if the checkpoints of a run will not fit on the disk.

    Args:
        out: the folder of the run.
        needed: bytes that its checkpoints take; those that are there already count.
    """
    there = sum(path.stat().st_size for path in out.glob("*.safetensors"))
    free = shutil.disk_usage(out).free
    if free + there < needed:
        raise TrainingError(
            f"the checkpoints of this run need {needed - there >> 20:,} MiB at {out} and only "
            f"{free >> 20:,} are free; make room, or give another --out"
        )


@contextmanager
def only_one(out: Path) -> Iterator[None]:
    """Keep a second run out of the folder; the lock goes with the process, however it ends."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    with (out / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise TrainingError(
                f"another run is at work in {out}; wait for it, or give another --out"
            ) from None
        yield


def write_whole(path: Path, text: str) -> None:
    """Write a file beside its place and move it there."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


def append_line(path: Path, line: dict[str, Any]) -> None:
    """Add a line of JSON to a file, written through to the disk."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
        file.flush()
        os.fsync(file.fileno())


def cut_metrics(path: Path, epochs: int) -> None:
    """Drop metrics of epochs that the checkpoint does not have, and a line cut short."""
    kept = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            number = json.loads(line)["epoch"]
        except (ValueError, KeyError, TypeError):
            continue
        if number <= epochs:
            kept[number] = line + "\n"
    write_whole(path, "".join(kept[number] for number in sorted(kept)))
