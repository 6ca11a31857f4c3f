"""The search of a GPU, from small arrays, is that of a CPU: on CPU tensors, bit for bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from denota.config import SearchConfig
from denota.search.candidates import find_candidates
from denota.search.flat_arrays import flat_arrays
from denota.search.flat_batch import lay_flat
from denota.search.flat_programs import FlatPrograms
from denota.search.prepare import Prepared
from search.test_candidates import SETTINGS, questions, scored

LANGUAGES = ["dynsp++", "extended", "full"]


def with_agreement(ready: list[Prepared]) -> list[Prepared]:
    """As if some programs agreed on altered tables."""
    found = []
    for number, q in enumerate(ready):
        assert q.rewarded_programs is not None
        count = len(q.rewarded_programs.ids)
        own = np.linspace(0, 1, count, dtype=np.float32) if number % 2 else None
        found.append(replace(q, agreement=own))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("outcome", [False, True])
def test_the_search_of_a_gpu_is_that_of_a_cpu(language: str, setting: str, outcome: bool) -> None:
    ready, cfg = with_agreement(questions(language)), SearchConfig(**SETTINGS[setting])
    if language == "full" and (cfg.kind == "beam" or cfg.candidates == "all"):
        pytest.skip("slow there, and no other code")
    entries, offsets = scored(len(ready), seed=len(setting))
    width, recall = entries.shape[1], torch.tensor(-0.7)
    uniforms = torch.linspace(0.05, 0.95, len(ready), dtype=torch.float64)
    device = torch.device("cpu")
    slow = lay_flat(ready, offsets, width, cfg, device, outcome)
    quick = FlatPrograms(flat_arrays(ready, offsets, width, cfg, outcome), ready, outcome)
    for name in ("starts", "counts", "select", "condition", "vacuous", "recall_missed", "critique"):
        assert torch.equal(getattr(slow, name), getattr(quick, name)), name
    for name in ("rewarded", "some", "rewarded_critique", "rewarded_rewards"):
        assert torch.equal(getattr(slow, name), getattr(quick, name)), name
    assert (slow.total, slow.most) == (quick.total, quick.most)
    one, other = (flat.scores(entries, recall, cfg.model_eta) for flat in (slow, quick))
    assert torch.equal(one, other)
    ways = [
        find_candidates(flat, entries, recall, cfg, "explore", uniforms) for flat in (slow, quick)
    ]
    (expected, chosen), (found, places) = ways
    assert torch.equal(places[found.mask], chosen[expected.mask])
    for name in ("scores", "rewards", "mask", "log_explore", "reference", "draw"):
        own = getattr(found, name), getattr(expected, name)
        if own[0].dim() == 2 and name != "mask":
            own = own[0][found.mask], own[1][expected.mask]
        assert torch.equal(*own), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_without_an_answer_have_scores(language: str) -> None:
    known = questions(language)
    ready = [replace(q, rewarded_programs=None) for q in known]
    entries, offsets = scored(len(ready), seed=5)
    width, cfg, recall = entries.shape[1], SearchConfig(), torch.tensor(0.3)
    flat = FlatPrograms(flat_arrays(ready, offsets, width, cfg))
    expected = lay_flat(known, offsets, width, cfg, torch.device("cpu"))
    scores = flat.scores(entries, recall, 0.0)
    assert torch.equal(scores, expected.scores(entries, recall, 0.0))
    places, there = flat.best(scores, 3)
    assert torch.equal(places, expected.best(scores, 3)[0])
    found = flat.programs(places)
    assert not found.rewards.any() and there.all()
