"""Processes that start at once: each is forked from a server that has imported torch.

To import torch takes longer than most of what such a process is to do. denota is imported in each
anew; folder, variables, streams and exit code are its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, Final

_FORKS: Final = get_context("forkserver")
_FORKS.set_forkserver_preload(["torch", "sqlglot", "rich.console", "typer"])
_NOWHERE: Final = (os.devnull,) * 3


def denota(
    *arguments: object,
    text: str = "",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> CompletedProcess[str]:
    """Run `denota ARGUMENTS` with a text on standard input."""
    return _finished(_command, [str(one) for one in arguments], text, cwd, env)


def start_denota(*arguments: object) -> Any:
    """Start `denota ARGUMENTS`, heard by nobody; the process can be killed and joined."""
    return _start(_command, [str(one) for one in arguments], Path.cwd(), os.environ, _NOWHERE)


def python(code: str, cwd: Path) -> CompletedProcess[str]:
    """Run `python -c CODE` in a folder."""
    return _finished(_code, code, "", cwd, None)


def _finished(
    do: Callable[[Any], None],
    what: Any,
    text: str,
    cwd: Path | None,
    env: Mapping[str, str] | None,
    patience: float = 300,
) -> CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        given, out, err = (Path(folder) / name for name in ("given", "out", "err"))
        given.write_text(text, encoding="utf-8")
        streams = [str(path) for path in (given, out, err)]
        process = _start(do, what, cwd or Path.cwd(), env or os.environ, streams)
        process.join(patience)
        if process.exitcode is None:
            process.kill()
            raise AssertionError(f"still running after {patience} s: {what}")
        said = (path.read_text(encoding="utf-8") for path in (out, err))
        return CompletedProcess(what, process.exitcode, *said)


def _start(
    do: Callable[[Any], None],
    what: Any,
    cwd: Path,
    env: Mapping[str, str],
    streams: Sequence[str],
) -> Any:
    process = _FORKS.Process(target=_in_place, args=(do, what, cwd, dict(env), streams))
    process.start()
    return process


def _in_place(
    do: Callable[[Any], None], what: Any, cwd: Path, env: dict[str, str], streams: Sequence[str]
) -> None:
    """Do something in a folder, with these variables and streams alone."""
    for number, path in enumerate(streams):
        opened = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - as long as the process
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    do(what)


def _command(arguments: list[str]) -> None:
    from denota.app.cli import main

    sys.argv = ["denota", *arguments]
    main()


def _code(code: str) -> None:
    sys.argv = ["-c"]
    exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
