"""The kinds of first questions, and how often each is asked in a language that has many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from denota.generate import compare, compute, group, part, step, yes_no
from denota.generate.asking import Asked
from denota.generate.begin import begin
from denota.generate.scene import Scene
from denota.programs.operators import AGGREGATES, COMPARES, STEPS, TESTS

Ask = Callable[[Scene], Asked | None]


def begin_with_any(scene: Scene) -> Asked | None:
    """Ask a question of any kind."""
    return scene.one_of(KINDS)(scene)


def is_wide(language: frozenset[str]) -> bool:
    """Say whether a language has more than selections and single values computed from them."""
    return not language.isdisjoint(_WIDE)


def _computed(scene: Scene) -> Asked | None:
    return compute.compute(scene, None)


KINDS: Final[dict[Ask, float]] = {
    begin: 33.0,
    _computed: 14.0,
    yes_no.whether: 3.5,
    yes_no.nothing_there: 1.5,
    part.part_of_cell: 7.0,
    part.ask_for_a_column_name: 1.2,
    part.most_common_part: 2.0,
    compute.longest_run: 1.0,
    compare.compare_rows: 10.0,
    compare.compare_counts: 4.0,
    compare.compare_columns: 4.0,
    compare.share_of_whole: 2.0,
    step.rank_some: 14.0,
    step.step_aside: 8.0,
    step.after_first: 1.0,
    step.compare_with_named: 8.0,
    group.pick_group: 12.0,
    group.value_per_group: 4.0,
}
"""The weight of each kind: a third selects cells, a third computes or compares values, and a third
takes steps or asks about groups."""
_WIDE: Final = frozenset({"then", *STEPS, *COMPARES, *AGGREGATES} - {*TESTS, *compute.COMPUTED})
