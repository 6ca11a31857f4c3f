"""run.json: the versions, machine and times of a run."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

import denota
from denota.config import Config
from denota.learning.run_format import FORMAT
from denota.learning.start import device_of


def known_times(out: Path, epochs: int) -> list[dict[str, Any]]:
    """Return the times of the epochs that a run already has."""
    try:
        known = json.loads((out / "run.json").read_text(encoding="utf-8"))["epochs"]
    except (OSError, ValueError, KeyError):
        return []
    return [one for one in known if one["epoch"] <= epochs]


def _device_name(config: Config) -> str:
    device = device_of(config.train.device)
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


def _processor() -> str:
    """The kind of CPU, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


@cache
def _code() -> str:
    """A digest of the code of the package, by which runs of the same version can be told apart."""
    root = Path(denota.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def run_record(
    config: Config, began: float, times: list[dict[str, Any]], vectors: str, processes: int = 1
) -> dict[str, Any]:
    """Return what run.json says."""
    return {
        "format": FORMAT,
        "seed": config.seed,
        "vectors": Path(vectors).name,
        "versions": {
            "denota": denota.__version__,
            "code": _code(),
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": np.__version__,
        },
        "machine": {
            "system": platform.system(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "processes": processes,
            "threads": torch.get_num_threads(),
            "device": _device_name(config),
        },
        "command": " ".join(Path(part).name for part in sys.argv[:1])
        + " "
        + " ".join(sys.argv[1:]),
        "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
        "epochs": times,
    }
