"""Prepared questions on disk, memory-mapped: made once, in parallel, and read by any number of runs at a time.

A store is a folder of shards that is written beside its place and moved there whole, and never changed after. Its name is a digest of everything it was
made from: the questions, tables and answers, the language and lexicon, and the code that prepares. So a changed input or a changed program finds no
store and makes a new one, and two runs that make the same one at once do no harm to each other.

A shard is a file of records, one a question, each a header of shapes and then the arrays of a `Prepared` one after the other, every one on a multiple of
8 bytes; and a JSON file with where the records begin and the few words that are no arrays.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import fields
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import denota
from denota.cache import cache_folder
from denota.data.answer import Cells
from denota.errors import DataError
from denota.programs.index import index_of
from denota.programs.operators import SCOPES
from denota.programs.space import program_space
from denota.search.axes import Axes, FamilySlice
from denota.search.critique import LexicalScores, Lexicon, TokenCounts
from denota.search.prepare import Prepared, Rewarded
from denota.search.task import Task
from denota.tables.table import Table
from denota.tokens import tokenise

FORMAT: Final = 2
FEW: Final = 100
"""Fewer questions than this are made ready in memory."""
KEPT: Final = 4
"""So many stores are kept; the one used longest ago goes first."""
ABANDONED: Final = 6 * 3600
"""Seconds after which a store half made is taken for abandoned."""
_WORDS: Final = tuple(field.name for field in fields(LexicalScores))
_COUNTS: Final = tuple(field.name for field in fields(TokenCounts) if field.name != "axes")
_AXES: Final = (
    *("select_block", "select_entry"),
    *("condition_block", "condition_entry", "condition_column", "condition_test"),
    *("condition_parts", "rows"),
)
_KINDS: Final[dict[str, str]] = {
    "column_surface": "f4",
    "value_surface": "f4",
    "rewarded_ids": "i4",
    "rewards": "f4",
    "places": "i4",
    "place_conditions": "i4",
    "value_columns": "i2",
    "value_classes": "i4",
    "select_block": "i1",
    "select_entry": "i2",
    "condition_block": "i1",
    "condition_entry": "i2",
    "condition_column": "i2",
    "condition_test": "i1",
    "condition_parts": "i4",
    "rows": "u1",
    "critique": "f4",
    "co_occur": "i1",
    "recall_missed": "f4",
    "partial_match": "f4",
    "partial_missed": "f4",
    "select_sizes": "i2",
    "condition_sizes": "i2",
    "select_names": "u8",
    "condition_names": "u8",
    "name_kinds": "u8",
    "select_called": "f4",
    "condition_called": "f4",
    "shared": "i2",
}
"""The arrays of a record, in order, each with its type; all have one or two axes. Of a large language there are no words of programs, of a small one no counts."""


def prepared_ahead(
    tasks: Sequence[Task],
    language: frozenset[str],
    lexicon: Lexicon,
    folder: Path | None = None,
    jobs: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> list[Prepared]:
    """Return tasks made ready, from the store of just these tasks if there is one, else from a new store.

    Args:
        tasks: the questions.
        language: the operators of the language.
        lexicon: the pairs of the critique.
        folder: where stores are kept, the cache folder if None.
        jobs: how many processes to use, 0 for one a core.
        progress: called with the number of questions done since the last call.
    """
    if len(tasks) < FEW:
        return [task.prepare(language, lexicon) for task in tasks]
    place = (folder or cache_folder()) / digest_of(tasks, language, lexicon)
    try:
        return _opened(place, tasks, language)
    except (OSError, ValueError, KeyError):
        pass
    with tempfile.TemporaryDirectory(prefix="denota-") as spare:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            made = Path(tempfile.mkdtemp(prefix=".making-", dir=place.parent))
        except OSError:  # nowhere to keep it: the maps live on, the files do not
            made = Path(spare)
        try:
            _write(made, tasks, language, lexicon, jobs or os.cpu_count() or 1, progress)
            ready = _opened(made, tasks, language)
            if made != Path(spare):
                _move(made, place)
            return ready
        except OSError:  # the disk is full: memory will do
            return [task.prepare(language, lexicon) for task in tasks]
        finally:
            shutil.rmtree(made, ignore_errors=True)


def digest_of(tasks: Sequence[Task], language: frozenset[str], lexicon: Lexicon) -> str:
    """Return the name of a store: a digest of all it is made from."""
    digest = hashlib.sha256(repr((FORMAT, np.__version__, code_digest())).encode())
    digest.update(
        repr((sorted(language), sorted(lexicon.pairs), lexicon.grounded, lexicon.length)).encode()
    )
    tables: dict[int, str] = {}
    for task in tasks:
        asked, before = task.question, task.previous
        if id(asked.table) not in tables:
            tables[id(asked.table)] = _table_digest(asked.table)
        gold = task.answer
        answer = sorted(gold.cells) if isinstance(gold, Cells) else gold
        line = (asked.text, asked.history[-1:], tables[id(asked.table)], before, answer)
        digest.update(repr(line).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Return a digest of the code that what is prepared depends on."""
    root = Path(denota.__file__).parent
    parts = [
        p for name in ("tables", "programs", "search") for p in sorted((root / name).rglob("*"))
    ]
    digest = hashlib.sha256()
    for path in (root / "tokens.py", root / "data" / "answer.py", *parts):
        if path.suffix in (".py", ".toml", ".txt"):
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _table_digest(table: Table) -> str:
    digest = hashlib.sha256(repr(table.names).encode("utf-8", "surrogatepass"))
    for column in table.columns:
        digest.update(type(column).__qualname__.encode())  # which says how cells are read
        digest.update("\0".join(column.text).encode("utf-8", "surrogatepass") + b"\1")
    return digest.hexdigest()


