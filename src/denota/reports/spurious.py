"""Spurious programs: what search believes after training, judged by hand and by altered tables.

Misra et al. (2018), §5.2 and Table 4.

100 training questions are drawn with a fixed seed. For each, the program that a trained parser's
own search puts first (EXPLORE under the policy it was trained with) is taken, for several parsers.
`sheet` writes the distinct programs of each question in a random order for judges who do not see
which parser each is from (docs/spurious-guideline.md); the verdicts are kept by question and
program. Beside them two automatic measures, on more questions: how often a program keeps its answer
on altered tables, rows shuffled and the values of columns that the question does not speak of dealt
anew, and how often the question bears it out.

Usage: python -m denota.reports.spurious --data SQA unshaped=RUN shaped=RUN
           blank_unshaped=RUN blank_shaped=RUN [--sheet FILE] [--vectors FILE]
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from denota.config import Config, SearchConfig
from denota.data import Example, load_examples
from denota.data.example import conversations
from denota.errors import ProgramError
from denota.learning.start import new_parser
from denota.model.checkpoint import load_parser
from denota.model.dynsp_starts import Start
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.text import parse_program, print_program
from denota.search.candidates import explore
from denota.search.exact import program_scores
from denota.search.flat_batch import lay_flat
from denota.search.preparer import Preparer
from denota.tables.table import Table
from denota.tokens import content

QUESTIONS: Final = 100
MANY: Final = 1000
"""Questions for the automatic measures."""
SEED: Final = 2018
ALTERED: Final = 20
"""Altered tables a program is tried on."""


@dataclass(frozen=True, eq=False)
class AskedQuestion:
    """A drawn question with the right answer before it."""

    example: Example
    previous: Denotation | None

    @property
    def key(self) -> str:
        """What names it in the files."""
        question = self.example.question
        return f"{question.id}/{question.annotator}/{question.position}"


def draw_questions(
    examples: Sequence[Example], count: int = QUESTIONS, seed: int = SEED
) -> list[AskedQuestion]:
    """Return `count` questions, drawn with a seed, in the order of the data."""
    asked = [
        AskedQuestion(turn, Denotation.of_cells(turns[place - 1].cells) if place else None)
        for turns in conversations(examples)
        for place, turn in enumerate(turns)
    ]
    chosen = np.random.default_rng(seed).choice(len(asked), min(count, len(asked)), replace=False)
    return [asked[place] for place in sorted(chosen.tolist())]


@dataclass(frozen=True)
class Believed:
    """The program that search would learn from."""

    program: str
    reward: float
    grounded: bool
    """Whether the question bears it out: its constants share words with it, and its operators
    have a trigger."""


def believed(
    parser: Parser, asked: Sequence[AskedQuestion], search: SearchConfig
) -> list[Believed | None]:
    """Return what a parser's search would learn from, for each question.

    None where no program earns a reward.
    """
    preparer = Preparer.of(replace(parser.config, search=search), operators=parser.language)
    found: list[Believed | None] = []
    for one in asked:
        ready = preparer(one.example.question, one.previous, one.example.answer)
        axis = parser.axis(ready)
        flat = lay_flat([ready], axis.offsets, len(axis.entries), search, torch.device("cpu"))
        ahead, there = explore(flat, torch.from_numpy(program_scores(ready, axis)), search)
        if not there.any():
            found.append(None)
            continue
        first, space = int(ahead[0, 0]), ready.space
        assert ready.rewards is not None
        text = print_program(space.program(first))
        found.append(Believed(text, float(ready.rewards[first]), bool(space.grounded[first])))
    return found


def kept_answers(one: AskedQuestion, text: str, altered: int = ALTERED, seed: int = 0) -> float:
    """Return the share of altered tables on which a program still gives the right cells."""
    table, answer = one.example.question.table, one.example.cells
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


def _altered(one: AskedQuestion, order: np.ndarray[Any, Any], rng: np.random.Generator) -> Table:
    """The table with shuffled rows, and shuffled values in columns not asked about."""
    question = one.example.question
    table = question.table
    asked = content(" ".join((question.text, *question.history[-1:])))
    answered = {column for _, column in one.example.cells}
    columns = []
    for number, column in enumerate(table.columns):
        spoken = not asked.isdisjoint(content(column.name)) or any(
            not asked.isdisjoint(content(text)) for text in column.values
        )
        rows = order if spoken or number in answered else rng.permutation(len(table))
        columns.append([column.text[int(row)] for row in rows])
    return Table.from_rows(list(table.names), [list(row) for row in zip(*columns, strict=True)])


def judged_key(question: str, program: str) -> str:
    """Return a short name of a question with a program, the same in every file."""
    return hashlib.sha256(f"{question}\n{program}".encode()).hexdigest()[:12]


def sheet(asked: Sequence[AskedQuestion], programs: Mapping[str, Sequence[Believed | None]]) -> str:
    """Return what a judge sees: questions, tables and programs in random order, no parser named."""
    rng = np.random.default_rng(SEED)
    parts = []
    for number, one in enumerate(asked):
        question = one.example.question
        texts = sorted({p.program for line in programs.values() if (p := line[number])})
        lines = [f"## {number + 1}. {one.key}", *(f"before: {text}" for text in question.history)]
        table = question.table
        lines.append(f"question: {question.text}")
        if one.previous is not None:
            cells = [table.cell(r, c) for r in one.previous.rows for c in one.previous.columns]
            lines.append("previous answer: " + " | ".join(cells))
        lines.append("answer: " + " | ".join(table.cell(*c) for c in sorted(one.example.cells)))
        lines.append("columns: " + " | ".join(table.names))
        lines += [
            f"row {row}: " + " | ".join(table.cell(row, c) for c in range(len(table.names)))
            for row in range(len(table))
        ]
        for place in rng.permutation(len(texts)):
            lines.append(f"[{judged_key(one.key, texts[place])}] {texts[place]}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def measure_spurious(
    asked: Sequence[AskedQuestion], found: Sequence[Believed | None]
) -> dict[str, int]:
    """Count the believed programs that answer right, are grounded, and survive altered tables."""
    pairs = [(o, b) for o, b in zip(asked, found, strict=True) if b is not None and b.reward == 1]
    return {
        "questions": len(asked),
        "right_answer": len(pairs),
        "grounded": sum(b.grounded for _, b in pairs),
        "kept": sum(kept_answers(one, b.program) == 1 for one, b in pairs),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Find the programs, try them on altered tables, and write results/spurious.json.

    With --sheet also write the page for the judges.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--vectors", help="a file of word vectors")
    parser.add_argument("run", nargs="+", help="NAME=RUN, a parser by its run's folder")
    given = parser.parse_args(arguments)
    runs = dict(text.split("=", 1) for text in given.run)
    parsers = {name: load_parser(Path(run) / "last.safetensors")[0] for name, run in runs.items()}
    examples = load_examples(given.data, next(iter(parsers.values())).config.data.train).examples
    asked, many = draw_questions(examples), draw_questions(examples, MANY)
    programs = {name: believed(p, asked, p.config.search) for name, p in parsers.items()}
    if given.sheet:
        given.sheet.write_text(sheet(asked, programs), encoding="utf-8")
    facts = {
        "split": next(iter(parsers.values())).config.data.train,
        "seed": SEED,
        "altered": ALTERED,
        "questions": [
            {
                "question": one.key,
                "text": one.example.question.text,
                "programs": {name: _told(one, found[n]) for name, found in programs.items()},
            }
            for n, one in enumerate(asked)
        ],
        "by_machine": {
            name: measure_spurious(many, believed(p, many, p.config.search))
            for name, p in parsers.items()
        },
        "untrained": _untrained(next(iter(parsers.values())).config, many, given.vectors),
    }
    Path("results/spurious.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def _told(one: AskedQuestion, found: Believed | None) -> dict[str, Any] | None:
    if found is None:
        return None
    kept = kept_answers(one, found.program)
    return {"item": judged_key(one.key, found.program), **asdict(found), "kept": kept}


def _untrained(
    config: Config, asked: Sequence[AskedQuestion], vectors: str | None
) -> dict[str, dict[str, int]]:
    """What search would believe before training, with and without shaping, from both starts."""
    found = {}
    preparer = Preparer.of(config)
    ready = [preparer(one.example.question, one.previous, one.example.answer) for one in asked]
    starts: tuple[tuple[str, Start], ...] = (("", "dynsp"), ("blank_", "blank"))
    for before, start in starts:
        model = replace(config.model, start=start)
        parser = new_parser(replace(config, model=model), ready, vectors=vectors)
        for shaping in ("none", "policy"):
            search = replace(config.search, shaping=shaping)
            name = f"{before}{'un' * (shaping == 'none')}shaped"
            found[name] = measure_spurious(asked, believed(parser, asked, search))
    return found


if __name__ == "__main__":
    main()
