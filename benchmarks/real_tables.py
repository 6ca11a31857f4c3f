"""Questions about real tables, answered as a chat answers them and scored by kind; JSON out.

Usage: python benchmarks/real_tables.py PART [--model default] [--without STEP] [--each-step]

The parts, by table: `choose` to choose by; `parser` to be looked at once when the next parser is
done; `confidence` once when its confidence is. `real_tables/*/SOURCES.md` tells where tables are
from. Answers were computed with pandas by people who had not seen the model's; `check.py` in each
part computes them again.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

from denota.app.commands.steps import measure_steps
from denota.app.paths import load_run
from denota.conversation.answers import answer_of, rating_with, understand_conversations
from denota.conversation.asked import Asked
from denota.conversation.given import items_in
from denota.conversation.understand import steps_of
from denota.data.answer import Values, is_right
from denota.data.example import Question
from denota.evaluation.metrics import Key
from denota.evaluation.predict import as_values, key_of
from denota.programs.text import print_program
from denota.search.preparer import Preparer
from denota.tables.io import read_table
from denota.tables.table import Table

FOLDER: Final = Path(__file__).parent / "real_tables"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("choose", "parser", "confidence"))
    parser.add_argument("--model", default="default")
    parser.add_argument("--without", action="append", default=[], metavar="STEP")
    parser.add_argument("--each-step", action="store_true", help="what each step brings")
    parser.add_argument("--answers", action="store_true", help="every answer, not the sums")
    given = parser.parse_args()
    questions, turns = read_part(given.part)
    judge = Judge(turns)
    if given.each_step:
        lines = measure_steps(given.model, questions, judge)
        print(json.dumps({"model": given.model, "split": given.part, "lines": lines}))
        return
    model = load_run(given.model)
    preparer = Preparer.of(model.config, kept=64, operators=model.language)
    pipeline = steps_of(model, given.without)
    rate = rating_with(model, preparer)
    found = understand_conversations(questions, model, rate, pipeline)
    if given.answers:
        for key, asked in found.items():
            print(json.dumps(judge.told(key, asked), ensure_ascii=False))
        return
    print(json.dumps(by_kind(found, judge), indent=1))


def read_part(part: str) -> tuple[list[Question], dict[Key, dict[str, Any]]]:
    """Return a part's questions, and by question what its line says of it."""
    tables: dict[str, Table] = {}
    questions, turns = [], {}
    lines = (FOLDER / part / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        talk = json.loads(line)
        name = talk["table"]
        if name not in tables:
            tables[name] = read_table(FOLDER / part / name)
        asked: tuple[str, ...] = ()
        for position, turn in enumerate(talk["turns"]):
            text = turn["question"]
            question = Question(str(number), "0", position, text, tables[name], name, asked)
            questions.append(question)
            turns[key_of(question)] = turn
            asked = (*asked, text)
    return questions, turns


class Judge:
    """Says whether an answer is right: the same values, or declined where nothing says it."""

    def __init__(self, turns: dict[Key, dict[str, Any]]) -> None:
        self.turns = turns

    def __call__(self, key: Key, asked: Asked) -> bool:
        """Judge one question."""
        gold = self.turns[key]["answer"]
        declined = bool(asked.reason) or asked.best is None
        if gold is None or declined:
            return gold is None and declined
        values = as_values(answer_of(asked), asked.table).items
        return is_right(values, Values(items_in(gold)))

    def told(self, key: Key, asked: Asked) -> dict[str, Any]:
        """Return one answer with what it should be."""
        turn = self.turns[key]
        answer = as_values(answer_of(asked), asked.table).items
        return {
            "question": asked.typed,
            "kind": turn["kind_of_question"],
            "right": self(key, asked),
            "sure": asked.sure,
            "confidence": round(asked.confidence, 3),
            "answer": list(answer[:5]),
            "gold": turn["answer"],
            "program": print_program(asked.best.program) if asked.best else "",
            "reason": asked.reason,
        }


def by_kind(found: dict[Key, Asked], judge: Judge) -> dict[str, Any]:
    """Return the share of right answers of each kind of question, and of those that are sure."""
    kinds: dict[str, list[bool]] = defaultdict(list)
    sure = []
    for key, asked in found.items():
        right = judge(key, asked)
        kinds[judge.turns[key]["kind_of_question"]].append(right)
        if asked.sure and not asked.reason:
            sure.append(right)
    everything = [right for own in kinds.values() for right in own]
    shares = {name: [sum(own), len(own)] for name, own in sorted(kinds.items())}
    return {
        "right": sum(everything),
        "questions": len(everything),
        "accuracy": round(100 * sum(everything) / len(everything), 1),
        "sure": len(sure),
        "sure_right": sum(sure),
        "by_kind": shares,
    }


if __name__ == "__main__":
    main()
