"""Which of the programs that give a question's answer are looked for.

Most are right by luck. Of a made-up question the program is known. Of a data set whose questions
are simple, those outside a smaller language need not be believed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from denota.programs.operators_used import operators_used
from denota.programs.space import ProgramSpace
from denota.programs.tree import Program

Ids = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Sought:
    """A program, or the language it is in; any if neither is said."""

    meant: Program | None = None
    language: frozenset[str] | None = None

    def among(self, space: ProgramSpace, ids: Ids) -> NDArray[np.bool_]:
        """(ids,) True for the programs in the language.

        Args:
            space: the programs of a question.
            ids: some of them.
        """
        if self.language is None:
            return np.ones(len(ids), bool)
        language = self.language
        return np.array([operators_used(space.program(i)) <= language for i in ids.tolist()], bool)


ANY = Sought()
