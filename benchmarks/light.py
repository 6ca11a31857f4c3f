"""What answering costs: to install, to start, a question and many, alone and beside other work.

    python benchmarks/light.py install --before OLD             results/light/install.json
    python benchmarks/light.py copy --model COPY                a copy that OLD can read
    python benchmarks/light.py commands --before OLD            results/light/commands.json
    python benchmarks/light.py questions --before OLD --data SQA  results/light/questions.json
    python benchmarks/light.py engines --data SQA               results/light/engines.json

OLD is a checkout of the project before. Both sides are measured in turn, with the same model, each
in processes of its own. `engines` compares numpy with torch and with what `light_engines` tries.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from safetensors.numpy import save_file

from denota.model.saved import checksum, read_saved

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "results" / "light"
TABLE: Final = ROOT / "examples" / "expeditions.csv"
MODEL: Final = ROOT / "src" / "denota" / "models" / "default.safetensors"
ASK: Final = ("ask", str(TABLE), "which season had the largest crew?", "--json")
COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {"help": ("--help",), "ask": ASK}
ENGINES: Final[Mapping[str, tuple[str, ...]]] = {
    "torch float32": ("torch",),
    "torch bfloat16": ("torch",),
    "numpy float32": (),
    "ONNX Runtime float32": ("onnxruntime", "onnx"),
    "ONNX Runtime int8": ("onnxruntime", "onnx"),
    "ONNX Runtime two parts": ("onnxruntime", "onnx"),
    "OpenVINO float32": ("openvino", "onnx"),
    "OpenVINO bfloat16": ("openvino", "onnx"),
}
"""What can compute the scores, and the packages that it needs besides numpy."""
MB: Final = 1e6


WHAT: Final = ("install", "copy", "commands", "questions", "engines", "child")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("what", choices=WHAT)
    arguments.add_argument("--before", type=Path)
    arguments.add_argument("--data", type=Path)
    arguments.add_argument("--split", default="random-split-1-dev")
    arguments.add_argument("--questions", type=int, default=300)
    arguments.add_argument("--runs", type=int, default=15)
    arguments.add_argument("--engine", default="")
    arguments.add_argument("--model", type=Path, default=MODEL, help="one that both can read")
    given = arguments.parse_args()
    if given.what == "child":
        print(json.dumps(engine_here(given.engine, given.data, given.split, given.questions)))
        return
    if given.what == "copy":
        copy_for_before(given.model)
        return
    measure: Mapping[str, Callable[[argparse.Namespace], Any]] = {
        "install": installs,
        "commands": commands,
        "questions": questions,
        "engines": engines,
    }
    found = {"machine": machine(), **measure[given.what](given)}
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{given.what}.json"
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


def copy_for_before(path: Path) -> None:
    """Write the model without what the revision before does not know.

    That is the head that says whether a table answers a question, and two settings of training.
    """
    saved = read_saved(MODEL)
    weights = {k: v for k, v in saved.weights.items() if not k.startswith("said.")}
    lines = saved.facts["config"].splitlines()
    kept = "\n".join(line for line in lines if not line.startswith("unanswerable ="))
    facts = {**saved.facts, "config": kept.replace("made_up_epochs = 0", "made_up_epochs = 1")}
    facts["sha256"] = checksum(weights, facts)
    save_file(weights, path, facts)


def machine() -> dict[str, Any]:
    names = [
        line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    cores = len(os.sched_getaffinity(0))
    return {"cpu": names[0].split(": ")[1], "cores": cores, "python": platform.python_version()}


def sides(given: argparse.Namespace) -> dict[str, Path]:
    return {"before": given.before, "after": ROOT}


def environment(side: Path) -> dict[str, str]:
    """Variables for a side's source, with compiled files kept and threads as they come."""
    kept = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    more = [
        p
        for p in os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if p and p != str(ROOT / "src")
    ]
    return {**kept, "PYTHONPATH": os.pathsep.join([str(side / "src"), *more])}


def installs(given: argparse.Namespace) -> dict[str, Any]:
    """Megabytes of a new environment, pip and the model's own file left out."""
    return {name: installed(side) for name, side in sides(given).items()}


