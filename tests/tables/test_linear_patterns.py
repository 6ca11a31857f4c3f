"""A long cell or question costs its length and no more: no pattern reads a text again and again."""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

import denota.programs
import denota.tables
import denota.tokens
from denota.programs.operators.parts import PARTS
from denota.programs.sql.words import word_patterns
from denota.tables import Column, Table, read_table
from denota.tables.cell_text import LONGEST_VALUE
from denota.tables.dates import read_date
from denota.tables.numbers import read_number
from denota.tokens import word_pattern
from hostile_texts import Hostile, hostile_texts

METHODS: dict[str, Callable[[re.Pattern[Any], Any], object]] = {
    "search": lambda pattern, text: pattern.search(text),
    "match": lambda pattern, text: pattern.match(text),
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
    "finditer": lambda pattern, text: sum(1 for _ in pattern.finditer(text)),
    "sub": lambda pattern, text: pattern.sub(lambda found: text[:0], text),
}
LENGTHS = (16, 32, 64, 256, 1_024, 4_096)
FLOOR = 0.003
"""Seconds: what takes less is not judged, for the machine has other things to do."""
STEEP = 10.0
"""Four times the text may take this many times as long; quadratic is 16."""
AGAIN = 3
"""Steep growth is seen this often, each time in the shortest of as many runs."""
MAKERS = {
    "denota.tables.dates._pattern",
    "denota.programs.sql.date_forms._pattern",
    "denota.programs.operators.parts._parts",
    "denota.programs.sql.recipes._first",
    "denota.programs.sql.words.word_patterns",
}
"""Functions that compile patterns while modules are imported, where they are found, and the one
that does so for a word, whose patterns are among those here."""


def modules() -> list[ModuleType]:
    """All modules that read cells and questions."""
    packages = (denota.tables, denota.programs)
    names = [
        name
        for package in packages
        for _, name, _ in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    ]
    return [*packages, denota.tokens, *map(importlib.import_module, names)]


def patterns_in(value: Any, seen: set[int]) -> Iterator[re.Pattern[Any]]:
    """Compiled patterns that can be reached: in containers, in classes, behind functions."""
    if id(value) in seen:
        return
    seen.add(id(value))
    inside: Any = ()
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        inside = [*value, *value.values()]
    elif isinstance(value, tuple | list | set | frozenset):
        inside = value
    elif isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        inside = [*cells, *(value.__defaults__ or ())]
    elif type(value).__module__.startswith("denota.") or (
        inspect.isclass(value) and value.__module__.startswith("denota.")
    ):
        inside = list(vars(value).values()) if hasattr(value, "__dict__") else ()
    for one in inside:
        yield from patterns_in(one, seen)


def all_patterns() -> dict[str, re.Pattern[Any]]:
    """Every pattern, by where it stands and the way it begins."""
    found: dict[str, re.Pattern[Any]] = {}
    seen: set[int] = set()
    for module in modules():
        for name, value in vars(module).items():
            if name.startswith("__"):
                continue
            for number, pattern in enumerate(patterns_in(value, seen)):
                found[f"{module.__name__}.{name}.{number}"] = pattern
    for word in ("over", "1234", "é"):
        found[f"word_pattern({word!r})"] = re.compile(word_pattern(word))
        for number, pattern in enumerate(word_patterns(word)):
            found[f"word_patterns({word!r}).{number}"] = pattern
    return found


PATTERNS = all_patterns()


def seconds(run: Callable[[], object], repeats: int = 1) -> float:
    """The least of some runs, of computing alone."""
    best = float("inf")
    for _ in range(repeats):
        began = time.thread_time()
        run()
        best = min(best, time.thread_time() - began)
    return best


