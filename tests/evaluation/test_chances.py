"""A confidence fitted to several data sets: nobody judges itself, and promises are kept in each."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from denota.evaluation.calibration import NEVER, Calibration, Chances
from denota.evaluation.chances import capped, chances, fit_chances
from denota.evaluation.judged import Judged, as_record, from_record, joined, weights_of
from denota.evaluation.selective import figures, outcomes
from denota.evaluation.thresholds import REFUSED, WRONG, is_kept, with_thresholds

NAMES = ("margin", "known", "noise")
TOGETHER = (("margin", "known"),)


def answers(data: str, count: int, skill: float, seed: int = 0) -> list[Judged]:
    """Answers of a data set, four a table, a fifth of them unanswerable, with telling features."""
    rng = Random(f"{data} {seed}")
    found = []
    for number in range(count):
        unsaid = "column" if rng.random() < 0.2 else ""
        margin, known = rng.gauss(skill, 1), rng.gauss(-2 if unsaid else 1, 1)
        right = not unsaid and rng.random() < 1 / (1 + math.exp(-3 * margin))
        second = not unsaid and not right and rng.random() < 0.5
        features = (margin, known, rng.random())
        own = (data, f"{number // 4}.csv", f"{number}?", features, (right, second), unsaid)
        found.append(Judged(*own, before=rng.random()))
    return found


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    return joined(answers("easy", 600, 1.0), answers("hard", 400, 0.0))


@pytest.fixture(scope="module")
def fit(judged: list[Judged]) -> tuple[Calibration, list[Chances]]:
    return fit_chances(judged, NAMES, TOGETHER)


def test_what_tells_weighs(fit: tuple[Calibration, list[Chances]]) -> None:
    known, _ = fit
    assert known.features == NAMES and known.sees_doubt
    assert len(known.weights) == len(known.either) == len(known.said) == 1 + 3 + 1
    _, margin, _, noise, _ = known.weights
    assert margin > 0.5 > 5 * abs(noise)
    assert known.said[2] > 1, "what the table has says whether it is said"


def test_a_table_does_not_judge_itself() -> None:
    """Features that say only which table it is help where the table itself is fitted."""
    rng = np.random.default_rng(0)
    flags = rng.random(40) < 0.5
    judged = [
        Judged("one", f"{n}", f"{k}", tuple(map(float, np.eye(40)[n])), (bool(flags[n]),))
        for n in range(40)
        for k in range(10)
    ]
    known, across = fit_chances(judged, [f"{n}" for n in range(40)])
    right = np.array([one.first for one in judged])
    own = np.array([one.right for one in chances(known, judged)])
    other = np.array([one.right for one in across])
    assert ((own > 0.5) == right).all()
    assert abs(((other > 0.5) == right).mean() - 0.5) < 0.2


def test_data_sets_count_alike(judged: list[Judged]) -> None:
    counts = weights_of(judged)
    by_data = [sum(c for c, o in zip(counts, judged, strict=True) if o.data == d) for d in
               ("easy", "hard")]  # fmt: skip
    assert by_data == pytest.approx([1.0, 1.0])
    known, across = fit_chances(judged, NAMES, by_data=True)
    assert len(across) == len(judged) and known.features == NAMES


def test_promises_are_kept_in_each_data_set(
    judged: list[Judged], fit: tuple[Calibration, list[Chances]]
) -> None:
    known, across = fit
    told = outcomes(known, judged, across)
    every = figures(judged, across, told)
    for own in every.values():
        after = own["after"]
        assert after["refused"] <= 100 * REFUSED
        assert after["unanswerable_not_answered"] > 50 and after["sure"] > 50
        assert after["best_area"] <= after["area"] < own["before"]["area"]
    assert known.declines <= known.asks
    sure = [
        (one, c) for one, c, t in zip(judged, weights_of(judged), told, strict=True) if t == "sure"
    ]
    wrong = sum(c for one, c in sure if not one.first)
    assert wrong <= WRONG * sum(c for _, c in sure), "over both, each counting the same"


def test_a_threshold_is_the_least_that_keeps_its_promise() -> None:
    """In one data set without unanswerable questions it is what counting gives."""
    judged = [one for one in answers("easy", 500, 0.5) if one.is_said]
    rng = np.random.default_rng(0)
    found = [Chances(min(1, max(0, 0.5 * one.first + rng.random() / 1.5)), 1, 1) for one in judged]
    known = with_thresholds(Calibration((0.0,)), judged, found)
    right = np.array([one.first for one in judged])
    chance = np.array([one.right for one in found])
    assert (~right[chance >= known.sure]).mean() <= WRONG
    lower = chance[chance < known.sure]
    assert all((~right[chance >= value]).mean() > WRONG for value in lower)


def test_where_nothing_is_right_nothing_is_sure() -> None:
    judged = [replace(one, right=(False, False)) for one in answers("hard", 100, 0.0)]
    known = with_thresholds(Calibration((0.0,)), judged, [Chances(0.9, 0.9, 0.5)] * len(judged))
    assert known.sure == NEVER


def test_a_promise_kept_on_the_whole_may_be_broken_in_one() -> None:
    data = np.array(["a"] * 90 + ["b"] * 10)
    bad = np.arange(100) >= 95
    of, counts = np.ones(100, bool), np.ones(100)
    assert not is_kept(bad, of, 0.06, data, counts), "half of b is bad"
    assert is_kept(bad, data == "a", 0.06, data, counts)
    assert is_kept(bad, np.zeros(100, bool), 0.0, data, counts), "of none"
    some = np.array([False] * 9 + [True])
    ten, ones = np.array(["a"] * 9 + ["b"]), np.ones(10)
    assert not is_kept(some, np.ones(10, bool), 0.1, ten, ones)


def test_what_builds_on_an_answer_is_never_surer() -> None:
    rng = Random(0)
    judged = [
        Judged("one", "t", f"{n}", (), (), builds_on=rng.randrange(n) if n and n % 3 else None)
        for n in range(200)
    ]
    found = [Chances(rng.random(), 1.0, rng.random()) for _ in judged]
    told = capped(judged, found)
    for place, one in enumerate(judged):
        if one.builds_on is None:
            assert told[place] == found[place]
        else:
            assert told[place].right <= told[one.builds_on].right
            assert told[place].right <= told[place].either <= told[one.builds_on].right


def test_what_a_rule_declines_stays_declined(judged: list[Judged]) -> None:
    some = [*judged[:300], Judged("easy", "x", "why?", (), (), declined=True, was="declined")]
    known, across = fit_chances(some, NAMES)
    assert outcomes(known, some, across)[-1] == "declined"
    assert chances(known, some)[-1] == Chances(0.0, 0.0, 0.0)


def test_with_one_reading_there_is_nothing_to_ask_back() -> None:
    judged = [
        Judged("one", "t", "?", (0.0,), (True,)),
        Judged("one", "t", "?", (0.0,), (True, False)),
    ]
    known = Calibration((0.0, 0.0), NEVER, features=("margin",), asks=NEVER)
    assert outcomes(known, judged, [Chances(0.5, 0.6, 0.9)] * 2) == ["unsure", "ask_back"]


def test_records_come_back(judged: list[Judged]) -> None:
    one = replace(judged[5], features=(0.5, 1.0, -2.0), builds_on=4, was="sure")
    assert from_record(json.loads(json.dumps(as_record(one)))) == one
    assert joined([one], [one, one])[1].builds_on == 5
