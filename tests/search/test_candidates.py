"""Search over a whole batch is the reference, question by question.

It finds the same programs in the same order, for every setting.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from denota.config import SearchConfig
from denota.data.answer import Cells
from denota.programs import Denotation, language_of
from denota.search.axes import BLOCKS, FIXED
from denota.search.candidates import find_candidates
from denota.search.exact import AxisScores, first, program_scores, refined
from denota.search.flat_batch import best_of_each, best_of_each_padded, flat_scores, lay_flat
from denota.search.lexicon import read_lexicon
from denota.search.policies import draw
from denota.search.prepare import Prepared, prepare
from denota.tables import Table
from search import by_the_paper

TABLE = Table.from_rows(
    ["Nation", "Name", "Points", "Year"],
    [
        ["Kenya", "Ann Odera", "44", "2004"],
        ["Norway", "Karen Lund", "62", "2004"],
        ["England", "Mary Hart", "62", "2008"],
        ["Kenya", "Joy Kamau", "17", "2012"],
        ["Peru", "Ines Rojas", "-", "2012"],
    ],
)
SMALL = Table.from_rows(["City"], [["Oslo"], ["Bergen"]])
SETTINGS = {
    "plain": {},
    "shaped": {"shaping": "policy"},
    "vacuous": {"vacuous": True},
    "vacuous by score": {"vacuous": True, "margin": False, "reference_by": "score"},
    "vacuous beam": {"vacuous": True, "kind": "beam", "shaping": "policy"},
    "model shaping": {"shaping": "model", "eta": 0.7},
    "by score": {"margin": False, "reference_by": "score"},
    "explore": {"candidates": "explore"},
    "rivals": {"candidates": "rivals"},
    "all": {"candidates": "all"},
    "short lists": {"explore": 2, "rivals": 3},
    "beam": {"kind": "beam", "shaping": "policy"},
    "narrow beam": {"kind": "beam", "beam": 2, "explore": 4, "rivals": 3},
    "beam of rivals": {"kind": "beam", "candidates": "rivals"},
    "beam and all": {"kind": "beam", "candidates": "all"},
}


def questions(language: str) -> list[Prepared]:
    """A first turn, follow-ups, one that no program answers, one on a table of one column."""
    before, names = Denotation((0, 1, 2), (0,)), ("which nations?",)
    asked = (
        ("which nation scored the most points?", TABLE, (), None, {(1, 0)}),
        ("of those, who had more than 40 points?", TABLE, names, before, {(0, 1), (1, 1), (2, 1)}),
        ("and in 2008?", TABLE, names, Denotation((2,), (0,)), {(2, 1)}),
        ("which are far away?", TABLE, (), None, {(0, 0), (1, 1), (4, 3)}),
        ("which cities?", SMALL, (), None, {(0, 0), (1, 0)}),
    )
    operators, lexicon = language_of(language), read_lexicon()
    return [prepare(q, t, h, p, Cells(frozenset(a)), operators, lexicon) for q, t, h, p, a in asked]


def scored(count: int, seed: int) -> tuple[torch.Tensor, np.ndarray]:
    widths = dict.fromkeys(BLOCKS, 64) | {"fixed": len(FIXED)}
    offsets = np.cumsum([0, *(widths[name] for name in BLOCKS[:-1])])
    size = (count, int(offsets[-1]) + len(FIXED))
    entries = np.random.default_rng(seed).normal(size=size).astype(np.float32)
    entries[:, offsets[-1] + FIXED.index("nothing")] = 0
    return torch.from_numpy(entries), offsets


@pytest.mark.parametrize("language", ["dynsp++", "extended"])
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("draws_from", [None, "model", "explore"])
def test_a_batch_is_searched_as_its_questions_are(
    language: str, setting: str, draws_from: str | None
) -> None:
    ready, cfg = questions(language), SearchConfig(**SETTINGS[setting])
    entries, offsets = scored(len(ready), seed=len(setting))
    recall = torch.tensor(-0.7)
    uniforms = np.linspace(0.05, 0.95, len(ready))
    one_by_one = [
        by_the_paper.find(
            q, AxisScores(line, offsets, -0.7, cfg.model_eta), cfg, draws_from, float(u)
        )
        for q, line, u in zip(ready, entries.numpy(), uniforms, strict=True)
    ]
    expected = by_the_paper.pad(ready, one_by_one, entries, offsets, recall, cfg.model_eta)
    flat = lay_flat(ready, offsets, entries.shape[1], cfg, entries.device)
    found, places = find_candidates(
        flat, entries, recall, cfg, draws_from, torch.from_numpy(uniforms)
    )
    for line, one in enumerate(one_by_one):
        k = len(one.ids)
        chosen = places[line][found.mask[line]] - flat.starts[line]
        assert chosen.tolist() == one.ids.tolist()
        assert found.mask[line, :k].all() and not found.mask[line, k:].any()
        assert found.reference[line] == one.reference
        assert found.draw[line] == one.draw
        for name in ("scores", "rewards", "log_explore"):
            torch.testing.assert_close(
                getattr(found, name)[line, :k],
                getattr(expected, name)[line, :k],
                rtol=1e-4,
                atol=1e-5,
            )


@pytest.mark.parametrize("language", ["dynsp++", "extended"])
def test_the_best_programs_are_those_of_the_paper(language: str) -> None:
    ready, cfg = questions(language), SearchConfig()
    entries, offsets = scored(len(ready), seed=1)
    flat = lay_flat(ready, offsets, entries.shape[1], cfg, entries.device)
    scores = flat_scores(flat, entries, torch.tensor(0.3), 0.0)
    places, there = best_of_each(flat, scores, 4)
    for line, question in enumerate(ready):
        axis = AxisScores(entries[line].numpy(), offsets, 0.3)
        own = program_scores(question, axis)
        mine = scores[flat.starts[line] : flat.starts[line] + flat.counts[line]]
        np.testing.assert_allclose(mine, own, rtol=1e-5, atol=1e-5)
        chosen = (places[line] - flat.starts[line])[there[line]]
        expected = by_the_paper.best(question, axis, cfg, 4).tolist()
        assert chosen.tolist() == expected == first(own, 4).tolist()


def test_program_scores_are_sums_of_entries_from_left_to_right() -> None:
    """To the last bit, and whatever else is in the batch."""
    for question in questions("extended"):
        entries, offsets = scored(1, seed=3)
        axis = AxisScores(entries[0].numpy(), offsets, 0.3, 0.5, outcome=True)
        got = program_scores(question, axis)
        select, condition = axis.selections(question), axis.conditions(question)
        words, step = question.words, max(1, len(got) // 200)
        for place in question.axes.places:
            for number in range(place.start, place.start + place.programs, step):
                line, test = divmod(number - place.start, len(place.conditions))
                parts = [condition[place.conditions[test]]]
                parts += [np.float32(0.3) * words.recall_missed[number]]
                parts += [np.float32(0.5) * words.critique[number]]
                expected = select[place.s0 + line]
                for part in parts:
                    expected = expected + part
                assert got[number] == expected


def test_looking_again_changes_the_best_alone() -> None:
    ready = questions("dynsp++")
    entries, offsets = scored(len(ready), seed=4)
    axes = [AxisScores(line, offsets, 0.3) for line in entries.numpy()]
    scores = [program_scores(q, axis) for q, axis in zip(ready, axes, strict=True)]
    chosen = [first(own, 5) for own in scores]
    flat = entries.numpy().ravel()

    def refine(parts: np.ndarray, features: np.ndarray) -> np.ndarray:
        again = flat[parts].sum(axis=2) + np.float32(0.3) * features[..., 0]
        for line, (own, ids) in enumerate(zip(scores, chosen, strict=True)):
            np.testing.assert_allclose(again[line, : len(ids)], own[ids], rtol=1e-5, atol=1e-5)
        return (-2 * again).astype(np.float32)  # the last of them becomes the first

    after = refined(ready, axes, scores, chosen, refine)
    for old, new, ids in zip(scores, after, chosen, strict=True):
        rest = np.setdiff1d(np.arange(len(old)), ids)
        assert np.array_equal(old[rest], new[rest])
        assert first(new, len(ids)).tolist()[0] == ids[-1]
        assert new.max() == pytest.approx(old.max(), abs=1e-5)
        assert np.diff(new[ids]).min(initial=0) >= 0


def test_a_draw_is_that_of_the_paper() -> None:
    rng = np.random.default_rng(0)
    log = rng.normal(size=(200, 6)).astype(np.float32)
    log[rng.random(log.shape) < 0.3] = -np.inf
    log[:3] = -np.inf
    uniforms = np.concatenate([np.zeros(20), rng.random(160), np.full(20, 1 - 2**-53)])
    drawn = draw(torch.from_numpy(log), torch.from_numpy(uniforms)).tolist()
    for line, uniform, got in zip(log, uniforms, drawn, strict=True):
        if not np.isfinite(line).any():
            assert got == -1
            continue
        assert np.isfinite(line[got])
        assert got == by_the_paper.draw(line - line.max(), uniform)


@pytest.mark.parametrize("way", [best_of_each, best_of_each_padded])
def test_equal_scores_go_by_place(way: Callable[..., tuple[torch.Tensor, torch.Tensor]]) -> None:
    ready, cfg = questions("dynsp++"), SearchConfig()
    entries, offsets = scored(len(ready), seed=1)
    flat = lay_flat(ready, offsets, entries.shape[1], cfg, entries.device)
    places, there = way(flat, torch.full_like(flat.recall_missed, -1.5), 6)
    for line, start in enumerate(flat.starts.tolist()):
        chosen = places[line][there[line]]
        assert chosen.tolist() == list(range(start, start + len(chosen)))


def test_the_way_of_a_gpu_is_the_way_of_a_cpu() -> None:
    ready, cfg = questions("extended"), SearchConfig()
    entries, offsets = scored(len(ready), seed=2)
    flat = lay_flat(ready, offsets, entries.shape[1], cfg, entries.device)
    scores = flat_scores(flat, entries, torch.tensor(0.3), 0.0).round(decimals=1)  # many ties
    scores[::7] = -torch.inf
    for one, other in zip(
        best_of_each(flat, scores, 40), best_of_each_padded(flat, scores, 40), strict=True
    ):
        assert torch.equal(one, other)
