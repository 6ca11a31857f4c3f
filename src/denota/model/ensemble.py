"""Several scorers that score together: the mean of their scores.

The score of a program is a sum over the axis, so the mean of the members' axes is the mean of their
scores of every program, and its policy is the product of theirs, each to the power of 1 / members.
Members have the same language, so their axes are laid out alike. B questions, L entries of the
axis, K programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from denota.errors import TrainingError
from denota.model.scorer import Axis, AxisBatch, Scorer
from denota.model.torch_parser import TorchParser
from denota.search.prepare import Prepared


@dataclass(frozen=True, eq=False)
class EnsembleBatch(AxisBatch):
    """A batch of questions as each member sees it."""

    members: tuple[AxisBatch, ...]


@dataclass(frozen=True, eq=False)
class EnsembleAxis(Axis):
    """The axis of a batch as the members score it, and as each does."""

    members: tuple[Axis, ...] = ()


class Ensemble(Scorer):
    """Scorers of one kind and language that score together; made for answering and teaching."""

    def __init__(self, members: Sequence[Scorer]) -> None:
        """Join some scorers.

        Raises:
            TrainingError: they are of different kinds or languages.
        """
        super().__init__()
        first = members[0]
        for other in members:
            if other.outcome != first.outcome or bool(other.refines) != bool(first.refines):
                raise TrainingError("parsers that answer together must be of the same kind")
            if other.names.operators != first.names.operators:
                raise TrainingError("parsers that answer together must have the same language")
        self.members = nn.ModuleList(members)
        self.names, self.outcome, self.refines = first.names, first.outcome, first.refines
        recalls = torch.stack([member.recall.detach() for member in members])
        self.recall = nn.Parameter(recalls.mean(dim=0), requires_grad=False)

    @property
    def each(self) -> list[Scorer]:
        """The members."""
        return [member for member in self.members if isinstance(member, Scorer)]

    def batch(self, questions: Sequence[Prepared]) -> EnsembleBatch:
        """Return questions as tensors."""
        first, *others = self.each
        own = first.batch(questions)
        members = (own, *(own if m.reads_like(first) else m.batch(questions) for m in others))
        return EnsembleBatch(own.widths, members)

    def forward(self, batch: EnsembleBatch) -> Tensor:
        """(B, L) the mean of the members' scores of all axis entries."""
        return self.read(batch).entries

    def read(self, batch: EnsembleBatch) -> EnsembleAxis:
        """Score the axis of a batch."""
        pairs = zip(self.each, batch.members, strict=True)
        axes = tuple(member.read(own) for member, own in pairs)
        entries = torch.stack([axis.entries for axis in axes]).mean(dim=0)
        said = [axis.said for axis in axes if axis.said is not None]
        both = torch.stack(said).mean(dim=0) if len(said) == len(axes) else None
        return EnsembleAxis(entries, said=both, members=axes)

    def refine(self, axis: Axis, parts: Tensor, features: Tensor) -> Tensor:
        """(B, K) the mean of what the members add to the scores of programs."""
        assert isinstance(axis, EnsembleAxis)
        pairs = zip(self.each, axis.members, strict=True)
        return torch.stack([m.refine(own, parts, features) for m, own in pairs]).mean(dim=0)

    def meet(self, questions: Sequence[Prepared]) -> None:
        """Have every member learn of what it never met before."""
        for member in self.each:
            member.meet(questions)

    def keep(self, most: int) -> None:
        """Set how many readings of questions and texts each member keeps."""
        for member in self.each:
            member.keep(most)

    def forget(self) -> None:
        """Forget words of tables that may be gone."""
        for member in self.each:
            member.forget()

    def knows(self, word: str) -> bool:
        """Say whether every member knows a word as it is."""
        return all(member.knows(word) for member in self.each)


def together(parsers: Sequence[TorchParser]) -> TorchParser:
    """Return a parser that scores as the mean of some; one alone stays as it is.

    The settings are those of the first.
    """
    if len(parsers) == 1:
        return parsers[0]
    return TorchParser(parsers[0].config, Ensemble([parser.scorer for parser in parsers]))
