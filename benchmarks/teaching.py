"""What teaching brings: corrections that are learnt, beside corrections that are not.

    python benchmarks/teaching.py --model RUN --data path/to/sqa
        --split random-split-1-dev --out results/teaching.json

Questions are asked table by table, in the order of the data, each sequence as a conversation. A
person corrects every wrong answer with the gold cells, so that the next question follows up on the
right ones; in the control too, which learns nothing. Every lesson is asked again at once. Later
questions are those asked about a table after something was taught about it. An answer is accepted
only where the next question builds on it: the simulated person never says that one is right. In the
end, questions about other tables are asked once more, with all that was taught. RUN must not have
learnt from the split. Writes JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import torch

from denota.app.paths import load_run
from denota.conversation.chat import Chat
from denota.data import load_examples
from denota.data.example import Example, conversations
from denota.model.memory import Memory
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.tables.table import Table
from denota.teaching.log import TeachingLog
from denota.teaching.teacher import Teacher

OTHERS = 150
"""Questions about tables of other parts that are asked again in the end."""


class Forgetful(Teacher):
    """Writes lessons down and learns nothing."""

    def memory(self, person: str = "") -> Memory:
        """Return what the parser came with."""
        return self.parser.memory

    def recalled(
        self, table: Table, question: str, previous: Denotation | None, person: str = ""
    ) -> None:
        """Know no question again."""


def simulate(
    parser: Parser,
    tables: Sequence[Sequence[Sequence[Example]]],
    others: Sequence[Sequence[Example]],
) -> dict[str, Any]:
    """Teach some tables, and ask conversations about others afterwards."""
    counts: Counter[str] = Counter()
    seconds: list[float] = []
    teacher = Teacher(parser, TeachingLog())
    for talks in tables:
        control = Forgetful(parser, TeachingLog())
        taught = False
        for talk in talks:
            chats = [Chat(parser, talk[0].question.table, teacher=t) for t in (teacher, control)]
            for place, example in enumerate(talk):
                own, other = (_right(chat, example) for chat in chats)
                if taught:
                    counts["later"] += 1
                    counts["later_control"] += other
                    counts["later_taught"] += own
                    if place == 0:
                        counts["first"] += 1
                        counts["first_control"] += other
                        counts["first_taught"] += own
                else:
                    counts["before"] += 1
                    counts["before_control"] += other
                    counts["before_taught"] += own
                if not other:
                    chats[1].teach(-1, example.cells)
                if not own:
                    began = time.perf_counter()
                    learnt = chats[0].teach(-1, example.cells).learnt
                    teacher.memory()
                    seconds.append(time.perf_counter() - began)
                    counts["lessons"] += 1
                    counts["kept_for_later"] += not learnt
                    taught = taught or learnt
                    chats[0].undo()
                    counts["again"] += _right(chats[0], example)
    for talk in others:
        for which, one in (("taught", teacher), ("control", Forgetful(parser, TeachingLog()))):
            chat = Chat(parser, talk[0].question.table, teacher=one)
            for example in talk:
                right = _right(chat, example)
                counts[f"others_{which}"] += right
                counts["others"] += which == "taught"
    return {**counts, "seconds": seconds}


def _right(chat: Chat, example: Example) -> bool:
    return frozenset(chat.ask(example.question.text).cells) == example.cells


def _part(
    model: str, data: str, split: str, part: int, parts: int, most: int | None
) -> dict[str, Any]:
    torch.set_num_threads(1)
    parser = load_run(model)
    examples = load_examples(Path(data), split).examples
    by_table: dict[str, list[list[Example]]] = {}
    for talk in conversations(examples):
        turns = [turn for turn in talk if isinstance(turn, Example)]
        by_table.setdefault(turns[0].question.table_file, []).append(turns)
    names = sorted(by_table)
    mine = names[part::parts][:most]
    rest = [talk for name in names if name not in set(mine) for talk in by_table[name]]
    random.Random(part).shuffle(rest)
    count, others = 0, []
    for talk in rest:
        if count < OTHERS:
            others.append(talk)
            count += len(talk)
    return simulate(parser, [by_table[name] for name in mine], others)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="a run that did not learn from the split")
    parser.add_argument("--data", default=os.environ.get("DENOTA_DATA"), required=False)
    parser.add_argument("--split", default="random-split-1-dev")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--parts", type=int, default=4, help="each a person with tables of their own"
    )
    parser.add_argument("--only", type=int, nargs="*", help="parts to run")
    parser.add_argument("--most", type=int, help="tables of a part")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    chosen = options.only if options.only is not None else list(range(options.parts))
    with ProcessPoolExecutor(options.jobs) as pool:
        asked = [
            pool.submit(
                _part, options.model, options.data, options.split, n, options.parts, options.most
            )
            for n in chosen
        ]
        found = [one.result() for one in asked]
    result = {"split": options.split, "parts": chosen, "of": options.parts, **summed(found)}
    text = json.dumps(result, indent=1) + "\n"
    if options.out is not None:
        options.out.write_text(text)
    print(text, end="")


def summed(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of some parts together."""
    total: Counter[str] = Counter()
    for one in found:
        total.update({name: value for name, value in one.items() if name != "seconds"})
    seconds = sorted(s for one in found for s in one["seconds"])
    result: dict[str, Any] = dict(total)
    for name in ("later", "first", "before", "others"):
        for which in ("control", "taught"):
            share = 100 * total[f"{name}_{which}"] / max(1, total[name])
            result[f"{name}_{which}_accuracy"] = round(share, 2)
        result[f"{name}_gain"] = round(
            result[f"{name}_taught_accuracy"] - result[f"{name}_control_accuracy"], 2
        )
    result["median_s"] = round(statistics.median(seconds), 3)
    result["p95_s"] = round(seconds[int(0.95 * len(seconds))], 3)
    result["slowest_s"] = round(seconds[-1], 3)
    return result


if __name__ == "__main__":
    main()
