"""Questions made ready: a split ahead, from a memory-mapped store.

Any other previous answer when it is met.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from denota.config import Config
from denota.data.answer import Answer, Cells
from denota.data.example import Example, Question, Turn, conversations
from denota.programs.denotation import Denotation
from denota.programs.operators import language_of
from denota.search.lexicon import read_lexicon
from denota.search.prepare import Prepared, rewarded_for
from denota.search.shelf import Shelf
from denota.search.sought import ANY, Sought
from denota.search.store import prepared_ahead
from denota.search.task import Task
from denota.tables.plain import table_read_as

KEPT_QUESTIONS: Final = 4096
"""At most this many questions with the parser's own previous answers are kept in memory."""

_Key = tuple[int, Denotation | None]


class Preparer:
    """Prepares questions of one language and lexicon, each once for each previous answer."""

    def __init__(
        self,
        language: str,
        lexicon: str = "paper",
        kept: int = KEPT_QUESTIONS,
        grounded: float = 0.0,
        keep_spaces: bool = False,
        operators: frozenset[str] | None = None,
        length: float = 0.0,
        numbers: str = "full",
        stems: bool = False,
        altered: int = 0,
    ) -> None:
        self.kept, self.keep_spaces, self.numbers = kept, keep_spaces, numbers
        self.language = language_of(language)
        self.lexicon = read_lexicon(lexicon, grounded, length, stems, altered)
        if operators is not None:
            self.language &= operators
        self._ahead: dict[_Key, Prepared] = {}
        self._base: dict[int, Prepared] = {}
        """A question as it was made ready ahead, whatever the previous answer."""
        self._met: OrderedDict[_Key, Prepared] = OrderedDict()
        self._questions: dict[int, Question] = {}
        self._sought: dict[int, Sought] = {}
        """Which programs of a question that was made ready ahead are looked for, if not any."""
        self.shelf: Shelf | None = None
        """Where processes that work together leave questions for one another."""

    @classmethod
    def of(
        cls,
        config: Config,
        kept: int = KEPT_QUESTIONS,
        keep_spaces: bool = False,
        operators: frozenset[str] | None = None,
    ) -> Preparer:
        """Return one as a config says.

        Args:
            config: the settings.
            kept: how many questions to keep in memory.
            keep_spaces: whether to keep the programs of each, for callers who want trees.
            operators: those to search of the config's language (`Parser.language`), all if None.
        """
        search = config.search
        return cls(
            config.data.language,
            search.lexicon,
            kept,
            search.grounded,
            keep_spaces,
            operators,
            search.length,
            config.data.numbers,
            search.stems,
            search.altered,
        )

    def __call__(
        self, question: Question, previous: Denotation | None, answer: Answer | None = None
    ) -> Prepared:
        """Return a question made ready, given the answer before it and, for training, its own."""
        key = (id(question), previous)
        found = self._ahead.get(key) or self._met.get(key)
        if found is None:
            self._questions[id(question)] = question  # keeps the id its own
            sought = self._sought.get(id(question), ANY)
            task = self._read(Task(question, previous, answer, sought))
            found = self._made(key, task)
        elif found.rewarded_programs is None and answer is not None:
            sought = self._sought.get(id(question), ANY)
            rewarded = rewarded_for(answer, found.space, sought)
            found = replace(found, rewarded_programs=rewarded)
        if key not in self._ahead:
            self._met[key] = found
            self._met.move_to_end(key)
            if len(self._met) > self.kept:
                (old, _), _ = self._met.popitem(last=False)
                if not any(number == old for number, _ in self._met) and old not in self._base:
                    self._questions.pop(old, None)
        return found

    def _made(self, key: _Key, task: Task) -> Prepared:
        """A question made ready now, by another process if there is a shelf."""
        if self.shelf is not None:
            left = self.shelf.find(key, task, self.language)
            if left is not None:
                return left
        made = task.prepare(self.language, self.lexicon, self._base.get(key[0]), self.keep_spaces)
        if self.shelf is None:
            return made
        self.shelf.keep(key, task, made)
        return self.shelf.find(key, task, self.language) or made  # from the file, for less memory

    def known(self, question: Question) -> Prepared | None:
        """Return a question as it was made ready ahead, None if it was not."""
        return self._base.get(id(question))

    def ahead(
        self,
        examples: Sequence[Turn],
        progress: Callable[[int], None] = lambda done: None,
        jobs: int = 0,
    ) -> list[Prepared]:
        """Make a split ready, each question with the right answer before it where that is known.

        Args:
            examples: of whole conversations.
            progress: called with the number of questions done since the last call.
            jobs: how many processes to use, 0 for one a core.
        """
        tasks = [task for turns in conversations(examples) for task in _tasks(turns)]
        ready = prepared_ahead(
            [self._read(task) for task in tasks],
            self.language,
            self.lexicon,
            jobs=jobs,
            progress=progress,
        )
        for task, one in zip(tasks, ready, strict=True):
            self._questions[id(task.question)] = task.question
            self._ahead[id(task.question), task.previous] = one
            self._base[id(task.question)] = one
            if task.sought is not ANY:
                self._sought[id(task.question)] = task.sought
        return ready

    def _read(self, task: Task) -> Task:
        """The task over its table with numbers read as the settings say."""
        table = table_read_as(task.question.table, self.numbers)
        if table is task.question.table:
            return task
        return replace(task, question=replace(task.question, table=table))


def _tasks(turns: Sequence[Turn]) -> list[Task]:
    tasks: list[Task] = []
    for turn in turns:
        question = turn.question if isinstance(turn, Example) else turn
        previous = None
        if tasks and tasks[-1].question.position == question.position - 1:
            before = tasks[-1].answer
            previous = Denotation.of_cells(before.cells) if isinstance(before, Cells) else None
        answer, sought = (turn.answer, _sought(turn)) if isinstance(turn, Example) else (None, ANY)
        tasks.append(Task(question, previous, answer, sought))
    return tasks


def _sought(example: Example) -> Sought:
    """Which programs of an example are looked for."""
    if example.meant is None and not example.language:
        return ANY
    language = language_of(example.language) if example.language else None
    return Sought(example.meant, language)
