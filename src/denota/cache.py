"""The folder for what can be made again: stores of prepared questions, and joined weights.

The application says where it is; without one it is denota in the user's cache folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder."""
    return _find()


def find_cache_with(find: Callable[[], Path]) -> None:
    """Ask a function for the folder from now on, each time it is needed."""
    global _find
    _find = find


@contextmanager
def cache_in(folder: Path) -> Iterator[None]:
    """Use another folder for a while."""
    before = _find
    find_cache_with(lambda: folder)
    try:
        yield
    finally:
        find_cache_with(before)


def _default() -> Path:
    return Path.home() / ".cache" / "denota"


_find: Callable[[], Path] = _default
