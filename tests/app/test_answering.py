"""Many questions by several processes: the same answers as by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from denota.app.commands import answering
from denota.app.commands.answering import answer_all
from denota.app.commands.evaluate import Measured, evaluate_run, show_steps
from denota.app.paths import load_run
from denota.config import Config, DataConfig, ModelConfig
from denota.conversation.understand import ONLY_MODEL, STEPS
from denota.data import Cells, Example, Question
from denota.errors import ConfigError
from denota.evaluation.predict import key_of, predict
from denota.model.saved import save_parser
from denota.model.torch_parser import TorchParser
from denota.programs import Denotation
from denota.search.preparer import Preparer
from denota.tables import Table

TABLE = Table.from_rows(
    ["City", "Country", "People"],
    [["Oslo", "Norway", "709,037"], ["Bergen", "Norway", "291,940"], ["Turku", "Finland", "-"]],
)
WORDS = ["city", "country", "people", "oslo", "norway", "most", "largest"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "best.safetensors"
    config = Config(DataConfig(language="dynsp++"), ModelConfig(dimension=8, hidden=4))
    save_parser(path, TorchParser.new(config, []))
    return path.parent


def questions(conversations: int) -> list[Question]:
    found = []
    for number in range(conversations):
        asked: tuple[str, ...] = ()
        for position in range(1 + number % 3):
            text = f"which {WORDS[number % 7]} has {WORDS[(number + position) % 5]}?"
            found.append(Question(f"c{number}", "0", position, text, TABLE, "t", asked))
            asked = (*asked, text)
    return found


def test_several_processes_answer_as_one_does(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "GROUP", 4)
    asked = questions(40)
    done: list[int] = []
    alone = answer_all(run, asked, jobs=1)
    together = answer_all(run, asked, jobs=2, progress=done.append)
    assert together == alone
    assert sum(done) == len(asked) and len(done) == 10


def test_the_model_alone_is_the_prediction_loop(run: Path) -> None:
    asked = questions(40)
    plain = predict(asked, load_run(run).best, Preparer("dynsp++"))
    assert set(plain) == {key_of(question) for question in asked}
    assert answer_all(run, asked, jobs=1, only_model=True) == plain


def test_without_any_step_the_pipeline_is_the_model_alone(run: Path) -> None:
    asked = questions(40)
    names = [step.name for step in STEPS if step not in ONLY_MODEL]
    bare = answer_all(run, asked, jobs=1, without=names)
    assert bare == answer_all(run, asked, jobs=1, only_model=True)
    assert bare != answer_all(run, asked, jobs=1)


def test_history_can_be_gold(run: Path) -> None:
    asked = questions(3)
    gold = {key_of(question): Example(question, Cells(frozenset({(2, 2)}))) for question in asked}
    own = answer_all(run, asked, jobs=1)
    given = answer_all(run, asked, gold, jobs=1, only_model=True)
    parser = load_run(run)
    expected = predict(asked, parser.best, Preparer("dynsp++"), gold=gold)
    assert given == expected
    assert all(isinstance(answer, Denotation) for answer in own.values())


def test_options_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ConfigError, match="the model alone has no steps"):
        evaluate_run(Measured("default", None, "dev", without=["ties"], only_model=True))
    with pytest.raises(ConfigError, match="one step after the other"):
        show_steps(Measured("default", None, "dev", without=["ties"]), as_json=True)
