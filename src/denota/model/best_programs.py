"""The best programs of a batch found where its scorer is, with no wait for a GPU on the way.

The same programs as `Parser.best` finds in numpy, which is quicker on a CPU, up to the rounding of
sums. B questions, K of their programs.
"""

from __future__ import annotations

import torch
from torch import Tensor

from denota.model.scorer import AxisBatch, Scorer
from denota.search.flat_batch import Flat


@torch.inference_mode()
def best_programs(scorer: Scorer, batch: AxisBatch, flat: Flat, model_eta: float) -> Tensor:
    """(B,) the id of the best program of each question.

    Args:
        scorer: on the device of the batch.
        batch: B questions as it reads them.
        flat: their programs.
        model_eta: η of model shaping.
    """
    axis = scorer.eval().read(batch)
    entries = axis.entries.float()
    scores = flat.scores(entries, scorer.recall, model_eta)
    places, there = flat.best(scores, max(1, scorer.refines))
    if not scorer.refines:
        return places[:, 0] - flat.starts
    known = flat.programs(places)
    parts = torch.cat([flat.select[known.select], flat.condition[known.condition]], dim=2)
    features = torch.stack([known.recall_missed, known.critique], dim=2)
    after = scores[places] + scorer.refine(axis, parts, features).float()
    after = after.masked_fill(~there, -torch.inf)
    top = after == after.amax(dim=1, keepdim=True)
    return places.masked_fill(~top, flat.total).amin(dim=1) - flat.starts  # ties by place
