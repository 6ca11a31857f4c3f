"""The bundled sample: small invented tables, and made-up conversations about them.

`train.jsonl` and `dev.jsonl` are about tables of their own; `dev-heldout.jsonl` is about dev's
tables in wordings that neither has. Train and dev call columns by their names, which can be learnt
without word vectors from elsewhere; `dev-heldout` has synonyms as well, and operators of
`extended`.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from denota.tables import Table, read_table


def path() -> Path:
    """Return the directory of the sample, which is data as every command takes it.

    >>> sorted(file.name for file in path().glob("*.jsonl"))
    ['dev-heldout.jsonl', 'dev.jsonl', 'train.jsonl']
    """
    return Path(str(files("denota.sample")))


def names() -> list[str]:
    """Return the names of the tables, in their order.

    >>> names()[:2]
    ['airports', 'apples']
    """
    return sorted(file.stem for file in (path() / "tables").glob("*.csv"))


def table(name: str) -> Table:
    """Return the table of a name that `names` lists.

    >>> table("bridges").names[:3]
    ('Bridge', 'River', 'Type')
    """
    assert name in names()
    return read_table(path() / "tables" / f"{name}.csv")


def tables() -> dict[str, Table]:
    """Return the tables by file, relative to the directory, in the order of their names.

    >>> tables()["tables/bridges.csv"].names[:3]
    ('Bridge', 'River', 'Type')
    """
    directory = path()
    found = sorted((directory / "tables").glob("*.csv"), key=lambda file: file.name)
    return {file.relative_to(directory).as_posix(): read_table(file) for file in found}
