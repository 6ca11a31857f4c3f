"""How good predictions are: the official metrics of the data sets.

By cells (SQA): the answer is exactly the gold cells; whole sequences; answers by position. By text,
which is `denotation_accuracy`: the values are the gold ones, where SQA's answers are taken as the
texts of their cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from denota.data.answer import Answer, Item, Values, is_right, items_of
from denota.data.dataset import Key as Key
from denota.data.example import Example

Same = Callable[[Sequence[Item], Values], bool]
"""Whether predicted items are the gold ones: a data set's official rule."""


@dataclass(frozen=True)
class Score:
    """Shares in percent."""

    answer_accuracy: float
    sequence_accuracy: float
    position_accuracy: dict[str, float]
    denotation_accuracy: float
    questions: int
    sequences: int


def score(
    gold: Mapping[Key, Example], predicted: Mapping[Key, Answer], same: Same = is_right
) -> Score:
    """Score predictions against gold answers; a question without prediction is wrong.

    >>> from denota.data.answer import Cells
    >>> from denota.data.example import Question
    >>> from denota.tables.table import Table
    >>> table = Table.from_rows(["city"], [["Oslo"], ["Moss"], ["Oslo"]])
    >>> asked = Example(Question("a", "0", 0, "where?", table, "t.csv"), Cells(frozenset({(0, 0)})))
    >>> found = score({("a", "0", 0): asked}, {("a", "0", 0): Cells(frozenset({(2, 0)}))})
    >>> found.answer_accuracy, found.denotation_accuracy
    (0.0, 100.0)
    """
    right = right_answers(gold, predicted, same)
    said: list[bool] = []
    sequences: dict[tuple[str, str], bool] = {}
    positions: dict[int, list[bool]] = {}
    for (key, example), own in zip(gold.items(), right, strict=True):
        answer = predicted.get(key)
        said.append(answer is not None and says_the_same(example, answer, same))
        name, annotator, position = key
        sequences[name, annotator] = sequences.get((name, annotator), True) and own
        positions.setdefault(position, []).append(own)
    return Score(
        _percent(right),
        _percent(list(sequences.values())),
        {str(position): _percent(positions[position]) for position in sorted(positions)},
        _percent(said),
        len(right),
        len(sequences),
    )


def right_answers(
    gold: Mapping[Key, Example], predicted: Mapping[Key, Answer], same: Same = is_right
) -> list[bool]:
    """Say of each question in order whether its prediction is right."""
    answers = ((example, predicted.get(key)) for key, example in gold.items())
    return [
        answer is not None and is_answered(example, answer, same) for example, answer in answers
    ]


def is_answered(example: Example, answer: Answer, same: Same = is_right) -> bool:
    """Say whether an answer is right: the gold cells, or what says the gold values."""
    if isinstance(example.answer, Values):
        return same(items_of(answer, example.question.table), example.answer)
    return answer == example.answer


def says_the_same(example: Example, answer: Answer, same: Same = is_right) -> bool:
    """Say whether an answer is right by text."""
    if isinstance(example.answer, Values):
        return is_answered(example, answer, same)
    table = example.question.table
    return is_right(items_of(answer, table), Values(items_of(example.answer, table)))


def _percent(outcomes: list[bool]) -> float:
    return 100 * sum(outcomes) / len(outcomes) if outcomes else 0.0
