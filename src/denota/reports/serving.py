"""docs/serving.md, from results/serving/: the server under load, before and after.

Usage: python -m denota.reports.serving
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from denota.reports.markdown import table

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "serving.md"
SIDES: Final = ("before", "after")
Run = Mapping[str, Any]


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(ROOT / "results" / "serving"), encoding="utf-8")


def page(results: Path) -> str:
    """Return the page's Markdown."""
    runs = {path.stem: json.loads(path.read_text("utf-8")) for path in results.glob("*.json")}
    parts = [_TOP, _load(runs), _beside(runs), _memory(runs), _first(runs), _AGAIN]
    return "\n\n".join(parts) + "\n"


def _sides(runs: Mapping[str, Run], what: str) -> list[tuple[str, Run]]:
    return [(side, runs[f"{what}.{side}"]) for side in SIDES if f"{what}.{side}" in runs]


def _load(runs: Mapping[str, Run]) -> str:
    lines: list[Sequence[str]] = [
        ("", "clients", "answers/s", "median", "95% within", "slowest", "errors", "kept on disk")
    ]
    for side, run in _sides(runs, "load"):
        times = (_seconds(run[name]) for name in ("median_s", "p95_s", "slowest_s"))
        kept = f"{run['kept']:,} of {run['answers']:,}"
        start = (side, str(run["clients"]), str(run["answers_per_s"]))
        lines.append((*start, *times, str(run["errors"]), kept))
    return f"## Many people\n\n{_LOAD}\n\n{table(*lines)}"


def _beside(runs: Mapping[str, Run]) -> str:
    lines: list[Sequence[str]] = [
        ("", "large questions at once", "their statuses", "small ones: median", "slowest")
    ]
    for side, run in _sides(runs, "beside"):
        told = ", ".join(f"{count} x {status}" for status, count in sorted(run["statuses"].items()))
        times = (_seconds(run[name]) for name in ("median_s", "slowest_s"))
        lines.append((side, f"{run['heavy']} of {run['rows']:,} rows", told, *times))
    return f"## A small question beside large ones\n\n{_BESIDE}\n\n{table(*lines)}"


def _memory(runs: Mapping[str, Run]) -> str:
    lines: list[Sequence[str]] = [("", "rounds", "table", "server", "workers", "grown in all")]
    for side, run in _sides(runs, "memory"):
        held = (
            f"{run['before_mb'][name]:,.0f} to {run['after_mb'][name]:,.0f} MB"
            for name in ("server", "workers")
        )
        grown = f"{sum(run['grown_mb'].values()):,.0f} MB"
        lines.append((side, f"{run['rounds']:,}", f"{run['table_kb']} KB", *held, grown))
    return f"## Memory\n\n{_MEMORY}\n\n{table(*lines)}"


def _first(runs: Mapping[str, Run]) -> str:
    lines: list[Sequence[str]] = [
        ("", "rows", "upload", "first question", "the next", "in Python, first question")
    ]
    for side, run in _sides(runs, "first"):
        names = ("upload_s", "first_s", "next_s", "command_line_s")
        lines.append((side, f"{run['rows']:,}", *(_seconds(run[name]) for name in names)))
    return f"## The first question about a large table\n\n{_FIRST}\n\n{table(*lines)}"


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


_TOP: Final = """# The server under load

Measured by `benchmarks/serve.py` on two cores that the clients use too, each side right after the \
other. *Before* is the server that kept tables and conversations in one process with a pool of \
threads; *after* has them in worker processes ([how](server.md#for-others))."""
_LOAD: Final = """Clients with tables of their own, from SQA's split-1 dev, ask, wait for the \
answer, wait a second and ask again, for a minute."""
_BESIDE: Final = """Questions about one table, all at once, of one session; meanwhile somebody \
else asks about a table of 9 rows, one question after the other. What is refused (429) may be \
asked again when the answers before it have come."""
_MEMORY: Final = """A table of its own header and cells is uploaded, asked about and deleted, \
round after round. Memory that processes share counts once. *Before* had fewer rounds: it grows \
by the same amount in each."""
_FIRST: Final = """Medians of three. A table that is uploaded is read then; in Python its columns \
are read with the first question."""
_AGAIN: Final = """## Again

```text
python benchmarks/serve.py load --data path/to/sqa --clients 100 > results/serving/load.after.json
python benchmarks/serve.py beside > results/serving/beside.after.json
python benchmarks/serve.py memory > results/serving/memory.after.json
python benchmarks/serve.py first > results/serving/first.after.json
python -m denota.reports.serving
```"""

if __name__ == "__main__":
    main()
