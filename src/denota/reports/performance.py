"""docs/performance.md, from results/speed.*.json: where the time goes, before and after.

Usage: python -m denota.reports.performance
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any, Final

ORIGINAL: Final = {"train": 12.5, "inference": 18.0}
"""Questions a second of the original DynSP (Python 2.7 and DyNet) on the same kind of machine, 2
cores."""
STEP: Final = (
    *("gather", "batch", "lay flat", "forward", "search"),
    *("update", "backward", "optimise", "remember"),
)


def performance_page(results: Path) -> str:
    """Return the page."""
    before, cpu, gpu, floor, processes, tried = (
        json.loads((results / f"speed.{name}.json").read_text(encoding="utf-8"))
        for name in ("before", "cpu", "h200", "floor", "processes", "tried")
    )
    return "\n\n".join(
        [
            _TOP,
            _speeds(cpu),
            f"## Where a step goes\n\n{_stages(cpu, before)}",
            f"## The floor\n\n{_floor(floor, cpu)}",
            f"## One process and two\n\n{_processes(processes)}",
            f"## On a GPU\n\n{_gpu(gpu)}",
            f"## What was tried\n\n{_tried(tried)}",
            _END,
        ]
    )


_TOP: Final = """# Performance

Made from `results/speed.*.json` by `python -m denota.reports.performance`. `denota bench --data \
DATA --json` measures again: split 1 of SQA, `dynsp++`, 15 + 15
candidates, MAVER with policy shaping, batches of 64. The machine's speed varies by a quarter from \
one minute to the next, so medians and ranges are given."""
_END: Final = """## How it is done

- All programs of a question are arrays; a question is prepared once, in parallel, into a \
memory-mapped store (`search/store.py`) that any number of runs read at
  a time. Its name is a digest of the questions, tables, answers, language, lexicon and code, so \
nothing stale is ever read and nothing is shared that could be corrupted.
- A training batch is laid flat (`search/flat_batch.py`): two gathers and an addition score all \
programs of 64 questions; nothing is done in Python per candidate.
- For a GPU a batch is small arrays (`search/flat_arrays.py`): the selection and condition of a \
program follow from its number, so what all programs are is worked out there, and nothing waits \
for the GPU on the way (`search/flat_programs.py`).
- Beside a GPU other processes make the batches, a few steps ahead (`train.workers`, \
`learning/workers.py`); a batch comes through shared memory and goes to the GPU in one copy. Dev \
is answered from such batches too. The numbers are the same with and without them.
- `python benchmarks/device_speed.py DATA EXPERIMENT.toml` measures an experiment on a GPU for \
several settings of workers, batch, precision and packing, by stage.
- Answering scores a question with two gathers and a broadcast, in numpy (`search/exact.py`).
- A step looks up the vectors of its own words once and touches no others (`model/batch.py`).
- Memory: the store is mapped, so runs side by side share it; `peak_memory_mb` counts the mapped \
pages too."""


def _speeds(cpu: list[dict[str, Any]]) -> str:
    lines = [
        "| questions a second, 2 cores | median | range | times the original |",
        "| --- | --- | --- | --- |",
    ]
    names = {
        "train": "training",
        "inference": "answering, own history",
        "prepare": "preparing, from the files",
    }
    for key, name in names.items():
        values = [run[f"{key}_questions_per_s"] for run in cpu]
        middle = statistics.median(values)
        times = f"{middle / ORIGINAL[key]:.0f}" if key in ORIGINAL else ""
        lines.append(
            f"| {name} | {middle:,.0f} | {min(values):,.0f} to {max(values):,.0f} | {times} |"
        )
    peak = max(run["peak_memory_mb"] for run in cpu)
    count = cpu[0]["questions"]["prepare"]
    lines.append("")
    lines.append(f"Peak memory with all {count:,} questions of the split: {peak:,.0f} MB.")
    return "\n".join(lines)


