"""Prepared questions on disk, memory-mapped: made once, in parallel, read by any number of runs.

A store is a folder of shards that is written beside its place and moved there whole, and never
changed after. Its name is a digest of everything it was made from: the questions, tables and
answers, the language and lexicon, and the code that prepares. So a changed input or a changed
program finds no store and makes a new one, and two runs that make the same one at once do no harm
to each other.

A shard is a file of records, one a question, each a header of shapes and then the arrays of a
`Prepared` one after the other, every one on a multiple of 8 bytes; and a JSON file with where the
records begin and the few words that are no arrays.
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
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

import denota
from denota.cache import cache_folder
from denota.data.answer import Cells
from denota.errors import DataError
from denota.search.lexicon import Lexicon
from denota.search.prepare import Prepared
from denota.search.sought import ANY
from denota.search.store_record import StoreRecord, record_arrays
from denota.search.task import Task
from denota.tables.table import Table

STORE_FORMAT: Final = 3
FEW_QUESTIONS: Final = 100
"""Fewer questions than this are made ready in memory."""
LARGEST_SHARD: Final = 1000
"""Questions of a shard, about."""
KEPT_STORES: Final = 4
"""At most this many stores are kept; the least recently used goes first."""
ABANDONED: Final = 6 * 3600
"""Seconds after which a store half made is taken for abandoned."""


def prepared_ahead(
    tasks: Sequence[Task],
    language: frozenset[str],
    lexicon: Lexicon,
    folder: Path | None = None,
    jobs: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> list[Prepared]:
    """Return prepared tasks, from the store of exactly these tasks if there is one, else a new one.

    Args:
        tasks: the questions.
        language: the operators of the language.
        lexicon: the pairs of the critique.
        folder: where stores are kept, the cache folder if None.
        jobs: how many processes to use, 0 for one a core.
        progress: called with the number of questions done since the last call.
    """
    if len(tasks) < FEW_QUESTIONS:
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
    digest = hashlib.sha256(repr((STORE_FORMAT, np.__version__, code_digest())).encode())
    digest.update(
        repr(
            (
                sorted(language),
                sorted(lexicon.pairs),
                lexicon.grounded,
                lexicon.length,
                lexicon.stems,
                lexicon.weights,
                lexicon.altered,
            )
        ).encode()
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
        if task.sought is not ANY:
            sought = (task.sought.meant, sorted(task.sought.language or ()))
            digest.update(repr(sought).encode("utf-8", "surrogatepass"))
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
    """Write shards, each by one process.

    Questions about a table stay together, for what is known of it is shared.
    """
    global _shared
    shards = _shards(tasks, jobs)
    _shared = (folder, tasks, shards, language, lexicon)
    if jobs <= 1 or len(shards) <= 1:
        for number in range(len(shards)):
            progress(_write_shard(number))
    else:
        fork = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(min(jobs, len(shards)), fork, _leave_to_parent) as pool:
            longest = sorted(range(len(shards)), key=lambda n: -_work(tasks, shards[n]))
            waiting = [pool.submit(_write_shard, number) for number in longest]
            try:
                for shard in as_completed(waiting):
                    progress(shard.result())
            except BrokenProcessPool:
                raise DataError(
                    "a process that prepares questions was killed, perhaps for lack of memory; "
                    "free some and try again"
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
    """The numbers of the tasks of each shard: some hundreds, of whole tables, and about as long."""
    by_table: dict[int, list[int]] = {}
    for number, task in enumerate(tasks):
        by_table.setdefault(id(task.question.table), []).append(number)
    most = _work(tasks, range(len(tasks))) / (8 * jobs)
    shards: list[list[int]] = [[]]
    work = 0
    for numbers in by_table.values():
        if work >= most or len(shards[-1]) >= LARGEST_SHARD:
            shards.append([])
            work = 0
        shards[-1] += numbers
        work += _work(tasks, numbers)
    return [shard for shard in shards if shard]


def _work(tasks: Sequence[Task], shard: Iterable[int]) -> int:
    """About how long a shard takes, in no unit: each question with the rows of its table."""
    return sum(20 + len(tasks[number].question.table) for number in shard)


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
            for array in record_arrays(ready):
                raw = array.tobytes()
                file.write(raw + b"\0" * (-len(raw) % 8))
    # the texts are JSON already: to read them in order to write them would take half of the time
    facts = f'{{"records": {json.dumps(records)}, "values": [{",".join(values)}]}}'
    (folder / f"{number:04d}.json").write_text(facts, encoding="utf-8")
    return len(records)


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
    for old in (*stores[:-KEPT_STORES], *left):
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
            record = StoreRecord(shard, start)
            found[number] = record.prepared(
                task, values[texts], tuple(map(tuple, before)), has_number, language
            )
    if not tasks or any(one is None for one in found):
        raise ValueError("the store lacks a question")
    with suppress(OSError):  # someone else's, which may be read all the same
        os.utime(place)
    return [one for one in found if one is not None]
