"""The official SQA metrics: answers right, whole sequences right, and answers by position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from denota.tables.table import Cell

Key = tuple[str, str, int]
"""(id, annotator, position)."""


@dataclass(frozen=True)
class Score:
    """Shares in percent."""

    answer_accuracy: float
    sequence_accuracy: float
    position_accuracy: dict[str, float]
    questions: int
    sequences: int


def score(gold: Mapping[Key, frozenset[Cell]], predicted: Mapping[Key, frozenset[Cell]]) -> Score:
    """Score predictions against gold cells; a question without prediction is wrong.

    >>> gold = {("a", "0", 0): frozenset({(0, 0)}), ("a", "0", 1): frozenset({(1, 0)})}
    >>> score(gold, {("a", "0", 0): frozenset({(0, 0)})}).answer_accuracy
    50.0
    """
    right = {key: predicted.get(key) == cells for key, cells in gold.items()}
    sequences: dict[tuple[str, str], bool] = {}
    positions: dict[int, list[bool]] = {}
    for (name, annotator, position), is_right in right.items():
        sequences[name, annotator] = sequences.get((name, annotator), True) and is_right
        positions.setdefault(position, []).append(is_right)
    return Score(
        _percent(list(right.values())),
        _percent(list(sequences.values())),
        {str(position): _percent(positions[position]) for position in sorted(positions)},
        len(right),
        len(sequences),
    )


def _percent(outcomes: list[bool]) -> float:
    return 100 * sum(outcomes) / len(outcomes) if outcomes else 0.0
