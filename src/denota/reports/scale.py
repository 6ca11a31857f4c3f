"""docs/scale.md: what many questions and long tables would take, from measured costs.

Costs of a question, a table and a conversation are in results/scale/, those of long tables in
results/large/; what cannot be run here is simulated (`reports.queueing`) or extended by a straight
line, and said to be.

Usage: python -m denota.reports.scale
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from denota.reports.markdown import table
from denota.reports.queueing import simulate, workers_needed

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "scale.md"
DAILY: Final = (10**6, 10**7, 10**8, 10**9)
"""Questions a day."""
PEAK: Final = 2.5
"""How much more than on average is asked in the busiest hour: assumed."""
WITHIN: Final = 0.5
"""Seconds within which 95 of 100 questions are to be answered."""
MACHINE: Final = 16
"""Workers of a machine, one a core."""
DAY: Final = 86_400
LONG: Final = (10**8, 10**9, 10**10, 10**12)
"""Rows of a table."""
Measured = Mapping[str, Any]


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(ROOT / "results"), encoding="utf-8")


def page(results: Path) -> str:
    """Return the page's Markdown."""
    measured = json.loads((results / "scale" / "measured.json").read_text("utf-8"))
    runs = [json.loads(path.read_text("utf-8")) for path in _long(results)]
    parts = [_TOP, _costs(measured), _QUESTIONS, _workers(measured), _BREAKS, _breaks(measured)]
    return "\n\n".join([*parts, _ROWS, _rows(runs), _ENGINES, _AGAIN]) + "\n"


def _long(results: Path) -> list[Path]:
    found = (results / "large").glob("cost.parquet.*x7.json")
    return sorted(found, key=lambda path: int(path.name.split(".")[2].split("x")[0]))


def _costs(measured: Measured) -> str:
    seconds, read = measured["answer_cpu_s"], measured["table"]
    mean, p95 = np.mean(seconds), np.quantile(seconds, 0.95)
    return table(
        ("one core", "cost"),
        ("a question about a small table", f"{1000 * mean:.0f} ms mean, {1000 * p95:.0f} ms p95"),
        ("a million questions", f"{mean * 1e6 / 3600:.1f} core hours"),
        ("a worker", f"{measured['worker_mb']:,} MB"),
        ("a gigabyte of CSV, read", f"{1000 * read['cpu_s'] / read['mb']:.0f} s"),
        (
            "a turn of a conversation, kept on this disk",
            f"{1000 / measured['session_commits_per_s']:.1f} ms",
        ),
    )


def _workers(measured: Measured) -> str:
    seconds = measured["answer_cpu_s"]
    head = ("questions a day", "a second at the peak", "workers, one queue")
    more = (f"workers, a queue for a machine of {MACHINE}", "their time used", "memory")
    lines: list[Sequence[str]] = [(*head, *more)]
    for daily in DAILY:
        rate = PEAK * daily / DAY
        together = workers_needed(rate, seconds, WITHIN)
        machines = _machines(rate, seconds)
        used = simulate(rate / machines, MACHINE, seconds).busy
        memory = machines * MACHINE * measured["worker_mb"] / 1000
        lines.append(
            (
                f"{daily:,}",
                f"{rate:,.0f}",
                f"{together:,}",
                f"{machines * MACHINE:,} on {machines:,}",
                f"{100 * used:.0f}%",
                f"{memory:,.0f} GB",
            )
        )
    return table(*lines)


def _machines(rate: float, seconds: Sequence[float]) -> int:
    """The fewest machines with a queue each, which questions are dealt to at random."""
    least = max(1, int(np.ceil(rate * float(np.mean(seconds)) / MACHINE)))
    most = 2 * least + 2
    while least < most:
        middle = (least + most) // 2
        if simulate(rate / middle, MACHINE, seconds).p95 <= WITHIN:
            most = middle
        else:
            least = middle + 1
    return least


