"""What the packaged model is: its file, what it learnt from, how soon it first answers; JSON out.

Usage: python benchmarks/default_model.py [--runs 5] > results/default/model.json
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import statistics
import subprocess
import sys
import time
from pathlib import Path

from safetensors import safe_open

from denota.app.paths import load_run_and_facts, model_path
from denota.model.compact import SCALE

ROOT = Path(__file__).parents[1]
ASK = ("-m", "denota", "ask", "examples/expeditions.csv", "which season has the most ships?")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=5, help="of the command; the median is told")
    given = arguments.parse_args()
    path = model_path("default")
    parser, facts = load_run_and_facts("default")
    told = {
        "bytes": path.stat().st_size,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "parameters": parameters(path),
        "language": parser.config.data.language,
        "learnt": parser.config.data.train,
        "made_up": parser.config.data.made_up,
        "epochs": int(facts["epoch"]),
        "first_answer_s": round(statistics.median(first_answer() for _ in range(given.runs)), 2),
    }
    print(json.dumps(told, indent=1))


def parameters(path: Path) -> int:
    """Count the weights of a saved parser; the scale of rounded ones is none of them."""
    with safe_open(path, "numpy") as file:
        shapes = {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118
    return sum(math.prod(shape) for name, shape in shapes.items() if not name.endswith(SCALE))


def first_answer() -> float:
    """Seconds from the command to the end of its first answer."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *ASK], cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