def installed(side: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        home, source = Path(folder) / "home", Path(folder) / "source"
        venv.create(home, with_pip=True)
        kept = shutil.ignore_patterns(".git", ".venv", "results", "runs", "site")
        shutil.copytree(side, source, ignore=kept)
        (site,) = home.glob("lib/*/site-packages")
        before = {path.name for path in site.iterdir()}
        pip = [home / "bin" / "pip", "install", "--quiet", "-c", source / "constraints.txt", source]
        subprocess.run([str(one) for one in pip], check=True)
        parts = {p.name: room(p) for p in site.iterdir() if p.name not in before}
        model = next(site.glob("denota/models/default.safetensors")).stat().st_size
    largest = sorted(parts.items(), key=lambda pair: -pair[1])[:6]
    return {
        "mb": round((sum(parts.values()) - model) / MB, 1),
        "model_mb": round(model / MB, 1),
        "largest": {name: round(size / MB, 1) for name, size in largest},
    }


def room(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def commands(given: argparse.Namespace) -> dict[str, Any]:
    """Seconds and megabytes of whole commands, the sides in turn; the first run is left out."""
    found: dict[str, Any] = {"runs": given.runs}
    for name, arguments in COMMANDS.items():
        own = arguments if name == "help" else (*arguments, "--model", str(given.model))
        taken: dict[str, list[tuple[float, float, float]]] = {"before": [], "after": []}
        for _ in range(given.runs + 1):
            for side, path in sides(given).items():
                taken[side].append(timed(own, environment(path)))
        found[name] = {
            side: {
                name: round(statistics.median(run[place] for run in runs[1:]), 3)
                for place, name in enumerate(("median_s", "cpu_s", "mb"))
            }
            for side, runs in taken.items()
        }
    return found


def timed(arguments: tuple[str, ...], env: Mapping[str, str]) -> tuple[float, float, float]:
    """Seconds of a command, those its processor worked, and its peak megabytes."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "denota", *arguments], stdout=subprocess.DEVNULL, env=env
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    assert status == 0, arguments
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / MB


def questions(given: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds of a question, alone and beside busy loops, and how many a second."""
    found: dict[str, Any] = {}
    for loops in (0, 2):
        with busy(loops):
            for side, path in sides(given).items():
                own = (given.data, given.split, given.questions, given.model)
                asked = [str(one) for one in own]
                command = [sys.executable, "-c", _ASKED, *asked, "" if loops else "many"]
                done = subprocess.run(
                    command, capture_output=True, text=True, check=True, env=environment(path)
                )
                found.setdefault(side, {})[f"beside {loops}"] = json.loads(done.stdout)
    return found


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Run so many busy loops meanwhile."""
    running = [subprocess.Popen([sys.executable, "-c", _LOOP]) for _ in range(loops)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


_LOOP: Final = "import os\nmine = os.getppid()\nwhile os.getppid() == mine: pass"
_ASKED: Final = """
import json, resource, statistics, sys, time
from pathlib import Path
import denota
from denota.app.commands.answering import answer_all
from denota.data import conversations, load_questions

data, split, count, model, many = sys.argv[1:]
every = load_questions(Path(data), split).questions
parser = denota.load(model)
seconds = []
for number, turns in enumerate(conversations(every[: int(count)])):
    chat = parser.chat(turns[0].table)
    for turn in turns:
        start = time.perf_counter()
        chat.ask(turn.text)
        if number > 2:
            seconds.append(time.perf_counter() - start)
found = {
    "questions": len(seconds),
    "median_ms": round(1000 * statistics.median(seconds), 2),
    "p95_ms": round(1000 * statistics.quantiles(seconds, n=20)[-1], 2),
}
if many:
    done = []
    told = lambda n: done.append((time.perf_counter(), n))
    answer_all(model, every[: max(240, 2 * int(count))], jobs=1, progress=told)
    later = sum(n for _, n in done[1:])  # the first group warms up
    found["batched_per_s"] = round(later / (done[-1][0] - done[0][0]), 1)
found["mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6, 1)
print(json.dumps(found))
"""


def engines(given: argparse.Namespace) -> dict[str, Any]:
    """Each engine in a process of its own; its best programs are compared with torch's."""
    found: dict[str, Any] = {}
    reference: list[int] = []
    for name, packages in ENGINES.items():
        command = [sys.executable, __file__, "child", "--engine", name, "--data", str(given.data)]
        command += ["--split", given.split, "--questions", str(given.questions)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(ROOT))
        if done.returncode:
            print(name, done.stderr, file=sys.stderr)
            continue
        one = json.loads(done.stdout.splitlines()[-1])
        programs = one.pop("programs")
        reference = reference or programs
        equal = sum(a == b for a, b in zip(programs, reference, strict=True)) / len(programs)
        found[name] = {
            **one,
            "equal_percent": round(100 * equal, 2),
            "package_mb": round(sum(map(package_room, packages)) / MB, 1),
        }
    return {"engines": found, "questions": given.questions}


def package_room(name: str) -> int:
    from importlib.metadata import distribution

    files = (Path(str(f.locate())) for f in distribution(name).files or ())
    return sum(f.stat().st_size for f in files if f.is_file() and f.suffix != ".pyc")


def engine_here(name: str, data: Path, split: str, count: int) -> dict[str, Any]:
    """Load the model with one engine, score questions, and say what that took."""
    import denota.app  # noqa: F401 - one thread
    from denota.data import load_questions
    from denota.search.preparer import Preparer

    start = time.perf_counter()
    parser = _loaded(name)
    ready = time.perf_counter() - start
    asked = load_questions(data, split).questions
    preparer = Preparer.of(parser.config, operators=parser.language)
    some = [preparer(one, None) for one in asked[:: max(1, len(asked) // count)][:count]]
    parser.rated(some[:4], 5)
    seconds, programs = [], []
    for one in some:
        start = time.perf_counter()
        ((best, *_), *_) = parser.rated([one], 5)[0]
        seconds.append(time.perf_counter() - start)
        programs.append(best)
    start = time.perf_counter()
    parser.rated(some, 5)
    return {
        "load_s": round(ready, 3),
        "median_ms": round(1000 * statistics.median(seconds), 2),
        "batched_per_s": round(len(some) / (time.perf_counter() - start), 1),
        "mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB, 1),
        "programs": programs,
    }


def _loaded(name: str) -> Any:
    library, _, way = name.rpartition(" ")
    if library == "torch":
        import torch

        from denota.model.checkpoint import load_parser

        torch.set_num_threads(1)
        parser = load_parser(MODEL)[0]
        parser.scorer.in_bfloat16 = way == "bfloat16"  # type: ignore[assignment]
        return parser
    from denota.app.paths import load_run

    light: Any = load_run(MODEL)
    if library.startswith("numpy"):
        return light
    from light_engines import in_onnxruntime, in_openvino

    scorer = light.scorer
    if library == "OpenVINO":
        kind = {"float32": "f32", "bfloat16": "bf16"}[way]
        scorer.encoder = in_openvino(scorer.encoder, scorer.weights(), kind)
    else:
        kind = {"float32": "float", "int8": "int8", "parts": "two parts"}[way]
        scorer.encoder = in_onnxruntime(scorer.encoder, scorer.weights(), kind)
    return light


if __name__ == "__main__":
    main()
