"""Many runs on WikiTableQuestions at once: algorithms by critiques by seeds, a process a run.

Questions are prepared once, the processes share them. A line an epoch is appended to
OUT/curves.jsonl, and one with "dev" when a run is done: its accuracy on all questions of dev after
the last epoch. Runs start in the order of GRID, so that a run cut off by time is one of the last.

Usage: python benchmarks/critiques.py --data WTQ --vectors FILE --lexicon FILE --out FOLDER
           [--seconds 1200] [--jobs 16] [--questions N] [--grid NAME ...] [--epochs 6]
           [--device cpu] [--runs ALGORITHM:CRITIQUE:SEED ...] [--experiment FILE]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from denota.config import Config
from denota.data.example import Example
from denota.data.mixed import load_mixed
from denota.learning.presets import load_experiment
from denota.learning.start import new_parser
from denota.learning.trainer import Training
from denota.search.altered_tables import agreements
from denota.search.critique import weighed
from denota.search.lexicon import Lexicon
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer
from denota.search.token_counts import TokenCounts

EXPERIMENT: Final = Path(__file__).parents[1] / "experiments" / "glove.wtq.toml"
PLAIN: Final = ("search.grounded=0", "search.length=0")
POLICY: Final = "search.shaping=policy"
CRITIQUES: Final[dict[str, tuple[str, ...]]] = {
    "none": ("search.shaping=none", "search.lexicon=paper"),
    "match": (POLICY, "search.lexicon=none"),
    "paper": (POLICY, "search.lexicon=paper"),
    "grounded": (POLICY, "search.lexicon=paper", "search.grounded=1"),
    "length": (POLICY, "search.lexicon=paper", "search.length=0.5"),
    "both": (POLICY, "search.lexicon=paper", "search.grounded=1", "search.length=0.5"),
    "learnt": (POLICY, "search.lexicon=LEARNT"),
    "altered": (POLICY, "search.lexicon=none", "search.altered=6"),
    "learnt_altered": (POLICY, "search.lexicon=LEARNT", "search.altered=6"),
    "learnt_model": ("search.shaping=model", "search.lexicon=LEARNT"),
}
"""The settings of each critique."""
EIGHT: Final = (
    *("mml", "meritocratic_0", "meritocratic_0.5", "meritocratic_inf"),
    *("reinforce", "off_policy", "mmr", "maver"),
)
FOUR: Final = ("maver", "mmr", "mml", "off_policy")
ALONE: Final = "alone"
"""In place of an algorithm: the critique by itself takes the program."""
GRID: Final[dict[str, list[tuple[str, str, int]]]] = {
    "table2": [(a, c, 0) for c in ("none", "paper") for a in EIGHT],
    "critiques": [(a, c, 0) for c in ("learnt", "altered", "match", "both") for a in FOUR],
    "parts": [
        *[(a, "learnt_model", 0) for a in FOUR],
        *[("maver", c, 0) for c in ("grounded", "length", "learnt_altered")],
        *[(ALONE, c, 0) for c in ("match", "paper", "both", "learnt")],
    ],
    "learnt": [(a, "learnt", 0) for a in EIGHT if a not in FOUR],
    "seeds": [
        (a, c, seed)
        for seed in (1, 2)
        for c in ("none", "paper", "learnt", "altered", "learnt_model")
        for a in FOUR
    ],
}
"""Algorithm, critique and seed of each run."""


def main() -> None:
    """Prepare, then run."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "vectors", "lexicon", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--questions", type=int)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--grid", nargs="+", default=list(GRID), choices=list(GRID))
    parser.add_argument("--experiment", type=Path, default=EXPERIMENT)
    parser.add_argument("--runs", nargs="+", help="these in place of grids")
    given = parser.parse_args()
    torch.set_num_threads(1)
    given.out.mkdir(parents=True, exist_ok=True)
    began = time.time()
    runs = [run for name in given.grid for run in GRID[name]]
    if given.runs:
        named = [name.split(":") for name in given.runs]
        runs = [(algorithm, critique, int(seed)) for algorithm, critique, seed in named]
    work = Work(given)
    fork = get_context("fork")
    running: list[Any] = []
    while runs or running:
        running = [process for process in running if process.is_alive()]
        wanted = [critique for _, critique, _ in runs if not work.knows(critique)]
        if time.time() - began > given.seconds:
            for process in running:
                process.terminate()
            break
        if runs and len(running) < given.jobs and work.knows(runs[0][1]):
            gc.freeze()
            running.append(fork.Process(target=work.run, args=runs.pop(0)))
            running[-1].start()
        elif wanted:  # while the first runs are on
            work.make(wanted[0])
        else:
            time.sleep(0.2)


