"""What is kept on disk says its format: older files are read, newer ones are refused."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from safetensors import safe_open
from safetensors.torch import save_file

from denota.app.paths import load_run, model_path
from denota.app.web.sessions import SavedTurn, SessionStore
from denota.errors import DataError, FormatError, TrainingError
from denota.learning.run_format import FORMAT, check_run_format
from denota.model import saved
from denota.sqlite import Database
from denota.tables.table import Table
from denota.teaching.log import Correction, TeachingLog

TABLE = Table.from_rows(["city", "people"], [["Oslo", "7"], ["Moss", "3"]])
CORRECTION = Correction("who?", "who?", (), None, frozenset({(0, 0)}))
UPDATE = r"was written by a newer denota \(format {}, this one reads up to {}\); update denota$"

#: The tables of files from before formats were numbered.
OLD_LESSONS = """
CREATE TABLE tables (digest TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE log (number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, person TEXT NOT NULL,
    kind TEXT NOT NULL, content TEXT NOT NULL);
INSERT INTO tables VALUES ('d', '{"columns": ["city"], "rows": [["Oslo"]]}');
INSERT INTO log VALUES (1, 0.0, '', 'lesson', '{"table": "d", "question": "where?",
    "asked": "where?", "history": [], "previous": null, "cells": [[0, 0]], "program": null}');
"""
OLD_SESSIONS = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, content TEXT NOT NULL, touched REAL NOT NULL);
CREATE TABLE turns (session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    place INTEGER NOT NULL, question TEXT NOT NULL, program TEXT NOT NULL, confidence REAL NOT NULL,
    sure INTEGER NOT NULL, PRIMARY KEY (session, place));
INSERT INTO sessions VALUES ('s', '{}', 0.0);
INSERT INTO turns VALUES ('s', 0, 'where?', 'SELECT city', 0.9, 1);
"""


def version(path: Path, number: int | None = None) -> int:
    """The number that a file says, after setting it if one is given."""
    with closing(sqlite3.connect(path)) as file:
        if number is not None:
            file.execute(f"PRAGMA user_version = {number}")
        return int(file.execute("PRAGMA user_version").fetchone()[0])


def make(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as file:
        file.executescript(script)
    return path


def test_lessons_without_a_format_are_read_and_brought_up(tmp_path: Path) -> None:
    path = make(tmp_path / "lessons.sqlite", OLD_LESSONS)
    assert version(path) == 0
    log = TeachingLog(path)
    log.add(TABLE, CORRECTION)
    questions = [one.correction.question for one in log.lessons() if one.correction]
    assert questions == ["where?", "who?"]
    assert log.table("d").names == ("city",)
    log.close()
    assert version(path) == 2
    with closing(sqlite3.connect(path)) as file, pytest.raises(sqlite3.IntegrityError):
        file.execute("DELETE FROM log")  # the guards of the log came with the format


def test_sessions_without_a_format_are_read_and_brought_up(tmp_path: Path) -> None:
    path = make(tmp_path / "sessions.sqlite", OLD_SESSIONS)
    store = SessionStore(path)
    (old,) = store.load("s").turns
    assert replace(old, id="") == SavedTurn("where?", "SELECT city", 0.9, True)
    assert old.id and store.find("s").version, "what format 2 adds is there"
    taught = SavedTurn("who?", "", 1.0, True, ((0, 0),), taught=True, id="v2")
    store.put("s", 1, taught)
    assert store.load("s").turns == (old, taught)
    assert store.find("s").version == "v2"
    store.close()
    assert version(path) == 2


@pytest.mark.parametrize(("kind", "newest"), [(TeachingLog, 2), (SessionStore, 2)])
def test_a_newer_database_is_refused_and_left_alone(
    tmp_path: Path, kind: Callable[[Path], TeachingLog | SessionStore], newest: int
) -> None:
    path = tmp_path / "file.sqlite"
    kind(path).close()
    version(path, 7)
    before = path.read_bytes()
    with pytest.raises(FormatError, match="file.sqlite " + UPDATE.format(7, newest)):
        kind(path)
    assert path.read_bytes() == before


def test_the_command_line_says_what_to_do_about_newer_lessons(
    tmp_path: Path, run: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lessons.sqlite"
    TeachingLog(path).close()
    version(path, 3)
    monkeypatch.setenv("DENOTA_LESSONS", str(path))
    said = run("teach", "default", "--log").sentence()
    assert re.search(UPDATE.format(3, 2), said.strip())


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    def broken(to: sqlite3.Connection) -> None:
        to.execute("CREATE TABLE more (a)")
        to.execute("CREATE TABLE more (a)")

    path = tmp_path / "a.sqlite"
    Database(path, [lambda to: to.execute("CREATE TABLE first (a)")]).close()  # type: ignore[list-item, return-value]
    with pytest.raises(sqlite3.Error):
        Database(path, [broken, broken])
    assert version(path) == 1
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT name FROM sqlite_master").fetchall() == [("first",)]


def test_what_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_text("a diary, and nothing that a program should touch\n" * 100)
    with pytest.raises(DataError, match="lessons cannot be kept in"):
        TeachingLog(path)
    assert path.read_text().startswith("a diary")


def test_a_run_says_its_format(tmp_path: Path) -> None:
    check_run_format(tmp_path)  # nothing is there yet
    file = tmp_path / "run.json"
    for old in ({"seed": 0, "epochs": []}, {"format": FORMAT}, ["no record"]):
        file.write_text(json.dumps(old))
        check_run_format(tmp_path)
    file.write_text('{"format": 2')
    check_run_format(tmp_path)  # cut short by a crash
    file.write_text(json.dumps({"format": FORMAT + 1}))
    with pytest.raises(FormatError, match=UPDATE.format(FORMAT + 1, FORMAT)):
        check_run_format(tmp_path)


def saved_as(format: str | None, path: Path) -> Path:
    """The default model as if written in a format; its contents are as they are."""
    with safe_open(model_path("default"), framework="pt") as file:
        metadata = {**file.metadata()}
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    metadata.pop("format")
    if format is not None:
        metadata["format"] = format
    save_file(tensors, path, metadata)
    return path


def test_a_newer_parser_is_refused_and_something_else_is_no_parser(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    newest = saved.CHECKPOINT_FORMAT
    with pytest.raises(FormatError, match=UPDATE.format(newest + 1, newest)):
        load_run(saved_as(f"denota {newest + 1}", path))
    for other in (None, "denota", "denota x", "other 1"):
        with pytest.raises(TrainingError, match="is not a model of denota"):
            load_run(saved_as(other, path))
