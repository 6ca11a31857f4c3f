"""DynSP++ with a few more cues, which a small parser without pretrained vectors needs.

Differs from the paper: its parser has none of these.

- What stands around a column's name: "the height of" asks for it, "whose height is" tests it, and
  both look alike to similarity.
- A question that follows up says so ("of those") whichever column it is about.
- One "not" in ten words hardly moves the average of a question, so != looks at the best word;
  comparisons do too, for "5 or more" has it behind.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from denota.model.batch import Batch
from denota.model.dynsp import DynSP, starting_vector
from denota.model.dynsp_modules import Read, best_word, by_column, nearest
from denota.model.scorer import placed
from denota.model.vectors import WordVectors


class DynSPWithCues(DynSP):
    """Scores for the axes of a batch of questions."""

    CUES = 1

    def __init__(
        self, vectors: WordVectors, hidden: int = 50, dropout: float = 0.5, **switches: Any
    ) -> None:
        super().__init__(vectors, hidden, dropout, **switches)
        self.around = nn.Linear(2 * hidden, len(self.prior), bias=False)
        self.follow = nn.Parameter(starting_vector("previous", vectors, self.start))

    def _columns(
        self, batch: Batch, now: Read, then: Read, names: Tensor, words: Tensor
    ) -> dict[str, Tensor]:
        scores = super()._columns(batch, now, then, names, words)
        follows = (now.average + now.state) @ self.follow  # (B,)
        return {**scores, "follow_where": scores["follow_where"] + follows[:, None]}

    def _column_cues(
        self, batch: Batch, now: Read, words: Tensor, columns: int
    ) -> dict[str, Tensor]:
        """(B, C, 1) for each module: the words around the question word nearest to a name's."""
        best, place = nearest(words, now)  # (B, W)
        said = self.around(now.states)  # (B, T, 3)
        there = said.gather(1, place[..., None].expand(-1, -1, said.shape[2]))
        cues = by_column(batch, best[..., None] * there, columns)
        return dict(zip(self.prior, torch.split(cues, 1, dim=2), strict=True))

    def _negated(self, now: Read) -> Tensor:
        return best_word(now, self.negation[None, :])[:, 0]

    def _comparisons(self, batch: Batch, now: Read, words: Tensor) -> Tensor:
        of_words = best_word(now, self.compare)  # (B, 4)
        constants = batch.before_constant.shape[1]
        before = super()._comparisons(batch, now, words)
        own = placed(of_words, self.names.entries("compare", "compare"))
        return before + torch.tile(own, (1, constants))
