"""The trainer: Algorithm 1 of Misra et al. (2018) over epochs, with the paper's protocol.

A run's state is its weights, the random generator and the references found so far; an epoch is a
function of the state at its beginning, so a run that goes on from a saved epoch gives the numbers
of one that was never stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from denota.config import Config, SearchConfig
from denota.data.answer import Answer, Cells
from denota.data.example import Example, Question, conversations
from denota.errors import TrainingError
from denota.evaluation.metrics import Key, Score, right_answers, score
from denota.evaluation.predict import gold_of, in_form_of, key_of, predict
from denota.learning.intensity import DRAWS_FROM
from denota.learning.optimise import Optimiser
from denota.learning.update import surrogate_loss
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.search.candidates import Candidates, find_candidates
from denota.search.flat_batch import lay_flat
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer

DIVERGED: Final = 1e4
"""A loss a question beyond this is no longer learning."""
GOLD_SHARE: Final = 0.5
"""How often a question is trained with the gold previous answer, and not with y*'s."""
Ids = NDArray[np.int64]


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
    dev_right: str = ""
    """For each dev question in order, 1 if it was answered right, else 0."""


@dataclass(eq=False)
class Training:
    """A run in progress."""

    config: Config
    parser: Parser
    train: Sequence[Example]
    dev: Sequence[Example]
    preparer: Preparer
    epoch: int = 0
    reference_answers: dict[Key, Denotation] = field(default_factory=dict)
    """The last answer of y* for each question: the previous answer of the next question."""
    made_up: Sequence[Example] = ()
    """What is learnt from in the first epochs."""
    dev_questions: Sequence[Question] = ()
    """All questions of dev, where some have no answer: they are asked too, for others follow
    them up."""
    progress: Callable[[int, float], None] = lambda done, loss: None
    lap: Callable[[str], None] = lambda stage: None
    """Is told when a stage of a step is done."""
    optimiser: Optimiser = field(init=False)

    def __post_init__(self) -> None:
        """Make the optimiser for the steps to come."""
        cfg = self.config.train
        kept = round(self.config.data.made_up_kept * len(self.made_up))
        steps = cfg.epochs * -(-(len(self.train) + kept) // cfg.batch)
        steps += self.config.made_up_epochs * -(-len(self.made_up) // cfg.batch)
        self.optimiser = Optimiser(self.parser.scorer, cfg, steps)

    @property
    def best_parser(self) -> Parser:
        """The parser to predict with: that of the averaged weights where there are such."""
        return Parser(self.config, self.optimiser.best)

    def run_epoch(self) -> Epoch:
        """Train one epoch and measure on dev."""
        start = time.perf_counter()
        rng = np.random.default_rng([self.config.seed, self.epoch])
        torch.manual_seed(self.config.seed * 1_000_003 + self.epoch)
        learnt = self._learnt(rng)
        order = rng.permutation(len(learnt))
        size = self.config.train.batch
        total = 0.0
        previous = self._previous(learnt, rng)
        for first in range(0, len(order), size):
            examples = [learnt[i] for i in order[first : first + size]]
            ready = [
                self.preparer(e.question, previous[key_of(e.question)], e.answer) for e in examples
            ]
            self.lap("gather")
            loss = self._step(examples, ready, rng.random(len(examples)))
            if not abs(loss) < DIVERGED * len(examples):
                raise TrainingError(
                    f"the loss of epoch {self.epoch + 1} is {loss:.3g}: training diverged; try a "
                    "smaller train.rate or train.clip"
                )
            total += loss
            self.progress(first + len(examples), total / (first + len(examples)))
        seconds = time.perf_counter() - start
        self.optimiser.settle()
        found, right = None, ""
        if self.dev:
            gold, answers = self._answers(self.dev, questions=self.dev_questions)
            found = score(gold, answers)
            right = "".join(str(int(one)) for one in right_answers(gold, answers))
        self.epoch += 1
        return Epoch(
            self.epoch,
            total / len(order),
            found.answer_accuracy if found else None,
            found.sequence_accuracy if found else None,
            len(order) / seconds,
            time.perf_counter() - start,
            right,
        )

    def _learnt(self, rng: np.random.Generator) -> Sequence[Example]:
        """What this epoch learns from."""
        if self.epoch < self.config.made_up_epochs:
            return self.made_up
        wanted = round(self.config.data.made_up_kept * len(self.made_up))
        if not wanted:
            return self.train
        kept: list[Example] = []
        talks = conversations(self.made_up)
        for number in rng.permutation(len(talks)):
            if len(kept) >= wanted:
                break
            kept += talks[number]
        return (*self.train, *kept)

    @property
    def _search_config(self) -> SearchConfig:
        """The settings of the search in this epoch."""
        search = self.config.search
        shaped = not search.shaped_epochs or self.epoch < search.shaped_epochs
        return search if shaped else replace(search, shaping="none")

    @cached_property
    def _followed(self) -> frozenset[Key]:
        """The questions that another one follows: only their answers are anybody's history."""
        keys = [key_of(e.question) for e in self.train]
        return frozenset((name, annotator, n - 1) for name, annotator, n in keys)

    def evaluate(
        self,
        examples: Sequence[Example],
        gold_history: bool = False,
        questions: Sequence[Question] = (),
    ) -> Score:
        """Score the parser on examples, with its own previous answers as history.

        `questions`, if given, are all asked, those without an answer too.
        """
        return score(*self._answers(examples, gold_history, questions))

    def _answers(
        self,
        examples: Sequence[Example],
        gold_history: bool = False,
        questions: Sequence[Question] = (),
    ) -> tuple[dict[Key, Example], dict[Key, Answer]]:
        """Gold examples, and what the parser answers."""
        gold = gold_of(examples)
        answers = predict(
            questions or [e.question for e in examples],
            self.best_parser.best,
            self.preparer,
            gold=gold if gold_history else None,
        )
        return gold, in_form_of(gold, answers)

    def _previous(
        self, examples: Sequence[Example], rng: np.random.Generator
    ) -> dict[Key, Denotation | None]:
        """The previous answer each question is trained with this epoch."""
        gold = gold_of(examples)
        chosen: dict[Key, Denotation | None] = {}
        for example, uniform in zip(examples, rng.random(len(examples)), strict=True):
            name, annotator, position = key_of(example.question)
            before = (name, annotator, position - 1)
            if position == 0 or before not in gold:
                chosen[name, annotator, position] = None
                continue
            own = self.reference_answers.get(before)
            right = gold[before].answer
            if not isinstance(
                right, Cells
            ):  # the cells of a value are those of the program found for it
                chosen[name, annotator, position] = own
                continue
            use_gold = own is None or not own.rows or uniform < GOLD_SHARE
            chosen[name, annotator, position] = (
                Denotation.of_cells(right.cells) if use_gold else own
            )
        return chosen

    def _step(
        self,
        examples: Sequence[Example],
        ready: Sequence[Prepared],
        uniforms: NDArray[np.float64],
    ) -> float:
        """One update on a batch: search, Eq. 9, a step of the optimiser."""
        scorer = self.parser.scorer.train()
        found, ids = self._search(ready, uniforms)
        loss = surrogate_loss(found, self.config.update)
        self.lap("update")
        scorer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        self.lap("backward")
        self.optimiser.step()
        self.lap("optimise")
        self._remember(examples, ready, found, ids)
        self.lap("remember")
        return float(loss.detach())

    def _search(
        self, ready: Sequence[Prepared], uniforms: NDArray[np.float64]
    ) -> tuple[Candidates, Ids]:
        """K of every question and (B, K) the programs' ids."""
        cfg, scorer, device = self.config, self.parser.scorer, self.parser.device
        search, source = self._search_config, DRAWS_FROM.get(cfg.update.intensity)
        batch = scorer.batch(ready)
        self.lap("batch")
        # before the scorer, so that a GPU is waited for once
        flat = lay_flat(ready, batch.offsets, batch.width, search, device, scorer.outcome)
        self.lap("lay flat")
        axis = scorer.read(batch.to(device))
        entries = axis.entries.float()
        self.lap("forward")
        drawn = torch.from_numpy(uniforms).to(device)
        refines = scorer.refines and search.kind == "exact"
        refine = partial(scorer.refine, axis) if refines else None
        found, places = find_candidates(flat, entries, scorer.recall, search, source, drawn, refine)
        ids = (places - flat.starts[:, None]).cpu().numpy()
        self.lap("search")
        return found, ids

    def _remember(
        self,
        examples: Sequence[Example],
        ready: Sequence[Prepared],
        found: Candidates,
        ids: Ids,
    ) -> None:
        """Keep the answer that the next question of each conversation may be given."""
        if self.epoch < self.config.made_up_epochs:
            return
        for example, question, line, place in zip(
            examples, ready, ids, found.reference.tolist(), strict=True
        ):
            if place >= 0 and key_of(example.question) in self._followed:
                self.reference_answers[key_of(example.question)] = question.denotation(
                    int(line[place])
                )