# Writing


def _write(
    folder: Path,
    tasks: Sequence[Task],
    language: frozenset[str],
    lexicon: Lexicon,
    jobs: int,
    progress: Callable[[int], None],
) -> None:
    """Write shards, each by one process; questions about a table stay together, for what is known of it is shared."""
    global _shared
    shards = _shards(tasks, jobs)
    _shared = (folder, tasks, shards, language, lexicon)
    if jobs <= 1 or len(shards) <= 1:
        for number in range(len(shards)):
            progress(_write_shard(number))
    else:
        fork = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(min(jobs, len(shards)), fork, _leave_to_parent) as pool:
            waiting = [pool.submit(_write_shard, number) for number in range(len(shards))]
            try:
                for shard in as_completed(waiting):
                    progress(shard.result())
            except BrokenProcessPool:
                raise DataError(
                    "a process that prepares questions was killed, perhaps for lack of memory; free some and try again"
                ) from None
            finally:
                for shard in waiting:
                    shard.cancel()
    _shared = None


def _leave_to_parent() -> None:
    """In a process that prepares: an interrupt is the parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


_shared: Any = None
"""What a forked process is born with, so that no table is sent."""


def _shards(tasks: Sequence[Task], jobs: int) -> list[list[int]]:
    """The numbers of the tasks of each shard: some hundreds, of whole tables."""
    by_table: dict[int, list[int]] = {}
    for number, task in enumerate(tasks):
        by_table.setdefault(id(task.question.table), []).append(number)
    size = min(1000, -(-len(tasks) // (4 * jobs)))
    shards: list[list[int]] = [[]]
    for numbers in by_table.values():
        if len(shards[-1]) >= size:
            shards.append([])
        shards[-1] += numbers
    return [shard for shard in shards if shard]


def _write_shard(number: int) -> int:
    folder, tasks, shards, language, lexicon = _shared
    records: list[list[Any]] = []
    values: dict[str, int] = {}
    with (folder / f"{number:04d}.bin").open("wb") as file:
        for task_number in shards[number]:
            task = tasks[task_number]
            ready = task.prepare(language, lexicon)
            text = json.dumps(ready.values)
            place = values.setdefault(text, len(values))
            records.append(
                [task_number, file.tell(), ready.before_constant, ready.has_number, place]
            )
            for array in _arrays(ready):
                raw = array.tobytes()
                file.write(raw + b"\0" * (-len(raw) % 8))
    facts = {"records": records, "values": [json.loads(text) for text in values]}
    (folder / f"{number:04d}.json").write_text(json.dumps(facts), encoding="utf-8")
    return len(records)


def _arrays(ready: Prepared) -> Iterable[NDArray[Any]]:
    """A record: the shapes, then the arrays."""
    axes, words = ready.axes, ready.words
    scopes = list(SCOPES)
    places = [
        (scopes.index(p.scope), p.s0, p.s1, len(p.conditions), p.start, p.none, p.plain)
        for p in axes.places
    ]
    rewarded = ready.rewarded_programs or Rewarded(np.zeros(0, np.int32), np.zeros(0, np.float32))
    more = {
        "column_surface": ready.column_surface,
        "value_surface": ready.value_surface,
        "rewarded_ids": rewarded.ids,
        "rewards": rewarded.rewards,
        "places": np.array(places),
        "place_conditions": np.concatenate([p.conditions for p in axes.places]),
        "value_columns": axes.values[0],
        "value_classes": axes.values[1],
    }
    arrays = []
    for name, kind in _KINDS.items():
        owner = axes if name in _AXES else words
        array = more[name] if name in more else getattr(owner, name, np.zeros(0))
        if isinstance(words, TokenCounts) and name in _WORDS:
            array = np.zeros(0)
        arrays.append(np.asarray(array, f"<{kind}"))
    shapes = [(*a.shape, *((-1,) if a.ndim == 1 else ())) for a in arrays]
    yield np.array([*sum(shapes, ()), axes.constants, axes.programs], "<i8")
    yield from arrays


def _move(made: Path, place: Path) -> None:
    try:
        os.rename(made, place)
    except OSError:  # another run was quicker, or a damaged one is in the way
        shutil.rmtree(place, ignore_errors=True)
        with suppress(OSError):
            os.rename(made, place)
    ages: dict[Path, float] = {}
    for other in place.parent.iterdir():
        with suppress(OSError):  # another run may take it away meanwhile
            if len(other.name) == 32 or other.name.startswith(".making-"):
                ages[other] = other.stat().st_mtime
    stores = sorted((p for p in ages if p.name[0] != "."), key=ages.__getitem__)
    left = [p for p, then in ages.items() if p.name[0] == "." and time.time() - then > ABANDONED]
    for old in (*stores[:-KEPT], *left):
        shutil.rmtree(old, ignore_errors=True)


# Reading


def _opened(place: Path, tasks: Sequence[Task], language: frozenset[str]) -> list[Prepared]:
    found: list[Prepared | None] = [None] * len(tasks)
    for path in sorted(place.glob("*.json")):
        facts = json.loads(path.read_text(encoding="utf-8"))
        shard = np.memmap(path.with_suffix(".bin"), np.uint8, "r")
        values = [tuple(map(tuple, texts)) for texts in facts["values"]]
        for number, start, before, has_number, texts in facts["records"]:
            task = tasks[number]
            record = _Record(shard, start)
            found[number] = record.prepared(
                task, values[texts], tuple(map(tuple, before)), has_number, language
            )
    if not tasks or any(one is None for one in found):
        raise ValueError("the store lacks a question")
    with suppress(OSError):  # someone else's, which may be read all the same
        os.utime(place)
    return [one for one in found if one is not None]


class _Record:
    """The arrays of one question, as views of a shard."""

    def __init__(self, shard: NDArray[np.uint8], start: int) -> None:
        numbers = 2 * len(_KINDS) + 2
        header = shard[start : start + 8 * numbers].view("<i8").tolist()
        self.constants, self.programs = header[-2:]
        self.arrays: dict[str, NDArray[Any]] = {}
        place = start + 8 * numbers
        for line, (name, kind) in enumerate(_KINDS.items()):
            first, second = header[2 * line : 2 * line + 2]
            shape = (first,) if second < 0 else (first, second)
            size = int(kind[1]) * first * max(1, second) if second else 0
            if place + size > len(shard):
                raise ValueError("the store is cut short")
            self.arrays[name] = np.ndarray(shape, f"<{kind}", shard, place)
            place += size + -size % 8

    def prepared(
        self,
        task: Task,
        values: tuple[tuple[str, ...], ...],
        before: tuple[tuple[str, ...], ...],
        has_number: bool,
        language: frozenset[str],
    ) -> Prepared:
        arrays, asked = self.arrays, task.question
        scopes = list(SCOPES)
        places, end = [], 0
        for scope, s0, s1, count, start, none, plain in arrays["places"].tolist():
            conditions = arrays["place_conditions"][end : end + count]
            places.append(FamilySlice(scopes[scope], s0, s1, conditions, start, none, bool(plain)))
            end += count
        axes = Axes(
            **{name: arrays[name] for name in _AXES},
            places=tuple(places),
            values=(arrays["value_columns"], arrays["value_classes"]),
            constants=self.constants,
            programs=self.programs,
        )
        words: LexicalScores | TokenCounts = LexicalScores(
            **{name: arrays[name] for name in _WORDS}
        )
        if len(arrays["shared"]):
            words = TokenCounts(**{name: arrays[name] for name in _COUNTS}, axes=axes)
        return Prepared(
            tokenise(asked.text),
            tokenise(asked.history[-1]) if asked.history else (),
            index_of(asked.table).name_tokens,
            values,
            arrays["column_surface"],
            arrays["value_surface"],
            before,
            has_number,
            axes,
            words,
            Rewarded(arrays["rewarded_ids"], arrays["rewards"])
            if task.answer is not None
            else None,
            task.previous,
            asked.text,
            asked.table,
            asked.history,
            partial(program_space, asked.text, asked.table, task.previous, language),
        )