def _stages(cpu: list[dict[str, Any]], before: list[dict[str, Any]]) -> str:
    """Milliseconds a batch of 64, now and before the flat search and shared word vectors."""
    batches = -(-cpu[0]["questions"]["train"] // cpu[0]["batch"])
    now = {s: 1000 * statistics.median(r["stages"][s] for r in cpu) / batches for s in STEP}
    old = {s: statistics.median(r["stages_ms"][s] for r in before) for s in before[0]["stages_ms"]}
    same = {"optimise": "sgd"}
    lines = ["| stage | before, ms a batch | now, ms a batch |", "| --- | --- | --- |"]
    for stage in STEP:
        was = old.get(same.get(stage, stage))
        lines.append(f"| {stage} | {'' if was is None else f'{was:.1f}'} | {now[stage]:.1f} |")
    lines.append(f"| all | {sum(old.values()):.1f} | {sum(now.values()):.1f} |")
    lines += [
        "",
        (
            "Before: consecutive questions, mostly of one table, prepared and held in memory. Now: "
            "an epoch of training in random order from the store, whose batches are"
        ),
        (
            "wider and share few words; gathering, and remembering the answers that become "
            "history, are counted."
        ),
    ]
    return "\n".join(lines)


def _floor(floor: dict[str, Any], cpu: list[dict[str, Any]]) -> str:
    parts = floor["milliseconds"]
    listed = ", ".join(f"{name} {ms:.1f}" for name, ms in parts.items())
    batches = -(-cpu[0]["questions"]["train"] // cpu[0]["batch"])
    scored = statistics.median(r["stages"]["forward"] + r["stages"]["backward"] for r in cpu)
    return (
        "`python benchmarks/floor.py` times torch's own operators at the sizes of a usual "
        f"batch, forward and backward, on one thread, in milliseconds: {listed}; together "
        f"{sum(parts.values()):.1f} of the {1000 * scored / batches:.1f} that forward and "
        "backward take on two. By arithmetic alone the LSTMs need "
        f"{floor['lstm_gflop_a_batch']:.2f} GFLOP a batch, {floor['lstm_floor_ms']:.1f} ms at "
        f"the {floor['matrix_gflops']:.0f} GFLOP/s of a matrix product here: their time goes into "
        "many small steps one after the other, not into arithmetic."
    )


def _processes(rows: list[dict[str, Any]]) -> str:
    """Speeds of one process on one core, of one on all and of one a core, and their ratios."""
    lines = [
        (
            "| parser | processes × threads | training, questions/s | answering, questions/s "
            "| training against 1 × 1 | answering | training by CPU time alone | answering |"
        ),
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    alone = {row["name"]: row for row in rows if row["processes"] == row["threads"] == 1}
    kinds = ("train", "inference")
    for row in rows:
        one = alone[row["name"]]
        speeds = [row[f"{kind}_questions_per_s"] for kind in kinds]
        times = [row[f"{kind}_questions_per_s"] / one[f"{kind}_questions_per_s"] for kind in kinds]
        own = [one[f"{kind}_cpu_ms"] / row[f"{kind}_cpu_ms"] for kind in kinds]
        shown = [f"{each:.2f}" for each in times]
        # the time of one process says nothing about threads that wait for each other
        shown += [f"{each:.2f}" if row["threads"] == 1 else "" for each in own]
        way = f"{row['processes']} × {row['threads']}"
        cells = [row["name"], way, *(f"{speed:,.0f}" for speed in speeds), *shown]
        lines.append(f"| {' | '.join(cells)} |")
    rounds = [row["rounds"] for row in rows]
    lines += [
        "",
        "`torchrun --nproc-per-node 2 benchmarks/processes.py SQA results/speed.processes.json "
        "experiments/table2.maver.toml --set train.batch=64 --name NAME --questions 1024 --dev "
        "1024`, and the same with `train.batch=256` and `--threads`, and with `train.batch=512` "
        "and 2,048 questions, on "
        f"{rows[0]['cores']} cores: the ways by turns, medians of {min(rounds)} to {max(rounds)} "
        "rounds, each of which prepares its follow-ups anew; nothing else ran. MiniLM is "
        "`experiments/encoder.toml` with `--questions 256 --dev 128 --rounds 3`. The last two "
        "columns are an estimate: how many times less CPU time the busier process takes a "
        "question, waiting for the other not counted. Answering does not depend on the batch of "
        "training, so its figures differ by chance. Half of a batch takes more than half of its "
        "time, for the LSTMs have as many small steps to take; the larger the batch, the less.",
    ]
    return "\n".join(lines)


def _gpu(gpu: dict[str, Any]) -> str:
    lines = [
        (
            "| batch | precision | questions a second | an epoch of split-1 train, s | of that on "
            "the CPU, laying flat and gathering, s |"
        ),
        "| --- | --- | --- | --- | --- |",
    ]
    for run in gpu["speeds"]:
        speed = run["train_questions_per_s"]
        host = sum(run["stages"][s] for s in ("gather", "batch", "lay flat", "remember"))
        epoch = run["questions"]["train"] / speed
        lines.append(
            f"| {run['batch']} | {run['precision']} | {speed:,.0f} | {epoch:.1f} | {host:.1f} |"
        )
    agree = gpu["agreement"]
    best = max(gpu["training"], key=lambda line: line["dev_answer_accuracy"])
    lines += [
        "",
        f"{gpu['speeds'][0]['device']}, one process (`python benchmarks/gpu.py SQA OUT.json`). "
        "The limit is the CPU beside it, which lays the programs of a batch end to end; "
        "at small batches it is the number of launches. On one batch of 256 questions CPU and "
        f"GPU choose the same candidates at {100 * agree['same_candidates']:.1f}% of the places "
        "(the rest are ties decided by rounding), and their gradients differ by "
        f"{agree['gradient_error']:.0e} of the norm. "
        f"MAVER with shaping, batches of 64, {len(gpu['training'])} epochs there: dev "
        f"{best['dev_answer_accuracy']:.1f} at epoch {best['epoch']}.",
    ]
    return "\n".join(lines)


def _tried(tried: list[dict[str, Any]]) -> str:
    lines = [
        (
            "A log kept by hand (`results/speed.tried.json`): each figure is one measurement made "
            "while working, often beside other runs, and no command repeats it."
        ),
        "",
        "| idea | expected | measured | kept |",
        "| --- | --- | --- | --- |",
    ]
    for one in tried:
        kept = "yes" if one["kept"] else "no"
        lines.append(f"| {one['idea']} | {one['expected']} | {one['measured']} | {kept} |")
    return "\n".join(lines)


def main() -> None:
    """Write the page."""
    Path("docs/performance.md").write_text(performance_page(Path("results")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
