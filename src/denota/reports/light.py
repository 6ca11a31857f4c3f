"""docs/light.md, from results/light/: what answering costs without torch, before and after.

Usage: python -m denota.reports.light
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from denota.reports.markdown import table

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "light.md"
SIDES: Final = ("before", "after")
Found = Mapping[str, Any]


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(ROOT / "results" / "light"), encoding="utf-8")


def page(results: Path) -> str:
    """Return the page's Markdown."""
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in results.glob("*.json")}
    on = found["questions"]["machine"]
    top = _TOP.format(cpu=on["cpu"], cores=on["cores"], python=on["python"])
    parts = [
        top,
        _before_and_after(found["install"], found["commands"], found["questions"]),
        _engines(found["engines"]),
        _AGAIN,
    ]
    return "\n\n".join(parts) + "\n"


def _before_and_after(install: Found, commands: Found, questions: Found) -> str:
    lines: list[Sequence[str]] = [("", *SIDES)]

    def line(what: str, values: Sequence[str]) -> None:
        lines.append((what, *values))

    line("installed, beside the model's file", [f"{install[s]['mb']:,.0f} MB" for s in SIDES])
    for name, what in (("help", "`denota --help`"), ("ask", "`denota ask TABLE QUESTION`")):
        line(what, [_seconds(commands[name][side]["median_s"]) for side in SIDES])
    line("memory of `denota ask`", [f"{commands['ask'][side]['mb']:,.0f} MB" for side in SIDES])
    alone, beside = ({s: questions[s][f"beside {n}"] for s in SIDES} for n in (0, 2))
    line("the next question", [_ms(alone[side]["median_ms"]) for side in SIDES])
    line("beside two busy loops", [_ms(beside[side]["median_ms"]) for side in SIDES])
    times = (beside[side]["median_ms"] / alone[side]["median_ms"] for side in SIDES)
    line("that is, times as long", [f"{one:.1f}" for one in times])
    many = [f"{alone[side]['batched_per_s']:,.0f} a second" for side in SIDES]
    line("many questions, one process", many)
    largest = ", ".join(f"{k} {v:,.0f}" for k, v in install["after"]["largest"].items())
    runs = commands["runs"]
    return f"{table(*lines)}\n\n{_SIDES.format(runs=runs, largest=largest)}"


def _engines(found: Found) -> str:
    lines: list[Sequence[str]] = [
        ("", "packages", "load", "a question's scores", "a second", "memory", "same best program")
    ]
    for name, one in found["engines"].items():
        lines.append(
            (
                name,
                f"{one['package_mb']:,.0f} MB",
                _seconds(one["load_s"]),
                _ms(one["median_ms"]),
                f"{one['batched_per_s']:,.0f}",
                f"{one['mb']:,.0f} MB",
                f"{one['equal_percent']:.1f}%",
            )
        )
    return f"{_ENGINES.format(questions=found['questions'])}\n\n{table(*lines)}\n\n{_CHOSEN}"


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


def _ms(value: float) -> str:
    return f"{value:.1f} ms"


_TOP: Final = """# Light on a laptop

`pip install denota` answers, serves and teaches without torch: what an encoder scores is computed \
by numpy, from the file's own 8-bit weights. Extras bring the rest:

| | adds | for |
| --- | --- | --- |
| `denota[train]` | torch, matplotlib | `denota train`, `reproduce` and `bench`, `parser.fit`, \
models of word vectors (`dynsp`, `cues`, `outcomes`) |
| `denota[arrow]` | pyarrow, duckdb | Parquet, data frames, Arrow tables, DuckDB files |
| `denota[postgres]`, `denota[mysql]` | drivers | servers of databases |
| `denota[mcp]`, `denota[datasette]` | their packages | assistants, Datasette |

Commands and questions were measured with nothing else running. The table of engines \
was not: other work ran beside it, at a load of 4 to 10 on two cores, and it was of the default \
model before this one.

A question takes one thread, so that it waits less for others on a busy machine; more \
cores are used by more processes (`denota serve --workers`, `denota predict`).

## Before and after

*Before* is the revision that answered with torch. Measured by `benchmarks/light.py` on {cores} \
cores ({cpu}, Python {python}), both sides in one run and with the same model, threads as they \
come. \
That revision reads this model without what it does not know, a head that says whether a table \
answers a question at all."""
_SIDES: Final = """Commands are medians of {runs} runs. *The next question* is the median of a \
conversation about a table of SQA, SQL and sentence included. One at \
a time and many at once are no quicker than with torch: the scores are no longer most of an \
answer. The largest packages of an installation, in MB: {largest}."""
_ENGINES: Final = """## What computes the scores

The same model by other libraries, one thread each, on {questions} questions of SQA's split-1 dev: \
the packages that each needs besides numpy, the time to import them and load the model, the time \
of a question's scores and search, questions a second, memory, and how often the best program is \
that of torch in float32."""
_CHOSEN: Final = """numpy has nothing to install and gives the same programs, so it is what \
answers. *int8* is ONNX Runtime's dynamic quantisation: activations of this encoder do not fit \
into 8 bits with one scale. *Two parts* rounds them to 8 bits twice, the second time what the \
first has lost (`benchmarks/light_engines.py`)."""
_AGAIN: Final = """## Again

```text
git worktree add ../before REVISION
python benchmarks/light.py install --before ../before
python benchmarks/light.py copy --model copy.safetensors
python benchmarks/light.py commands --before ../before --model copy.safetensors
python benchmarks/light.py questions --before ../before --model copy.safetensors --data path/to/sqa
pip install onnx onnxruntime openvino
python benchmarks/light.py engines --data path/to/sqa
python -m denota.reports.light
```"""

if __name__ == "__main__":
    main()
