"""The store gives back what was prepared, and survives damage and company.

It is made anew when anything it depends on changes.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from denota import sample
from denota.data import Example, load_examples
from denota.data.answer import Cells
from denota.data.example import Question, conversations
from denota.errors import DataError
from denota.programs.denotation import Denotation
from denota.programs.operators import language_of
from denota.search import store
from denota.search.lexicon import read_lexicon
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer
from denota.search.store import digest_of, prepared_ahead
from denota.search.task import Task
from denota.tables.table import Table

LANGUAGE, LEXICON = language_of("dynsp++"), read_lexicon()


@pytest.fixture(scope="module")
def examples() -> tuple[Example, ...]:
    return load_examples(sample.path(), "train").examples[:130]


@pytest.fixture(scope="module")
def tasks(examples: tuple[Example, ...]) -> list[Task]:
    found = []
    for turns in conversations(examples):
        before = None
        for turn in turns:
            found.append(Task(turn.question, before, turn.answer))
            before = Denotation.of_cells(turn.cells)
    return found


def assert_same(one: Prepared, other: Prepared) -> None:
    for name in ("question", "previous_question", "names", "values", "before_constant", "previous"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.has_number == other.has_number
    for mine, theirs in zip(store.record_arrays(one), store.record_arrays(other), strict=True):
        assert mine.dtype == theirs.dtype and mine.shape == theirs.shape
        assert np.array_equal(mine, theirs)
    assert [p.scope for p in one.axes.places] == [p.scope for p in other.axes.places]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_read_is_what_was_made(tasks: list[Task], tmp_path: Path, jobs: int) -> None:
    made = prepared_ahead(tasks, LANGUAGE, LEXICON, tmp_path, jobs)
    again = prepared_ahead(tasks, LANGUAGE, LEXICON, tmp_path, jobs)
    for task, one, other in zip(tasks, made, again, strict=True):
        direct = task.prepare(LANGUAGE, LEXICON)
        assert_same(one, direct)
        assert_same(other, direct)
    assert isinstance(again[0].words.critique.base, np.memmap)
    assert not again[0].words.critique.flags.writeable
    assert len(list(tmp_path.iterdir())) == 1, "one store, and nothing half made"


@pytest.mark.parametrize("language", ["dynsp++", "extended +count +sum"])
def test_denotations_do_not_need_the_trees(
    tasks: list[Task], tmp_path: Path, language: str
) -> None:
    some = tasks[:: max(1, len(tasks) // 110)]
    operators = language_of(language)
    for ready in prepared_ahead(some, operators, LEXICON, tmp_path, 1)[::9]:
        for number in np.random.default_rng(0).integers(0, ready.axes.programs, 30).tolist():
            assert ready.denotation(number) == ready.space.denotation(number)


def test_a_question_without_answer_has_no_rewards(tasks: list[Task], tmp_path: Path) -> None:
    unknown = [replace(task, answer=None) for task in tasks]
    ready = prepared_ahead(unknown, LANGUAGE, LEXICON, tmp_path, 1)
    assert all(one.rewards is None for one in ready)


def test_the_name_changes_with_everything_it_depends_on(
    tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tasks[0]
    asked = first.question
    changed = [
        [replace(first, question=replace(asked, text=asked.text + "!")), *tasks[1:]],
        [replace(first, question=replace(asked, history=("before?",))), *tasks[1:]],
        [replace(first, previous=Denotation((0,), (0,))), *tasks[1:]],
        [replace(first, answer=Cells(frozenset({(0, 0)}))), *tasks[1:]],
        [replace(first, answer=None), *tasks[1:]],
        [replace(first, question=replace(asked, table=tasks[-1].question.table)), *tasks[1:]],
        tasks[1:],
        tasks[::-1],
    ]
    names = [digest_of(one, LANGUAGE, LEXICON) for one in changed]
    more = replace(LEXICON, pairs=LEXICON.pairs | {("zzz", "max")})
    names.append(digest_of(tasks, LANGUAGE, more))
    names.append(digest_of(tasks, LANGUAGE, replace(LEXICON, grounded=0.5)))
    names.append(digest_of(tasks, language_of("dynsp"), LEXICON))
    monkeypatch.setattr(store, "code_digest", lambda: "other code")
    names.append(digest_of(tasks, LANGUAGE, LEXICON))
    monkeypatch.undo()
    names.append(digest_of(tasks, LANGUAGE, LEXICON))
    assert len(set(names)) == len(names)
    assert names[-1] == digest_of(list(tasks), LANGUAGE, LEXICON), "the same gives the same"


@pytest.mark.parametrize("damage", ["cut", "gone", "empty", "nonsense"])
def test_a_damaged_store_is_made_anew(tasks: list[Task], tmp_path: Path, damage: str) -> None:
    prepared_ahead(tasks, LANGUAGE, LEXICON, tmp_path, 1)
    place = next(tmp_path.iterdir())
    shard = sorted(place.glob("*.bin"))[-1]
    if damage == "cut":
        shard.write_bytes(shard.read_bytes()[:-5000])
    elif damage == "gone":
        shard.unlink()
    elif damage == "empty":
        shard.write_bytes(b"")
    else:
        shard.with_suffix(".json").write_text("[1, 2")
    for task, one in zip(tasks, prepared_ahead(tasks, LANGUAGE, LEXICON, tmp_path, 1), strict=True):
        assert_same(one, task.prepare(LANGUAGE, LEXICON))


def test_a_folder_that_cannot_be_made_is_done_without(tasks: list[Task], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    made = prepared_ahead(tasks, LANGUAGE, LEXICON, tmp_path / "file" / "folder", 2)
    assert_same(made[-1], tasks[-1].prepare(LANGUAGE, LEXICON))


def test_a_full_disk_is_done_without(
    tasks: list[Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "_write_shard", full)
    made = prepared_ahead(tasks, LANGUAGE, LEXICON, tmp_path, 1)
    assert_same(made[0], tasks[0].prepare(LANGUAGE, LEXICON))
    assert list(tmp_path.iterdir()) == []


def _prepare_in(folder: str) -> float:
    examples = load_examples(sample.path(), "train").examples[:130]
    tasks = [Task(e.question, None, e.answer) for e in examples]
    ready = prepared_ahead(tasks, LANGUAGE, LEXICON, Path(folder), 1)
    return float(sum(one.words.critique.sum() for one in ready))


def test_runs_that_prepare_the_same_at_once_do_no_harm(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        sums = pool.map(_prepare_in, [str(tmp_path)] * 3)
    assert len(set(sums)) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_only_so_many_stores_are_kept(tasks: list[Task], tmp_path: Path) -> None:
    for number in range(store.KEPT_STORES + 2):
        prepared_ahead(tasks[: len(tasks) - number], LANGUAGE, LEXICON, tmp_path, 1)
    assert len(list(tmp_path.iterdir())) == store.KEPT_STORES


def test_a_preparer_meets_other_previous_answers_on_the_way(
    examples: tuple[Example, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DENOTA_CACHE", str(tmp_path))
    preparer = Preparer("dynsp++")
    preparer.ahead(examples, jobs=1)
    later = next(e for e in examples if e.question.position == 1)
    own = Denotation((0, 1), (0,))
    for previous in (own, None):
        mine = preparer(later.question, previous, later.answer)
        task = Task(later.question, previous, later.answer)
        assert_same(mine, task.prepare(LANGUAGE, LEXICON))
        assert preparer(later.question, previous, later.answer) is mine
    unanswered = preparer(later.question, Denotation((1,), (0,)))
    assert unanswered.rewards is None
    judged = preparer(later.question, Denotation((1,), (0,)), later.answer)
    assert judged.rewards is not None
    shutil.rmtree(tmp_path)  # the maps outlive their files
    assert_same(mine, task.prepare(LANGUAGE, LEXICON))


def test_a_killed_worker_is_noticed(
    tasks: list[Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "record_arrays", lambda ready: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(DataError, match="was killed"):
        prepared_ahead(tasks, LANGUAGE, LEXICON, tmp_path, 2)
    assert list(tmp_path.iterdir()) == []


def test_what_was_left_half_made_is_cleared_away(tasks: list[Task], tmp_path: Path) -> None:
    old, new = tmp_path / ".making-old", tmp_path / ".making-new"
    old.mkdir()
    new.mkdir()
    os.utime(old, (0, 0))
    prepared_ahead(tasks, LANGUAGE, LEXICON, tmp_path, 1)
    assert not old.exists() and new.exists()


def test_long_tables_do_not_share_a_shard() -> None:
    def about(rows: int, number: int) -> list[Task]:
        table = Table.from_rows(["A"], [[str(n)] for n in range(rows)])
        question = Question(f"q{number}", "0", 0, "how many?", table, "t")
        return [Task(question, None, None)] * 3

    tasks = [task for n in range(60) for task in about(2000 if n % 10 == 0 else 10, n)]
    shards = store._shards(tasks, 4)
    assert sorted(number for shard in shards for number in shard) == [*range(len(tasks))]
    heavy = [sum(len(tasks[n].question.table) == 2000 for n in shard) for shard in shards]
    assert max(heavy) == 3, "one long table's questions at most"
