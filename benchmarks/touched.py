"""How many files and functions one question, one training step and one lesson go through; JSON out.

Usage: python benchmarks/touched.py --data path/to/sqa

Everything is warm: models are loaded and modules imported before the profile starts. The question
is the second of a conversation; the step is one batch of 8 of `experiments/table2.maver.toml`; the
lesson corrects an answer by pointing at a cell.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import denota
from denota.data import load_examples
from denota.learning.presets import load_experiment
from denota.learning.start import new_parser
from denota.learning.trainer import Training
from denota.search.preparer import Preparer

ROOT = Path(__file__).parents[1]
SOURCE = str(Path(denota.__file__).parent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    found = {"question": question(), "step": step(given.data), "lesson": lesson()}
    print(json.dumps(found, indent=1))


def touched(work: Callable[[], Any]) -> dict[str, int]:
    """Return the files and functions of denota that some work calls, and how often files change."""
    files: set[str] = set()
    functions: set[tuple[str, str]] = set()
    calls, changes, last = 0, 0, ""

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls, changes, last
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(SOURCE):
            return
        files.add(name)
        functions.add((name, frame.f_code.co_qualname))
        calls += 1
        changes += name != last
        last = name

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return {
        "files": len(files),
        "functions": len(functions),
        "calls": calls,
        "changes_of_file": changes,
    }


def question() -> dict[str, int]:
    chat = denota.load().chat(ROOT / "examples" / "expeditions.csv")
    chat.ask("which leaders had more than 1 ship?")
    return touched(lambda: chat.ask("of those, who had the largest crew?"))


def lesson() -> dict[str, int]:
    chat = denota.load().chat(ROOT / "examples" / "expeditions.csv")
    chat.ask("who had the largest crew?")
    return touched(lambda: chat.teach(0, [(6, 4)]))


def step(data: Path) -> dict[str, int]:
    config = load_experiment(ROOT / "experiments" / "table2.maver.toml", ["train.batch=8"])
    examples = load_examples(data, "random-split-1-dev").examples[:8]
    preparer = Preparer(config.data.language)
    with tempfile.TemporaryDirectory():
        ready = list(preparer.ahead(examples))
        model = new_parser(config, ready, None, None)
        training = Training(config, model, examples, (), preparer)
        training.run_epoch()
        return touched(training.run_epoch)


if __name__ == "__main__":
    main()
