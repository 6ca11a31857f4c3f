"""`denota data`: the release of a data set downloaded, checked and unpacked."""

from __future__ import annotations

from pathlib import Path

from denota.app.terminal.progress import bytes_progress
from denota.data.datasets import DATA_SETS
from denota.data.release.fetch import fetch


def fetch_release(name: str, to: Path, source: str | None, sha256: str | None) -> None:
    """Download a data set's release and print where it is.

    Args:
        name: of the data set.
        to: the folder to unpack it into.
        source: another address, or a zip file; the official address if None.
        sha256: the checksum that the archive must have, if given.
    """
    (release,) = (kind.release for kind in DATA_SETS if kind.name == name)
    assert release is not None
    with bytes_progress(f"{release.title} release") as progress:
        fetched = fetch(release, to, url=source, sha256=sha256, progress=progress)
    print(f"{fetched.path}: {fetched.questions:,} questions")
    if fetched.sha256:
        print(f"sha256 of the archive: {fetched.sha256}")
    print(f"Use it with --data {fetched.path} or DENOTA_DATA={fetched.path}")
