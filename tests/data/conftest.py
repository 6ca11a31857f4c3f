"""Invented releases in the layouts of SQA, WTQ and WikiSQL, and a web server on this machine that
fails in chosen ways.
"""

from __future__ import annotations

import gzip
import json
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

TABLES = {
    "1.csv": 'city,people\nOslo,"709,037"\nBergen,"291,940"\n"Mo i\nRana","20,409"\n',
    "2.csv": "year,winner\n1999,Ada\n2000,Ben\n2001,Ada\n",
    "3.csv": "team,points\nreds,12\nblues,9\n",
}
HEADER = "id\tannotator\tposition\tquestion\ttable_file\tanswer_coordinates\tanswer_text\n"
ROWS = """\
nt-1	0	0	what are the cities?	table_csv/1.csv	\
['(0, 0)', '(1, 0)', '(2, 0)']	['Oslo', 'Bergen', 'Mo i\\nRana']
nt-1	0	1	"which is
the largest?"	table_csv/1.csv	['(0, 0)']	['Oslo']
nt-1	1	0	who lives where?	table_csv/1.csv	['(1, 1)']	['291,940']
nt-2	0	1	and in 2001?	table_csv/2.csv	['(2, 1)']	['Ada']
nt-2	0	0	who won in 2000?	table_csv/2.csv	['(1, 1)']	['Ben']
"""


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A directory laid out as the SQA release is.

    Conversation nt-2 is out of order, one question spans two lines.
    """
    directory = tmp_path / "release"
    (directory / "table_csv").mkdir(parents=True)
    for name, text in TABLES.items():
        (directory / "table_csv" / name).write_text(text)
    (directory / "train.tsv").write_text(HEADER + ROWS)
    (directory / "test.tsv").write_text(
        HEADER + "nu-1\t0\t0\twho leads?\ttable_csv/3.csv\t['(0, 0)']\t['reds']\n"
    )
    (directory / "questions.tsv").write_text(
        "id\tannotator\tposition\tquestion\ttable_file\nnu-1\t0\t0\twho leads?\ttable_csv/3.csv\n"
    )
    return directory


WTQ_TABLES = {
    "1": "City\tPeople\tNote\nOslo\t709,037\ta\\\\b\nBergen\t291,940\tc\\pd\n"
    'Mo i\\nRana\t20,409\t"x\n',
    "2": "Year\tWinner\n1999\tAda\n2000\tBen\n",
}
WTQ_HEADER = "id\tutterance\tcontext\ttargetValue\n"
WTQ_ROWS = """\
nt-0	how many people live in "oslo"?	csv/200-csv/1.csv	709,037
nt-1	which cities?	csv/200-csv/1.csv	Oslo|Bergen|Mo i\\nRana
nt-2	what notes?	csv/200-csv/1.csv	a\\\\b|c\\pd
"""


@pytest.fixture
def wtq_release(tmp_path: Path) -> Path:
    """A directory laid out as the WTQ release is; one table is there as .csv alone."""
    directory = tmp_path / "wtq"
    (directory / "csv" / "200-csv").mkdir(parents=True)
    (directory / "data").mkdir()
    for name, text in WTQ_TABLES.items():
        (directory / "csv" / "200-csv" / f"{name}.tsv").write_text(text)
    (directory / "csv" / "200-csv" / "3.csv").write_text(
        '"Team","Says"\n"reds","\\"go\\""\n"blues","a, b\nc"\n'
    )
    (directory / "data" / "training.tsv").write_text(WTQ_HEADER + WTQ_ROWS)
    (directory / "data" / "pristine-unseen-tables.tsv").write_text(
        WTQ_HEADER + 'nu-0\twhat do the reds say?\tcsv/200-csv/3.csv\t"go"\n'
    )
    (directory / "data" / "questions.tsv").write_text(
        "id\tutterance\tcontext\nnu-1\twho won?\tcsv/200-csv/2.csv\n"
    )
    return directory


@pytest.fixture
def wikisql_release(tmp_path: Path) -> Path:
    """A directory with the parts of WikiSQL: twelve small tables with a question each, and one to
    be asked about.
    """
    directory = tmp_path / "wikisql"
    directory.mkdir()
    numbers = range(12)
    tables = [
        {"id": f"1-{n}", "columns": ["", "a", "a"], "rows": [[f"x{n}", "1", "1"], ["y", "2", "2"]]}
        for n in numbers
    ]
    asked = [
        {"id": f"q{n}", "table": f"1-{n}", "question": f"what is {n}?", "answer": [f"x{n}", "Y"]}
        for n in numbers
    ]
    test = {"id": "2-0", "columns": ["b"], "rows": [["z"]]}
    question = {"id": "t0", "table": "2-0", "question": "what?"}
    parts = {
        "tables.train": tables,
        "train": asked,
        "tables.test": [test],
        "test-questions": [question],
    }
    for name, lines in parts.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (directory / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return directory


@pytest.fixture
def wtq_archive(wtq_release: Path, tmp_path: Path) -> Path:
    """The release of WTQ as it is published."""
    path = tmp_path / "wtq.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for file in sorted(wtq_release.rglob("*")):
            if file.is_file():
                target.write(file, Path("WikiTableQuestions") / file.relative_to(wtq_release))
    return path


@pytest.fixture
def archive(release: Path, tmp_path: Path) -> Path:
    """The release as it is published: zipped, in one folder."""
    path = tmp_path / "release.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for file in sorted(release.rglob("*")):
            if file.is_file():
                target.write(file, Path("SQA Release 1.0") / file.relative_to(release))
    return path


@dataclass
class Site:
    """What the server serves, how it fails, and what it was asked."""

    body: bytes
    etag: str | None = '"one"'
    ranges: bool = True
    status: int = 200
    failing: list[int] = field(default_factory=list)  #: a status for each of the first requests
    cut: list[int] = field(
        default_factory=list
    )  #: bytes after which each of the next requests is cut off
    says_length: bool = True
    asked: list[dict[str, str]] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Site], Site]]:
    """Serve a site on a free port of 127.0.0.1 until the test ends."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    running: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def start(site: Site) -> Site:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(site))
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        running.append((server, thread))
        site.url = f"http://127.0.0.1:{server.server_port}/SQA%20Release.zip"
        return site

    yield start
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def site() -> type[Site]:
    return Site


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(dict(self.headers))
            status = site.failing.pop(0) if site.failing else site.status
            if status != 200:
                self.send_error(status)
                return
            start = 0
            wanted = self.headers.get("Range")
            if wanted and site.ranges and self.headers.get("If-Range") in (None, site.etag):
                start = int(wanted.removeprefix("bytes=").removesuffix("-"))
                if start >= len(site.body):
                    self.send_error(416)
                    return
            body = site.body[start:]
            self.send_response(206 if start else 200)
            if start:
                last = len(site.body) - 1
                self.send_header("Content-Range", f"bytes {start}-{last}/{len(site.body)}")
            if site.says_length:
                self.send_header("Content-Length", str(len(body)))
            if site.etag:
                self.send_header("ETag", site.etag)
            self.end_headers()
            self.wfile.write(body[: site.cut.pop(0)] if site.cut else body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
