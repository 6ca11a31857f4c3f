"""Only the programs that are looked for are rewarded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from denota.data import Example
from denota.generate.invented import invented_tables
from denota.generate.sources import Manner, make_up, read_sources
from denota.programs.denotation import Denotation
from denota.programs.operators import LANGUAGES
from denota.programs.operators_used import operators_used
from denota.programs.tree import And, Program
from denota.search.preparer import Preparer, _tasks
from denota.search.store import digest_of

TABLES = [table for table in invented_tables(40, seed=5) if len(table) <= 25][:8]


def made(programs: bool) -> tuple[Example, ...]:
    manner = Manner("full", 0.5, None, True, programs)
    return make_up(read_sources("train"), {"train": TABLES}, 40, 1, manner, jobs=1).examples


def unordered(program: Program) -> tuple[object, ...]:
    """The program with the parts of an AND in no order."""
    where = program.where
    parts = frozenset(where.parts) if isinstance(where, And) else where
    return parts, replace(program, where=None)


def test_of_a_made_up_question_its_own_program_is_rewarded_alone() -> None:
    known, unknown = Preparer("full", keep_spaces=True), Preparer("full")
    for one, other in zip(made(True), made(False), strict=True):
        assert one.question == other.question and other.meant is None
        (ready,), (free,) = known.ahead([one], jobs=1), unknown.ahead([other], jobs=1)
        assert ready.rewarded_programs is not None and free.rewarded_programs is not None
        assert one.meant is not None
        if one.question.position == 0:
            (number,) = ready.rewarded_programs.ids.tolist()
            turned = replace(one.meant, where=one.meant.versus, versus=one.meant.where)
            wanted = (unordered(one.meant), unordered(turned))
            assert unordered(ready.space.program(number)) in wanted
            assert number in free.rewarded_programs.ids
        assert len(ready.rewarded_programs.ids) <= len(free.rewarded_programs.ids)


@pytest.mark.parametrize("name", ["full", "dynsp++"])
def test_programs_of_a_smaller_language_are_those_of_brute_force(name: str) -> None:
    smaller = "extended" if name == "full" else "dynsp"
    lost = 0
    for example in made(False)[:25]:
        own = replace(example, language=smaller)
        every, some = Preparer(name, keep_spaces=True), Preparer(name)
        (free,), (ready,) = every.ahead([example], jobs=1), some.ahead([own], jobs=1)
        assert free.rewarded_programs is not None and ready.rewarded_programs is not None
        wanted = [
            number
            for number in free.rewarded_programs.ids.tolist()
            if operators_used(free.space.program(number)) <= LANGUAGES[smaller]
        ]
        assert ready.rewarded_programs.ids.tolist() == wanted
        lost += len(free.rewarded_programs.ids) - len(wanted)
    assert lost > 0


def test_a_new_previous_answer_changes_nothing_about_what_is_sought() -> None:
    example = next(e for e in made(False) if len(e.question.table) > 4)
    own = replace(example, language="dynsp")
    preparer, previous = Preparer("dynsp++"), Denotation((1, 2), (0,))
    preparer.ahead([own], jobs=1)
    later = preparer(own.question, previous, own.answer)
    fresh = Preparer("dynsp++", keep_spaces=True)(example.question, previous, example.answer)
    assert later.rewarded_programs is not None and fresh.rewarded_programs is not None
    ids = fresh.rewarded_programs.ids
    allowed = [operators_used(fresh.space.program(n)) <= LANGUAGES["dynsp"] for n in ids.tolist()]
    assert np.array_equal(later.rewarded_programs.ids, ids[allowed])


def test_stores_differ_by_what_is_sought() -> None:
    lexicon, language = Preparer("full").lexicon, LANGUAGES["full"]
    some = made(False)[:3]
    limited = [replace(example, language="extended") for example in some]
    names = {
        digest_of(_tasks(list(turns)), language, lexicon)
        for turns in (some, limited, made(True)[:3])
    }
    assert len(names) == 3
