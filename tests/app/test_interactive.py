"""The terminal: what lines and commands do, completion, history, and all of it on a real one."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from denota.app.paths import load_run
from denota.app.terminal.repl import Repl, TableCompleter, prompt
from denota.conversation.chat import Chat
from denota.data import load_examples
from denota.model.parser import Parser
from denota.tables import Table, read_table
from processes import denota

ROOT = Path(__file__).parents[2]
EXPEDITIONS = ROOT / "examples/expeditions.csv"
FIRST = "which leaders had a crew of more than 50?"


@pytest.fixture(scope="module")
def parser() -> Parser:
    return load_run("default")


@pytest.fixture
def say(parser: Parser) -> Callable[..., str]:
    """Give lines to a conversation and return what it shows for the last."""
    chat = Chat(parser, read_table(EXPEDITIONS))
    out = io.StringIO()
    conversation = Repl(chat, Console(file=out, width=160), str(EXPEDITIONS))

    def lines(*given: str) -> str:
        for line in given:
            out.seek(0)
            out.truncate()
            conversation.take(line)
        return out.getvalue()

    return lines


def test_an_answer_has_cells_program_sql_sentence_and_confidence(say: Callable[..., str]) -> None:
    shown = say(FIRST)
    assert "[Ingrid Solheim]" in shown and "[Mirela Ionescu]" in shown
    assert "SELECT Leader WHERE Crew > 50" in shown
    assert "SELECT Leader FROM cleaned WHERE crew_number > 50" in shown
    assert "The Leader where Crew is more than 50." in shown and "% sure" in shown


def test_doubt_is_said_and_three_readings_are_offered(say: Callable[..., str]) -> None:
    shown = say("the good ones with ships")
    assert "Not sure" in shown
    offered = [line.split()[0] for line in shown.splitlines() if line.startswith("  :")]
    assert offered == [":1", ":2", ":3"]
    second = next(line for line in shown.splitlines() if line.strip().startswith(":2"))
    sentence = second.split(":2")[1].strip().split(".")[0]
    assert sentence in say(":2"), "it is taken"
    assert "no such reading" in say(":9")


def test_commands(say: Callable[..., str]) -> None:
    assert "nothing was asked yet" in say(":sql")
    assert "nothing was asked yet" in say(":why")
    assert say(FIRST, ":sql").startswith("WITH cleaned AS (\n")
    why = say(":why")
    assert "critique" in why and why.count("SELECT") >= 5
    assert f"taken back: {FIRST}" in say(":undo")
    assert "nothing was asked yet" in say(":undo")
    assert "a new conversation" in say(FIRST, ":reset")
    assert "there is no :nonsense" in say(":nonsense")
    assert ":save FILE" in say(":help")


def test_a_saved_conversation_can_be_learnt_from(say: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    assert "no question was answered" in say(f":save {file}")
    say(FIRST, "what is the median crew?", "how many is that?", f":save {file}")
    loaded = load_examples(file, "all")
    assert not loaded.problems and len(loaded.examples) == 2
    assert "name a file" in say(":save")
    assert "cannot be written" in say(f":save {tmp_path}/nowhere/x.jsonl")


def test_an_answer_is_written_as_csv(say: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "answer.csv"
    assert "nothing was asked yet" in say(f":csv {file}") and not file.exists()
    assert "written to" in say("what is the total crew for each leader?", f":csv {file}")
    header, *lines = list(csv.reader(file.read_text(encoding="utf-8").splitlines()))
    crew = read_table(EXPEDITIONS)
    total = sum(float(number) for number in crew["Crew"].numbers)
    assert header == ["Leader", "Sum of Crew"] and sum(float(value) for _, value in lines) == total
    say("which season cost the most?", f":csv {file}")
    assert file.read_text(encoding="utf-8") == "row,Season\n7,1907-08\n", "what was there goes"
    assert "cannot be written" in say(f":csv {tmp_path}")
    assert ":csv answer.csv" in say(":csv")


def test_completion() -> None:
    words = TableCompleter(
        Table.from_rows(["City name", "People"], [["New York", "1"], ["Newark", "2"]])
    )

    def offered(text: str) -> list[str]:
        found = words.get_completions(Document(text), CompleteEvent())
        return [text[: len(text) + one.start_position] + one.text for one in found]

    assert offered("who lives in new") == ["who lives in New York", "who lives in Newark"]
    assert offered("who lives in new y") == ["who lives in New York"]
    assert offered("the city n") == ["the City name"]
    assert offered(":und") == [":undo"] and offered("xyz") == [] and offered("") == []


def test_the_prompt_completes_edits_and_remembers() -> None:
    table = read_table(EXPEDITIONS)
    past = InMemoryHistory()
    with create_pipe_input() as keys:
        ask = prompt(table, past, keys, DummyOutput())
        keys.send_text("who is Mir\t")
        threading.Timer(0.5, lambda: keys.send_text("?\r")).start()  # completing takes a moment
        assert ask() == "who is Mirela Ionescu?"
        keys.send_text("abc\x1b[D\x1b[DX\r")  # twice to the left
        assert ask() == "aXbc"
        keys.send_text("\x1b[A\x1b[A\r")  # twice up
        assert ask() == "who is Mirela Ionescu?"
        keys.send_text("\x04")
        with pytest.raises(EOFError):
            ask()


def test_pipes_take_commands_too() -> None:
    lines = f"{FIRST}\nhow many is that?\n:undo\n:why\n"
    run = subprocess.run(
        [sys.executable, "-m", "denota", "ask", str(EXPEDITIONS)],
        input=lines, capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert f"› {FIRST}" in run.stdout and "COUNT (SAME AS PREVIOUS)" in run.stdout
    assert "taken back: how many is that?" in run.stdout and "critique" in run.stdout
    spoken = denota("ask", EXPEDITIONS, "--json", text=lines[: lines.index(":undo")], cwd=ROOT)
    assert spoken.returncode == 0, spoken.stderr
    first, second = (json.loads(line) for line in spoken.stdout.splitlines())
    assert second["answer"] == ["4"] and second["cells"] == first["cells"]


@pytest.mark.slow
def test_a_real_terminal(tmp_path: Path) -> None:
    """Tab completes, a question is answered and goes into the history, a command is obeyed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(XDG_STATE_HOME=str(tmp_path), TERM="xterm", PROMPT_TOOLKIT_NO_CPR="1")
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "-m", "denota", "ask", str(EXPEDITIONS)])

    def until(text: str, seconds: float = 60) -> str:
        seen, end = "", time.monotonic() + seconds
        while text not in seen:
            assert time.monotonic() < end, seen
            if select.select([terminal], [], [], 0.5)[0]:
                seen += os.read(terminal, 65536).decode(errors="replace")
        return seen

    until("›")
    os.write(terminal, b"what was the crew of Mirel\t")
    until("Ionescu")
    os.write(terminal, b"?\r")
    until("SELECT Crew WHERE Leader = 'Mirela Ionescu'")
    os.write(terminal, b":undo\r")
    until("taken back")
    os.write(terminal, b":quit\r")
    assert os.waitpid(pid, 0)[1] == 0
    history = (tmp_path / "denota" / "questions").read_text()
    assert "what was the crew of Mirela Ionescu?" in history
