"""The oracle: how often some program of a question's space gives exactly the gold cells.

Coverage is an upper bound on a parser's accuracy. Grounded coverage asks besides that the question
bears the program out (words shared with its constants, a trigger word for its operators): a rough
count of programs that are right for the right reason. The space is the one a parser searches, with
the gold previous answer as context.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeVar

import numpy as np

from denota.data.answer import Values, item_key, items_of
from denota.data.example import Example, conversations
from denota.programs.denotation import Denotation
from denota.programs.space import program_space

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Reach:
    """How far a language reaches on one question."""

    position: int
    programs: int
    """Programs in the space."""
    consistent: int
    """Programs that give the gold cells."""
    grounded: int
    """Consistent programs that the question bears out."""
    bounded: bool = False
    """Whether programs were left out because there were too many."""


@dataclass(frozen=True)
class Coverage:
    """Shares of questions in percent, and means a question."""

    questions: int
    coverage: float
    grounded_coverage: float
    programs_per_question: float
    consistent_per_question: float
    bounded: float
    """Questions of which programs were left out because there were too many."""


def reach(conversation: Sequence[Example], language: frozenset[str]) -> list[Reach]:
    """Measure each question of a conversation, its previous answer being the gold one."""
    result = []
    previous: Denotation | None = None
    for example in conversation:
        question = example.question
        space = program_space(question.text, question.table, previous, language)
        consistent = space.rewards(example.answer) == 1
        result.append(
            Reach(
                question.position,
                len(space),
                int(consistent.sum()),
                int((consistent & space.grounded).sum()),
                space.bounded,
            )
        )
        previous = Denotation.of_cells(example.cells) if example.cells else None
    return result


def with_other_answers(examples: Sequence[Example], seed: int = 0) -> list[Example]:
    """Return examples with the answer of another question about the same table; drop the others.

    What a language covers of these it covers by luck, so a looser language or lexicon does not pass
    for a better one.
    """
    by_table: dict[int, list[Example]] = {}
    for example in examples:
        by_table.setdefault(id(example.question.table), []).append(example)
    rng = Random(seed)
    found = []
    for example in examples:
        own = by_table[id(example.question.table)]
        others = [other.answer for other in own if other.answer != example.answer]
        if others:
            found.append(replace(example, answer=rng.choice(others)))
    return found


def with_other_rows(examples: Sequence[Example], seed: int = 0) -> list[Example]:
    """Return one-cell examples answered by another row of the column; drop the others."""
    rng = Random(seed)
    found = []
    for example in examples:
        table, answer = example.question.table, example.answer
        items = items_of(answer, table)
        if len(items) != 1:
            continue
        key = item_key(items[0])
        columns = [c for c in table.columns if any(item_key(text) == key for text in c.values)]
        others = [text for c in columns[:1] for text in c.values if item_key(text) != key]
        if others:
            repeats = isinstance(answer, Values) and answer.repeats
            found.append(replace(example, answer=Values((rng.choice(others),), repeats)))
    return found


def oracle(
    examples: Sequence[Example],
    language: frozenset[str],
    *,
    jobs: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> list[Reach]:
    """Measure every question, in the order of conversations.

    Args:
        examples: a split; the turns of a conversation need not stand together.
        language: the operators of the language.
        jobs: how many processes to use.
        progress: called with the number of questions done since the last call.
    """
    return over_conversations(lambda turns: reach(turns, language), examples, jobs, progress)


def over_conversations(
    measure: Callable[[Sequence[Example]], list[_Result]],
    examples: Sequence[Example],
    jobs: int,
    progress: Callable[[int], None],
) -> list[_Result]:
    """Apply a measure (one result a question) to every conversation, in several processes."""
    global _shared
    work = conversations(examples)
    results: list[_Result] = []
    _shared = (measure, work)
    if jobs <= 1 or len(work) < 2 * jobs:
        for number in range(len(work)):
            results += _measure_shared(number)
            progress(len(work[number]))
    else:
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            for found in pool.imap(_measure_shared, range(len(work)), chunksize=16):
                results += found
                progress(len(found))
    _shared = None
    return results


def coverage(reached: Sequence[Reach]) -> Coverage:
    """Sum up what was measured."""
    consistent = np.array([r.consistent for r in reached])
    grounded = np.array([r.grounded for r in reached])
    return Coverage(
        len(reached),
        100 * float((consistent > 0).mean()),
        100 * float((grounded > 0).mean()),
        float(np.mean([r.programs for r in reached])),
        float(consistent.mean()),
        100 * float(np.mean([r.bounded for r in reached])),
    )


_shared: Any = None


def _measure_shared(number: int) -> Any:
    """Measure one conversation of those the forked process inherited, so that no table is sent."""
    measure, work = _shared
    return measure(work[number])
