"""What the documents show is run: commands, requests, Python, the notebook, tables of questions.

Links and the site are checked too.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import runpy
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

import denota
import processes
from denota.app.commands import serve
from denota.app.terminal import repl as interactive
from denota.app.terminal.turns import shown_answer
from denota.app.web import connections, desk, guard, messages, queue, service, worker
from denota.app.web import sessions as store
from denota.conversation import chat
from denota.data import load_examples
from denota.teaching.log import LARGEST_LESSON

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
NOTEBOOK = ROOT / "examples" / "denota.ipynb"
ELSEWHERE = ("denota data ", "denota reproduce")
"""Tested in tests/data, against a server of its own, and in tests/reports, on little data."""
SERVE = "denota serve"
ADDRESS = "http://127.0.0.1:8000"
"""Where the documents' requests go."""
PATIENCE = 60
"""Seconds for a server to start, and to stop."""


def blocks(language: str, documents: list[Path] = DOCUMENTS) -> list[tuple[str, str]]:
    found = []
    for path in documents:
        for block in re.findall(
            rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL
        ):
            found.append((path.name, block))
    return found


def commands() -> list[str]:
    """All lines that run denota, each once, whatever is piped into it or starts it."""
    lines = [
        line.split("  #")[0].strip() for _, block in blocks("sh") for line in block.splitlines()
    ]
    runs = r"denota |(?:cat|echo) .*\| denota |torchrun .* -m denota "
    found = [line for line in lines if re.match(runs, line)]
    return list(dict.fromkeys(line for line in found if not line.startswith(ELSEWHERE)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder to run things in, which has what they read."""
    for name in ("examples", "experiments"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    """Variables for a process that finds `denota`, and keeps nothing outside a folder."""
    own = folder / "bin"
    own.mkdir(exist_ok=True)
    for name, module in (("denota", "denota"), ("torchrun", "torch.distributed.run")):
        command = own / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        command.chmod(0o755)
    unset = ("DENOTA_DATA", "DENOTA_TOKEN", "DENOTA_SESSIONS")
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    path = f"{own}{os.pathsep}{kept.get('PATH', '')}"
    return {**kept, "PATH": path, "XDG_STATE_HOME": str(folder / "state")}


def test_there_is_something_to_run() -> None:
    assert commands()
    assert blocks("python")


def test_the_table_of_drivers_is_that_of_the_results() -> None:
    made = runpy.run_path(str(ROOT / "benchmarks" / "drivers.py"), run_name="drivers")
    measured = json.loads((ROOT / "results" / "drivers.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "addresses.md").read_text(encoding="utf-8")
    assert f"{made['BEGIN']}\n{made['table'](measured)}{made['END']}" in page


def test_the_example_database_is_that_of_its_script(tmp_path: Path) -> None:
    made = sqlite3.connect(tmp_path / "shop.sqlite")
    made.executescript((ROOT / "examples" / "shop.sql").read_text(encoding="utf-8"))
    bundled = sqlite3.connect(f"file:{ROOT / 'examples' / 'shop.sqlite'}?mode=ro", uri=True)
    assert list(made.iterdump()) == list(bundled.iterdump())


@pytest.mark.slow
def test_commands(folder: Path) -> None:
    """All commands of the documents, one after another as a reader would type them."""
    for command in commands():
        if command.startswith(SERVE):
            continue
        run = typed(command, folder, environment(folder))
        assert run.returncode == 0, f"{command}: {run.stderr}"


def typed(
    command: str, folder: Path, variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell, without the shell if it calls denota and nothing more."""
    first, *arguments = shlex.split(command)
    if first == "denota" and not {"|", ">", "<", "&&"} & set(arguments):
        return processes.denota(*arguments, cwd=folder, env=variables)
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


@contextmanager
def serving(command: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Start a server on a free port, give the address and token that it prints, and stop it."""
    arguments = [
        *command.split()[1:],
        "--port",
        str(serve.some_port("127.0.0.1")),
        "--workers",
        "1",
    ]
    server = subprocess.Popen(
        [sys.executable, "-m", "denota", *arguments],
        cwd=folder,
        env=environment(folder),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    try:
        said = server.stderr.readline()
        found = re.search(r"listens on http://\S+:(\d+)/(?:\?token=(\S+))?", said)
        assert found, said
        yield f"http://127.0.0.1:{found[1]}", found[2] or ""
        server.send_signal(signal.SIGINT)
        server.wait(PATIENCE)
    finally:
        server.kill()  # does nothing to one that has ended
        server.wait()
        server.stderr.close()


def wait_for(base: str, token: str) -> None:
    """Return when a server answers."""
    asked = Request(f"{base}/api/samples", headers={"Authorization": f"Bearer {token}"})
    for _ in range(10 * PATIENCE):
        try:
            with urlopen(asked, timeout=PATIENCE) as answer:
                assert "castles" in json.load(answer)
                return
        except HTTPError:
            raise
        except URLError:  # it does not listen yet
            time.sleep(0.1)
    raise AssertionError(f"nothing answers at {base}")


@pytest.mark.slow
@pytest.mark.parametrize("command", [c for c in commands() if c.startswith(f"{SERVE} ")])
def test_servers(command: str, folder: Path) -> None:
    with serving(command, folder) as (base, token):
        assert bool(token) == ("--host" in command)  # one is made where others can reach it
        wait_for(base, token)


@pytest.mark.slow
def test_requests(folder: Path) -> None:
    """All curl lines, one after another, against a server: its answers are those shown."""
    (folder / ".curlrc").write_text('fail\nwrite-out = "\\n"\n')
    documents = [ROOT / "docs" / "server.md"]
    lines = [line for _, block in blocks("sh", documents) for line in block.splitlines()]
    requests = [line for line in lines if "curl " in line]
    with serving(SERVE, folder) as (base, token):
        wait_for(base, token)
        if shutil.which("curl") is None:
            pytest.skip("curl is not here")
        run = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", "\n".join(requests).replace(ADDRESS, base)],
            cwd=folder,
            env={**environment(folder), "CURL_HOME": str(folder)},
            capture_output=True,
            text=True,
        )
    assert run.returncode == 0, run.stderr
    told = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    for _, block in blocks("json", documents):
        shown = json.loads(block)
        answer = next(one for one in told if one.get("question") == shown["question"])
        assert answer["confidence"] == pytest.approx(shown.pop("confidence"), abs=0.02)
        assert answer["sql"].startswith(shown.pop("sql").removesuffix("..."))
        assert shown.items() <= answer.items()
    kept = load_examples(folder / "conversation.jsonl", "all")
    assert kept.examples and not kept.problems


@pytest.mark.parametrize(("name", "code"), blocks("python"))
def test_python(name: str, code: str, folder: Path) -> None:
    run = processes.python(code, folder)
    assert run.returncode == 0, run.stderr
    promised = re.findall(r"print\(.*?\)\s+# (.*)", code)
    assert run.stdout.splitlines() == promised


@pytest.mark.slow
def test_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run anew in its folder, the notebook says what is stored in it."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where it saves a parser
    book = nbformat.read(NOTEBOOK, as_version=4)
    stored = [said_by(cell) for cell in book.cells]
    place = {"metadata": {"path": str(NOTEBOOK.parent)}}
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources=place).execute()
    assert [said_by(cell) for cell in book.cells] == stored
    assert any(stored)


def said_by(cell: Any) -> str:
    """The text of a cell's outputs; a kernel may give it in more or fewer pieces."""
    outputs = cell.get("outputs", ())
    return "".join(one.get("text") or one.get("data", {}).get("text/plain", "") for one in outputs)


def test_can_and_cannot() -> None:
    """The README's questions get the answers that it shows, or are declined."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## What it can and cannot do")[2].partition("\n## ")[0]
    parser = denota.load()
    can = cannot = 0
    for line in section.splitlines():
        _, *cells, _ = [cell.strip() for cell in line.split("|")] if "|" in line else ("", "")
        questions = re.findall(r"`(.*?)`", cells[1]) if len(cells) > 1 else []
        if not questions:
            continue
        turn = parser.ask(ROOT / "examples" / "expeditions.csv", *questions)
        if len(cells) == 3:
            can += 1
            assert ", ".join(shown_answer(turn)) == cells[2], questions
        else:
            cannot += 1
            assert turn.declined, questions
    assert can >= 10 and cannot >= 9


def shown_answers() -> list[tuple[str, str, str]]:
    """(document, command, what is shown) of each answer that a document shows as text."""
    found = []
    for path in (ROOT / "README.md", ROOT / "docs" / "ask.md"):
        command = ""
        for language, block in re.findall(
            r"```(sh|text)\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL
        ):
            if language == "sh":
                command = block.strip()
            elif block.startswith("› "):
                question = block.splitlines()[0].removeprefix("› ")
                own = f"denota ask examples/expeditions.csv {shlex.quote(question)}"
                found.append((path.name, command if question in command else own, block))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "command", "block"), shown_answers())
def test_answers_are_printed_as_they_are_shown(
    name: str, command: str, block: str, folder: Path
) -> None:
    """Line by line and in order; `...` stands for what is left out, and readings are numbered."""
    run = typed(command, folder, {**environment(folder), "COLUMNS": "200"})
    assert run.returncode == 0, run.stderr
    printed = iter(line.rstrip() for line in run.stdout.splitlines())
    for line in block.splitlines():
        if line.strip() == "...":
            continue
        wanted = re.sub(r"^  :\d+  ", "  – ", line.rstrip())
        parts = [re.escape(re.sub(r"\d+%", "%", part)) for part in wanted.split("...")]
        form = re.compile(".*".join(parts))
        assert any(form.fullmatch(re.sub(r"\d+%", "%", one)) for one in printed), line


def test_the_first_minute(capsys: pytest.CaptureFixture[str]) -> None:
    """What `make demo` shows is true: it answers, it learns, and the lesson carries over."""
    shown = runpy.run_path(str(ROOT / "examples" / "first_minute.py"), run_name="first_minute")
    untaught = denota.load().ask(shown["TABLE"], shown["PUT_OTHERWISE"])
    assert untaught.answer != (shown["RIGHT"],), "else there is nothing to learn"
    shown["main"]()
    said = capsys.readouterr().out
    before, after = map(int, re.findall(r"(\d+)%(?= before| after)", said))
    assert before < 20 and after > 70
    *_, lesson = said.partition("3. It takes a lesson")
    assert re.search(rf"\n(?!{shown['RIGHT']}).*\(wrong\)", lesson)
    assert re.search(rf"\n{shown['RIGHT']}\. .*\(put in other words, and right\)", lesson)
    assert len(said.splitlines()) < 70


def test_limits() -> None:
    """The limits that the documents state are the code's."""
    text = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    section = text.partition("## Limits")[2]
    limits = messages.LIMITS
    for stated in (
        f"as it is sent | {messages.LARGEST >> 20} MB",
        f"{limits.bytes >> 20} MB unpacked, {limits.columns} columns, {limits.cells:,} cells",
        f"{limits.text // 1_000_000} million characters, {limits.cell:,} in one cell",
        f"a question | {chat.LONGEST:,} characters",
        f"a conversation | {desk.TURNS} questions",
        f"a lesson | {LARGEST_LESSON:,} cells or values",
        f"| {service.ANSWERING:.0f} seconds; a table's reading {service.READING:.0f}; "
        f"a request's {guard.PATIENCE:.0f}",
        f"that wait | {queue.WAITING} |",
        f"for its work | {worker.MEMORY >> 30} GB",
        f"{store.MOST:,} sessions and {store.BYTES >> 20} MB",
        f"connections | {connections.MOST}; ",
        f"within {connections.HEAD:.0f} seconds",
        f"more than {queue.LARGE:,} cells",
    ):
        assert stated in section, stated
    others = text.partition("## For others")[2]
    assert f"After {guard.GUESSES} wrong tokens" in others
    assert f"{serve.SHORTEST} characters at least" in text
    ask = (ROOT / "docs" / "ask.md").read_text(encoding="utf-8")
    assert f"at most {chat.LONGEST:,} characters" in ask
    for name in interactive.HELP:
        assert name in ask.replace("` `", " "), name


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", path.read_text(encoding="utf-8")):
        assert target.startswith("http") or (path.parent / target).exists(), target


@pytest.mark.slow
def test_site(tmp_path: Path) -> None:
    """The site is built without a warning, has every document, and loads nothing from elsewhere."""
    pytest.importorskip("mkdocs")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    pages = {page.stem for page in tmp_path.glob("*.html")}
    assert pages >= {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert pages >= {"index", "contributing", "changelog"}
    assert "A first answer" in (tmp_path / "index.html").read_text(encoding="utf-8")
    outside = r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//"
    for page in tmp_path.rglob("*.html"):
        assert not re.search(outside, page.read_text(encoding="utf-8"), re.IGNORECASE), page
    for sheet in tmp_path.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", text), sheet


def test_links_of_the_site() -> None:
    pytest.importorskip("mkdocs")
    hook = ModuleType("pages")
    vars(hook).update(runpy.run_path(str(ROOT / "docs" / "pages.py")))
    assert doctest.testmod(hook, extraglobs=vars(hook)).failed == 0
