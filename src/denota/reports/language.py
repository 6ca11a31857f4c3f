"""The page about the program language: each operator's form, meaning and gain on SQA.

    python -m denota.reports.language --data DIR --split random-split-1-train
        measures, into results/language.json
    python -m denota.reports.language
        writes docs/language.md from that

An operator *brings* a question if every grounded consistent program of the question uses it:
without the operator the question would be lost. One pass over the split finds this for all
operators at once.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from denota.data.example import Example
from denota.data.splits import load_examples
from denota.evaluation.oracle import coverage, oracle, over_conversations
from denota.programs.conditions import CONJOINED, FEW, NAMED, PAIRED, THREES, TRIPLED
from denota.programs.denotation import Denotation
from denota.programs.english import say
from denota.programs.index import LONG
from denota.programs.operators import (
    AGGREGATES,
    COMPARES,
    FEATURES,
    LANGUAGES,
    SCOPES,
    STEPS,
    TESTS,
    Operator,
    language_of,
)
from denota.programs.operators.column_comparison import MOST_ORDERED
from denota.programs.operators.declare import Feature
from denota.programs.operators_used import operators_used
from denota.programs.space import MOST_COLUMNS, MOST_PROGRAMS, program_space
from denota.programs.text import parse_program

RESULTS: Final = Path("results/language.json")
PAGE: Final = Path("docs/language.md")
MOST_CONSISTENT: Final = 400
"""At most this many of a question's consistent programs are looked into."""


def main() -> None:
    """Measure if data is given, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data")
    parser.add_argument("--split", default="random-split-1-train")
    arguments = parser.parse_args()
    if arguments.data:
        found = measure_language(load_examples(arguments.data, arguments.split).examples)
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps({"split": arguments.split, **found}, indent=1) + "\n")
    PAGE.write_text(page(json.loads(RESULTS.read_text())), encoding="utf-8")


def measure_language(examples: Sequence[Example]) -> dict[str, Any]:
    """Return each language's coverage, and the questions each operator of `extended` brings."""
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
        used = [operators_used(space.program(int(number))) for number in found[:MOST_CONSISTENT]]
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
    for title, text, operators in _KINDS:
        measured = operators is not STEPS and any(name in found["brings"] for name in operators)
        share = 100 / found["questions"] if measured else None
        lines += [f"### {title}", "", text, "", *_table(operators, found["brings"], share), ""]
    return "\n".join([*lines, _NOTES])


def _table(
    operators: Mapping[str, Operator], brings: Mapping[str, int], share: float | None
) -> list[str]:
    """Return the lines of a table of operators, with what each brings where that was measured."""
    heads = ["operator", "in", "program", "reads", "needs", *(["brings"] if share else [])]
    lines = [f"| {' | '.join(heads)} |", "|" + " --- |" * len(heads)]
    for name, operator in operators.items():
        sentence = operator.english
        if not isinstance(operator, Feature):
            sentence = say(parse_program(operator.example))
        known = [n for n, names in LANGUAGES.items() if name in names]
        if operators is STEPS:
            known = [n for n in known if "then" in LANGUAGES[n]]
        first = next(iter(known), "by choice")
        example = operator.example.replace("|", "\\|")
        cells = [f"`{name}`", first, f"`{example}`", sentence, operator.needs]
        if share:
            brought = f"{brings.get(name, 0) * share:.2f}"
            cells.append(brought if name in LANGUAGES["extended"] else "")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


