"""The page about the program language: every operator with its form, meaning and what it brings on SQA.

    python -m denota.reports.language --data DIR --split random-split-1-train   measures, into results/language.json
    python -m denota.reports.language                                           writes docs/language.md from that

An operator *brings* a question if every grounded consistent program of the question uses it: without the operator the question
would be lost. One pass over the split finds this for all operators at once.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from denota.data.example import Example
from denota.data.splits import load_examples
from denota.evaluation.oracle import coverage, oracle, over_conversations
from denota.programs.denotation import Denotation
from denota.programs.english import say
from denota.programs.operators import AGGREGATES, FEATURES, LANGUAGES, SCOPES, TESTS, language_of
from denota.programs.operators.declare import (
    AggregateOperator,
    Feature,
    ScopeOperator,
    TestOperator,
)
from denota.programs.space import program_space
from denota.programs.text import parse_program
from denota.programs.used import operators_used

RESULTS: Final = Path("results/language.json")
PAGE: Final = Path("docs/language.md")
MOST: Final = 400
"""Of a question's consistent programs, at most so many are looked into."""


def main() -> None:
    """Measure if data is given, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data")
    parser.add_argument("--split", default="random-split-1-train")
    arguments = parser.parse_args()
    if arguments.data:
        found = measure(load_examples(arguments.data, arguments.split).examples)
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps({"split": arguments.split, **found}, indent=1) + "\n")
    PAGE.write_text(page(json.loads(RESULTS.read_text())), encoding="utf-8")


def measure(examples: Sequence[Example]) -> dict[str, Any]:
    """Return the coverage of each language, and how many questions each operator of `extended` brings."""
    jobs = os.cpu_count() or 1
    languages = {}
    for name in LANGUAGES:
        found = coverage(oracle(examples, language_of(name), jobs=jobs))
        languages[name] = {
            "coverage": round(found.coverage, 2),
            "grounded_coverage": round(found.grounded_coverage, 2),
            "programs_per_question": round(found.programs_per_question, 1),
            "consistent_per_question": round(found.consistent_per_question, 2),
        }
    needed = over_conversations(_needed, examples, jobs, lambda done: None)
    brings: Counter[str] = Counter()
    for operators in needed:
        brings.update(operators)
    return {
        "questions": len(examples),
        "languages": languages,
        "brings": dict(sorted(brings.items())),
    }


def _needed(conversation: Sequence[Example]) -> list[frozenset[str]]:
    """For each question the operators that all its grounded consistent programs use."""
    language = language_of("extended")
    result = []
    previous: Denotation | None = None
    for example in conversation:
        question = example.question
        space = program_space(question.text, question.table, previous, language)
        found = np.flatnonzero((space.rewards(example.answer) == 1) & space.grounded)
        used = [operators_used(space.program(int(number))) for number in found[:MOST]]
        result.append(frozenset.intersection(*used) if used else frozenset())
        previous = Denotation.of_cells(example.cells)
    return result


def page(found: dict[str, Any]) -> str:
    """Return the page's Markdown."""
    lines = [_INTRODUCTION]
    lines += [
        f"On SQA {found['split']} ({found['questions']:,} questions, gold previous answers):",
        "",
    ]
    lines += [
        "| language | coverage % | grounded % | programs a question | consistent a question |"
    ]
    lines += ["| --- | --- | --- | --- | --- |"]
    for name, row in found["languages"].items():
        lines.append(
            f"| `{name}` | {row['coverage']:.2f} | {row['grounded_coverage']:.2f} | "
            f"{row['programs_per_question']:,.0f} | {row['consistent_per_question']:.1f} |"
        )
    lines += ["", _OPERATORS]
    lines += [
        "| operator | in | program | reads | needs | brings |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    share = 100 / found["questions"]
    for name, operator in _declared().items():
        sentence = operator.english
        if not isinstance(operator, Feature):
            sentence = say(parse_program(operator.example))
        first = next((n for n, names in LANGUAGES.items() if name in names), "by choice")
        brings = f"{found['brings'].get(name, 0) * share:.2f}" if first != "by choice" else ""
        example = operator.example.replace("|", "\\|")
        lines.append(
            f"| `{name}` | {first} | `{example}` | {sentence} | {operator.needs} | {brings} |"
        )
    return "\n".join([*lines, "", _NOTES])


def _declared() -> dict[str, TestOperator | ScopeOperator | Feature | AggregateOperator]:
    return {**TESTS, **SCOPES, **FEATURES, **AGGREGATES}


_INTRODUCTION: Final = """# The program language

<!-- Written by `python -m denota.reports.language`; edit src/denota/reports/language.py instead. -->

A question means a program, and a program selects cells: some columns of some rows. A language is a set of operators, each
declared once in `src/denota/programs/operators`; a config or `denota oracle --language` may add and take away operators
(`"extended -and +count"`). `dynsp` and `dynsp++` are the languages of the original parser and of the paper; `extended` is ours.

Coverage is the share of questions for which some program of the space gives exactly the gold cells; grounded coverage asks
besides that the question bears the program out.
"""
_OPERATORS: Final = """## Operators

*In* names the smallest language that has the operator. *Needs* says what makes a use of it grounded: a word or number shared
with its constant (`lexical`), a word of `lexicon.toml` (`trigger`), or nothing. *Brings* is the share of questions, in percent,
whose every grounded consistent program uses it: what `extended` would lose without it.
"""
_NOTES: Final = """## Meanings

- Values are what cells state: `Cost = '$1.2 million'` is about the number, so `1,200,000` is the same value; in text columns it is the
  text. Comparisons hold for cells that state a number or date; a date is compared in the parts the constant states.
- IS MAX and IS MIN keep one row, the last of equal ones for MAX and the first for MIN, as the original parser does; WITH TIES keeps all.
- The parts of OR and AND each look at all rows of the scope. OR joins values of one column in the column's order.
- A follow-up starts from the previous answer's rows and columns. An answer that is no rectangle counts as the smallest one around it.
- A total row has a cell that says `Total` and nothing else.
- Programs that select nothing are not in the space. In a column of more than 2,000 distinct values, the legal values are those that
  share a word or number with the question, at most 200.

## What is pruned in `extended`

- AND joins one of the 20 conditions that the question bears out best with any other, where each takes rows away.
- Several columns (two, three or all) go only with conditions that the question bears out.
- More than two values are joined by OR only if the question names them.
"""


if __name__ == "__main__":
    main()
