"""The kinds of first questions, and how often each is asked in a language that has many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from denota.errors import ConfigError
from denota.generate import compare, compare_groups, compute, group, part, step, yes_no
from denota.generate.asking import Asked
from denota.generate.begin import begin, begin_with, look_up
from denota.generate.scene import Scene
from denota.programs.operators import AGGREGATES, COMPARES, STEPS, TESTS

Ask = Callable[[Scene], Asked | None]


def begin_with_any(scene: Scene) -> Asked | None:
    """Ask a question of any kind.

    In loose wording a kind is tried several times, so that those which seldom succeed have their
    share.
    """
    kind = KINDS[scene.one_of(scene.kinds or (LOOSE if scene.loose else TIDY))]
    for _ in range(_TRIES if scene.loose else 1):
        asked = kind.ask(scene)
        if asked is not None:
            return asked
    return None


def is_wide(language: frozenset[str]) -> bool:
    """Say whether a language has more than selections and single values computed from them."""
    return not language.isdisjoint(_WIDE)


def read_kinds(text: str) -> dict[str, float]:
    """Return the weights of kinds for loose wording, some of them multiplied: `groups*2, parts*0`.

    >>> read_kinds("groups*2")["groups"] == 2 * read_kinds("")["groups"]
    True

    Raises:
        ConfigError: a kind is not known, or its number is none.
    """
    weights = dict(LOOSE)
    for entry in filter(None, (one.strip() for one in text.split(","))):
        name, _, factor = entry.partition("*")
        try:
            by = float(factor or "1")
        except ValueError:
            by = -1.0
        if name not in weights or not by >= 0:
            known = ", ".join(weights)
            raise ConfigError(
                f"data.made_up_kinds has {entry!r}; write KIND*NUMBER, with a kind out of {known}"
            )
        weights[name] *= by
    if not any(weights.values()):
        raise ConfigError("data.made_up_kinds leaves no kind of question; keep one above 0")
    return weights


def _computed(scene: Scene) -> Asked | None:
    return compute.compute(scene, None)


def _added_up(scene: Scene) -> Asked | None:
    return compute.compute(scene, None, ("sum", "average"))


class Kind(NamedTuple):
    """A kind of first questions."""

    ask: Ask
    tidy: float
    """How often it is asked in tidy wording."""
    loose: float
    """How often it is asked in loose wording."""


KINDS: Final[dict[str, Kind]] = {
    "cells": Kind(begin, 33.0, 14.0),
    "look_ups": Kind(look_up, 0.0, 22.0),
    "values": Kind(_computed, 14.0, 14.0),
    "whether": Kind(yes_no.whether, 3.5, 3.0),
    "nothing": Kind(yes_no.nothing_there, 1.5, 1.0),
    "parts": Kind(part.part_of_cell, 7.0, 0.4),
    "column_names": Kind(part.ask_for_a_column_name, 1.2, 0.3),
    "common_parts": Kind(part.most_common_part, 2.0, 0.1),
    "runs": Kind(compute.longest_run, 1.0, 0.2),
    "two_rows": Kind(compare.compare_rows, 10.0, 8.0),
    "two_counts": Kind(compare.compare_counts, 4.0, 2.0),
    "two_columns": Kind(compare.compare_columns, 4.0, 2.0),
    "shares": Kind(compare.share_of_whole, 2.0, 1.5),
    "ranks": Kind(step.rank_some, 14.0, 12.0),
    "beside": Kind(step.step_aside, 8.0, 1.5),
    "after_first": Kind(step.after_first, 1.0, 0.1),
    "theirs": Kind(step.compare_with_named, 8.0, 4.0),
    "groups": Kind(group.pick_group, 12.0, 9.0),
    "per_group": Kind(group.value_per_group, 4.0, 6.0),
    "sums": Kind(_added_up, 0.0, 9.0),
    "conditions": Kind(begin_with("and", "and", "and", "three"), 0.0, 10.0),
    "superlatives": Kind(begin_with("max", "min", "top", "kth_max"), 0.0, 8.0),
    "orders": Kind(begin_with("greater", "less", "at_least", "at_most", "date_is"), 0.0, 9.0),
    "two_groups": Kind(compare_groups.compare_groups, 0.0, 4.0),
    "two_averages": Kind(compare_groups.compare_averages, 0.0, 2.5),
}
"""In tidy wording a third selects cells, a third computes or compares values, and a third takes
steps or asks about groups; in loose wording shares are nearer to what people ask."""
TIDY: Final[Mapping[str, float]] = {n: kind.tidy for n, kind in KINDS.items() if kind.tidy}
LOOSE: Final[Mapping[str, float]] = {n: kind.loose for n, kind in KINDS.items()}
_TRIES: Final = 6
_WIDE: Final = frozenset({"then", *STEPS, *COMPARES, *AGGREGATES} - {*TESTS, *compute.COMPUTED})
