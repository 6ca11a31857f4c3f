"""What a scorer is: questions in, a score for every axis entry out.

Search, update, trainer and evaluation know nothing else of a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from denota.config import ModelConfig
from denota.model.answering import Scored, offsets_of
from denota.model.names import NAMES, RowNames
from denota.search.axes import BLOCKS
from denota.search.exact import Floats, Ids
from denota.search.moving import moved
from denota.search.prepare import Prepared


@dataclass(frozen=True, eq=False)
class AxisBatch:
    """A batch of questions as a scorer sees it; each scorer adds tensors of its own."""

    widths: Mapping[str, int]
    """The width of each block of axis entries, padding included."""

    @property
    def offsets(self) -> Ids:
        """(blocks,) where each block begins on the joined axis."""
        return offsets_of(self.widths)

    @property
    def width(self) -> int:
        """L, the length of the joined axis."""
        return sum(self.widths[name] for name in BLOCKS)

    def to(self, device: torch.device) -> Self:
        """Return the batch on a device."""
        if device.type == "cpu":
            return self
        found: Self = moved(self, device)
        return found


@dataclass(frozen=True, eq=False)
class Axis:
    """The axis of a batch as scored."""

    entries: Tensor  #: (B, L) the score of each entry
    vectors: Tensor | None = None  #: (B, L, M) what each entry is, for a scorer that refines
    summary: Tensor | None = None  #: (B, M) the questions, likewise
    asked: Tensor | None = None  #: (B, D) what an encoder makes of the questions' words
    said: Tensor | None = None  #: (B,) whether the tables say what is asked for, in log-odds


class Scorer(nn.Module):
    """Scores the axis entries of questions."""

    outcome = False
    """Whether conditions are scored by what they would answer as well."""
    refines = 0
    """How many of the best programs are refined, each looked at as a whole; 0 for none."""
    names: RowNames
    """What the rows of its heads are called, and the operators that it is trained with."""
    recall: nn.Parameter
    """The learned weight of the recall feature: the share of the question's table tokens missed.

    Differs from the paper: the missed share, not the met one, so the weight should turn negative.
    """

    @classmethod
    def new(
        cls,
        cfg: ModelConfig,
        questions: Sequence[Prepared],
        source: str,
        operators: frozenset[str],
    ) -> Scorer:
        """Return an untrained scorer.

        Args:
            cfg: its settings.
            questions: some that it will meet.
            source: where word vectors come from.
            operators: of the language that it is to be trained with.
        """
        raise NotImplementedError

    @classmethod
    def restored(
        cls, cfg: ModelConfig, facts: Mapping[str, str], weights: Mapping[str, Tensor]
    ) -> Scorer:
        """Return a scorer as it was saved."""
        raise NotImplementedError

    def batch(self, questions: Sequence[Prepared]) -> AxisBatch:
        """Return questions as tensors on the CPU."""
        raise NotImplementedError

    def forward(self, batch: Any) -> Tensor:
        """(B, L) the scores of all axis entries, block after block."""
        raise NotImplementedError

    def read(self, batch: Any) -> Axis:
        """Return the axis of a batch as scored."""
        return Axis(self(batch))

    def refine(self, axis: Axis, parts: Tensor, features: Tensor) -> Tensor:
        """(B, K) what is added to the scores of some programs, looked at as a whole.

        Args:
            axis: of the batch.
            parts: (B, K, width) the entries of each program, as places in the (B, L) scores laid
                flat.
            features: (B, K, 2) recall and critique.
        """
        raise NotImplementedError

    def scored(self, questions: Sequence[Prepared]) -> list[Scored]:
        """Score the axes of questions, all together, for answering."""
        with torch.inference_mode(False):  # new words are weights like any others
            self.meet(questions)
        batch = self.batch(questions)
        with torch.inference_mode():
            axis = self.eval().read(batch.to(self.device))
        asked = None if axis.asked is None else axis.asked.float().cpu().numpy()
        said = None if axis.said is None else axis.said.float().cpu().numpy()
        refine = partial(self._refined, axis) if self.refines else None
        return [Scored(axis.entries.float().cpu().numpy(), batch.offsets, asked, refine, said)]

    @torch.inference_mode()
    def _refined(self, axis: Axis, parts: Ids, features: Floats) -> Floats:
        """`refine`, from arrays to an array."""
        given = (torch.from_numpy(each).to(self.device) for each in (parts, features))
        more: Floats = self.refine(axis, *given).float().cpu().numpy()
        return more

    def grow(self, operators: frozenset[str]) -> None:
        """Make room for the operators of another language.

        Those it has keep their weights, and scores stay as they were.
        """
        raise NotImplementedError

    def reads_like(self, other: Scorer) -> bool:
        """Say whether another scorer makes the same batches."""
        return self is other

    def text_length(self, question: Prepared) -> int:
        """Return how many pieces the text has that it reads of a question; 0 if it reads none."""
        return 0

    def keep(self, most: int) -> None:
        """Set how many readings of questions and texts are kept; training keeps many."""

    def forget(self) -> None:
        """Forget words of tables that may be gone."""

    def meet(self, questions: Sequence[Prepared]) -> None:
        """Learn of what was never met before, words for instance."""

    def knows(self, word: str) -> bool:
        """Say whether a word is known as it is; to one that is not, a like word may be meant."""
        return True

    def set_dropout(self, share: float) -> None:
        """Change how much is dropped in training."""
        raise NotImplementedError

    def facts(self) -> dict[str, str]:
        """Return what a saved scorer needs besides its weights."""
        return {NAMES: self.names.to_json()}

    def weights(self) -> dict[str, NDArray[np.generic]]:
        """Return its weights as they are saved."""
        return arrays_of(self.state_dict())

    @property
    def recall_weight(self) -> float:
        """The weight of the recall feature."""
        return float(self.recall.detach())

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return self.recall.device


def arrays_of(tensors: Mapping[str, Tensor]) -> dict[str, NDArray[np.generic]]:
    """Return tensors of any device as arrays."""
    return {name: tensor.detach().cpu().contiguous().numpy() for name, tensor in tensors.items()}


def placed(scores: Tensor, rows: Sequence[int]) -> Tensor:
    """(..., wanted) the scores of some rows of (..., own), 0 where the row is -1.

    >>> placed(torch.tensor([[5.0, 6.0, 7.0]]), (2, -1, 0))
    tensor([[7., 0., 5.]])
    """
    if len(rows) and rows[0] >= 0 and list(rows) == [*range(rows[0], rows[0] + len(rows))]:
        return scores[..., rows[0] : rows[0] + len(rows)]  # as a view
    return nn.functional.pad(scores, (0, 1))[..., list(rows)]


def appended(weight: Tensor, more: Tensor) -> nn.Parameter:
    """Return a weight with more rows behind its own."""
    both = torch.cat([weight.detach(), more.to(weight)])
    return nn.Parameter(both, requires_grad=weight.requires_grad)
