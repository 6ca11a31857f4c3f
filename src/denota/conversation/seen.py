"""A question, one reading of it and what both say: what the features of doubt are worked out from.

Words are compared in the singular, function words left out. Each fact is worked out once, when a
feature asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from denota.conversation.asked import Asked
from denota.conversation.rating import RatedProgram, answer_key
from denota.conversation.words import words_of
from denota.inflect import singular
from denota.programs.codes import words_meant
from denota.programs.lexicon import trigger_words
from denota.programs.lexicon import words_of as words_calling_for
from denota.programs.tree import Date, Name, Number, Value, Word
from denota.tables.column import Column
from denota.tokens import FUNCTION_WORDS, tokenise


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning, in the singular.

    >>> sorted(words_in("the names of the cities"))
    ['city', 'name']
    """
    return frozenset(singular(word) for word in tokenise(text)) - FUNCTION_WORDS


@dataclass(frozen=True)
class Seen:
    """A question, a reading of it and what both say."""

    asked: Asked
    way: RatedProgram
    """The program whose answer it is."""
    other: RatedProgram | None = None
    """The best program with another answer, if there is one."""

    # the question
    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The question's words as they stand."""
        return tokenise(self.asked.text)

    @cached_property
    def text(self) -> str:
        """The same with spaces around each, to look for phrases in."""
        return f" {' '.join(self.tokens)} "

    @cached_property
    def words(self) -> frozenset[str]:
        """The question's words that carry meaning."""
        return words_in(self.asked.text)

    @cached_property
    def known(self) -> frozenset[str]:
        """Those that the table has, that its codes stand for or that call for an operator."""
        coded = words_in(" ".join(self.asked.named))
        return frozenset(
            w for w in self.words if w in self.of_table or w in coded or w in trigger_words()
        )

    def begins(self, *words: str) -> bool:
        """Whether one of some words is among the first three."""
        return any(word in self.tokens[:3] for word in words)

    def asks(self, *phrases: str) -> bool:
        """Whether the question has one of some phrases."""
        return any(f" {phrase} " in self.text for phrase in phrases)

    # the table
    @cached_property
    def of_table(self) -> frozenset[str]:
        """The words of the table's names and cells."""
        return words_of(self.asked.table).all

    @cached_property
    def names(self) -> tuple[frozenset[str], ...]:
        """The words of each column's name."""
        return tuple(words_in(name) for name in self.asked.table.names)

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each column by its name."""
        return {name: place for place, name in enumerate(self.asked.table.names)}

    def matched(self, place: int) -> float:
        """The share of a column name's words that the question has."""
        own = self.names[place]
        return len(own & self.words) / len(own) if own else 0.0

    # the program
    @cached_property
    def used(self) -> tuple[int, ...]:
        """The columns that the program speaks of, by place."""
        program = self.way.program
        names = [*program.columns, *(test.column for test in program.tests if test.column)]
        names += [t.argument.text for t in program.tests if isinstance(t.argument, Name)]
        return tuple(dict.fromkeys(self.places[name] for name in names if name in self.places))

    @cached_property
    def constants(self) -> tuple[frozenset[str], ...]:
        """The words of each constant of the program; of a code the question's, if it says them."""
        return tuple(
            self._said_for(
                t.argument.text if isinstance(t.argument, Value | Word) else t.argument.written
            )
            for t in self.way.program.tests
            if isinstance(t.argument, Value | Word | Number | Date)
        )

    def _said_for(self, constant: str) -> frozenset[str]:
        meant = words_meant(constant.lower(), frozenset(self.tokens))
        return words_in(" ".join(meant)) or words_in(constant)

    @cached_property
    def left_out(self) -> frozenset[str]:
        """Words of the question that the program does not account for.

        It accounts for the names of its columns, its constants, and what calls for its operators.
        """
        program = self.way.program
        said = frozenset().union(*(self.names[place] for place in self.used), *self.constants)
        operators = (program.aggregate, program.compare, *(t.operator for t in program.tests))
        calling = (phrase for one in operators if one for phrase in words_calling_for(one))
        heard = (words_in(phrase) for phrase in calling if self.asks(phrase.removeprefix("^")))
        return self.words - said.union(*heard)

    # the answer
    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the answer's cells."""
        return tuple(self.asked.table.columns[place] for place in self.way.answer.columns)

    @cached_property
    def is_number(self) -> bool:
        """Whether the answer is numbers."""
        values = self.way.answer.values
        if values is not None:
            return bool(values) and all(isinstance(value, float) for value in values)
        return bool(self.columns) and all(column.kind == "number" for column in self.columns)

    @property
    def items(self) -> int:
        """How many values or cells the answer has."""
        values = self.way.answer.values
        if values is not None:
            return len(values)
        return len(self.way.answer.rows) * len(self.way.answer.columns)

    # the parser's other programs
    @cached_property
    def counts(self) -> bool:
        """Whether rules count cells that the parser picks: the same rows are the same answer."""
        program = self.way.program
        step = program.then.operator if program.then is not None else ""
        counted = program.aggregate in ("count", "count_per") or step in _COUNTING
        return self.way.model_answer.values is None and counted

    def key(self, one: RatedProgram) -> Hashable:
        """What a program has in common with those that have the same answer."""
        return one.model_answer.rows if self.counts else answer_key(one.model_answer)

    @cached_property
    def by_answer(self) -> dict[Hashable, float]:
        """The probability of each answer over all its programs, that of the best program first."""
        found: dict[Hashable, float] = {}
        for one in self.asked.rated:
            key = self.key(one)
            found[key] = found.get(key, 0.0) + one.probability
        return found

    @cached_property
    def share(self) -> float:
        """How much of all probability the programs with the answer have."""
        return min(1.0, self.by_answer.get(self.key(self.way), 0.0))

    @property
    def others(self) -> list[float]:
        """The probability of each other answer, over all its programs."""
        own = self.key(self.way)
        return [share for key, share in self.by_answer.items() if key != own]

    @property
    def next_best(self) -> float:
        """The probability of the best single program with another answer."""
        own = self.key(self.way)
        rivals = (one.probability for one in self.asked.rated if self.key(one) != own)
        return max(rivals, default=0.0)

    def agreeing(self, on: Callable[[RatedProgram], Hashable]) -> float:
        """How much of the probability of all rated programs agrees with this one on something."""
        own = on(self.way)
        every = sum(one.probability for one in self.asked.rated)
        agree = sum(one.probability for one in self.asked.rated if on(one) == own)
        return agree / every if every else 0.0


_COUNTING: Final = ("most_common", "least_common")
