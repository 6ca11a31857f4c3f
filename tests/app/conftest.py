"""The command line, called in this process or in one of its own, and the page in a browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import denota
from denota.app.cli import main

if TYPE_CHECKING:
    from app.assistant import Assistant
    from app.browser import Seen, Server

#: Runs the command line and writes the most memory that the process ever held, in kB, to the file
#: named first.
MEASURED = """
import atexit, re, sys
from pathlib import Path

def write(path=sys.argv.pop(1)):
    peak = re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())
    Path(path).write_text(peak[1])

atexit.register(write)
from denota.app.cli import main
main(sys.argv[1:])
"""


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str
    peak_mb: float = 0.0

    def sentence(self, *codes: int) -> str:
        """The one line on stderr of a command that could not do it."""
        assert self.code in (codes or (1,)), self
        assert self.out == ""
        assert re.fullmatch(r"denota: [^\x00-\x1f\x7f-\x9f]+\n", self.err), self.err
        assert "Traceback" not in self.err and "inside denota" not in self.err, self.err
        return self.err


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Call `denota ARGUMENTS` in this process."""

    def call(*arguments: str | Path) -> Outcome:
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        code = stopped.value.code
        assert code is None or isinstance(code, int), f"exit with {code!r}"
        return Outcome(code or 0, captured.out, captured.err)

    return call


@pytest.fixture
def spawn(tmp_path: Path) -> Callable[..., Outcome]:
    """Call `denota ARGUMENTS` in a bounded process of its own; measure the memory it held."""

    def call(*arguments: str | bytes | Path, timeout: float = 20, **how: Any) -> Outcome:
        peak = tmp_path / "peak_memory"
        source = str(Path(denota.__file__).parent.parent)
        environment = {**os.environ, "PYTHONPATH": source, **how.pop("env", {})}
        try:
            finished = subprocess.run(
                [sys.executable, "-c", MEASURED, peak, *arguments],
                capture_output=True,
                timeout=timeout,
                env=environment,
                preexec_fn=how.pop("preexec_fn", bounded),
                **({"stdin": subprocess.DEVNULL} if "input" not in how else {}),
                **how,
            )
        except subprocess.TimeoutExpired:
            pytest.fail(f"still running after {timeout} s", pytrace=False)
        out, err = (
            stream.decode(errors="surrogateescape") for stream in (finished.stdout, finished.stderr)
        )
        held = float(peak.read_text()) / 1000 if peak.exists() else 0.0
        return Outcome(finished.returncode, out, err, held)

    return call


def bounded() -> None:
    """Let the process have 4 GB of address space, so that a blow-up ends it and not the machine."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    from app.browser import Server

    running = Server(tmp_path_factory.mktemp("sessions") / "sessions.db")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from app.browser import CHROMIUM, FLAGS, sync_api

    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser: Any, server: Server) -> Iterator[Callable[..., Seen]]:
    """Open pages, each with a profile of its own; none may complain or ask another host."""
    from app.browser import Seen

    visits: list[tuple[Seen, list[str], list[str]]] = []

    def open_page(at: Server = server, **options: Any) -> Seen:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        context.set_default_timeout(40_000)  # the machine may be busy
        page = context.new_page()
        seen, said, asked = Seen(page, at), [], []  # type: ignore[var-annotated]
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        visits.append((seen, said, asked))
        return seen

    yield open_page
    for seen, said, asked in visits:
        seen.page.context.close()
        complaints = [text for text in said if not any(one in text for one in seen.expected)]
        assert not complaints
        own = (seen.server.url, "data:", "blob:")
        assert asked and all(url.startswith(own) for url in asked)


@pytest.fixture
def seen(visit: Callable[..., Seen]) -> Seen:
    return visit()


@dataclass(frozen=True)
class Desk:
    """What an assistant may see of the disk, and what it may not."""

    folder: Path
    """May be opened, but for links that lead out of it."""
    secret: Path
    """A file outside."""


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    root = tmp_path_factory.mktemp("desk")
    folder, secret = root / "open", root / "closed" / "secret.csv"
    (folder / "sub").mkdir(parents=True)
    secret.parent.mkdir()
    secret.write_text("Name,Password\nada,hunter2\nbob,swordfish\n")
    (folder / "towns.csv").write_text("Town,People\nOslo,709037\nMoss,32726\nBodø,42102\n")
    (folder / "sub" / "more.tsv").write_text("Town\tPeople\nTromsø\t41915\n")
    (folder / "link.csv").symlink_to(secret)
    (folder / "linked").symlink_to(secret.parent)
    (folder / "own_link.csv").symlink_to(folder / "towns.csv")
    os.mkfifo(folder / "pipe.csv")
    return Desk(folder, secret)


@pytest.fixture(scope="session")
def assistant(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    """An assistant that may open the examples of denota and a folder."""
    from app.assistant import connected

    own = tmp_path_factory.mktemp("assistant")
    root = Path(__file__).parents[2]
    tables = ("examples/expeditions.csv", "examples/shop.sqlite")
    with connected(own, *tables, "--allow", desk.folder, cwd=root) as found:
        yield found
