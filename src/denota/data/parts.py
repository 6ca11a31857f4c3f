"""Divide one split into two: a tenth of its tables becomes `dev`.

Splitting by table, not by question, keeps a dev question from being about a table seen in training.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Iterator
from typing import Final

from denota.data.example import Question
from denota.data.loaded import Loaded

EVERYTHING: Final = "all"


def parts_by_table(files: Iterable[str]) -> dict[str, frozenset[str]]:
    """Divide the tables: the tenth with the smallest hashes is dev.

    A table added later moves at most one other.
    """
    tables = sorted(set(map(posixpath.normpath, files)), key=_hash)
    if len(tables) < 2:
        return {"train": frozenset(tables)}
    tenth = max(1, round(len(tables) / 10))
    return {"dev": frozenset(tables[:tenth]), "train": frozenset(tables[tenth:])}


def tables_of(questions: Iterable[Question]) -> Iterator[str]:
    """Yield the table of each question."""
    return (question.table_file for question in questions)


def part_of(loaded: Loaded, tables: frozenset[str]) -> Loaded:
    """Return the part about some tables; its problems are those of all."""
    return Loaded(
        tuple(q for q in loaded.questions if _table_key(q) in tables),
        tuple(e for e in loaded.examples if _table_key(e.question) in tables),
        loaded.problems,
    )


def _table_key(question: Question) -> str:
    return posixpath.normpath(question.table_file)  # ./a.csv and a.csv are one table


def _hash(table: str) -> bytes:
    return hashlib.sha256(table.encode()).digest()
