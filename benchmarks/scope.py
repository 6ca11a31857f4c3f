"""When a question starts afresh: learn it, and measure what the step `scope` brings; JSON out.

Usage: python benchmarks/scope.py fit --data SQA       writes src/denota/conversation/scope.json
       python benchmarks/scope.py measure --data SQA --model RUN     RUN has not seen split 1's dev

Learnt from split 1's training conversations of SQA and from made-up ones about invented tables.
Measured with the step and without it: on SQA's dev conversations as they are, on the same with an
opening question of another conversation put in, on made-up conversations in wordings and about
tables that were not learnt from, and on those written in tests/fixtures/subject_changes.tsv.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

from denota import sample
from denota.app.paths import load_run
from denota.conversation.answers import rating_with
from denota.conversation.asked import Asked, Context
from denota.conversation.learn_scope import Change, changes_of, fit
from denota.conversation.rating import alike
from denota.conversation.scope import WEIGHTS
from denota.conversation.steps import Step
from denota.conversation.understand import steps_of, understand
from denota.data import Example, load_examples
from denota.data.example import conversations
from denota.generate.conversation import generate
from denota.generate.examples import examples_from
from denota.generate.invented import invented_tables
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.operators import LANGUAGES, SCOPES
from denota.search.preparer import Preparer
from denota.tables.table import Table

WRITTEN: Final = Path(__file__).parents[1] / "tests/fixtures/subject_changes.tsv"
LEARNT: Final = 4000
"""Made-up conversations of either language that are learnt from."""
MEASURED: Final = 100
"""Made-up conversations that are measured."""
SAMPLED: Final = 400
"""Conversations of SQA's dev with a question put in, at most."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("fit", "measure"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", default="default")
    given = parser.parse_args()
    if given.what == "fit":
        learn(given.data)
    else:
        print(json.dumps(measure(given.data, given.model), indent=1))


def learn(data: Path) -> None:
    real = changes_of(load_examples(data, "random-split-1-train").examples, seed=0)
    made = changes_of(made_up(LEARNT, seed=0, held_out=False), seed=0)
    values = changes_of(made_up(LEARNT, seed=1, held_out=False, language="full"), seed=1)
    made += balanced(values, seed=0)  # questions for values seldom go on
    changes = [*real, *made]
    weights = fit([one.features for one in changes], [one.afresh for one in changes])
    learnt_from = {"SQA, random-split-1-train": len(real), "made up": len(made)}
    content = {"questions": learnt_from, "weights": dict(sorted(weights.items()))}
    WEIGHTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({"questions": learnt_from, "features": len(weights)}))


