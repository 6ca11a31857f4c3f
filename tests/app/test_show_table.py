"""`denota show`: what it says; and no cell reaches the terminal as a command to it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

import denota
from denota import read_table
from strategies import rectangles

HARBOURS = """\
Harbour,Boats,Opened,Season,Cost
Oslo,"1,234","May 17, 1891",1891-92,$1.2 million
Bergen,7[a],"June 3, 1893",1893-94,"$640,000"
Hamar,n/a,after the thaw,1896-97,-
Moss,DNF,"July 11, 1902",1902-03,"$980,500"
Ørsta,56,"May 30, 1904",1904-05,$1.1 million
"""

CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


@pytest.fixture
def harbours(tmp_path: Path) -> Path:
    path = tmp_path / "harbours.csv"
    path.write_text(HARBOURS, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def test_types_ranges_and_what_could_not_be_read_are_shown(run: Callable, harbours: Path) -> None:
    shown = run("show", harbours)
    assert (shown.code, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert "harbours.csv" in lines[0] and "5 rows" in lines[0] and "5 columns" in lines[0]

    def line_of(name: str) -> str:
        return next(line for line in lines[1:] if name in line)

    assert (
        "text" in line_of("Harbour")
        and "Bergen" in line_of("Harbour")
        and "Ørsta" in line_of("Harbour")
    )
    assert all(word in line_of("Boats") for word in ("number", "7", "1,234", "n/a", "DNF"))
    assert all(
        word in line_of("Opened")
        for word in ("date", "17 May 1891", "30 May 1904", "after the thaw")
    )
    assert all(word in line_of("Season") for word in ("year", "1891", "1904"))
    assert all(word in line_of("Cost") for word in ("number", "$640,000", "$1,200,000"))


def test_json_is_one_object_that_says_what_the_views_say(run: Callable, harbours: Path) -> None:
    shown = run("show", harbours, "--json")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.count("\n") == 1
    said = json.loads(shown.out)
    table = read_table(harbours)
    assert (said["name"], said["rows"], said["notes"]) == ("harbours.csv", 5, [])
    assert [column["name"] for column in said["columns"]] == list(table.names)
    for column, view in zip(said["columns"], table.columns, strict=True):
        assert (column["type"], column["unit"]) == (view.kind, view.unit)
        assert column["missing"] == view.missing.sum()
        assert column["unread"] == [
            [row, text] for row, text in enumerate(view.text) if view.unread[row]
        ]
    assert said["columns"][1]["unread"] == [[3, "DNF"]]
    assert said["columns"][1]["missing_marks"] == ["n/a"]


def test_notes_of_the_reading_are_shown(run: Callable, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("Year,,Year\n1,2,3\n")
    names = [column["name"] for column in json.loads(run("show", path, "--json").out)["columns"]]
    shown = " ".join(run("show", path).out.split())
    assert all(name in shown for name in names)
    for note in json.loads(run("show", path, "--json").out)["notes"]:
        assert note in shown


@pytest.mark.parametrize("options", [["--rows", "0"], ["--rows", "1"], ["--rows", "100000"]])
def test_any_number_of_rows_can_be_previewed(
    run: Callable, harbours: Path, options: list[str]
) -> None:
    shown = run("show", harbours, *options)
    assert shown.code == 0
    assert ("Moss" in shown.out) == (options[1] == "100000")


def test_options_reach_the_reading(run: Callable, tmp_path: Path) -> None:
    def names(path: Path, *options: str) -> list[str]:
        shown = run("show", path, "--json", *options)
        assert shown.code == 0, shown.err
        return [column["name"] for column in json.loads(shown.out)["columns"]]

    path = tmp_path / "x.csv"
    path.write_text("a:b,c\td\n1:2,3\t4\n")
    assert names(path, "--delimiter", ":") == ["a", "b,c d"]
    assert names(path, "--delimiter", ",") == ["a:b", "c d"]
    assert names(path, "--delimiter", "tab") == names(path, "--delimiter", "\t") == ["a:b,c", "d"]
    path.write_bytes("n,город\n1,Сочи\n".encode("cp1251"))
    assert names(path, "--encoding", "cp1251") == ["n", "город"]
    path.write_text("a,b\n1\n2,3,4\n")
    assert names(path, "--ragged", "fill") == ["a", "b"]
    path.write_text('a,"b\n1,2\n')
    assert names(path, "--no-quotes") == ["a", '"b']


# What is in a cell stays in the cell

NASTY = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;owned\x07",
    "\x1b[2J\x1b[H",
    "\x9b31m",
    "a\rb",
    "bell\x07",
    "back\x08\x08",
    "\x7f",
    "\x85",
    "[red]markup[/red]",
    "[/]",
    "[bold",
    ":smile:",
    "\\[x]",
    "a\tb\nc",
    "\u202eright to left",
    "\u200b",
    "e\u0301\u0301\u0301",
    "{x} %s %d",
]


@pytest.fixture(params=NASTY, ids=ascii)
def nasty(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "nasty.json"
    rows = [
        {"plain": "1", request.param: request.param},
        {"plain": request.param, request.param: "3"},
    ]
    rows += [{"plain": "4"}, {"plain": "5"}, {"plain": "6"}]
    path.write_text(json.dumps(rows))
    return path


@pytest.mark.parametrize("options", [[], ["--json"], ["--rows", "0"]], ids=" ".join)
def test_no_control_character_of_a_cell_or_header_is_printed(
    run: Callable, nasty: Path, options: list[str]
) -> None:
    shown = run("show", nasty, *options)
    assert (shown.code, shown.err) == (0, "")
    assert not CONTROLS.search(shown.out)


@pytest.mark.parametrize(
    "cell", ["[red]markup[/red]", "[/]", ":smile:", "[link=x]y[/link]", "{x} %s"]
)
def test_what_looks_like_markup_is_shown_as_it_stands(
    run: Callable, tmp_path: Path, cell: str
) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{cell: "1", "b": cell}]))
    shown = run("show", path)
    assert shown.code == 0
    assert shown.out.count(cell) >= 3


def test_on_a_terminal_only_our_own_escape_sequences_are_sent(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    cell = "\x1b]0;owned\x07\x1b[2J\x9b2K\x1b[5mblink"
    path.write_text(json.dumps([{"a": cell, cell: "1"}, {"a": "2", cell: cell}]))
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "denota", "show", str(path)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={
            **os.environ,
            "TERM": "xterm-256color",
            "PYTHONPATH": str(Path(denota.__file__).parent.parent),
        },
    )
    os.close(slave)
    sent = b""
    try:
        while part := os.read(master, 65536):
            sent += part
    except OSError:  # the other side is closed
        pass
    os.close(master)
    assert child.wait(timeout=30) == 0
    text = sent.decode()
    assert "blink" in text
    ours = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert "\x1b" not in ours and "\x07" not in ours and "\x9b" not in ours
    assert "\x1b[5m" not in text


@given(rows=rectangles())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cells_can_be_shown(run: Callable, tmp_path: Path, rows: list[list[str]]) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{f"c{i}": cell for i, cell in enumerate(row)} for row in rows]))
    shown = run("show", path)
    assert (shown.code, shown.err) == (0, "")
    assert not any(
        unicodedata.category(character) == "Cc" for character in shown.out.replace("\n", "")
    )
    said = json.loads(run("show", path, "--json").out)
    assert said["rows"] == len(rows)


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["plain", "json"])
def test_lone_surrogates_do_not_break_the_printing(
    spawn: Callable, tmp_path: Path, options: list[str]
) -> None:
    path = tmp_path / "x.json"
    path.write_text('[{"a": "\\ud800", "\\udfff": "2"}]')
    shown = spawn("show", path, *options)
    assert (shown.code, shown.err) == (0, "")


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["plain", "json"])
def test_an_ascii_terminal_can_show_any_table(
    spawn: Callable, harbours: Path, options: list[str]
) -> None:
    shown = spawn("show", harbours, *options, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (shown.code, shown.err) == (0, "")
    assert ("Oslo" in shown.out or options) and "Harbour" in shown.out and shown.out.isascii()


@pytest.mark.parametrize("columns", ["1", "10", "20", "40", "1000", "0", "x"])
def test_any_width_of_terminal(
    run: Callable, harbours: Path, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    shown = run("show", harbours)
    assert (shown.code, shown.err) == (0, "")


def test_a_reader_that_goes_away_is_no_error_to_print(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "1,2\n" * 50_000)
    environment = {**os.environ, "PYTHONPATH": str(Path(denota.__file__).parent.parent)}
    command = f"'{sys.executable}' -m denota show '{path}' --rows 50000 | head -1"
    shown = subprocess.run(
        ["bash", "-c", command], capture_output=True, timeout=60, env=environment
    )
    assert b"x.csv" in shown.stdout
    assert shown.stderr == b""


# Size


@pytest.mark.slow
def test_a_long_table_is_shown(run: Callable, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = 300_000
    path.write_text(
        "n,name,share\n" + "".join(f'"{n:,}",player {n % 1000},{n % 100}%\n' for n in range(rows))
    )
    shown = run("show", path, "--json")
    assert shown.code == 0
    said = json.loads(shown.out)
    assert said["rows"] == rows
    assert [(column["type"], column["distinct"]) for column in said["columns"]] == [
        ("number", rows),
        ("text", 1000),
        ("number", 100),
    ]
    assert said["columns"][0]["high"] == "299,999"


@pytest.mark.parametrize("character", ["x", "1", " ", "\n", "1,", "é"], ids=ascii)
def test_a_cell_of_five_megabytes_is_shown(run: Callable, tmp_path: Path, character: str) -> None:
    path = tmp_path / "wide.csv"
    cell = character * (5_000_000 // len(character))
    path.write_text(f'a,b\n"{cell}",1\ny,2\n')
    assert read_table(path).cell(0, 0) == cell
    shown = run("show", path)
    assert (shown.code, shown.err) == (0, "")
    assert len(shown.out) < 20_000
