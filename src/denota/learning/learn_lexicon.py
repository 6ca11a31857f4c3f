"""A lexicon of weights learnt from answers alone: which words go with which operators.

The model is log-linear over all programs y of a question x:

    p(y | x) ∝ exp( η match(y, x) + Σ over tokens t of x, operators o of y of W[t, o] )

and W maximises the marginal likelihood of the answers, log Σ 1{R(y) = 1} p(y | x), less a penalty
λ |W|² / 2. At W = 0 the gradient of W[t, o] is the share of o among the consistent programs less
its share among all programs: what words and operators have in common beyond chance. λ is the one
that does best on a tenth of the tables, held out; then W is learnt from all.

A question's programs are told apart by their set of operators only, so it is learnt from two sums
for each set: exp(η match) over all programs that have it, and over the consistent ones. Q
questions, G sets of operators of all questions together, O operators, T tokens and phrases.

Usage: python -m denota.learning.learn_lexicon EXPERIMENT OUT --data FOLDER [--questions N]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.data.mixed import load_mixed
from denota.errors import DenotaError
from denota.learning.presets import load_experiment
from denota.search.lexicon import EVERYWHERE, said_by
from denota.search.operators_of_axes import OPERATORS, condition_operators, selection_operators
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer

ETA: Final = 5.0
"""η, as in policy shaping."""
MET: Final = 5
"""A token counts if this many questions have it."""
PENALTIES: Final = (0.3, 1.0, 3.0, 10.0)
"""λ, to choose from."""
EPOCHS: Final = 12
BATCH: Final = 256
RATE: Final = 0.05
SMALLEST: Final = 0.03
"""Weights nearer to 0 are left out of the file."""


class Evidence(NamedTuple):
    """What the answer of one question says, by sets of operators."""

    said: tuple[str, ...]
    """The tokens and phrases of the question."""
    table: int
    """Which table it is about: a question's table is held out as a whole."""
    sets: tuple[bytes, ...]
    """(G,) the sets, as bits."""
    log_all: NDArray[np.float32]  #: (G,) log of the sum of exp(η match) over its programs
    log_right: NDArray[np.float32]  #: (G,) the same of the consistent ones, -inf if there is none


