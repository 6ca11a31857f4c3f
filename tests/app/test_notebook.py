"""Notebooks: frames that can be asked, magics, and turns as HTML."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import denota
from denota.conversation.chat import Chat
from denota.conversation.html import turn_html, turns_html
from denota.conversation.turn import Turn
from denota.conversation.written import run_programs
from denota.tables import Table

ROOT = Path(__file__).parents[2]
CITIES = {
    "City": ["Oslo", "Bergen", "Turku", "Tampere"],
    "Country": ["Norway", "Norway", "Finland", "Finland"],
    "People": [709037, 291940, 201863, 255050],
}
NORWAY = "which cities are in Norway?"


@pytest.fixture(scope="module")
def shell() -> Any:
    from IPython.core.interactiveshell import InteractiveShell

    made = InteractiveShell()
    made.history_manager.enabled = False
    made.run_line_magic("load_ext", "denota")
    made.user_ns["df"] = pd.DataFrame(CITIES)
    return made


@pytest.mark.parametrize("frame", [pd.DataFrame(CITIES), pl.DataFrame(CITIES)])
def test_frames_can_be_asked(frame: Any) -> None:
    turn = frame.denota.ask(NORWAY)
    assert turn.answer == ("Oslo", "Bergen") and isinstance(turn.frame(), type(frame))
    chat = frame.denota.chat()
    chat.ask(NORWAY)
    assert chat.ask("how many is that?").values == (2.0,)
    assert chat.parser is frame.denota.chat().parser, "the model is loaded once"
    assert frame.denota.ask(NORWAY, "how many is that?").values == (2.0,)


def test_frames_can_be_asked_whatever_is_imported_first() -> None:
    for code in (
        "import denota, sys; print('pandas' in sys.modules, 'numpy' in sys.modules);"
        "import pandas, pandas as again; print(hasattr(pandas.DataFrame, 'denota'));"
        "import polars; print(hasattr(polars.DataFrame, 'denota'))",
        "import pandas, polars, denota; print(False, False);"
        "print(hasattr(pandas.DataFrame, 'denota')); print(hasattr(polars.DataFrame, 'denota'))",
    ):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert run.stdout.split() == ["False", "False", "True", "True"], run.stderr
        assert not run.stderr


def test_a_package_that_is_not_there_stays_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from denota.imported import when_imported

    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    when_imported("no_such_package_at_all", "denota", "load")
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError):
            __import__("no_such_package_at_all")


def test_a_line_is_a_question(shell: Any) -> None:
    turn = shell.run_line_magic("denota", f"df {NORWAY}")
    assert isinstance(turn, Turn) and turn.answer == ("Oslo", "Bergen")
    by_file = shell.run_line_magic("denota", f"{ROOT}/examples/expeditions.csv who led 1907-08?")
    assert by_file.answer == ("Mirela Ionescu",)


def test_a_question_mark_is_no_wish_for_help(shell: Any) -> None:
    for code in (f"found = %denota df {NORWAY}", f'found = %denota df "{NORWAY}"'):
        shell.user_ns.pop("found", None)
        shell.run_cell(code)
        assert shell.user_ns["found"].question == NORWAY


def test_a_cell_is_a_conversation(shell: Any) -> None:
    out = io.StringIO()
    with redirect_stdout(out):
        chat = shell.run_cell(f"%%denota df\n{NORWAY}\n\nhow many is that?\n").result
    assert isinstance(chat, Chat) and [turn.answer for turn in chat.turns] == [
        ("Oslo", "Bergen"),
        ("2",),
    ]
    said = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    assert f"› {NORWAY}" in said and "Oslo, Bergen" in said and "object at" not in said
    shown, _ = shell.display_formatter.format(chat)
    assert NORWAY in shown["text/html"] and shown["text/html"].count('class="denota"') == 2


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("%denota nothing_here who?", "there is no variable nothing_here"),
        ("%denota", "name a table"),
        ("%denota df", "the question is empty"),
        ("%denota nowhere.csv who?", "nowhere.csv"),
    ],
)
def test_what_goes_wrong_is_a_sentence(shell: Any, code: str, sentence: str) -> None:
    out, error = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(error):
        shell.run_cell(code)
    said = out.getvalue() + error.getvalue()
    assert sentence in said and "Traceback" not in said


class Elements(HTMLParser):
    """The elements of a piece of HTML, each closed in its turn, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.names.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_has_the_sentence_the_rows_the_plot_and_the_sql() -> None:
    rows = [list(map(str, row)) for row in zip(*CITIES.values(), strict=True)]
    table = Table.from_rows(list(CITIES), rows)
    (turn,) = run_programs(table, ["SUM (SELECT People WHERE Country = 'Norway')"])
    found = Elements(turn_html(turn))
    assert turn.explanation in found.text and "1,000,977" in found.text
    assert {"svg", "table", "details", "pre"} <= set(found.names)
    assert "SELECT" in found.text.split("SQL")[1]
    assert "script" not in found.names and "link" not in found.names
    assert not any(name.startswith("on") for name in found.attributes)
    doubtful = turn.__class__(**{**vars(turn), "sure": False, "confidence": 0.4})
    assert "Not sure (40%)." in Elements(turn_html(doubtful)).text


def test_html_escapes_what_tables_and_people_say() -> None:
    bad = '<script>alert("1")</script><img src=x onerror=y>&\x00\x1b\u202e'
    table = Table.from_rows([bad, "n"], [[bad, "1"], [f"{bad}2", "2"]])
    turns = run_programs(table, ["SUM (SELECT n)", "SELECT n"])
    asked = [turn.__class__(**{**vars(turn), "question": bad}) for turn in turns]
    found = Elements(turns_html(asked))
    assert not {"script", "img"} & set(found.names)
    assert '<script>alert("1")</script>' in found.text
    assert not {"\x00", "\x1b", "\u202e"} & set(found.text)
    assert "Nothing was asked yet." in Elements(turns_html([])).text


def test_a_declined_question_is_its_sentence() -> None:
    turn = denota.load().ask(pd.DataFrame(CITIES), "what is the median of people?")
    found = Elements(turn._repr_html_())
    assert turn.declined and turn.explanation in found.text and "table" not in found.names
