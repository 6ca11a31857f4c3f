"""Which of the programs that give a question's answer are looked for.

Most are right by luck. Of a made-up question the program is known. Of a data set whose questions
are simple, those outside a smaller language need not be believed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from denota.programs.operators_used import operators_of_columns, operators_of_rows
from denota.programs.space import Family, ProgramSpace
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
            ids: some of them, in order.
        """
        if self.language is None:
            return np.ones(len(ids), bool)
        parts = [_in_language(space, family, ids, self.language) for family in space.families]
        return np.concatenate([*parts, np.zeros(0, bool)])


def _in_language(
    space: ProgramSpace, family: Family, ids: Ids, language: frozenset[str]
) -> NDArray[np.bool_]:
    """(those of the family,) True for programs in a language, each of its parts looked at once."""
    own = ids[
        np.searchsorted(ids, family.start) : np.searchsorted(ids, family.start + family.count)
    ]
    selections, conditions = np.divmod(own - family.start, max(1, len(family.conditions)))
    found = np.ones(len(own), bool)
    for parts, operators_of in (
        (conditions, operators_of_rows),
        (selections, operators_of_columns),
    ):
        _, first, which = np.unique(parts, return_index=True, return_inverse=True)
        programs = (space.program(int(number)) for number in own[first])
        allowed = [operators_of(program) <= language for program in programs]
        found &= np.array(allowed, bool)[which]
    return found


ANY = Sought()