def growth(run: Callable[[int], Callable[[], object]]) -> list[tuple[int, float]]:
    """Lengths and seconds from the first length that takes long, if they grow steeply; else none.

    Args:
        run: makes what is timed for a length.
    """
    for length in LENGTHS:
        if seconds(run(length)) < FLOOR:
            continue
        for _ in range(AGAIN):
            before, took = seconds(run(length // 4), AGAIN), seconds(run(length), AGAIN)
            if took < max(FLOOR, STEEP * before):
                break
        else:
            return [(length // 4, before), (length, took)]
    return []


def steep(pattern: re.Pattern[Any]) -> tuple[str, Hostile, list[tuple[int, float]]] | None:
    """The first method and family of texts for which a pattern is worse than linear."""
    for hostile in hostile_texts(pattern):
        for name, method in METHODS.items():
            if name == "fullmatch" and pattern.pattern in SEARCHED:
                continue

            def run(length: int, call: Any = method, how: Hostile = hostile) -> Any:
                text: Any = how.of_length(length)
                if isinstance(pattern.pattern, bytes):
                    text = text.encode("latin-1", "replace")
                return lambda: call(pattern, text)

            if found := growth(run):
                return name, hostile, found
    return None


SEARCHED = frozenset(PARTS.values())
"""Written for engines too, which only search, so that no whole match of them is asked for."""


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_is_linear(name: str) -> None:
    found = steep(PATTERNS[name])
    assert found is None, f"{PATTERNS[name].pattern!r}: {found}"


def functions_compiling(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The function of `re` that is called and where: the function it is called in, or nothing."""

    def walk(node: ast.AST, inside: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = inside or node.name
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = node.func.value
            if isinstance(of, ast.Name) and of.id == "re":
                yield node.func.attr, inside
        for child in ast.iter_child_nodes(node):
            yield from walk(child, inside)

    assert module.__file__ is not None
    return walk(ast.parse(Path(module.__file__).read_text("utf-8")), "")


def test_no_pattern_escapes() -> None:
    made = set()
    for module in modules():
        for called, inside in functions_compiling(module):
            if called == "escape":
                continue
            assert called == "compile", f"{module.__name__} calls re.{called}; compile the pattern"
            if inside:
                made.add(f"{module.__name__}.{inside}")
        own = [one for one in vars(module).values() if isinstance(one, FunctionType)]
        assert all(one.__module__ != "re" for one in own), f"{module.__name__} imports from re"
    assert made == MAKERS


def test_many_patterns_are_found() -> None:
    for part in ("tables.numbers._NUMBER", "tables.dates._PATTERNS.9", ".NUMBERS"):
        assert any(part in name for name in PATTERNS), part
    assert set(PARTS.values()) <= {pattern.pattern for pattern in PATTERNS.values()}


@pytest.mark.parametrize("pattern", [r"(?<![\d,])(?:0|\d[\d.]*),\d", r"\s*$", r"(a|a)*b", r"\d+x"])
def test_what_is_worse_than_linear_is_seen(pattern: str) -> None:
    assert steep(re.compile(pattern)) is not None


@pytest.mark.parametrize("unit", ["1.", "1,", "1", " ", "1 000 ", "(", "[", "may ", "-", "a", "é "])
def test_a_long_cell_costs_its_length(unit: str) -> None:
    def read(length: int) -> Callable[[], object]:
        cell = Hostile("1", unit, "x").of_length(length)

        def run() -> list[str]:
            table = Table.from_rows(["a", "b"], [["1", cell], ["2", "3"]])
            return [column.kind for column in table.columns]

        return run

    few, many = seconds(read(50_000), AGAIN), seconds(read(200_000), AGAIN)
    assert many < max(0.05, STEEP * few)


def test_a_file_with_a_cell_of_a_megabyte_is_read_at_once() -> None:
    data = ("Name,Value\na," + "1." * 500_000 + "\nb,2\n").encode()
    began = time.thread_time()
    table = read_table(io.BytesIO(data), name="long.csv")
    assert [column.kind for column in table.columns] == ["text", "number"]
    assert time.thread_time() - began < 2


@pytest.mark.parametrize("text", ["1" * 61, "1," * 300, "17 May 1993 " + "x" * 200, "1" * 5_000])
def test_what_is_longer_than_a_value_is_text(text: str) -> None:
    assert read_number(text) is None
    assert read_date(text) is None
    assert Column("a", (text, text + " ")).kind == "text"


def test_a_value_with_a_long_remark_is_a_value() -> None:
    remark = "(" + "x" * (LONGEST_VALUE - 7) + ")"
    assert read_number(f"1200 {remark}") is not None
    assert read_number(f"1200  {remark}") is None
    assert read_date(f"1993 {remark}") is not None
    assert read_date(f"1993  {remark}") is None
