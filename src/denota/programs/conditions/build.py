"""Build the condition axis of a scope, in the order in which programs are numbered."""

from __future__ import annotations

import numpy as np

from denota.programs.conditions.axis import NONE, Conditions
from denota.programs.conditions.grow import GrowingAxis
from denota.programs.conditions.join import (
    TRIPLED,
    add_conjunctions,
    add_either,
    add_named_values,
    add_pairs_of_values,
    add_threes,
)
from denota.programs.conditions.pairs import add_pairs
from denota.programs.conditions.steps import add_steps
from denota.programs.conditions.support import best_supported
from denota.programs.operators import TESTS
from denota.programs.operators.declare import Block, Situation


def conditions_of(situation: Situation, scope: str, language: frozenset[str]) -> Conditions:
    """Return every row set the language has in a situation; FOLLOW-UP CELL takes no condition."""
    tests = tuple(test for name, test in TESTS.items() if name in language)
    axis = GrowingAxis(situation, tests)
    axis.add(NONE, _no_condition(situation))
    if scope == "cell":
        return axis.conditions()
    for number, test in enumerate(tests):
        axis.add(number, test.candidates(situation))
    if "or" in language:
        add_pairs_of_values(axis)
    if "any_of" in language:
        add_named_values(axis, pairs="or" not in language)
    if "and" in language:
        add_conjunctions(axis, may_be_empty="nothing_left" in language)
    if "three" in language or "either" in language:
        so_far = axis.conditions()
        best = best_supported(so_far, TRIPLED)
        if "three" in language:
            add_threes(axis, so_far, best)
        if "either" in language:
            add_either(axis, so_far, best)
    if "then" in language:
        add_steps(axis, language)
    if "versus" in language:
        add_pairs(axis)
    return axis.conditions()


def _no_condition(situation: Situation) -> Block:
    return Block(
        np.full(1, -1, np.int16), np.zeros(1, np.int32), situation.scope[None, :], np.ones(1, bool)
    )
