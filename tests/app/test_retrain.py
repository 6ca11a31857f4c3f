"""Training on lessons: what it says beforehand, and what it says that it changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from denota import sample
from denota.app import retrain as training
from denota.app.paths import load_run
from denota.app.retrain import plan_of, retrained
from denota.conversation.chat import Chat
from denota.errors import DataError
from denota.teaching.log import TeachingLog
from denota.teaching.teacher import Teacher

CASTLES = sample.tables()["tables/castles.csv"]


def test_lessons_are_trained_on_and_what_changes_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = training._sample
    monkeypatch.setattr(training, "_sample", lambda split: whole(split)[:4])
    monkeypatch.setattr(training, "EPOCHS", 1)
    parser = load_run("default")
    teacher = Teacher(parser, TeachingLog())
    assert plan_of(teacher).lessons == 0 and "nothing to train on" in plan_of(teacher).said
    with pytest.raises(DataError, match="nothing to train on"):
        training.retrain(teacher, tmp_path / "none.safetensors")
    chat = Chat(parser, CASTLES, teacher=teacher)
    chat.teach(chat.ask("what was the zorg of harrock tower?"), {(2, 2)})
    chat.teach(chat.ask("which cells do I like?"), {(0, 0), (3, 5), (7, 2)})
    chat.accept(chat.ask("which castles have the condition intact?"))
    plan = plan_of(teacher)
    assert plan.lessons == 1 and plan.tables == 1 and plan.questions > 1 and plan.seconds > 0
    out = tmp_path / "taught.safetensors"
    lines = list(retrained(teacher, out))
    assert lines[0] == plan.said or lines[0].startswith("Training on 1 lesson about 1 table")
    for what in ("the lessons themselves: ", "accepted answers: ", "the sample's dev questions: "):
        assert any(line.startswith(what) and "% after" in line for line in lines), what
    assert not Chat(load_run(out), CASTLES).ask("which castles are ruins?").declined