class Work:
    """The prepared questions, by critique, and what a run does with them."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given, self.began = given, time.time()
        base = self.config("maver", "paper", 0)
        load = load_mixed(base.data.train, given.data, apart_from=base.data.dev)
        self.train: Sequence[Example] = load.loaded.examples[: given.questions]
        self.dev: Sequence[Example] = load_mixed(base.data.dev, given.data).loaded.examples
        if given.questions:
            self.dev = self.dev[: given.questions // 4]
        self.ready = {"paper": self._prepared(base, self.train)}
        self.ready_dev = self._prepared(base, self.dev)
        self.say(f"prepared {len(self.train)} and {len(self.dev)} questions")
        for one in [*self.ready["paper"].values(), *self.ready_dev.values()]:
            if isinstance(one.words, TokenCounts):
                _ = one.words.missed

    def knows(self, critique: str) -> bool:
        """Whether the training questions are ready with a critique."""
        return critique == "none" or critique in self.ready

    def make(self, critique: str) -> None:
        """Make the training questions ready with a critique."""
        self.ready[critique] = self._critique(critique)
        self.say(f"made the critique {critique}")

    def config(self, algorithm: str, critique: str, seed: int) -> Config:
        """The settings of a run."""
        return load_experiment(self.given.experiment, self.changes(algorithm, critique, seed))

    def changes(self, algorithm: str, critique: str, seed: int) -> list[str]:
        """The settings of a run that differ from the experiment's."""
        own = [
            *PLAIN,
            *(text.replace("LEARNT", str(self.given.lexicon)) for text in CRITIQUES[critique]),
        ]
        epochs = f"train.epochs={self.given.epochs}"
        device = f"train.device={self.given.device}"
        return [f"update.algorithm={algorithm}", *own, epochs, f"seed={seed}", device]

    def say(self, text: str) -> None:
        """Tell the log."""
        with (self.given.out / "log.txt").open("a") as log:
            log.write(f"{time.time() - self.began:.0f} s: {text}\n")

    def write(self, **line: Any) -> None:
        """Append a line to the curves."""
        with (self.given.out / "curves.jsonl").open("a") as file:
            file.write(json.dumps({**line, "at": round(time.time() - self.began)}) + "\n")

    def run(self, algorithm: str, critique: str, seed: int) -> None:
        """Train one parser and write its curve."""
        torch.set_num_threads(1)
        facts = {"algorithm": algorithm, "critique": critique, "seed": seed}
        if algorithm == ALONE:
            self.write(**facts, **self.alone(critique))
            return
        config = self.config(algorithm, critique, seed)
        ready, dev = self.ready.get(critique, self.ready["paper"]), self.ready_dev
        if config.search.shaping == "model":
            lexicon = Preparer.of(config).lexicon
            dev = {key: _with_weights(one, lexicon) for key, one in dev.items()}
        known = [*ready.values(), *dev.values()]
        parser = new_parser(config, known, vectors=str(self.given.vectors))
        training = Training(
            config,
            parser,
            self.train,
            self.dev[::4],
            Known({**ready, **dev}, dev),  # type: ignore[arg-type]
        )
        for _ in range(config.train.epochs):
            try:
                done = training.run_epoch()
            except Exception as error:
                self.write(**facts, failed=str(error))
                return
            self.write(
                **facts,
                epoch=done.epoch,
                loss=done.loss,
                dev_accuracy=done.dev_accuracy,
                dev_questions=len(self.dev[::4]),
                questions_per_s=round(done.questions_per_s),
            )
        found = training.evaluate(self.dev)
        self.write(
            **facts,
            dev=found.answer_accuracy,
            questions=len(self.dev),
            epochs=config.train.epochs,
            changes=self.changes(algorithm, critique, seed),
            mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            own_mib=_own_memory(),
        )

    def alone(self, critique: str) -> dict[str, Any]:
        """What the critique says of dev: how often its best program is right, ties shared."""
        config = self.config("maver", critique, 0)
        lexicon = Preparer.of(config).lexicon
        if lexicon.weights is None:
            questions = self._prepared(config, self.dev, jobs=1)
        else:
            questions = {key: _with_weights(q, lexicon) for key, q in self.ready_dev.items()}
        right, mass = [], []
        for one in questions.values():
            scores = one.words.critique.astype(np.float64)
            scores -= scores.max()
            assert one.rewards is not None
            consistent, best = one.rewards >= 1, scores > -1e-6
            weight = np.exp(config.search.eta * scores)
            right.append(float(consistent[best].mean()))
            mass.append(float(weight[consistent].sum() / weight.sum()))
        return {"alone": 100 * np.mean(right), "mass": 100 * np.mean(mass), "questions": len(right)}

    def _prepared(
        self, config: Config, examples: Sequence[Example], jobs: int = 0
    ) -> dict[int, Prepared]:
        preparer = Preparer.of(config)
        preparer.ahead(examples, jobs=jobs or self.given.jobs)
        known = {id(e.question): preparer.known(e.question) for e in examples}
        return {key: one for key, one in known.items() if one is not None}

    def _critique(self, name: str) -> dict[int, Prepared]:
        """The training questions with another critique."""
        config = self.config("maver", name, 0)
        lexicon = Preparer.of(config).lexicon
        if lexicon.weights is None:
            return self._prepared(config, self.train)
        base = self.ready["paper"]
        found = {key: _with_weights(one, lexicon) for key, one in base.items()}
        if lexicon.altered:
            keys = list(found)
            global _questions
            _questions = [(found[key], lexicon.altered) for key in keys]
            with ProcessPoolExecutor(self.given.jobs, get_context("fork")) as pool:
                agreed = pool.map(_agreement, range(len(keys)), chunksize=16)
                for key, agreement in zip(keys, agreed, strict=True):
                    found[key] = replace(found[key], agreement=agreement)
        return found


