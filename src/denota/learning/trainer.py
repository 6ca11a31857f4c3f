"""The trainer: Algorithm 1 of Misra et al. (2018) over epochs, with the paper's protocol.

A run's state is its weights, the random generator and the references found so far; an epoch is a
function of the state at its beginning, so a run that goes on from a saved epoch gives the numbers
of one that was never stopped. Several processes may share each batch (`learning.group`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.config import Config, SearchConfig
from denota.data.answer import Answer
from denota.data.example import Example, Question, conversations
from denota.errors import TrainingError
from denota.evaluation.metrics import Key, Score, right_answers, score
from denota.evaluation.predict import gold_of, in_form_of, key_of, predict, predict_by_turns
from denota.learning.batches import BatchMaker, BatchSource, InProcess, Job, LoadedBatch
from denota.learning.group import ALONE, Group
from denota.learning.history import previous_answers
from denota.learning.intensity import DRAWS_FROM
from denota.learning.optimise import Optimiser
from denota.learning.packing import batches_of, groups_of, packed_by_group, text_lengths
from denota.learning.update import said_loss, surrogate_loss
from denota.learning.workers import Workers, workers_of
from denota.model.best_programs import best_programs
from denota.model.encoder import Encoder
from denota.model.scorer import Axis, AxisBatch, Scorer
from denota.model.torch_parser import TorchParser
from denota.programs.denotation import Denotation
from denota.search.candidates import Candidates, Guide, find_candidates
from denota.search.flat_batch import Flat
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer

DIVERGED: Final = 1e4
"""A loss a question beyond this is no longer learning."""
ASKED: Final = 64
"""Questions of dev that are answered at once on a GPU."""


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
    parser: TorchParser
    train: Sequence[Example]
    dev: Sequence[Example]
    preparer: Preparer
    epoch: int = 0
    reference_answers: dict[Key, Denotation] = field(default_factory=dict)
    """The last answer of y* for each question: the previous answer of the next question."""
    made_up: Sequence[Example] = ()
    """What is learnt from in the first epochs."""
    teacher: Scorer | None = None
    """Whose policy explores, if it is not the model's own."""
    dev_questions: Sequence[Question] = ()
    """All questions of dev, where some have no answer: they are asked too, for others follow
    them up."""
    group: Group = ALONE
    """The processes that share each batch."""
    unsaid: Sequence[Prepared] = ()
    """Questions that their tables do not answer, learnt from beside the others."""
    lengths: NDArray[np.int64] | None = None
    """How long the text of each question is, of `train` and then of `made_up`, where known."""
    is_measured: Callable[[int], bool] = lambda epoch: True
    """Whether dev is answered after an epoch, by its number from 1."""
    progress: Callable[[int, float], None] = lambda done, loss: None
    lap: Callable[[str], None] = lambda stage: None
    """Is told when a stage of a step is done."""
    optimiser: Optimiser = field(init=False)
    _began: tuple[tuple[object, ...], BatchSource] | None = field(init=False, default=None)
    _joined: tuple[Sequence[Example], Sequence[Example], tuple[Example, ...]] | None = field(
        init=False, default=None
    )

    def __post_init__(self) -> None:
        """Make the optimiser for the steps to come."""
        cfg = self.config.train
        for scorer in filter(None, (self.parser.scorer, self.teacher)):
            for module in scorer.modules():
                if isinstance(module, Encoder):
                    module.in_bfloat16 = cfg.precision == "bfloat16"
        kept = round(self.config.data.made_up_kept * len(self.made_up))
        steps = cfg.epochs * -(-(len(self.train) + kept) // cfg.batch)
        steps += self.config.made_up_epochs * -(-len(self.made_up) // cfg.batch)
        self.optimiser = Optimiser(self.parser.scorer, cfg, steps)

    @property
    def best_parser(self) -> TorchParser:
        """The parser to predict with: that of the averaged weights where there are such."""
        return TorchParser(self.config, self.optimiser.best)

    def run_epoch(self) -> Epoch:
        """Train one epoch and measure on dev."""
        start = time.perf_counter()
        rng = np.random.default_rng([self.config.seed, self.epoch])
        # processes drop out different words of their different questions
        torch.manual_seed(self.config.seed * 1_000_003 + self.epoch + (self.group.rank << 40))
        every, numbers = self._learnt, self._numbers_learnt(rng)
        order = numbers[rng.permutation(len(numbers))]
        previous = previous_answers([every[i] for i in numbers], self.reference_answers, rng)
        total = self._learn(self._cut(order, rng), previous, rng)
        seconds = time.perf_counter() - start
        self.optimiser.settle()
        found, right = None, ""
        if self.dev and self.is_measured(self.epoch + 1):
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

    def _learn(
        self,
        cut: Sequence[NDArray[np.int64]],
        previous: Mapping[Key, Denotation | None],
        rng: np.random.Generator,
    ) -> float:
        """Take a step for each batch, and return the sum of the losses."""
        done, total = 0, 0.0
        answers: dict[Key, Denotation] = {}
        jobs = [
            self._job(some[self.group.share], previous, self._unsaid(len(some), rng))
            for some in cut
        ]
        with self._whole():
            batches = self._source.batches([job for job in jobs if job.numbers])
            for job, size in zip(jobs, map(len, cut), strict=True):
                uniforms = rng.random(size)[self.group.share]
                batch = next(batches) if job.numbers else None  # fewer questions than processes
                loss = self._step(job, batch, uniforms, answers)
                if not abs(loss) < DIVERGED * size:
                    raise TrainingError(
                        f"the loss of epoch {self.epoch + 1} is {loss:.3g}: training diverged; "
                        "try a smaller train.rate or train.clip"
                    )
                done, total = done + size, total + loss
                self.progress(done, total / done)
            self._source.finish()
        for found in self.group.gathered(answers):
            self.reference_answers |= found
        return total

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """End the processes that make batches if not all are learnt from: they would be stale."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    @property
    def _learnt(self) -> tuple[Example, ...]:
        """All that is ever learnt from: the training split, then what is made up."""
        known = self._joined
        if known is None or known[0] is not self.train or known[1] is not self.made_up:
            known = self._joined = (self.train, self.made_up, (*self.train, *self.made_up))
        return known[2]

    def _numbers_learnt(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """What this epoch learns from, by numbers in `_learnt`."""
        real = len(self.train)
        if self.epoch < self.config.made_up_epochs:
            return np.arange(real, len(self._learnt))
        kept: list[int] = []
        wanted = round(self.config.data.made_up_kept * len(self.made_up))
        if wanted:
            number_of = {id(example): real + n for n, example in enumerate(self.made_up)}
            talks = conversations(self.made_up)
            for talk in rng.permutation(len(talks)):
                if len(kept) >= wanted:
                    break
                kept += (number_of[id(example)] for example in talks[talk])
        return np.array([*range(real), *kept], np.int64)

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
        given, every = gold if gold_history else None, questions or [e.question for e in examples]
        asked = [question for talk in conversations(every)[self.group.share] for question in talk]
        if self._is_quick(asked):
            answers = predict_by_turns(asked, self._answer_turn, given)
        else:
            answers = predict(asked, self.best_parser.best, self.preparer, gold=given)
        for found in self.group.gathered(answers):
            answers |= found
        return gold, in_form_of(gold, answers)

    def _is_quick(self, questions: Sequence[Question]) -> bool:
        """Whether questions are answered on a GPU, from batches that are made for it."""
        if self.config.search.kind != "exact" or self.parser.device.type == "cpu":
            return False
        numbers = self._dev_numbers
        return all(id(question) in numbers for question in questions)

    @property
    def _asked_of_dev(self) -> Sequence[Question]:
        return self.dev_questions or [example.question for example in self.dev]

    @property
    def _dev_numbers(self) -> dict[int, int]:
        return {id(question): number for number, question in enumerate(self._asked_of_dev)}

    def _answer_turn(
        self, questions: Sequence[Question], before: Sequence[Denotation | None]
    ) -> list[Denotation]:
        """Answer questions of dev, each given the answer before it, as `Parser.best` does."""
        scorer, eta = self.optimiser.best, self.config.search.model_eta
        numbers = self._dev_numbers
        places = [numbers[id(question)] for question in questions]
        jobs = [
            Job("dev", tuple(places[first : first + ASKED]), tuple(before[first : first + ASKED]))
            for first in range(0, len(places), ASKED)
        ]
        found: dict[int, list[Denotation]] = {}
        with self._whole():
            for number, batch in enumerate(self._source.batches(jobs)):
                best = best_programs(scorer, batch.axis, batch.flat, eta).tolist()
                self._source.denote([*enumerate(best)], partial(found.__setitem__, number))
            self._source.finish()
        return [answer for number in sorted(found) for answer in found[number]]

    def _cut(self, order: NDArray[np.int64], rng: np.random.Generator) -> list[NDArray[np.int64]]:
        """The batches of an order of questions, by their numbers."""
        cfg = self.config.train
        if not cfg.pack:
            return batches_of(order, cfg.batch)
        groups = groups_of([example.question.table for example in self._learnt])
        return packed_by_group(order, groups, self._text_lengths, cfg.batch, rng)

    @property
    def _text_lengths(self) -> NDArray[np.int64]:
        """How long the text of each question is that is ever learnt from, read once."""
        every = self._learnt
        if self.lengths is None or len(self.lengths) != len(every):
            ready = [
                self.preparer.known(e.question) or self.preparer(e.question, None) for e in every
            ]
            jobs = workers_of(self.config.train.workers, self.parser.device)
            self.lengths = text_lengths(ready, self.parser.scorer, jobs)
        return self.lengths

    def _job(
        self,
        numbers: NDArray[np.int64],
        previous: Mapping[Key, Denotation | None],
        unsaid: NDArray[np.int64],
    ) -> Job:
        """A batch of some questions, by their numbers, and unanswerable ones beside them."""
        before = (previous[key_of(self._learnt[i].question)] for i in numbers)
        return Job("learnt", tuple(numbers.tolist()), tuple(before), tuple(unsaid.tolist()))

    @property
    def _source(self) -> BatchSource:
        """Where batches come from; processes that make them begin once and stay."""
        of = (self._learnt, self.dev, self.dev_questions, self.unsaid)
        known = self._began
        if known is not None and all(one is now for one, now in zip(known[0], of, strict=True)):
            return known[1]
        self.close()
        splits: dict[str, Sequence[Example] | Sequence[Question]] = {
            "learnt": self._learnt,
            "dev": self._asked_of_dev,
        }
        maker = BatchMaker(
            splits,
            self.preparer,
            self.parser.scorer,
            self.config.search,
            self.teacher,
            self.unsaid,
        )
        device, exact = self.parser.device, self.config.search.kind == "exact"
        count = workers_of(self.config.train.workers, device) if exact else 0

        def lap(stage: str) -> None:
            self.lap(stage)

        source = Workers(maker, count, device, lap) if count else InProcess(maker, device, lap)
        self._began = (of, source)
        return source

    def close(self) -> None:
        """End the processes that make batches, if there are any."""
        if self._began is not None:
            self._began[1].close()
            self._began = None

    def _step(
        self,
        job: Job,
        batch: LoadedBatch | None,
        uniforms: NDArray[np.float64],
        answers: dict[Key, Denotation],
    ) -> float:
        """One update on a batch: search, Eq. 9, a step of the optimiser.

        Args:
            job: this process's share of the batch.
            batch: what was made of it, None if it is empty.
            uniforms: a random number for each question.
            answers: where those of y* are kept.
        """
        scorer = self.parser.scorer.train()
        scorer.zero_grad(set_to_none=True)
        found, loss = None, torch.zeros((), device=self.parser.device)
        if batch is not None:
            axis = scorer.read(batch.axis)
            found, places = self._search(batch, axis, uniforms)
            loss = surrogate_loss(found, self.config.update)
            if self.unsaid and axis.said is not None:
                loss = loss + said_loss(axis.said, True)
            self.lap("update")
            torch.autograd.backward(loss)
            self.lap("backward")
        if batch is not None and batch.unsaid is not None:
            loss = loss.detach() + self._learn_unsaid(batch.unsaid)
            self.lap("unsaid")
        self._source.prefetch()  # a GPU is still at work, and the next line waits for it
        total = self.group.sum_gradients(scorer, loss.detach())
        if self.group.count > 1:
            self.lap("sum")
        self.optimiser.step()
        self.lap("optimise")
        if batch is not None and found is not None:
            self._remember(job, batch.flat, found, places, answers)
        self.lap("remember")
        return float(total)

    def _unsaid(self, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """This process's share of the unanswerable questions beside a batch of some size."""
        if not self.unsaid:
            return np.zeros(0, np.int64)
        count = round(self.config.data.unanswerable * size)
        drawn = rng.choice(len(self.unsaid), count, replace=count > len(self.unsaid))
        return drawn[self.group.share]

    def _learn_unsaid(self, batch: AxisBatch) -> Tensor:
        """Learn that the tables of some questions do not say what is asked for."""
        said = self.parser.scorer.read(batch).said
        assert said is not None
        loss = said_loss(said, False)
        torch.autograd.backward(loss)
        return loss.detach()

    def _search(
        self, batch: LoadedBatch, axis: Axis, uniforms: NDArray[np.float64]
    ) -> tuple[Candidates, Tensor]:
        """K of every question and (B, K) the programs' places."""
        cfg, scorer = self.config, self.parser.scorer
        search, source = self._search_config, DRAWS_FROM.get(cfg.update.intensity)
        entries = axis.entries.to(torch.promote_types(axis.entries.dtype, torch.float32))
        self.lap("forward")
        drawn = torch.from_numpy(uniforms).to(self.parser.device, non_blocking=True)
        refines = scorer.refines and search.kind == "exact"
        refine = partial(scorer.refine, axis) if refines else None
        guide = self._guide(batch.taught) if batch.taught is not None else None
        recall = scorer.recall.view(1)  # with an axis it keeps its type where float32 is multiplied
        found = find_candidates(batch.flat, entries, recall, search, source, drawn, refine, guide)
        self.lap("search")
        return found

    @torch.no_grad()
    def _guide(self, batch: AxisBatch) -> Guide:
        """What the teacher makes of a batch."""
        assert self.teacher is not None
        axis = self.teacher.eval().read(batch)
        refine = partial(self.teacher.refine, axis) if self.teacher.refines else None
        return Guide(axis.entries.float(), self.teacher.recall, refine)

    def _remember(
        self,
        job: Job,
        flat: Flat,
        found: Candidates,
        places: Tensor,
        known: dict[Key, Denotation],
    ) -> None:
        """Keep the answer that the next question of each conversation may be given."""
        there = found.reference >= 0
        best = places.gather(1, found.reference.clamp(min=0)[:, None])[:, 0] - flat.starts
        ids = torch.where(there, best, -1).tolist()  # one wait for a GPU
        keys = [key_of(self._learnt[number].question) for number in job.numbers]
        if self.epoch < self.config.made_up_epochs:
            keys = []
        chosen = [
            (line, number)
            for line, (key, number) in enumerate(zip(keys, ids, strict=False))
            if number >= 0 and key in self._followed
        ]

        def keep(answers: list[Denotation]) -> None:
            for (line, _), answer in zip(chosen, answers, strict=True):
                known[keys[line]] = answer

        self._source.denote(chosen, keep)