def evidence_of(ready: Prepared) -> Evidence | None:
    """Return what a question's answer says; None if no program, or every one, gives it.

    Args:
        ready: prepared with the lexicon `none`, so that its critique is match alone.
    """
    assert ready.rewarded_programs is not None
    axes = ready.axes
    weight = np.exp(ETA * ready.words.critique.astype(np.float64))  # (P,)
    of_select, select_sets = _sets(selection_operators(axes))
    of_condition, condition_sets = _sets(condition_operators(axes))
    count = len(select_sets) * len(condition_sets)
    every = np.zeros(count)
    for p in axes.places:
        own = of_select[p.s0 : p.s1, None] * len(condition_sets) + of_condition[p.conditions]
        there = weight[p.start : p.start + p.programs]
        every += np.bincount(own.ravel(), there, minlength=count)
    ids = ready.rewarded_programs.ids[ready.rewarded_programs.rewards >= 1].astype(np.int64)
    if not len(ids):
        return None
    select, condition = axes.places_of(ids)
    own = of_select[select] * len(condition_sets) + of_condition[condition]
    right = np.bincount(own, weight[ids], minlength=count)
    some = np.flatnonzero(every)
    sets = select_sets[some // len(condition_sets)] | condition_sets[some % len(condition_sets)]
    with np.errstate(divide="ignore"):
        logs = np.log(every[some]), np.log(right[some])
    return Evidence(
        tuple(sorted(said_by(ready.question))),
        id(ready.table),
        tuple(line.tobytes() for line in sets),
        logs[0].astype(np.float32),
        logs[1].astype(np.float32),
    )


def _sets(has: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """(lines,) the set of each line, and (sets, bytes) the sets as bits."""
    bits = np.packbits(has > 0, axis=1)
    whole = np.ascontiguousarray(bits).view(f"V{bits.shape[1]}").ravel()
    _, first, of = np.unique(whole, return_index=True, return_inverse=True)
    return of, bits[first]


@dataclass(frozen=True, eq=False)
class Corpus:
    """The evidence of many questions as flat arrays."""

    evidence: Sequence[Evidence]
    tokens: Sequence[str]
    """(T,) those that enough questions have."""

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {token: number for number, token in enumerate(self.tokens)}

    @cached_property
    def _sets(self) -> dict[bytes, int]:
        return {bits: n for n, bits in enumerate({b: 0 for e in self.evidence for b in e.sets})}

    @cached_property
    def operators(self) -> Tensor:
        """(sets, most) the operators of each set, padded with O."""
        bits = np.frombuffer(b"".join(self._sets), np.uint8).reshape(len(self._sets), -1)
        has = np.unpackbits(bits, axis=1)[:, : len(OPERATORS)]
        lines = np.full((len(has), int(has.sum(axis=1).max())), len(OPERATORS))
        for line, own in enumerate(has):
            lines[line, : own.sum()] = np.flatnonzero(own)
        return torch.from_numpy(lines)

    @cached_property
    def _lines(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The tokens and the sets of each question, as numbers."""
        return [
            (
                np.array([self._numbers[t] for t in e.said if t in self._numbers]),
                np.array([self._sets[bits] for bits in e.sets]),
            )
            for e in self.evidence
        ]

    def log_likelihood(self, weights: Tensor, chosen: Sequence[int]) -> Tensor:
        """(questions,) the log marginal likelihood of some questions, given (T, O) weights."""
        said = [self._lines[n][0] for n in chosen]
        sets = [self._lines[n][1] for n in chosen]
        starts = torch.from_numpy(np.cumsum([0, *map(len, said[:-1])]))
        tokens = torch.from_numpy(np.concatenate(said))
        of = torch.nn.functional.embedding_bag(tokens, weights, starts, mode="sum")  # (Q, O)
        of = torch.cat([of, torch.zeros(len(chosen), 1)], dim=1)
        question = torch.from_numpy(np.repeat(np.arange(len(chosen)), [*map(len, sets)]))  # (G,)
        operators = self.operators[torch.from_numpy(np.concatenate(sets))]  # (G, most)
        scores = of[question[:, None], operators].sum(dim=1)  # (G,)
        logs = [
            torch.from_numpy(np.concatenate([getattr(self.evidence[n], name) for n in chosen]))
            for name in ("log_right", "log_all")
        ]
        right, every = (_log_sum(scores + log, question, len(chosen)) for log in logs)
        return right - every


def _log_sum(values: Tensor, question: Tensor, count: int) -> Tensor:
    """(Q,) log Σ exp of each question's values."""
    most = torch.full((count,), -torch.inf).scatter_reduce(0, question, values.detach(), "amax")
    return torch.zeros(count).index_add(0, question, (values - most[question]).exp()).log() + most


def learn(corpus: Corpus, chosen: NDArray[np.int64], penalty: float, seed: int = 0) -> Tensor:
    """(T, O) weights learnt from some questions."""
    rng = np.random.default_rng(seed)
    weights = torch.zeros(len(corpus.tokens), len(OPERATORS), requires_grad=True)
    optimiser = torch.optim.Adam([weights], RATE)
    steps = EPOCHS * -(-len(chosen) // BATCH)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.05, steps)
    for _ in range(EPOCHS):
        order = rng.permutation(chosen)
        for first in range(0, len(order), BATCH):
            batch = order[first : first + BATCH].tolist()
            share = len(batch) / len(chosen)
            loss = -corpus.log_likelihood(weights, batch).sum()
            loss = loss + share * penalty / 2 * weights.square().sum()
            optimiser.zero_grad()
            torch.autograd.backward(loss / len(batch))
            optimiser.step()
            schedule.step()
    return weights.detach()


def learn_lexicon(evidence: Sequence[Evidence]) -> tuple[str, dict[str, float]]:
    """Return a lexicon of weights as text, and the held-out likelihood by penalty."""
    met = Counter(token for e in evidence for token in e.said)
    corpus = Corpus(evidence, sorted(token for token, count in met.items() if count >= MET))
    tables = sorted({e.table for e in evidence}, key=[e.table for e in evidence].index)
    held = {table for n, table in enumerate(tables) if n % 10 == 0}
    out = np.array([e.table in held for e in evidence])
    own, others = np.flatnonzero(~out), np.flatnonzero(out)
    found = {"0": _mean(corpus, torch.zeros(len(corpus.tokens), len(OPERATORS)), others)}
    for penalty in PENALTIES:
        found[f"{penalty:g}"] = _mean(corpus, learn(corpus, own, penalty), others)
    best = max(PENALTIES, key=lambda penalty: found[f"{penalty:g}"])
    weights = (learn(corpus, np.arange(len(evidence)), best).numpy() / ETA).round(2)
    lines = [
        f"{corpus.tokens[t]} {OPERATORS[o]} {weights[t, o]:.2f}"
        for t, o in np.argwhere(np.abs(weights) >= SMALLEST)
        if "#" not in corpus.tokens[t]
    ]
    top = (
        f"# Learnt by denota.learning.learn_lexicon from {len(evidence):,} questions, λ = {best:g}."
    )
    return "\n".join([top, f"{EVERYWHERE} equal 0.00", *lines]) + "\n", found


def _mean(corpus: Corpus, weights: Tensor, chosen: NDArray[np.int64]) -> float:
    with torch.no_grad():
        parts = [
            corpus.log_likelihood(weights, chosen[n : n + BATCH].tolist())
            for n in range(0, len(chosen), BATCH)
        ]
    return float(torch.cat(parts).mean())


def main(arguments: Sequence[str] | None = None) -> None:
    """Learn a lexicon from the training split of an experiment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiment", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, help="at most this many, the first ones")
    given = parser.parse_args(arguments)
    changes = ["search.lexicon=none", "search.grounded=0", "search.length=0"]
    try:
        config = load_experiment(given.experiment, changes)
        train, dev = config.data.train, config.data.dev
        examples = load_mixed(train, given.data, apart_from=dev).loaded.examples
    except DenotaError as error:
        parser.error(str(error))
    ready = Preparer.of(config).ahead(examples[: given.questions])
    evidence = [found for one in ready if (found := evidence_of(one)) is not None]
    text, likelihoods = learn_lexicon(evidence)
    given.out.write_text(text, encoding="utf-8")
    print(f"{len(evidence)} questions; held-out log likelihood by penalty: {likelihoods}")


if __name__ == "__main__":
    main()