def _breaks(measured: Measured) -> str:
    commits = measured["session_commits_per_s"]
    rows: list[Sequence[str]] = [("questions a day", "commits a second at the peak", "of one file")]
    for daily in DAILY:
        rate = PEAK * daily / DAY
        rows.append((f"{daily:,}", f"{rate:,.0f}", f"{100 * rate / commits:,.0f}%"))
    return table(*rows)


def _rows(runs: Sequence[Measured]) -> str:
    start, slope = scan_cost(runs)
    lines: list[Sequence[str]] = [("rows", "CPU seconds an answer", "cores for 10 s", "how known")]
    known = {run["rows"] for run in runs}
    for rows in LONG:
        cpu = start + slope * rows
        how = "measured" if rows in known else "by the line"
        lines.append((f"{rows:,}", f"{cpu:,.1f}", f"{max(1, np.ceil(cpu / 10)):,.0f}", how))
    return table(*lines)


def scan_cost(runs: Sequence[Measured]) -> tuple[float, float]:
    """Return CPU seconds of an answer about a large table: those of any, and more for each row.

    The line through the means of the shortest and the longest table; the first answer, which opens
    the table, is not counted.
    """
    means = [np.mean([one["cpu_seconds"] for one in run["answers"][1:]]) for run in runs]
    rows = [run["rows"] for run in runs]
    slope = float((means[-1] - means[0]) / (rows[-1] - rows[0]))
    return float(means[0] - slope * rows[0]), slope


_TOP: Final = """# How far it would go

What was measured on one core by `benchmarks/scale.py`, in CPU time; other work ran on the machine
meanwhile, which makes these costs too high rather than too low:"""
_QUESTIONS: Final = f"""## Many questions

Workers share nothing, so more of them answer more. How many it takes is simulated: questions
arrive at random, {PEAK} times as many in the busiest hour as on average (assumed), each takes one
of the measured times, and 95 of 100 are to be answered within {WITHIN} s. One queue for all workers
needs the fewest; a queue for each machine, to which questions are dealt at random, is what a load
balancer gives."""
_BREAKS: Final = """## What breaks first

Not the answering: conversations. `denota serve` writes each turn to one SQLite file before it
answers, and one process owns the file. So the file is the first thing to fill up:"""
_ROWS: Final = """Up to a tenth of a file's commits, run one server. Beyond that, run several, each
with a state folder of its own, and send a person always to the same one (a hash of the owner that
the token names): people share nothing but the model. From some hundred servers on, keep
conversations in a replicated store in place of files (Postgres, or a key-value store; `sessions.py`
is the one file to change), and `POST /v1/ask`, which keeps nothing, needs none of this.

At a million questions a day nothing else gives way. At a thousand million a day the traffic of
tables does: a table that is uploaded with each question costs more to read than to ask, so tables
must lie where workers can open them (`TABLE` addresses), and their sketches in a cache. Batches of
questions that nobody waits for go through `denota predict` on a cluster.

## Many rows

A table of more than two million cells is asked where it lies ([large.md](large.md)); a sketch of
some thousand rows is all that is kept, whatever its length. What grows is the engine's scan:"""
_ENGINES: Final = """Up to some thousand million rows that is DuckDB on one machine. Beyond that,
hand the SQL to an engine that has the machines: Spark, Trino, ClickHouse, BigQuery or Snowflake;
every turn's SQL can be had in its dialect (`turn.sql_in`), and it reads the table once. Two things
would break at 10^12 rows that do not at 10^8: drawing the sketch, which must be a sample that the
engine keeps (`TABLESAMPLE`, a materialised view) and not a pass over the table, and looking up
which values the words of a question mean, which must be an index of the engine (full text, or a
table of the distinct values). Partitions by date and column statistics then cut the scan by as much
as the question's conditions allow; the line above assumes that they cut nothing."""
_AGAIN: Final = """## Again

```text
python benchmarks/scale.py --data path/to/sqa > results/scale/measured.json
python -m denota.reports.scale
```"""

if __name__ == "__main__":
    main()
