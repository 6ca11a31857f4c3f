"""docs/clusters.md, from results/clusters/: many questions by processes, Ray and Spark.

Usage: python -m denota.reports.clusters
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from denota.reports.markdown import table

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "clusters.md"
NAMES: Final = {"processes": "processes", "ray": "Ray", "spark": "Spark"}
Result = Mapping[str, Any]


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(ROOT / "results" / "clusters"), encoding="utf-8")


def page(results: Path) -> str:
    """Return the page's Markdown."""
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in results.glob("*.json")}
    parts = [
        _TOP,
        _throughput(found["throughput"]),
        _kill(found["kill"]),
        _many(found["many"]),
        _again(found),
    ]
    return "\n\n".join(parts) + "\n"


def _throughput(result: Result) -> str:
    lines: list[Sequence[str]] = [
        (
            *("", "workers", "the whole command", "first chunk after", "questions/s"),
            *("all at work", "against one worker", "load before"),
        )
    ]
    alone: dict[str, float] = {}
    for run in result["runs"]:
        rate = run["at_work_per_s"]
        alone.setdefault(run["on"], rate)
        lines.append(
            (
                NAMES[run["on"]],
                str(run["workers"]),
                f"{run['seconds']:.0f} s",
                f"{run['first_chunk_s']:.0f} s",
                f"{run['questions_per_s']:.1f}",
                f"{rate:.1f}",
                f"{rate / alone[run['on']]:.2f}",
                f"{run['load']:.1f}",
            )
        )
    asked = f"{result['questions']:,} questions about {result['tables']:,} tables."
    return f"## With one worker and with two\n\n{asked} {_THROUGHPUT}\n\n{table(*lines)}"


def _kill(result: Result) -> str:
    lines: list[Sequence[str]] = [
        ("", "workers killed", "the whole command", "answers", "the same as undisturbed")
    ]
    for run in result["runs"]:
        lines.append(
            (
                NAMES[run["on"]],
                str(run["killed"]),
                f"{run['seconds']:.0f} s",
                f"{run['answers']:,} of {result['questions']:,}",
                "yes" if run["same"] else "no",
            )
        )
    return f"## Workers that are killed\n\n{_KILL}\n\n{table(*lines)}"


def _many(result: Result) -> str:
    lines: list[Sequence[str]] = [
        ("", "ran", "chunks", "questions answered so far", "answered again", "load before")
    ]
    for part in result["parts"]:
        lines.append(
            (
                NAMES[part["on"]],
                f"{part['seconds']:.0f} s",
                f"{part['chunks']:,}",
                f"{part['questions']:,} of {result['questions']:,}",
                f"{part['answered_again']:,}",
                f"{part['load']:.1f}",
            )
        )
    asked = (
        f"{result['questions']:,} questions about {result['tables']:,} tables, in"
        f" {result['chunks']:,} chunks; to read and to cut them takes {result['read_s']:.0f} s."
    )
    if result["answers"] is None:
        share = result["parts"][-1]["questions"] / result["questions"]
        end = (
            f"This run was ended after {share:.1%} of the questions: it shows that a folder is gone"
            " on with, not how long all of them take."
        )
    else:
        end = f"In the end {result['answers']:,} questions have one answer each."
    return f"## 100,000 questions\n\n{asked} {_MANY} {end}\n\n{table(*lines)}"


def _again(found: Mapping[str, Result]) -> str:
    commands = [
        f"{found[name]['command']} > results/clusters/{name}.json"
        for name in ("throughput", "kill", "many")
    ]
    lines = ["make clusters", *commands, "python -m denota.reports.clusters"]
    return "## Again\n\n" + "\n".join(["```text", *lines, "```"]) + "\n\n" + _TO_THE_END


_TOP: Final = """# Many machines

A split that is too long for one process is answered in chunks of 32 conversations, those about \
one table together. Workers write a chunk beside its file and move it in place when it is whole. \
So a chunk is there or not, whoever is killed; one that two workers answered is the same file; \
the same command given again answers only what is missing. In the end the chunks are joined in \
the order of the questions, each of which has one answer.

```text
denota predict default --data many.jsonl --split all --out all.tsv --on processes --workers 2
denota predict default --data many.jsonl --split all --out all.tsv --on ray --workers 8
denota predict default --data many.jsonl --split all --out all.tsv --on spark --workers 8
```

`pip install 'denota[ray]'` and `pip install 'denota[spark]'` bring them; Spark needs Java too. \
Without `--cluster ADDRESS` (`auto`, `ray://head:10001`, `spark://head:7077`) a cluster is \
started on this machine. On several machines `--chunks DIR` is a folder that all of them see, a \
model that is not `default` lies there too, and denota is installed on each. Chunks travel as \
Python's pickles, as all that Ray and Spark send does: use a cluster that you trust. Without \
`--chunks` they lie in `all.tsv.chunks` and are removed when the predictions are written.

From Python, with a table and a question each, or a table and the questions of a conversation, or \
a data frame with the columns `table` and `question`:

```text
answers = denota.answer_many([("towns.csv", "which town is the largest?")], on="ray", workers=8)
```

Ray answers in actors (`map_batches`), each of which loads the parser once and is started again \
when it dies; Spark in Python workers (`mapInPandas`), whose tasks are tried four times. A \
process that is killed is replaced, until three in a row are killed before any of them has \
answered a chunk.

The figures below are of `benchmarks/clusters.py` on two cores, which others used at the same \
time: *load before* is the number of processes that ran or waited when a run began. Each row is \
one run, and the neighbours changed from row to row: that is too little to say how much a second \
worker brings, or which kind is faster. Nothing was run on more than one machine. Questions are \
made up, about invented tables of 6 to 24 rows."""
_THROUGHPUT: Final = """The whole command reads them, starts its workers, which load the \
parser, and joins the answers; *all at work* counts from when as many chunks as there are workers \
are answered to the last chunk."""
_KILL: Final = """Two workers; one that is busy is killed with `kill -9` after the first chunk. A \
prediction file with a question twice is refused when it is read."""
_MANY: Final = """Every process of the run is killed with `kill -9`, and the next kind of workers \
goes on in the same folder."""

_TO_THE_END: Final = """`python benchmarks/clusters.py many` without `--seconds` goes on until all \
100,000 questions are answered."""

if __name__ == "__main__":
    main()
