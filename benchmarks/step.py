"""One training step on batches of 64 SQA questions, stage by stage: batch, forward, both lists, update, backward, SGD.

Needs DENOTA_DATA (SQA); DENOTA_VECTORS names word vectors, else they are random. Prints one JSON object.
Usage: python benchmarks/step.py [--questions N] [--threads N]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections import defaultdict

import torch

from denota.config import SearchConfig
from denota.data import load_examples
from denota.learning.presets import preset
from denota.learning.update import surrogate_loss
from denota.model.batch import make_batch
from denota.model.dynsp import DynSP, starting_words
from denota.model.vectors import word_vectors
from denota.programs import Denotation, language_of
from denota.search.critique import read_lexicon
from denota.search.find import find, pad
from denota.search.lists import best
from denota.search.prepare import Prepared, prepare
from denota.search.score import AxisScores

BATCH = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=1920)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    start = time.perf_counter()
    questions = prepared(arguments.questions)
    preparing = time.perf_counter() - start
    words = {w for q in questions for w in q.all_words()} | starting_words()
    vectors = word_vectors(words, os.environ.get("DENOTA_VECTORS", "random"))
    model = DynSP(vectors).train()
    stages: dict[str, list[float]] = defaultdict(list)
    for first in range(0, len(questions) - BATCH + 1, BATCH):
        step(model, questions[first : first + BATCH], vectors.ids, stages)
    totals = [sum(times) for times in zip(*stages.values(), strict=True)]
    inference = predict(model.eval(), questions, vectors.ids)
    print(
        json.dumps(
            {
                "threads": arguments.threads,
                "train_questions_per_s": round(BATCH / statistics.median(totals)),
                "inference_questions_per_s": round(inference),
                "prepare_questions_per_s_one_core": round(len(questions) / preparing),
                "stages_ms": {k: round(1000 * statistics.median(v), 2) for k, v in stages.items()},
            },
            indent=2,
        )
    )


def prepared(count: int) -> list[Prepared]:
    """The first questions of split-1 train with their gold previous answers."""
    language, lexicon = language_of("dynsp++"), read_lexicon()
    examples = load_examples(os.environ["DENOTA_DATA"], "random-split-1-train").examples[:count]
    previous: dict[tuple[str, str], Denotation] = {}
    result = []
    for example in examples:
        q = example.question
        before = previous.get(q.sequence) if q.position else None
        result.append(
            prepare(q.text, q.table, q.history, before, example.answer, language, lexicon)
        )
        previous[q.sequence] = Denotation.of_cells(example.answer)
    return result


def step(model, questions, ids, stages) -> None:  # type: ignore[no-untyped-def]
    """One step of MAVER with shaping, 15 + 15 candidates."""
    cfg, update = SearchConfig(shaping="policy"), preset("maver")
    clock = time.perf_counter()

    def lap(stage: str) -> None:
        nonlocal clock
        now = time.perf_counter()
        stages[stage].append(now - clock)
        clock = now

    batch = make_batch(questions, ids)
    lap("batch")
    entries = model(batch)
    lap("forward")
    recall = float(model.recall.detach())
    lines = entries.detach().numpy()
    found = [
        find(q, AxisScores(e, batch.offsets, recall), cfg)
        for q, e in zip(questions, lines, strict=True)
    ]
    lap("search")
    loss = surrogate_loss(pad(questions, found, entries, batch.offsets, model.recall), update)
    lap("update")
    model.zero_grad(set_to_none=True)
    loss.backward()
    lap("backward")
    with torch.no_grad():
        for weight in model.parameters():
            if weight.grad is not None:
                weight.add_(weight.grad, alpha=-0.001)
    lap("sgd")


def predict(model, questions, ids) -> float:  # type: ignore[no-untyped-def]
    """Questions a second of scoring and exact search, gold history."""
    cfg = SearchConfig()
    start = time.perf_counter()
    with torch.no_grad():
        for first in range(0, len(questions), BATCH):
            some = questions[first : first + BATCH]
            batch = make_batch(some, ids)
            recall = float(model.recall)
            for q, e in zip(some, model(batch).numpy(), strict=True):
                best(q, AxisScores(e, batch.offsets, recall), cfg)
    return len(questions) / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
