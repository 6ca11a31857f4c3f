"""Database servers of Debian's packages, each started in a folder of its own and stopped again.

They listen on a free port of this machine alone and run as an unprivileged user.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

USER: Final = "denota"
PASSWORD: Final = "canary-Kea9#pw"
"""Of every server; no test may ever see it in what denota says."""
DATABASE: Final = "shop"
PATIENCE: Final = 30
"""Seconds for a server to start."""


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    scheme: str
    port: int
    socket_folder: Path
    process: subprocess.Popen[bytes]

    def address(self, table: str = "", password: str = "", database: str = DATABASE) -> str:
        """Return the address of a table, with a password in it if one is given."""
        from urllib.parse import quote

        own = f"{USER}:{quote(password, safe='')}" if password else USER
        behind = f"#{table}" if table else ""
        return f"{self.scheme}://{own}@127.0.0.1:{self.port}/{database}{behind}"

    def connect(self, database: str = DATABASE) -> Any:
        """Return a connection that may write, of the engine's usual driver."""
        how: dict[str, Any] = {"host": "127.0.0.1", "port": self.port, "user": USER}
        if self.scheme == "postgresql":
            import psycopg

            how |= {"password": PASSWORD, "dbname": database, "options": "-c lock_timeout=5s"}
            return psycopg.connect(**how, autocommit=True)
        import pymysql

        how |= {"password": PASSWORD, "database": database, "read_timeout": 30}
        waits = "SET lock_wait_timeout = 5"
        return pymysql.connect(**how, autocommit=True, init_command=waits)


def missing(scheme: str) -> str:
    """Return why a server cannot be started here, or an empty text."""
    names = ("initdb", "postgres") if scheme == "postgresql" else ("mariadb-install-db", "mariadbd")
    lacking = [name for name in names if _program(name) is None]
    return f"{', '.join(lacking)} is not installed (`make databases`)" if lacking else ""


@contextmanager
def running(scheme: str) -> Iterator[Server]:
    """Start a server with an empty database and stop it."""
    folder = Path(tempfile.mkdtemp(prefix="denota-server-", dir="/tmp"))
    folder.chmod(0o755)
    work = folder / "own"
    work.mkdir()
    if os.getuid() == 0:
        shutil.chown(work, "nobody")
    port = _free_port()
    try:
        process = (_postgres if scheme == "postgresql" else _mariadb)(work, port)
        server = Server(scheme, port, work, process)
        try:
            _prepare(server)
            yield server
        finally:
            process.send_signal(signal.SIGINT if scheme == "postgresql" else signal.SIGTERM)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _postgres(work: Path, port: int) -> subprocess.Popen[bytes]:
    secret = work / "secret"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    data = str(work / "data")
    made = ["-U", USER, "-A", "scram-sha-256", "--pwfile", str(secret), "-E", "UTF8", "--no-sync"]
    _run(work, "initdb", "-D", data, "--locale=C", *made)
    secret.unlink()
    quick = ["-c", "fsync=off", "-c", "timezone=America/New_York", "-c", "max_connections=20"]
    place = ["-p", str(port), "-h", "127.0.0.1", "-k", str(work)]
    return _start(work, "postgres", "-D", data, *place, *quick)


def _mariadb(work: Path, port: int) -> subprocess.Popen[bytes]:
    own = ["--no-defaults", f"--datadir={work / 'data'}"]
    how = ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]
    _run(work, "mariadb-install-db", *own, *how)
    start = work / "start.sql"
    start.write_text(
        f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4;\n"
        f"CREATE USER {USER}@'%' IDENTIFIED BY '{PASSWORD}';\n"
        f"GRANT ALL ON *.* TO {USER}@'%';\n"
    )
    start.chmod(0o644)
    place = [f"--port={port}", "--bind-address=127.0.0.1", f"--socket={work / 's'}"]
    quick = ["--innodb-flush-log-at-trx-commit=0", "--skip-log-bin", f"--init-file={start}"]
    zone = "--default-time-zone=-05:00"
    return _start(work, "mariadbd", *own, *place, *quick, zone, f"--pid-file={work / 'pid'}")


def _prepare(server: Server) -> None:
    """Wait until a server answers, and make the database that Postgres lacks."""
    first = "postgres" if server.scheme == "postgresql" else DATABASE
    for _ in range(10 * PATIENCE):
        if server.process.poll() is not None:
            raise AssertionError(f"{server.scheme} ended with {server.process.returncode}")
        try:
            connection = server.connect(first)
        except Exception:  # it does not listen yet
            time.sleep(0.1)
            continue
        if server.scheme == "postgresql":
            connection.execute(f"CREATE DATABASE {DATABASE}")
        connection.close()
        return
    raise AssertionError(f"{server.scheme} does not answer")


def _run(work: Path, name: str, *arguments: str) -> None:
    done = subprocess.run([_found(name), *arguments], cwd=work, capture_output=True, **_as())
    assert done.returncode == 0, done.stderr.decode(errors="replace") + done.stdout.decode()


def _start(work: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    with (work / "log").open("wb") as log:
        return subprocess.Popen(
            [_found(name), *arguments],
            cwd=work,
            stdout=log,
            stderr=log,
            preexec_fn=_end_with_parent,
            **_as(),
        )


def _end_with_parent() -> None:
    """Have the server end when the tests are killed."""
    libc = ctypes.util.find_library("c")
    if libc is not None and hasattr(ctypes.CDLL(libc), "prctl"):
        ctypes.CDLL(libc).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def _as() -> dict[str, Any]:
    """Run as nobody where we are root, which servers refuse to be."""
    return {"user": "nobody", "extra_groups": []} if os.getuid() == 0 else {}


def _program(name: str) -> str | None:
    places = [str(path) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    return shutil.which(
        name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", *places])
    )


def _found(name: str) -> str:
    found = _program(name)
    assert found is not None
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
