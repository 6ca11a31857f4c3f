"""Steps: from the rows that a condition keeps to the rows that are asked about."""

from __future__ import annotations

from typing import Final

from denota.programs.operators.declare import StepOperator
from denota.programs.operators.group_steps import GROUP_STEPS
from denota.programs.operators.rank_steps import RANK_STEPS
from denota.programs.operators.row_steps import ROW_STEPS

STEPS: Final[dict[str, StepOperator]] = {
    step.name: step for step in (*RANK_STEPS, *ROW_STEPS, *GROUP_STEPS)
}
