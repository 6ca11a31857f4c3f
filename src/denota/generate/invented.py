"""Invented tables: orders, employees, flights and so on, such as people have in spreadsheets.

What a table may have is written in `invented.toml`; which columns it has, what they are called and
what their cells say is drawn from a seed. No value is taken from any data.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any, Final

from denota.generate.invented_values import Draft, Lists, values_of
from denota.tables.table import Table


def invented_tables(count: int, seed: int = 0) -> Iterator[Table]:
    """Yield invented tables of 5 to 5,000 rows, the same ones from the same seed.

    >>> first, second = invented_tables(2, seed=3)
    >>> first.name == next(invented_tables(1, seed=3)).name, len(first.columns) > 3
    (True, True)
    """
    for number in range(count):
        yield invent(Random(f"{seed}/{number}"))


def invent(rng: Random, rows: int | None = None) -> Table:
    """Return one invented table, of a length that is drawn if not given."""
    name = rng.choice(sorted(_loaded()["tables"]))
    return invent_kind(name, rng, rows)


def invent_kind(name: str, rng: Random, rows: int | None = None) -> Table:
    """Return an invented table of one kind, such as `orders`."""
    tables = _loaded()["tables"]
    entry = tables[name]
    draft = Draft(rng, rows or _length(rng), _lists())
    style, other = rng.choices(list(HEADERS), list(HEADERS.values()))[0], rng.random() < 0.4
    columns: dict[str, list[str]] = {}
    more = rng.sample(sorted(tables), rng.randint(1, 2)) if rng.random() < WIDE else []
    for place, kind_of_table in enumerate([name, *more]):
        for line in _lines(tables[kind_of_table]["columns"]):
            for header, kind, arguments in _columns(line, rng):
                if not place or kind not in OF_ITS_OWN:
                    columns.setdefault(style(header, other), values_of(draft, kind, arguments))
    if rng.random() < 0.3:
        columns = _with_gaps(columns, rng)
    if rng.random() < 0.15:
        columns = _shuffled(columns, rng)
    file = rng.choice(entry["names"].split()) if rng.random() < 0.7 else rng.choice(_NO_NAMES)
    cells = [list(row) for row in zip(*columns.values(), strict=True)]
    return Table.from_rows(list(columns), cells, f"{file}.csv")


def table_kinds() -> tuple[str, ...]:
    """Return the kinds of tables there are."""
    return tuple(_loaded()["tables"])


def title_case(header: str, other: bool) -> str:
    """`Order Date`, as it stands."""
    return header


def snake_case(header: str, other: bool) -> str:
    """`order_date`, units too: `weight_kg`."""
    return "_".join(_words(header)).lower()


def camel_case(header: str, other: bool) -> str:
    """`orderDate`, or `OrderDate`."""
    words = [word.lower() for word in _words(header)]
    joined = "".join(word.capitalize() for word in words)
    return joined if other else joined[:1].lower() + joined[1:]


def upper_case(header: str, other: bool) -> str:
    """`ORDER_DATE`, or `ORDER DATE`."""
    return header.upper() if other else "_".join(_words(header)).upper()


def lower_case(header: str, other: bool) -> str:
    """`order date`."""
    return header.lower()


def short_forms(header: str, other: bool) -> str:
    """`Order Qty`, `Dept`; at times in snake case."""
    short = _loaded()["short"]
    words = " ".join(short.get(word, word) for word in header.split())
    return snake_case(words, other) if other else words


HEADERS: Final[dict[Callable[[str, bool], str], float]] = {
    title_case: 40.0,
    snake_case: 20.0,
    camel_case: 8.0,
    upper_case: 7.0,
    lower_case: 7.0,
    short_forms: 18.0,
}
"""How often headers are written in each way; each has another way besides, one for a table."""


@dataclass(frozen=True)
class _Line:
    """A line of columns: alternatives of siblings, and the kind of values of each alternative."""

    optional: bool
    alternatives: tuple[tuple[str, ...], ...]
    kinds: tuple[str, ...]


@lru_cache(maxsize=64)
def _lines(text: str) -> tuple[_Line, ...]:
    found = []
    for line in text.strip().splitlines():
        headers, _, kinds = line.partition(" : ")
        optional = headers.startswith("? ")
        alternatives = tuple(
            tuple(one.strip() for one in alternative.split("&"))
            for alternative in headers.removeprefix("? ").split("|")
        )
        found.append(_Line(optional, alternatives, tuple(k.strip() for k in kinds.split("|"))))
    return tuple(found)


def _columns(line: _Line, rng: Random) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The columns of a line that a table has: header, kind of values, arguments."""
    if line.optional and rng.random() < 0.5:
        return
    place = int(rng.random() * len(line.alternatives))
    kind, *arguments = line.kinds[place].split()
    for sibling in line.alternatives[place]:
        if sibling.startswith("? ") and rng.random() < 0.5:
            continue
        header = rng.choice(sibling.removeprefix("? ").split("/"))
        yield header, kind, tuple(arguments)


def _with_gaps(columns: dict[str, list[str]], rng: Random) -> dict[str, list[str]]:
    """Leave some cells without a value, as a table's writer did: empty, `n/a`, `-`."""
    mark = rng.choice(("", "", "n/a", "-", "NULL"))
    found = {}
    for place, (header, texts) in enumerate(columns.items()):
        share = 0.12 * rng.random() if place > 1 and rng.random() < 0.4 else 0.0
        found[header] = [mark if share and rng.random() < share else text for text in texts]
    return found


def _shuffled(columns: dict[str, list[str]], rng: Random) -> dict[str, list[str]]:
    order = list(columns)
    rng.shuffle(order)
    return {header: columns[header] for header in order}


def _length(rng: Random) -> int:
    """A number of rows: mostly a screen or two, now and then thousands."""
    low, high = rng.choices(LENGTHS, weights=(34, 36, 24, 6))[0]
    return int(low * (high / low) ** rng.random())


def _words(header: str) -> list[str]:
    return re.findall(r"[^\W_]+|%|\$", header.replace("(%)", "pct").replace("($)", "usd"))


@lru_cache(maxsize=1)
def _lists() -> Lists:
    return {
        name: tuple(" ".join(item.split()) for item in text.split(";"))
        for name, text in _loaded()["lists"].items()
    }


@lru_cache(maxsize=1)
def _loaded() -> dict[str, dict[str, Any]]:
    with files("denota.generate").joinpath("invented.toml").open("rb") as file:
        return tomllib.load(file)


LENGTHS: Final = ((5, 30), (30, 120), (120, 600), (600, 5000))
WIDE: Final = 0.2
"""The share of tables that have columns of other kinds of tables as well, as exports have."""
OF_ITS_OWN: Final = frozenset(["id", "serial", "each", "person"])
"""Kinds of values that name the rows of a table, which it does not take from another kind."""
_NO_NAMES: Final = ("data", "export", "sheet1", "table_1", "report-final")
