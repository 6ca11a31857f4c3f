"""WikiSQL (Zhong et al. 2017), learnt from answers alone: lines of questions and of tables.

    train.jsonl.gz          {"id": ..., "table": ..., "question": ..., "answer": ["text", ...]}
    tables.train.jsonl.gz   {"id": ..., "columns": [...], "rows": [[...], ...]}

An answer has one text a row found, repeats kept. Where there is no file `dev`, a tenth of the
tables of `train` becomes it; `all` is the whole of `train`. Every question is a conversation of
its own.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from posixpath import normpath
from typing import Any, Final

from denota.data.answer import Item, Values, item_key
from denota.data.dataset import BY_VALUES, DataSet
from denota.data.disk import listed, unreadable
from denota.data.example import Example, Question
from denota.data.items import print_item, read_items, write_items
from denota.data.loaded import Loaded
from denota.data.parts import EVERYTHING, parts_by_table
from denota.errors import DataError
from denota.tables.table import Table


def is_right_exactly(predicted: Sequence[Item], gold: Values) -> bool:
    """Say whether items are the gold ones by WikiSQL's rule: equal items, each as often.

    Texts are equal but for case and white space, numbers to 1e-6.

    >>> is_right_exactly(["OSLO", 2.0], Values(("oslo", "2"), repeats=True))
    True
    >>> is_right_exactly(["oslo (norway)"], Values(("oslo",), repeats=True))
    False
    """
    return Counter(map(_exact_key, predicted)) == Counter(map(_exact_key, gold.items))


def _exact_key(item: Item) -> Hashable:
    folded = " ".join(print_item(item).lower().split())
    key = item_key(folded)
    # a number is one as it stands, not behind a sign of money or before a remark
    return key if isinstance(key, float) and set(folded) <= _OF_NUMBERS else folded


_OF_NUMBERS: Final = frozenset("0123456789+-.,e")


def _files(path: Path) -> dict[str, Path]:
    files = _json_files(path)
    if not any(name.startswith("tables.") for name in files):
        return {}
    found = {name: file for name, file in files.items() if not name.startswith("tables.")}
    if "train" in found:
        found |= {EVERYTHING: found["train"], "dev": found.get("dev", found["train"])}
    return found


def _splits(path: Path) -> tuple[str, ...]:
    return tuple(sorted(_files(path)))


def _questions(path: Path, split: str) -> Loaded:
    return Loaded(_part(path, split).questions)


def _examples(path: Path, split: str) -> Loaded:
    loaded = _part(path, split)
    if not loaded.examples:
        raise DataError(
            f"{_files(path)[split]} has no answers; use a split that has them, or predict instead"
        )
    return loaded


def _part(path: Path, split: str) -> Loaded:
    files = _files(path)
    file = files[split]
    records = [
        (place, _checked(place, record, {"id": str, "table": str, "question": str}))
        for place, record in _records(file)
    ]
    if split in ("train", "dev") and files["dev"] == files["train"]:
        parts = parts_by_table(record["table"] for _, record in records)
        if split not in parts:
            raise DataError(f"{path} has no split {split!r}: its questions are about one table")
        records = [
            (p, record) for p, record in records if normpath(record["table"]) in parts[split]
        ]
    return _asked(records, _tables(path, file, {record["table"] for _, record in records}))


def _asked(records: Sequence[tuple[str, dict[str, Any]]], tables: Mapping[str, Table]) -> Loaded:
    """Return records as questions about tables, and as examples where they have an answer."""
    questions: list[Question] = []
    examples: list[Example] = []
    for place, record in records:
        name = record["table"]
        if name not in tables:
            raise DataError(f"{place} asks about the table {name!r}, which no tables.* file has")
        questions.append(Question(record["id"], "0", 0, record["question"], tables[name], name))
        if "answer" in record:
            items = _checked(place, record, {"answer": list})["answer"]
            if not all(isinstance(item, str) for item in items):
                raise DataError(f'{place} must have a list of texts as its "answer"; mend the line')
            examples.append(Example(questions[-1], Values(tuple(items), repeats=True)))
    return Loaded(tuple(questions), tuple(examples))


def _tables(path: Path, file: Path, wanted: set[str]) -> dict[str, Table]:
    """Read the tables that are asked about, first from the file that bears the split's name."""
    split = file.name.partition(".")[0]
    files = {
        n.partition(".")[2]: f for n, f in _json_files(path).items() if n.startswith("tables.")
    }
    tables: dict[str, Table] = {}
    for name in sorted(files, key=lambda name: (not split.startswith(name), name)):
        if len(tables) == len(wanted):
            break
        for place, record in _records(files[name]):
            if record.get("id") in wanted and record["id"] not in tables:
                _checked(place, record, {"columns": list, "rows": list})
                tables[record["id"]] = _table(place, record)
    return tables


def _table(place: str, record: dict[str, Any]) -> Table:
    columns, rows = record["columns"], record["rows"]
    fits = all(isinstance(row, list) and len(row) == len(columns) for row in rows)
    if (
        not columns
        or not fits
        or not all(isinstance(c, str) for row in (columns, *rows) for c in row)
    ):
        raise DataError(f"{place} is no table: its rows are not texts under its columns")
    return Table.from_rows(columns, rows, record["id"])


def _json_files(path: Path) -> dict[str, Path]:
    """Return the files NAME.jsonl.gz and NAME.jsonl of a directory by name."""
    if not path.is_dir():
        return {}
    files = [(file.name.removesuffix(".gz"), file) for file in listed(path)]
    return {n.removesuffix(".jsonl"): file for n, file in files if n.endswith(".jsonl")}


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a file, a line each, with their places."""
    number = 0
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8") as stream
        ):
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    record = json.loads(line)
                    if not isinstance(record, dict):
                        raise DataError(f"{path}:{number} is not a JSON object; mend the line")
                    yield f"{path}:{number}", record
    except json.JSONDecodeError as error:
        raise DataError(f"{path}:{number} is not JSON ({error.msg}); mend the line") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text; save it as UTF-8") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path} is not a whole gzip file ({error}); get it again") from error
    except OSError as error:
        raise unreadable(path, error) from error


def _checked(place: str, record: dict[str, Any], kinds: dict[str, type]) -> dict[str, Any]:
    for name, kind in kinds.items():
        if not isinstance(record.get(name), kind):
            what = "a text" if kind is str else "a list"
            raise DataError(f'{place} must have {what} as its "{name}"; mend the line')
    return record


WIKISQL: Final = DataSet(
    "wikisql",
    _files,
    _splits,
    _questions,
    _examples,
    read_items,
    write_items,
    "values",
    BY_VALUES,
    is_right_exactly,
)
