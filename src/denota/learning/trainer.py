"""The trainer: Algorithm 1 of Misra et al. (2018) over epochs, with the paper's protocol.

A run's state is its weights, the random generator and the references found so far; an epoch is a function of the state at its beginning, so a run that goes on
from a saved epoch gives the numbers of one that was never stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from denota.config import Config
from denota.data.example import Example
from denota.errors import TrainingError
from denota.evaluation.metrics import Key, Score, score
from denota.evaluation.predict import gold_of, key_of, predict
from denota.learning.intensity import DRAWS_FROM
from denota.learning.update import surrogate_loss
from denota.model.batch import make_batch
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.search.find import Found, find, pad
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer
from denota.search.score import AxisScores


@dataclass(frozen=True)
class Epoch:
    """What an epoch came to."""

    epoch: int
    loss: float
    """A question."""
    dev_accuracy: float | None
    dev_sequence_accuracy: float | None
    questions_per_s: float
    seconds: float


@dataclass(eq=False)
class Training:
    """A run in progress."""

    config: Config
    parser: Parser
    train: Sequence[Example]
    dev: Sequence[Example]
    preparer: Preparer
    epoch: int = 0
    references: dict[Key, Denotation] = field(default_factory=dict)
    """The last answer of the reference (or the model) for each question, as history of the next."""
    progress: Callable[[int, float], None] = lambda done, loss: None

    def run_epoch(self) -> Epoch:
        """Train one epoch and measure on dev."""
        start = time.perf_counter()
        rng = np.random.default_rng([self.config.seed, self.epoch])
        torch.manual_seed(self.config.seed * 1_000_003 + self.epoch)
        order = rng.permutation(len(self.train))
        size = self.config.train.batch
        total = 0.0
        previous = self._previous(rng)
        for first in range(0, len(order), size):
            examples = [self.train[i] for i in order[first : first + size]]
            ready = [
                self.preparer(e.question, previous[key_of(e.question)], e.answer) for e in examples
            ]
            loss = self._step(examples, ready, rng.random(len(examples)))
            if not np.isfinite(loss):
                raise TrainingError(
                    f"the loss of epoch {self.epoch + 1} is no longer a number; try a smaller train.rate or train.clip"
                )
            total += loss
            self.progress(first + len(examples), total / (first + len(examples)))
        seconds = time.perf_counter() - start
        found = self.evaluate(self.dev) if self.dev else None
        self.epoch += 1
        return Epoch(
            self.epoch,
            total / len(order),
            found.answer_accuracy if found else None,
            found.sequence_accuracy if found else None,
            len(order) / seconds,
            time.perf_counter() - start,
        )

    def evaluate(self, examples: Sequence[Example], gold_history: bool = False) -> Score:
        """Score the parser on examples, with its own previous answers as history."""
        gold = gold_of(examples)
        answers = predict(
            [e.question for e in examples],
            self.parser.best,
            self.preparer,
            gold=gold if gold_history else None,
        )
        return score(gold, {key: answer.cells for key, answer in answers.items()})

    def _previous(self, rng: np.random.Generator) -> dict[Key, Denotation | None]:
        """The previous answer each question is trained with this epoch."""
        gold = gold_of(self.train)
        share = 1.0 if self.config.train.history == "gold" else self.config.train.gold_share
        chosen: dict[Key, Denotation | None] = {}
        for example, uniform in zip(self.train, rng.random(len(self.train)), strict=True):
            name, annotator, position = key_of(example.question)
            before = (name, annotator, position - 1)
            if position == 0 or before not in gold:
                chosen[name, annotator, position] = None
                continue
            own = self.references.get(before)
            use_gold = own is None or not own.rows or uniform < share
            chosen[name, annotator, position] = (
                Denotation.of_cells(gold[before]) if use_gold else own
            )
        return chosen

    def _step(
        self,
        examples: Sequence[Example],
        ready: Sequence[Prepared],
        uniforms: np.ndarray[tuple[int], np.dtype[np.float64]],
    ) -> float:
        cfg, scorer = self.config, self.parser.scorer.train()
        batch = make_batch(ready, self.parser.vectors.ids)
        entries = scorer(batch)
        recall = float(scorer.recall.detach())
        source = DRAWS_FROM.get(cfg.update.intensity)
        axes = [
            AxisScores(line, batch.offsets, recall, cfg.search.model_eta)
            for line in entries.detach().numpy()
        ]
        found = [
            find(q, axis, cfg.search, cfg.update.reference_min_reward, source, float(uniform))
            for q, axis, uniform in zip(ready, axes, uniforms, strict=True)
        ]
        candidates = pad(ready, found, entries, batch.offsets, scorer.recall, cfg.search.model_eta)
        loss = surrogate_loss(candidates, cfg.update)
        scorer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        _descend(scorer, cfg.train.rate, cfg.train.clip)
        self._remember(examples, ready, found, candidates.scores.detach().numpy())
        return float(loss.detach())

    def _remember(
        self,
        examples: Sequence[Example],
        ready: Sequence[Prepared],
        found: Sequence[Found],
        scores: NDArray[np.float32],
    ) -> None:
        """Keep the answer that the next question of each conversation may be given."""
        history = self.config.train.history
        if history == "gold":
            return
        for example, question, one, line in zip(examples, ready, found, scores, strict=True):
            place = one.reference if history == "reference" else int(line[: len(one.ids)].argmax())
            if place >= 0:
                self.references[key_of(example.question)] = question.space.denotation(
                    int(one.ids[place])
                )


def _descend(scorer: torch.nn.Module, rate: float, clip: float) -> None:
    """One step of SGD, the gradient's norm clipped; word vectors have sparse gradients."""
    with torch.no_grad():
        gradients = [
            (weight, weight.grad.coalesce() if weight.grad.is_sparse else weight.grad)
            for weight in scorer.parameters()
            if weight.grad is not None
        ]
        squares = sum(float((g.values() if g.is_sparse else g).pow(2).sum()) for _, g in gradients)
        scale = rate * min(1.0, clip / max(squares**0.5, 1e-12))
        for weight, gradient in gradients:
            weight.add_(gradient, alpha=-scale)
