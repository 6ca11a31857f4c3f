"""The condition axis while it is put together, block by block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from denota.programs.conditions.axis import Conditions, StepUse
from denota.programs.index import Mask
from denota.programs.operators.declare import Block, Situation, TestOperator


class GrowingAxis:
    """Blocks of row sets, joined into one axis when asked for."""

    def __init__(self, situation: Situation, tests: tuple[TestOperator, ...]) -> None:
        self.situation, self.tests = situation, tests
        self.named: list[tuple[int, tuple[int, ...]]] = []
        """The (column, value classes) of each alternative of more than two values."""
        self.steps: list[StepUse] = []
        self._operators: list[NDArray[np.int16]] = []
        self._blocks: list[Block] = []
        self._seconds: list[NDArray[np.int32]] = []

    def add(self, operator: int, block: Block, second: NDArray[np.int32] | None = None) -> None:
        """Add the row sets of one operator: a number in `tests`, or a code such as OR."""
        count = len(block.first)
        if count:
            self._operators.append(np.full(count, operator, np.int16))
            self._blocks.append(block)
            self._seconds.append(np.full(count, -1, np.int32) if second is None else second)

    def add_joined(
        self, operator: int, left: NDArray[np.int64], right: NDArray[np.int64], mask: Mask
    ) -> None:
        """Add row sets made of two each, both supported by the question."""
        none = np.full(len(left), -1, np.int16)
        block = Block(none, left.astype(np.int32), mask, np.ones(len(left), bool))
        self.add(operator, block, right.astype(np.int32))

    def conditions(self) -> Conditions:
        """Return the axis so far."""
        return Conditions(
            self.situation,
            self.tests,
            np.concatenate(self._operators),
            np.concatenate([block.column for block in self._blocks]),
            np.concatenate([block.first for block in self._blocks]),
            np.concatenate(self._seconds),
            np.concatenate([block.mask for block in self._blocks]),
            np.concatenate([block.grounded for block in self._blocks]),
            tuple(self.named),
            steps=tuple(self.steps),
        )
