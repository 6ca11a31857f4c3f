"""The GPU against the CPU: equal candidates and gradients, and the speed of an epoch.

    python benchmarks/gpu.py SQA OUT.json

DENOTA_VECTORS names word vectors. Epochs are timed at several batch sizes.
"""

from __future__ import annotations

import copy
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from denota.config import Config, SearchConfig, TrainConfig
from denota.data import load_examples
from denota.learning.speed import measure_speed
from denota.learning.start import new_parser
from denota.learning.update import surrogate_loss
from denota.search.candidates import find_candidates
from denota.search.flat_batch import lay_flat
from denota.search.preparer import Preparer

BATCHES = (64, 256, 512)


def main() -> None:
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    found: dict[str, Any] = {"agreement": agreement(data, device), "speeds": []}
    for batch in BATCHES:
        found["speeds"].append({"precision": "float32", **measure_speed(data, device, batch)})
        print(json.dumps(found["speeds"][-1]), flush=True)
        out.write_text(json.dumps(found, indent=1) + "\n")


def agreement(data: Path, device: str) -> dict[str, float]:
    """How alike a step of 256 questions is on both devices: K, and the gradients."""
    config = Config(search=SearchConfig(shaping="policy"), train=TrainConfig(device="cpu"))
    examples = load_examples(data, "random-split-1-dev").examples[:400]
    preparer = Preparer("dynsp++")
    ready = preparer.ahead(examples)[:256]
    parser = new_parser(config, ready, None, os.environ.get("DENOTA_VECTORS"))
    batch = parser.scorer.batch(ready)
    ids, grads = [], []
    for name in ("cpu", device):
        place = torch.device(name)
        scorer = copy.deepcopy(parser.scorer).to(place).train()
        scorer.dropout.p = 0.0
        flat = lay_flat(ready, batch.offsets, batch.width, config.search, place)
        entries = scorer(batch.to(place))
        candidates, chosen = find_candidates(flat, entries, scorer.recall, config.search)
        loss = surrogate_loss(candidates, config.update)
        torch.autograd.backward(loss)
        ids.append((chosen * candidates.mask).cpu().numpy())
        weights = [w.grad for w in scorer.parameters() if w.grad is not None]
        dense = [(g.to_dense() if g.is_sparse else g).flatten().cpu().double() for g in weights]
        grads.append(torch.cat(dense))
    return {
        "same_candidates": float(np.mean(ids[0] == ids[1])),
        "gradient_error": float((grads[0] - grads[1]).norm() / grads[0].norm()),
    }


if __name__ == "__main__":
    main()