_KINDS: Final[tuple[tuple[str, str, Mapping[str, Operator]], ...]] = (
    ("Tests", "A test says which rows are kept.", TESTS),
    ("Scopes", "A scope says which rows a program starts from.", SCOPES),
    (
        "Steps",
        (
            "A step goes from the rows that a condition keeps to the rows that are asked about. "
            "Tests of place are steps too: they then look among the rows kept."
        ),
        STEPS,
    ),
    (
        "Aggregates",
        (
            "An aggregate computes values from the rows: a count, a sum, yes or no, a value for "
            "each group, the name of a column."
        ),
        {name: one for name, one in AGGREGATES.items() if one.part is None},
    ),
    (
        "Parts of cells",
        (
            "Such an aggregate gives a part of each cell's text, as text or number. Cells without "
            "that part are left out."
        ),
        {name: one for name, one in AGGREGATES.items() if one.part is not None},
    ),
    (
        "Comparisons",
        (
            "A comparison takes two values, counts, sums or days: of two row sets, of two columns, "
            "or of a part and the whole."
        ),
        COMPARES,
    ),
    ("Features", "A feature is what is neither of these: how the others may be joined.", FEATURES),
)
_INTRODUCTION: Final = """# The program language

<!-- Written by `python -m denota.reports.language`; edit src/denota/reports/language.py instead. \
-->

A question means a program. A program starts from the rows of a scope, keeps those that satisfy a \
condition, may take one step to other rows, and gives the cells of some columns there, or values \
computed from them:

    COUNT (ROWS WHERE Ships = '2')
    SELECT Leader WHERE Result CONTAINS 'landing' THEN Crew IS MAX
    DIFFERENCE (SUM (SELECT Cost WHERE Season = '1891-92' VERSUS Season = '1907-08'))

A language is a set of operators, each declared once in `src/denota/programs/operators` ([how to \
add one](extending.md)); a config or `denota oracle --language` may add and take away operators
(`"extended -and +count"`). `dynsp` and `dynsp++` are the languages of the original parser and of \
the paper; `extended` is ours, for answers that are cells. `full` is for answers that are values \
too: it has every operator there is but FOLLOW-UP CELL,
and joins by OR only values that the question names, and conditions that it bears out.

Coverage is the share of questions for which some program of the space gives exactly the gold \
cells; grounded coverage asks
besides that the question bears the program out.
"""
_OPERATORS: Final = """## Operators

*In* names the smallest language that has the operator. *Needs* says what makes a use of it \
grounded: a word or number shared
with its constant (`lexical`), a word or phrase that calls for it (`trigger`; they stand in \
`lexicon.toml`), or nothing. *Brings* is the share of questions, in \
percent,
whose every grounded consistent program uses it: what `extended` would lose without it.
"""
_NOTES: Final = f"""## Meanings

- Values are what cells state: `Cost = '$1.2 million'` is about the number, so `1,200,000` is the \
same value; in text columns it is the
  text. Comparisons hold for cells that state a number or date; a date is compared in the parts \
the constant states.
- IS MAX and IS MIN keep one row, the last of equal ones for MAX and the first for MIN, as the \
original parser does; WITH TIES keeps all.
- The parts of OR and AND each look at all rows of the scope. OR joins values of one column in the \
column's order.
- A follow-up starts from the previous answer's rows and columns. An answer that is no rectangle \
counts as the smallest one around it.
- A total row has a cell that says `Total` and nothing else.

What is computed, in the executor and in SQL alike:

- COUNT counts rows, whatever their cells say. COUNT DISTINCT counts the different values of a \
column and leaves blank cells out. EXISTS says whether there is a row.
- SUM, AVERAGE, SMALLEST and LARGEST leave out cells that state no number. If none does, there is \
no value, and no answer.
- Nothing is rounded. A sum is in the unit of its column: of `$1.2 million` and `$640,000` it is \
1,840,000, of times it is in seconds.
- Groups (PER) are the values of a column, in the order of their first rows; rows whose cell is \
blank are in none.
- A comparison has no value if one of its sides has none, RATIO and SHARE if they would divide by \
0. LARGER and SMALLER name the side, and neither if both are equal. DIFFERENCE has no sign; \
between dates (DAY) it is in days.
- The steps of rows beside, above or below "theirs" look at all rows of the scope, not only at \
those kept. Rows with a blank cell are of no group that is counted or summed.
- A conversation's next question follows up the rows that a value was computed from.

When an answer is right is said in [data.md](data.md#when-two-values-are-the-same).

## What is in the space

The space of a question has every program of its language over its table, but for these bounds.

- Programs that select nothing are not in it, unless the question bears out each of two joined \
conditions that together leave no row (`nothing_left`). In a column of more than {LONG:,} \
distinct values, the legal values are those that
  share a word or number with the question, at most 200.
- AND joins one of the {CONJOINED} conditions that the question bears out best with any other, \
where each takes rows away. Three are joined only of the best ({CONJOINED}, {CONJOINED} and \
{TRIPLED} of them; at most {THREES:,} in all), and of conditions on different columns OR joins \
two of the best {TRIPLED}.
- Several columns (two, three or all) go only with conditions that the question bears out (in \
`full`, with single ones), in tables of at most {MOST_COLUMNS} columns.
- More than two values are joined by OR only if the question names them; in `full` two as well, of \
at most {NAMED} a column.
- Columns are compared with each other, row by row, in tables of at most {MOST_ORDERED} columns of \
numbers and dates.
- A step follows conditions that the question bears out, or any one value; a step beside or beyond \
rows follows at most {FEW} rows that the question names.
- Two of the best {PAIRED} conditions are compared with each other (VERSUS).
- With steps in the language, a question has at most {MOST_PROGRAMS:,} programs. Cells of one \
column may take two fifths of these, cells of several columns and each aggregate a twentieth, \
each kind of comparison a fortieth, each part of cells an eightieth, and all of this is divided \
among the scopes.
  Where one has more row sets than fit, those that the question bears out are kept before the \
others, and of these conditions before steps. `denota oracle` says how many questions that \
concerns.
"""


if __name__ == "__main__":
    main()
