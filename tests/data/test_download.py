"""A download arrives whole, is gone on with after a break, and says in a sentence why it fails."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from denota.data.release.download import Patience, download
from denota.errors import DataError

BODY = random.Random(1).randbytes(300_000)
QUICK = Patience(timeout=5, attempts=3, pause=0.01)
ONCE = Patience(timeout=5, attempts=1, pause=0)
Serve = Callable[[Any], Any]


def get(
    url: str, target: Path, patience: Patience = QUICK, limit: int = 1_000_000
) -> list[tuple[int, int | None]]:
    told: list[tuple[int, int | None]] = []
    download(url, target, limit=limit, progress=lambda *step: told.append(step), patience=patience)
    return told


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "a.zip"


def test_a_file_arrives_whole_and_leaves_nothing_beside_it(
    serve: Serve, site: Any, target: Path
) -> None:
    told = get(serve(site(BODY)).url, target)
    assert target.read_bytes() == BODY
    assert list(target.parent.iterdir()) == [target]
    assert told[0] == (0, len(BODY))
    assert told[-1] == (len(BODY), len(BODY))
    assert told == sorted(told)


def test_a_dropped_connection_is_gone_on_with(serve: Serve, site: Any, target: Path) -> None:
    there = serve(site(BODY, cut=[100_000, 100_000]))
    get(there.url, target)
    assert target.read_bytes() == BODY
    assert [r.get("Range") for r in there.asked] == [None, "bytes=100000-", "bytes=200000-"]
    assert there.asked[1]["If-Range"] == '"one"'


def test_the_next_run_goes_on_where_this_one_stopped(serve: Serve, site: Any, target: Path) -> None:
    there = serve(site(BODY, cut=[100_000]))
    with pytest.raises(DataError, match=r"100,000 of 300,000 bytes.*goes on where it stopped"):
        get(there.url, target, ONCE)
    assert not target.exists()
    told = get(there.url, target, ONCE)
    assert target.read_bytes() == BODY
    assert told[0] == (100_000, 300_000)


def test_a_file_that_changed_meanwhile_is_fetched_anew(
    serve: Serve, site: Any, target: Path
) -> None:
    there = serve(site(BODY, cut=[100_000]))
    with pytest.raises(DataError):
        get(there.url, target, ONCE)
    there.body, there.etag = BODY[::-1], '"two"'
    get(there.url, target, ONCE)
    assert target.read_bytes() == BODY[::-1]


def test_a_server_that_ignores_ranges_is_read_from_the_start(
    serve: Serve, site: Any, target: Path
) -> None:
    there = serve(site(BODY, ranges=False, cut=[100_000]))
    told = get(there.url, target)
    assert target.read_bytes() == BODY
    assert told[-1] == (len(BODY), len(BODY))


@pytest.mark.parametrize("etag", [None, 'W/"weak"'])
def test_without_a_sure_mark_of_the_version_it_starts_again(
    serve: Serve, site: Any, target: Path, etag: str | None
) -> None:
    there = serve(site(BODY, etag=etag, cut=[100_000]))
    get(there.url, target)
    assert target.read_bytes() == BODY
    assert "Range" not in there.asked[1]


def test_a_part_of_another_address_is_not_gone_on_with(
    serve: Serve, site: Any, target: Path
) -> None:
    with pytest.raises(DataError):
        get(serve(site(BODY, cut=[100_000])).url, target, ONCE)
    get(serve(site(BODY[::-1])).url, target, ONCE)
    assert target.read_bytes() == BODY[::-1]


def test_a_part_that_is_already_whole_is_no_trap(serve: Serve, site: Any, target: Path) -> None:
    there = serve(site(BODY, cut=[100_000]))
    with pytest.raises(DataError):
        get(there.url, target, ONCE)
    target.with_name("a.zip.part").write_bytes(BODY)
    get(there.url, target)
    assert target.read_bytes() == BODY


def test_a_busy_server_is_asked_again_and_a_missing_file_is_not(
    serve: Serve, site: Any, target: Path
) -> None:
    there = serve(site(BODY, failing=[503, 500]))
    get(there.url, target)
    assert target.read_bytes() == BODY
    gone = serve(site(BODY, status=404))
    with pytest.raises(DataError, match="the server answers 404"):
        get(gone.url, target)
    assert len(gone.asked) == 1


def test_a_body_of_unknown_length_is_read_to_its_end(serve: Serve, site: Any, target: Path) -> None:
    told = get(serve(site(BODY, says_length=False)).url, target)
    assert target.read_bytes() == BODY
    assert told[-1] == (len(BODY), None)


@pytest.mark.parametrize("says_length", [True, False])
def test_a_file_over_the_limit_is_refused(
    serve: Serve, site: Any, target: Path, says_length: bool
) -> None:
    there = serve(site(BODY, says_length=says_length))
    told: list[int] = []
    with pytest.raises(DataError, match="larger than 1,000 bytes"):
        download(there.url, target, limit=1000, progress=lambda done, _: told.append(done))
    assert list(target.parent.iterdir()) == []
    assert max(told, default=0) < len(BODY)


def test_no_server_no_answer(serve: Serve, site: Any, target: Path) -> None:
    with pytest.raises(DataError, match="connection refused"):
        get("http://127.0.0.1:1/a.zip", target)


def test_a_server_that_says_nothing_is_not_waited_for_long(target: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/a.zip"
        with pytest.raises(DataError, match="no answer in time"):
            get(url, target, Patience(timeout=0.1, attempts=1))


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://host/a.zip", "http://", "http:///a.zip", "http://a b/", "a.zip"],
)
def test_only_web_addresses_are_fetched(target: Path, url: str) -> None:
    with pytest.raises(DataError, match="not an http or https address"):
        get(url, target)


def test_a_full_disk_is_said_so(serve: Serve, site: Any, target: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full to stand for a full disk")
    target.with_name("a.zip.part").symlink_to("/dev/full")
    with pytest.raises(DataError, match="no space left"):
        get(serve(site(BODY)).url, target)
