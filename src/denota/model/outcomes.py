"""DynSP++ with cues that also looks at what a program would answer.

Differs from the paper: its parser scores actions alone. Here conditions and selections have more
entries on the axes (`search.outcome`), each scored by word vectors:

- how many rows are kept, how they relate to the previous answer's, how many columns are selected:
  a vector each, held against the question's words, their average and the LSTM's state, and a bias;
- the column of a superlative, a comparison, or a test without an argument: as WHERE column is, by
  a module each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

from denota.model.batch import Batch, make_batch
from denota.model.cues import DynSPWithCues
from denota.model.dynsp_modules import Combiner, Read, best_word
from denota.model.names import entries_of
from denota.model.vectors import WordVectors
from denota.search.prepare import Prepared

RESULTS: Final = ("outcome", "relation", "breadth")
"""The blocks of what a program would answer."""
TESTED: Final = ("ranked", "compared", "stated")
"""The blocks of tested columns, by the kind of test."""


class DynSPWithOutcomes(DynSPWithCues):
    """Scores for the axes of a batch of questions, those of outcomes included."""

    outcome = True
    PRIORS = (*DynSPWithCues.PRIORS, *TESTED)

    def __init__(
        self, vectors: WordVectors, hidden: int = 50, dropout: float = 0.5, **switches: Any
    ) -> None:
        super().__init__(vectors, hidden, dropout, **switches)
        size = vectors.matrix.shape[1]
        self.tested = nn.ModuleDict({name: Combiner(4 + 3 + self.CUES) for name in TESTED})
        self.results = nn.ParameterDict(
            {name: nn.Parameter(0.1 * torch.randn(len(entries_of(name)), size)) for name in RESULTS}
        )
        self.result_bias = nn.ParameterDict(
            {name: nn.Parameter(torch.zeros(len(entries_of(name)))) for name in RESULTS}
        )

    def batch(self, questions: Sequence[Prepared]) -> Batch:
        """Return questions as tensors, with room for outcomes."""
        return make_batch(questions, self.vectors, outcome=True)

    def _tested(self, of: Mapping[str, tuple[Tensor, ...]], surface: Tensor) -> dict[str, Tensor]:
        return {name: module(*of[name], surface) for name, module in self.tested.items()}

    def _results(self, now: Read) -> dict[str, Tensor]:
        whole = now.average + now.state  # (B, D)
        return {
            name: best_word(now, vectors) + whole @ vectors.T + self.result_bias[name]
            for name, vectors in self.results.items()
        }
