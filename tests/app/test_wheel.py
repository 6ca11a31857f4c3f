"""The wheel, installed in an environment of its own, has the command and all it needs."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
def test_wheel_runs_elsewhere(tmp_path: Path) -> None:
    build = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(tmp_path),
        str(ROOT),
    ]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("denota-*.whl")
    home = tmp_path / "elsewhere"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    install = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run(install, check=True)
    # The dependencies are lent by this environment; denota itself, installed here in place, is not on that path.
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    (site / "lent.pth").write_text(sysconfig.get_path("purelib"))
    (tmp_path / "cities.csv").write_text("city,people\nOslo,709037\n")
    show = [str(home / "bin" / "denota"), "show", "cities.csv", "--json"]
    shown = subprocess.run(show, check=True, capture_output=True, cwd=tmp_path, text=True)
    assert [c["type"] for c in json.loads(shown.stdout)["columns"]] == ["text", "number"]
    where = [str(python), "-c", "import denota; print(denota.__file__)"]
    origin = subprocess.run(where, check=True, capture_output=True, cwd=tmp_path, text=True).stdout
    assert Path(origin).is_relative_to(home)
