"""Packages that only some work needs: which extra installs each, and what to say without them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from denota.errors import MissingPackage

EXTRAS: Final = {
    "torch": "train",
    "matplotlib": "train",
    "pyarrow": "arrow",
    "duckdb": "arrow",
    "ray": "ray",
    "pyspark": "spark",
}
"""The extra of denota that installs a package."""


@contextmanager
def needed_for(what: str) -> Iterator[None]:
    """Import packages of an extra within; where they are not installed, say how to get them.

    Raises:
        MissingPackage: a package of an extra is not there.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        found = missing_package(error, what)
        if found is None:
            raise
        raise found from None


def missing_package(error: ModuleNotFoundError, what: str) -> MissingPackage | None:
    """Return what to say of a package that is not there, None if no extra has it.

    >>> print(missing_package(ModuleNotFoundError(name="torch.nn"), "training"))
    training needs torch, which is not installed; `pip install 'denota[train]'` gets it
    """
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return None
    how = f"`pip install 'denota[{EXTRAS[package]}]'` gets it"
    return MissingPackage(f"{what} needs {package}, which is not installed; {how}")
