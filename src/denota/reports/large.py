"""docs/large.md and its plot, from results/large/: tables that are too large to be read.

Usage: python -m denota.reports.large
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from denota.reports.markdown import table
from denota.reports.plots import save
from denota.tables.large import FEW, SHOWN
from denota.tables.sketch import DRAWN, LARGE

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "large.md"
Run = Mapping[str, Any]


def main() -> None:
    """Write the page and its plot."""
    results = ROOT / "results" / "large"
    PAGE.write_text(page(results), encoding="utf-8")
    draw(_costs(results), PAGE.with_suffix(".svg"))


def page(results: Path) -> str:
    """Return the page's Markdown."""
    same = json.loads((results / "same.json").read_text("utf-8"))
    costs = _costs(results)
    return "\n\n".join([_TOP, _ANSWERS, _cost(costs), _PLOT, _same(same), _AGAIN]) + "\n"


def _costs(results: Path) -> list[Run]:
    found = [json.loads(path.read_text("utf-8")) for path in sorted(results.glob("cost.*.json"))]
    return sorted(found, key=lambda run: (run["where"], run["columns"], run["rows"]))


def _cost(runs: Sequence[Run]) -> str:
    lines: list[Sequence[str]] = [
        ("where", "rows", "columns", "first answer", "next answers", "memory", "before opening it")
    ]
    for run in runs:
        first, *rest = (one["seconds"] for one in run["answers"])
        later = f"{min(rest):.1f} to {max(rest):.1f} s"
        memory = (f"{run['memory_mb']:,} MB", f"{run['memory_before_mb']:,} MB")
        size = (f"{run['rows']:,}", str(run["columns"]))
        lines.append((run["where"], *size, f"{first:.1f} s", later, *memory))
    return f"## What it costs\n\n{_COST}\n\n{table(*lines)}"


def _same(found: Run) -> str:
    asked, sure = found["questions"], found["sure"]
    agree, sure_agree = found["same program"], found["sure, same program"]
    kinds = "\n".join(
        f"- {one['question']}\n    - in memory `{one['memory'][0]}`\n"
        f"    - of a sketch `{one['sketch'][0]}`"
        for one in found["apart"][:5]
    )
    return (
        "## The same as in memory?\n\n"
        f"{asked} made-up questions about {found['tables']} invented tables of "
        f"{found['rows'] // found['tables']:,} rows were asked of the table in memory and of a "
        f"sketch of {found['sketched'] // found['tables']:,} rows. **{agree} of {asked}** "
        f"({100 * agree / asked:.1f}%) were understood by the same program, {sure_agree} of {sure} "
        "of those that the parser was sure of in memory; "
        f"{found['same program and answer']} of these {agree} have the same answer. Where programs "
        f"differ the parser wavers; the first of them:\n\n{kinds}"
    )


def draw(runs: Sequence[Run], path: Path) -> None:
    """Draw time and memory against rows, a line a place and width."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    times, memory = figure.subplots(1, 2)
    lines: dict[str, list[Run]] = {}
    for run in runs:
        lines.setdefault(f"{run['where']}, {run['columns']} columns", []).append(run)
    for name, own in lines.items():
        rows = [run["rows"] for run in own]
        later = [sum(one["seconds"] for one in run["answers"][1:]) for run in own]
        means = [total / (len(run["answers"]) - 1) for total, run in zip(later, own, strict=True)]
        first = [run["answers"][0]["seconds"] for run in own]
        drawn = times.plot(rows, first, "o--", label=f"{name}: first answer")
        times.plot(rows, means, "o-", color=drawn[0].get_color(), label=f"{name}: next, mean")
        memory.plot(rows, [run["memory_mb"] for run in own], "o-", label=name)
    for axes, title in ((times, "seconds"), (memory, "MB of memory")):
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.set_xlabel("rows")
        axes.set_ylabel(title)
        axes.legend(fontsize=6)
    save(figure, path)


_TOP: Final = f"""# Large tables

A table of more than {LARGE:,} cells is not read where an engine can be asked: Parquet files, \
folders of them, and tables of DuckDB, SQLite, Postgres, MySQL and MariaDB. denota keeps a \
*sketch* of it in memory, real rows and few: {DRAWN:,} drawn at random, one for each value of \
the columns that have at most {FEW}, and those with the largest and smallest values. The \
parser reads the sketch, and the program that it chooses runs as SQL where the table lies.

```python
import denota

chat = denota.load().chat("examples/expeditions.csv")  # a large one is asked just so
print(chat.ask("how many expeditions had two ships?").sql)
# SELECT COUNT(*) FROM expeditions WHERE Ships = 2
```

```text
denota ask orders.parquet "how many orders are from Norway?"
denota ask postgresql://ada@db.example.org/shop#orders "which customer paid the most?"
```"""
_ANSWERS: Final = f"""## What happens to a question

1. Its words lead to values of columns that have many: those are read once and kept where there \
are at most a million of them, else looked for in a pass over the column. Its numbers and dates \
lead to cells that state them. Rows with these values are added to the sketch, and one for each \
way in which several of the conditions that the question may mean come together.
2. The question is understood as any other, with the sketch for a table.
3. The program runs in the engine. Up to {SHOWN} rows of the answer come back and are shown; how \
many there are is said. A follow-up contains the SQL of the question before.

What differs from a table in memory: of rows that are tied for the largest value IS MAX takes any; \
steps that speak of the order of rows (the row after another) take the order in which the engine \
gives them; a column of texts such as "$1.2 million" is read by rules made from the sketch. \
Opening a table of a server counts its rows once and reads the values of its text columns; how \
long that took is said."""
_COST: Final = """Six questions about orders, asked by `benchmarks/large_tables.py cost` with \
two cores. The first answer includes opening the table, not loading the model. Memory is the most \
that the process had, with Python, the model and DuckDB in it; that of a server is not counted."""
_PLOT: Final = "![time and memory against rows](large.svg)"
_AGAIN: Final = """## Again

```text
python benchmarks/large_tables.py same --rows 20000 > results/large/same.json
python benchmarks/large_tables.py cost --rows 10000000 > results/large/cost.parquet.10000000x7.json
python -m denota.reports.large
```"""

if __name__ == "__main__":
    main()
