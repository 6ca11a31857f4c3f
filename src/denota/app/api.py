"""denota in Python: load a parser, talk about a table, train it on answers, save it.

parser = denota.load()
chat = parser.chat("cities.csv")
turn = chat.ask("which city is the largest?")
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from denota.app.files.export import answer_object
from denota.app.paths import load_run
from denota.app.terminal.progress import training_progress
from denota.conversation.answers import answer_of, rating_with, understand_conversations
from denota.conversation.chat import Chat
from denota.conversation.turn import Turn
from denota.conversation.understand import steps_of
from denota.data import Cells, Example, Values, load_examples
from denota.data import conversations as conversations_of
from denota.data.jsonl import read_objects
from denota.data.loaded import Loaded
from denota.errors import DataError, TrainingError
from denota.evaluation.metrics import score
from denota.evaluation.predict import gold_of, in_form_of, key_of
from denota.extras import needed_for
from denota.model.parser import Parser
from denota.model.saved import save_parser
from denota.programs.denotation import value_text
from denota.search.preparer import Preparer
from denota.teaching.log import TeachingLog
from denota.teaching.teacher import Teacher

Conversations = str | Path | Iterable[Mapping[str, Any] | Chat]
"""A .jsonl file, a folder with a split `train`, objects like the lines of such a file, or chats."""


def load(model: str | Path = "default") -> TableParser:
    """Load a parser.

    Args:
        model: a saved parser, the folder of a run, or `default`, the one in the package.

    Raises:
        TrainingError: there is none there, or it cannot be read.
    """
    return TableParser(load_run(model))


@lru_cache(maxsize=1)
def default_parser() -> TableParser:
    """Return the parser in the package, loaded at the first call and the same from then on."""
    return load()


@dataclass(eq=False)
class TableParser:
    """Understands questions about tables and learns from `chat.teach`; `save` keeps the lessons."""

    parser: Parser
    teacher: Teacher = field(init=False)

    def __post_init__(self) -> None:
        """Begin a log of lessons."""
        self.teacher = Teacher(self.parser, TeachingLog())

    def chat(self, table: Any) -> Chat:
        """Begin a conversation about a table.

        Args:
            table: a path or another address, a pandas or polars DataFrame, an Arrow table, or
                anything else that `denota.read_table` takes.
        """
        return Chat(self.parser, table, teacher=self.teacher)

    def ask(self, table: Any, *questions: str) -> Turn:
        """Answer questions as one conversation and return the last turn."""
        chat = self.chat(table)
        if not questions:
            raise DataError("there is no question; write what you want to know")
        return [chat.ask(question) for question in questions][-1]

    def fit(
        self,
        conversations: Conversations,
        *,
        dev: Conversations | None = None,
        epochs: int = 3,
        rate: float = 3e-4,
        batch: int = 8,
        out: str | Path | None = None,
        seed: int = 0,
        progress: bool = True,
    ) -> TableParser:
        """Learn from answers, by the paper's update on the programs that give them.

        Args:
            conversations: to learn from; each turn has a `question`, and its right `cells` or the
                values of its `answer`: texts, numbers, true or false.
            dev: to choose the best epoch by; without any the last one is taken.
            epochs: how often each question is learnt from.
            rate: the learning rate.
            batch: questions an update.
            out: a folder to keep the run in, with its metrics and checkpoints, if it is to be kept.
            seed: of the order of questions.
            progress: whether to show how far it is.

        Returns:
            The parser itself, which has learnt.

        Raises:
            DataError: some turns cannot be used, or no program of the parser's language gives their
                answer; says which and why.
        """
        with needed_for("training"):
            from denota.learning.run import train
            from denota.model.checkpoint import trainable
        own = self.parser.config
        config = replace(
            own,
            data=replace(own.data, made_up=0, dev="dev" if dev is not None else ""),
            train=replace(
                own.train, epochs=epochs, rate=rate, batch=batch, average=0.0, device="auto"
            ),
            seed=seed,
        )
        examples = _loaded(conversations).examples
        _check_reached(examples, Preparer.of(config))
        asked = _loaded(dev) if dev is not None else Loaded(())
        start = trainable(self.parser)
        with tempfile.TemporaryDirectory() as folder:
            with training_progress(
                len(examples) + len(asked.examples), epochs * len(examples), quiet=not progress
            ) as shown:
                best = train(
                    config,
                    examples,
                    asked.examples,
                    Path(out) if out is not None else Path(folder) / "run",
                    start_from=start,
                    epoch_done=shown.epoch,
                    progress=shown.step,
                    prepared=shown.prepared,
                    dev_questions=asked.questions,
                )
            self.parser = replace(load_run(best), calibration=self.parser.calibration)
        self.teacher = Teacher(self.parser, self.teacher.log)  # lessons are learnt anew
        return self

    def score(self, conversations: Conversations) -> float:
        """Return how many percent of questions `chat.ask` answers right, by cells or by values."""
        loaded = _loaded(conversations, as_told=True)
        preparer = Preparer.of(self.parser.config, operators=self.parser.language)
        taught = replace(self.parser, memory=self.teacher.memory())
        pipeline = steps_of(taught)
        rate = rating_with(taught, preparer)
        found = understand_conversations(loaded.questions, taught, rate, pipeline)
        gold = gold_of(loaded.examples)
        answers = in_form_of(gold, {key: answer_of(asked) for key, asked in found.items()})
        return score(gold, answers).answer_accuracy

    def save(self, path: str | Path, *, small: bool = False) -> Path:
        """Write the parser and its lessons into one file that `denota.load` and `--model` take.

        Args:
            path: the file, by custom *.safetensors.
            small: whether weights are rounded to 8 bits, a quarter of the size; lessons from a few
                questions may be lost by that.
        """
        path = Path(path)
        if path.is_dir():
            raise TrainingError(f"{path} is a folder; name a file in it")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = (error.strerror or "").lower()
            raise TrainingError(f"{path} cannot be written: {reason}") from None
        save_parser(
            path, replace(self.parser, memory=self.teacher.memory()), bits=8 if small else None
        )
        return path


def _loaded(conversations: Conversations, as_told: bool = False) -> Loaded:
    """Conversations with answers, in whatever form they come.

    Args:
        conversations: in any form.
        as_told: whether the answers of a chat are those it gave, not those it can learn from.
    """
    if isinstance(conversations, str | Path):
        whole = Path(conversations).suffix == ".jsonl"
        loaded = load_examples(Path(conversations), "all" if whole else "train")
    else:
        loaded = read_objects([_as_object(one, as_told) for one in conversations])
    if loaded.problems:
        more = len(loaded.problems) - 1
        also = f" (and {more} more like it)" if more else ""
        raise DataError(f"{loaded.problems[0]}{also}")
    if not loaded.examples:
        raise DataError("there are no questions with an answer in this")
    return loaded


def _check_reached(examples: Sequence[Example], preparer: Preparer) -> None:
    """Refuse values that no program gives.

    This cannot be told of a question after a value, whose cells are not known yet.

    Raises:
        DataError: there are such; says the line of the first.
    """
    if all(isinstance(example.answer, Cells) for example in examples):
        return
    turns = [turn for talk in conversations_of(examples) for turn in talk]
    with_cells = {key_of(e.question) for e in turns if isinstance(e.answer, Cells)}
    missed = []
    for turn, ready in zip(turns, preparer.ahead(examples), strict=True):
        asked = turn.question
        before = (asked.id, asked.annotator, asked.position - 1)
        if isinstance(turn.answer, Cells) or (asked.position and before not in with_cells):
            continue
        assert ready.rewarded_programs is not None
        if not (ready.rewarded_programs.rewards >= 1).any():
            missed.append(turn)
    if missed:
        asked, answer = missed[0].question, missed[0].answer
        assert isinstance(answer, Values)
        shown = ", ".join(map(value_text, answer.items[:4])) or "that there is none"
        also = f" (and {len(missed) - 1} more like it)" if len(missed) > 1 else ""
        raise DataError(
            f"line {asked.line}, {asked.text!r}: no program of the parser's language gives the"
            f" answer {shown}{also}"
        )


def _as_object(conversation: Mapping[str, Any] | Chat, as_told: bool) -> Mapping[str, Any]:
    if not isinstance(conversation, Chat):
        return conversation
    turns: Sequence[dict[str, Any]] = [
        {"question": turn.question, **answer}
        for turn in conversation.turns
        if (answer := answer_object(turn, as_told or conversation.computes))
    ]
    return {"table": conversation.table, "turns": turns}
