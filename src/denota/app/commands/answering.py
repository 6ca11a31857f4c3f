"""Many questions answered: conversations in small groups, shared among processes."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Final

from denota.app.paths import load_run
from denota.conversation.answers import answer_of, rating_with, understand_conversations
from denota.conversation.understand import steps_of
from denota.data.example import Example, Question, conversations
from denota.evaluation.metrics import Key
from denota.evaluation.predict import best_that_gives_cells, key_of, predict
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.search.preparer import Preparer

GROUP: Final = 32
"""Conversations that are answered together, by any number of processes: so answers are the same."""
ALONE: Final = 8
"""Up to so many groups, starting processes takes longer than answering."""
Gold = Mapping[Key, Example]


def answer_all(
    run: str | Path,
    questions: Sequence[Question],
    gold: Gold | None = None,
    *,
    without: Sequence[str] = (),
    only_model: bool = False,
    cells: bool = False,
    jobs: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[Key, Denotation]:
    """Answer the questions of any number of conversations as a chat with a run's best parser would.

    Args:
        run: its folder, a saved parser, or `default`.
        questions: in any order.
        gold: the examples, if the history should be gold and not the parser's own.
        without: names of steps of `understand` to leave out.
        only_model: whether the parser's best program is taken as it is, without any step.
        cells: whether answers are cells, as SQA's are: the best program that gives cells is taken,
            where there is one.
        jobs: how many processes to use, 0 for one a core.
        progress: is told of questions answered since it was last told.
    """
    turns = conversations(questions)
    groups = [
        [turn for one in turns[start : start + GROUP] for turn in one]
        for start in range(0, len(turns), GROUP)
    ]
    jobs = jobs or cores()
    found: dict[Key, Denotation] = {}
    if jobs == 1 or len(groups) <= ALONE:
        parser = load_run(run)
        for group in groups:
            found |= answer_group(parser, group, gold, without, only_model, cells)
            progress(len(group))
        return found
    spawn = multiprocessing.get_context("spawn")  # threads do not survive a fork
    jobs = min(jobs, len(groups))
    with ProcessPoolExecutor(jobs, spawn, initializer=_start, initargs=(str(run),)) as pool:
        how = (tuple(without), only_model, cells)
        waiting = {
            pool.submit(_work, group, _of(group, gold), *how): len(group) for group in groups
        }
        for done in as_completed(waiting):
            found |= done.result()
            progress(waiting[done])
    return found


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _of(group: Sequence[Question], gold: Gold | None) -> Gold | None:
    """The examples of a group alone: the rest need not travel."""
    if gold is None:
        return None
    keys = map(key_of, group)
    return {key: gold[key] for key in keys if key in gold}


def answer_group(
    parser: Parser,
    group: Sequence[Question],
    gold: Gold | None,
    without: Sequence[str],
    only_model: bool,
    cells: bool,
) -> dict[Key, Denotation]:
    """Answer conversations together, by a parser of this process."""
    preparer = Preparer.of(parser.config, kept=2 * GROUP, operators=parser.language)
    if only_model:
        best = best_that_gives_cells(parser.best) if cells else parser.best
        return predict(group, best, preparer, gold=gold)
    pipeline, rate = steps_of(parser, without), rating_with(parser, preparer, cells)
    found = understand_conversations(group, parser, rate, pipeline, gold)
    return {key: answer_of(asked) for key, asked in found.items()}


_parser: Parser
"""That of a process among several."""


def _start(run: str) -> None:
    global _parser
    _parser = load_run(run)


def _work(
    group: Sequence[Question],
    gold: Gold | None,
    without: Sequence[str],
    only_model: bool,
    cells: bool,
) -> dict[Key, Denotation]:
    return answer_group(_parser, group, gold, without, only_model, cells)