def _own_memory() -> int:
    """MiB that this process does not share with others; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private")) // 1024


class Known:
    """Prepares by looking up; a question of dev anew each time, so that its space is let go."""

    def __init__(self, ready: dict[int, Prepared], dev: dict[int, Prepared]) -> None:
        self.ready, self.dev = ready, dev

    def __call__(self, question: Any, previous: Any, answer: Any = None) -> Prepared:
        """Return a question made ready."""
        found = self.ready[id(question)]
        return replace(found) if id(question) in self.dev else found


def _with_weights(one: Prepared, lexicon: Lexicon) -> Prepared:
    """A question with the critique of a lexicon of weights in place of its own."""
    assert isinstance(one.words, TokenCounts)
    called, keywords = weighed(one.axes, lexicon.weight_of_operators(one.question))
    words = replace(one.words, select_called=called, condition_called=keywords)
    words.__dict__["missed"] = one.words.missed  # the same, and shared
    return replace(one, words=words)


_questions: list[tuple[Prepared, int]] = []


def _agreement(number: int) -> np.ndarray[Any, Any]:
    one, count = _questions[number]
    some = one.rewarded_programs
    assert some is not None
    found = np.zeros(len(some.ids), np.float32)
    right = some.rewards >= 1
    ids = some.ids[right].astype(np.int64)
    critique = one.words.critique_of(ids, *one.axes.places_of(ids))
    found[right] = agreements(one.make_space(), ids, critique, count)
    return found


if __name__ == "__main__":
    main()