def made_up(
    count: int, seed: int, held_out: bool, language: str = "extended"
) -> tuple[Example, ...]:
    """Conversations of two questions or more about invented tables, several about each."""
    tables = list(invented_tables(max(4, count // 8), seed))
    made = generate(
        tables,
        seed,
        language=LANGUAGES[language],
        held_out=held_out,
        loose=0.5,
        turns=(2, 3),
    )
    return examples_from(islice(made, count), programs=True)


def balanced(changes: Sequence[Change], seed: int) -> list[Change]:
    """As many questions that start afresh as others."""
    others = [one for one in changes if not one.afresh]
    afresh = [one for one in changes if one.afresh]
    return [*Random(seed).sample(afresh, min(len(afresh), len(others))), *others]


def measure(data: Path, model: str) -> dict[str, Any]:
    parser = load_run(model)
    talker = Talker(parser)
    dev = load_examples(data, "random-split-1-dev").examples
    held_out = [one for one in changes_of(made_up(400, 2, True), 1) if one.afresh]
    inserted = [one for one in changes_of(dev, 1) if one.afresh]
    found: dict[str, Any] = {"model": model}
    for name, pipeline in (("before", steps_of(parser, ["scope"])), ("after", steps_of(parser))):
        found[name] = {
            "SQA dev": talker.answered(dev, pipeline),
            "SQA dev, a question put in": talker.changed(
                Random(2).sample(inserted, min(SAMPLED, len(inserted))), pipeline
            ),
            "made up": talker.changed(Random(2).sample(held_out, MEASURED), pipeline),
            "written": talker.written(pipeline),
        }
    return found


class Talker:
    """Asks one question after the other, as a chat does."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.rate = rating_with(
            parser, Preparer.of(parser.config, kept=64, operators=parser.language)
        )

    def ask(self, text: str, table: Table, before: Context, pipeline: Sequence[Step]) -> Asked:
        """Ask a question."""
        return understand(Asked.of(text, table, before), self.parser, self.rate, pipeline)

    def talk(self, questions: Sequence[str], table: Table, pipeline: Sequence[Step]) -> Asked:
        """Ask some questions and return the last."""
        before = Context()
        for text in questions[:-1]:
            before = _after(self.ask(text, table, before, pipeline))
        return self.ask(questions[-1], table, before, pipeline)

    def answered(self, examples: Sequence[Example], pipeline: Sequence[Step]) -> dict[str, Any]:
        """Percent of questions and of whole conversations that are answered right."""
        right, whole, talks = 0, 0, 0
        for talk in conversations(examples):
            before, all_right = Context(), True
            for example in talk:
                question = example.question
                asked = self.ask(question.text, question.table, before, pipeline)
                good = _is_right(asked, example)
                right += good
                all_right &= good
                before = _after(asked)
            talks += 1
            whole += all_right
        return {
            "questions": len(examples),
            "answers": round(100 * right / len(examples), 2),
            "sequences": round(100 * whole / talks, 2),
        }

    def changed(self, changes: Sequence[Change], pipeline: Sequence[Step]) -> dict[str, Any]:
        """Of questions that start afresh: how many are narrowed, other than alone, and right."""
        narrowed = other = right = 0
        for one in changes:
            asked = self.talk([*one.questions, one.text], one.table, pipeline)
            alone = self.talk([one.text], one.table, pipeline)
            narrowed += _follows(asked)
            other += not _same(asked, alone)
            right += _is_right(asked, one.example)
        return _shares(len(changes), narrowed=narrowed, otherwise_than_alone=other, right=right)

    def written(self, pipeline: Sequence[Step]) -> dict[str, Any]:
        """Of written conversations: how many are narrowed that are not to be, and not that are."""
        narrowed = other = afresh = kept = goes_on = 0
        for table, first, second, about in _written():
            asked = self.talk([first, second], table, pipeline)
            if about == "table":
                afresh += 1
                narrowed += _follows(asked)
                other += not _same(asked, self.talk([second], table, pipeline))
            else:
                goes_on += 1
                kept += bool(asked.before.questions)
        found = _shares(afresh, narrowed=narrowed, otherwise_than_alone=other)
        return {**found, "going_on": goes_on, "understood_as_going_on": kept}


def _written() -> Iterator[tuple[Table, str, str, str]]:
    with WRITTEN.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            yield sample.table(line["table"]), line["first"], line["second"], line["about"]


def _after(asked: Asked) -> Context:
    if asked.reason or asked.best is None:
        return asked.before
    return asked.after(asked.best.program, asked.best.answer)


def _follows(asked: Asked) -> bool:
    taken = asked.best if not asked.reason else None
    return taken is not None and SCOPES[taken.program.scope].follows


def _same(one: Asked, other: Asked) -> bool:
    if bool(one.reason) != bool(other.reason) or (one.best is None) != (other.best is None):
        return False
    return one.best is None or other.best is None or alike(one.best.answer, other.best.answer)


def _is_right(asked: Asked, example: Example) -> bool:
    answer = asked.best.answer if asked.best is not None and not asked.reason else None
    found = answer if answer is not None else Denotation((), ())
    return found.values is None and found.cells == example.cells


def _shares(count: int, **counts: int) -> dict[str, Any]:
    return {
        "questions": count,
        **{name: round(100 * n / max(1, count), 1) for name, n in counts.items()},
    }


if __name__ == "__main__":
    main()
