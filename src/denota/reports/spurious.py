"""Spurious programs: what search believes at the end of training, judged by hand and by altered tables. Misra et al. (2018), §5.2 and Table 4.

100 training questions are drawn with a fixed seed. For each, the program that a trained parser's own search puts first (EXPLORE under the policy it was trained
with) is taken for two parsers, without and with shaping. `sheet` writes the distinct programs of each question in a random order for a judge who does not see
which parser each is from; the verdicts are kept by question and program. Beside them an automatic measure: how often a program keeps its answer on altered tables, rows shuffled
and the values of columns that the question does not speak of dealt anew.

Usage: python -m denota.reports.spurious --data SQA --unshaped RUN --shaped RUN [--sheet FILE]
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from denota.data import Example, load_examples
from denota.data.example import conversations
from denota.errors import ProgramError
from denota.model.checkpoint import load_parser
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.text import parse_program, print_program
from denota.search.lists import explore
from denota.search.preparer import Preparer
from denota.search.score import program_scores
from denota.tables.table import Table
from denota.tokens import content

QUESTIONS: Final = 100
SEED: Final = 2018
ALTERED: Final = 20
"""Altered tables a program is tried on."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A drawn question with the right answer before it."""

    example: Example
    previous: Denotation | None

    @property
    def key(self) -> str:
        """What names it in the files."""
        question = self.example.question
        return f"{question.id}/{question.annotator}/{question.position}"


def draw(examples: Sequence[Example], count: int = QUESTIONS, seed: int = SEED) -> list[Asked]:
    """Return so many questions, drawn with a seed, in the order of the data."""
    asked = [
        Asked(turn, Denotation.of_cells(turns[place - 1].answer) if place else None)
        for turns in conversations(examples)
        for place, turn in enumerate(turns)
    ]
    chosen = np.random.default_rng(seed).choice(len(asked), min(count, len(asked)), replace=False)
    return [asked[place] for place in sorted(chosen.tolist())]


def believed(parser: Parser, asked: Sequence[Asked]) -> list[str | None]:
    """Return the program that a parser's search would learn from, for each question; None where no program earns a reward."""
    cfg = parser.config.search
    preparer = Preparer(parser.config.data.language, cfg.lexicon)
    found: list[str | None] = []
    for one in asked:
        ready = preparer(one.example.question, one.previous, one.example.answer)
        axis = parser.axis(ready)
        ahead = explore(ready, axis, cfg, program_scores(ready, axis))
        found.append(print_program(ready.space.program(int(ahead[0]))) if len(ahead) else None)
    return found


def kept_answers(one: Asked, text: str, altered: int = ALTERED, seed: int = 0) -> float:
    """Return the share of altered tables on which a program still gives the right cells."""
    table, answer = one.example.question.table, one.example.answer
    program = parse_program(text)
    rng = np.random.default_rng(seed)
    right = 0
    for _ in range(altered):
        order = rng.permutation(len(table))  # the new row r is the old row order[r]
        place = {int(old): new for new, old in enumerate(order)}
        other = _altered(one, order, rng)
        before = None
        if one.previous is not None:
            rows = tuple(sorted(place[row] for row in one.previous.rows))
            before = Denotation(rows, one.previous.columns)
        try:
            cells = execute(program, other, before).cells
        except ProgramError:  # a value it names is no longer there
            continue
        right += cells == frozenset((place[row], column) for row, column in answer)
    return right / altered


def _altered(one: Asked, order: np.ndarray[Any, Any], rng: np.random.Generator) -> Table:
    """The table with its rows in another order, and the columns that the question does not speak of dealt anew."""
    question = one.example.question
    table = question.table
    asked = content(" ".join((question.text, *question.history[-1:])))
    answered = {column for _, column in one.example.answer}
    columns = []
    for number, column in enumerate(table.columns):
        spoken = not asked.isdisjoint(content(column.name)) or any(
            not asked.isdisjoint(content(text)) for text in column.values
        )
        rows = order if spoken or number in answered else rng.permutation(len(table))
        columns.append([column.text[int(row)] for row in rows])
    return Table.from_rows(list(table.names), [list(row) for row in zip(*columns, strict=True)])


def item_key(question: str, program: str) -> str:
    """Return a short name of a question with a program, the same in every file."""
    return hashlib.sha256(f"{question}\n{program}".encode()).hexdigest()[:12]


def sheet(asked: Sequence[Asked], programs: Mapping[str, Sequence[str | None]]) -> str:
    """Return what a judge sees: each question with its table and the distinct programs in a random order, no parser named."""
    rng = np.random.default_rng(SEED)
    parts = []
    for number, one in enumerate(asked):
        question = one.example.question
        texts = sorted({p for line in programs.values() if (p := line[number]) is not None})
        lines = [f"## {number + 1}. {one.key}", *(f"before: {text}" for text in question.history)]
        table = question.table
        lines.append(f"question: {question.text}")
        if one.previous is not None:
            cells = [table.cell(r, c) for r in one.previous.rows for c in one.previous.columns]
            lines.append("previous answer: " + " | ".join(cells))
        lines.append("answer: " + " | ".join(table.cell(*c) for c in sorted(one.example.answer)))
        lines.append("columns: " + " | ".join(table.names))
        lines += [
            f"row {row}: " + " | ".join(table.cell(row, c) for c in range(len(table.names)))
            for row in range(len(table))
        ]
        for place in rng.permutation(len(texts)):
            lines.append(f"[{item_key(one.key, texts[place])}] {texts[place]}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Find the programs, try them on altered tables, and write results/spurious.json; with --sheet the page for the judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--unshaped", type=Path, required=True)
    parser.add_argument("--shaped", type=Path, required=True)
    parser.add_argument("--sheet", type=Path)
    given = parser.parse_args(arguments)
    runs = {"unshaped": given.unshaped, "shaped": given.shaped}
    parsers = {name: load_parser(run / "last.safetensors")[0] for name, run in runs.items()}
    split = parsers["shaped"].config.data.train
    asked = draw(load_examples(given.data, split).examples)
    programs = {name: believed(one, asked) for name, one in parsers.items()}
    if given.sheet:
        given.sheet.write_text(sheet(asked, programs), encoding="utf-8")
    found = []
    for number, one in enumerate(asked):
        line: dict[str, Any] = {"question": one.key}
        for name, texts in programs.items():
            text = texts[number]
            kept = kept_answers(one, text) if text is not None else 0.0
            item = item_key(one.key, text) if text is not None else None
            line[name] = {"program": text, "item": item, "kept": kept}
        found.append(line)
    facts = {"split": split, "seed": SEED, "altered": ALTERED, "questions": found}
    Path("results/spurious.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
