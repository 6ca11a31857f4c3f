"""`denota data sqa`: the release arrives checked and whole, or not at all."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from denota.app.cli import main
from denota.data import Fetched, fetch, load_examples
from denota.data.datasets import DATA_SETS
from denota.data.release.download import Patience
from denota.data.sqa import SQA
from denota.data.wtq import WTQ
from denota.errors import DataError

QUICK = Patience(timeout=5, attempts=2, pause=0.01)
Serve = Callable[[Any], Any]
assert SQA.release and WTQ.release
RELEASE = SQA.release


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "new" / "sqa"


def test_the_release_is_fetched_and_can_be_read(
    serve: Serve, site: Any, archive: Path, to: Path
) -> None:
    there = serve(site(archive.read_bytes(), cut=[200]))
    told: list[tuple[int, int | None]] = []
    fetched = fetch(
        RELEASE, to, url=there.url, progress=lambda *step: told.append(step), patience=QUICK
    )
    assert fetched == Fetched(to, digest(archive), archive.stat().st_size, questions=6)
    assert told[-1] == (fetched.bytes, fetched.bytes)
    assert len(load_examples(to, "train").examples) == 5
    assert sorted(f.name for f in to.iterdir()) == [
        *("fetched.json", "questions.tsv", "table_csv", "test.tsv", "train.tsv")
    ]


def test_what_is_there_is_not_fetched_again(
    serve: Serve, site: Any, archive: Path, to: Path
) -> None:
    there = serve(site(archive.read_bytes()))
    first = fetch(RELEASE, to, url=there.url, patience=QUICK)
    assert fetch(RELEASE, to, url=there.url, patience=QUICK) == first
    assert (
        fetch(RELEASE, to, url=there.url, sha256=digest(archive).upper(), patience=QUICK) == first
    )
    assert len(there.asked) == 1
    with pytest.raises(DataError, match="another archive"):
        fetch(RELEASE, to, url=there.url, sha256="0" * 64)


def test_data_put_there_by_hand_is_taken_as_it_is(release: Path) -> None:
    assert fetch(RELEASE, release, url="http://127.0.0.1:1/") == Fetched(release, None, None, 6)


def test_an_archive_on_disk_will_do_and_is_kept(archive: Path, to: Path) -> None:
    assert fetch(RELEASE, to, url=archive).questions == 6
    assert archive.exists()
    with pytest.raises(DataError, match=r"cannot read .*gone.zip"):
        fetch(RELEASE, to.with_name("other"), url=archive.with_name("gone.zip"))


def test_another_archive_than_the_one_wanted_is_refused_and_removed(
    serve: Serve, site: Any, archive: Path, to: Path
) -> None:
    there = serve(site(archive.read_bytes()))
    with pytest.raises(DataError, match=f"has the sha256 {digest(archive)}, not 0000"):
        fetch(RELEASE, to, url=there.url, sha256="0" * 64, patience=QUICK)
    assert list(to.iterdir()) == []
    with pytest.raises(DataError, match="sha256"):
        fetch(RELEASE, to, url=archive, sha256="0" * 64)
    assert archive.exists()


def test_a_web_page_instead_of_the_archive_is_refused_and_removed(
    serve: Serve, site: Any, to: Path
) -> None:
    with pytest.raises(DataError, match="not a whole zip file"):
        fetch(RELEASE, to, url=serve(site(b"<html>please log in</html>")).url, patience=QUICK)
    assert list(to.iterdir()) == []


@pytest.mark.parametrize("lacking", ["train.tsv", "table_csv", "table_csv/2.csv"])
def test_an_archive_that_lacks_something_installs_nothing(
    archive: Path, to: Path, tmp_path: Path, lacking: str
) -> None:
    short = tmp_path / "short.zip"
    with zipfile.ZipFile(archive) as whole, zipfile.ZipFile(short, "w") as part:
        for name in whole.namelist():
            if not name.startswith(f"SQA Release 1.0/{lacking}"):
                part.writestr(name, whole.read(name))
    with pytest.raises(DataError, match=r"not the SQA release|2\.csv"):
        fetch(RELEASE, to, url=short)
    assert list(to.iterdir()) == []


def test_an_unpacking_that_was_cut_short_is_done_again(
    archive: Path, release: Path, to: Path
) -> None:
    """Any state a killed run can leave: leftovers aside, some files moved, `train.tsv` never."""
    (to / ".unpacking" / "table_csv").mkdir(parents=True)
    (to / ".unpacking" / "train.tsv").write_text("half a fi")
    (to / "table_csv").mkdir()
    (to / "table_csv" / "1.csv").write_bytes((release / "table_csv" / "1.csv").read_bytes())
    assert fetch(RELEASE, to, url=archive).questions == 6
    assert not (to / ".unpacking").exists()


def test_train_comes_last_so_that_its_being_there_says_all_is(
    archive: Path, to: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    moved: list[str] = []
    replace = os.replace

    def killed(source: Any, target: Any) -> None:
        if Path(target).name == "train.tsv":
            raise KeyboardInterrupt
        moved.append(Path(target).name)
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            fetch(RELEASE, to, url=archive)
    assert sorted(moved) == ["1.csv", "2.csv", "3.csv", "fetched.json", "questions.tsv", "test.tsv"]
    assert not (to / "train.tsv").exists()
    assert fetch(RELEASE, to, url=archive).questions == 6


def test_files_of_ones_own_are_never_overwritten(archive: Path, to: Path) -> None:
    to.mkdir(parents=True)
    (to / "test.tsv").write_text("mine")
    with pytest.raises(DataError, match=r"test.tsv is there already and differs"):
        fetch(RELEASE, to, url=archive)
    assert [f.name for f in to.iterdir()] == ["test.tsv"]
    assert (to / "test.tsv").read_text() == "mine"


def test_data_that_is_there_but_broken_is_said_so(archive: Path, to: Path) -> None:
    fetch(RELEASE, to, url=archive)
    (to / "table_csv" / "2.csv").unlink()
    with pytest.raises(DataError, match=r"train.tsv that cannot be used; remove it .*2\.csv"):
        fetch(RELEASE, to, url=archive)


def test_a_directory_that_cannot_be_made_is_said_so(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "sqa"):
        with pytest.raises(DataError, match="cannot write"):
            fetch(RELEASE, place, url=archive)


def test_the_official_addresses_are_secure_ones() -> None:
    urls = [kind.release.url for kind in DATA_SETS if kind.release]
    assert len(urls) == 2 and all(url.startswith("https://") for url in urls)
    assert all(url.endswith(".zip") for url in urls)


def test_wtq_is_fetched_in_the_same_way(
    serve: Serve, site: Any, wtq_archive: Path, tmp_path: Path
) -> None:
    assert WTQ.release
    there = serve(site(wtq_archive.read_bytes(), cut=[150]))
    to = tmp_path / "new" / "wtq"
    fetched = fetch(WTQ.release, to, url=there.url, patience=QUICK)
    assert fetched == Fetched(to, digest(wtq_archive), wtq_archive.stat().st_size, questions=4)
    assert len(load_examples(to, "training").examples) == 3
    assert fetch(WTQ.release, to, url="http://127.0.0.1:1/") == fetched
    with pytest.raises(SystemExit) as ended:
        main(["data", "wtq", "--from", str(wtq_archive), "--to", str(tmp_path / "by command")])
    assert not ended.value.code
    assert len(load_examples(tmp_path / "by command", "training").examples) == 3
    with pytest.raises(DataError, match=r"not the SQA release: it holds no train.tsv"):
        fetch(RELEASE, tmp_path / "other", url=wtq_archive)
