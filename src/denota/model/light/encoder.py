"""A scorer on a pretrained encoder, for answering only: what `model.encoder` computes, in numpy.

One question at a time, so nothing is padded and an answer does not depend on what is asked beside
it. T pieces, C columns, V values, K constants, D dimensions of the encoder, M of the scorer, L axis
entries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Self

import numpy as np
from tokenizers import Tokenizer

from denota.config import ModelConfig
from denota.model.answering import Scored, offsets_of, widths_of
from denota.model.compact import Arrays, expand
from denota.model.encoder_entries import (
    ACTIONS,
    ENTRIES,
    REFINED,
    VALUE_FEATURES,
    column_features_of,
    question_features_of,
    value_features_of,
)
from denota.model.light.matching import Matching, mean_vectors
from denota.model.light.threads import one_thread
from denota.model.light.transformer import Floats, Ids, Linear, Transformer, gelu
from denota.model.names import LEGACY_ENCODER, NAMES, RowNames, read_names
from denota.model.reading import QuestionText, Reader
from denota.model.shape import Shape
from denota.model.wordpieces import wordpieces_of
from denota.search.axes import BLOCKS, COMPARISONS, FIXED
from denota.search.prepare import Prepared

NOTHING: Final = FIXED.index("nothing")


@dataclass(frozen=True, eq=False)
class Head:
    """Features to some scores, through one hidden layer."""

    hidden: Linear
    scores: Linear

    @classmethod
    def of(cls, weights: Arrays, name: str) -> Self:
        """Return the head of a name among weights."""
        return cls(Linear.of(weights, f"{name}.hidden"), Linear.of(weights, f"{name}.scores"))

    def __call__(self, *features: Floats | tuple[Floats, Ids]) -> tuple[Floats, Floats]:
        """(n, scores) and the (n, M) hidden layer, of features that stand side by side.

        Args:
            features: (n, width) each; (width,) where all rows share them; or some rows with (n,)
                which of them each is, -1 for none, so that a product is made once a row.
        """
        hidden, start = self.hidden.bias, 0
        for given in features:
            rows, which = given if isinstance(given, tuple) else (given, None)
            part = rows @ self.hidden.weight[start : start + rows.shape[-1]]
            start += rows.shape[-1]
            if which is not None:
                part = np.concatenate([part, np.zeros((1, part.shape[1]), np.float32)])[which]
            hidden = hidden + part
        hidden = gelu(np.atleast_2d(hidden))
        return self.scores(hidden), hidden


@dataclass(frozen=True, eq=False)
class _Axis:
    """The axis of a question as scored."""

    vectors: Floats  #: (L, M) what each entry is
    summary: Floats  #: (M,) the question


class LightEncoder:
    """Scores for the axes of questions, by a pretrained encoder."""

    outcome: Final = True
    refines: Final = REFINED

    def __init__(self, cfg: ModelConfig, facts: Mapping[str, str], weights: Arrays) -> None:
        self._weights, self._tokenizer, self._shape = weights, facts["tokenizer"], facts["encoder"]
        self.names: RowNames = read_names(facts, LEGACY_ENCODER)
        self.wordpieces = wordpieces_of(Tokenizer.from_str(self._tokenizer))
        self.reader = Reader(self.wordpieces, cfg.cells, cfg.usual)
        self.encoder = Transformer.of(weights, "encoder", Shape(**json.loads(self._shape)))
        linear, head = partial(Linear.of, weights), partial(Head.of, weights)
        self.importance, self.summary = linear("importance"), linear("summary")
        self.column_state, self.column_words = linear("column_state"), linear("column_words")
        self.value_state, self.constant_state = linear("value_state"), linear("constant_state")
        self.word_state = linear("word_state")
        self.columns, self.values = head("columns"), head("values")
        self.constants, self.words = head("constants"), head("words")
        self.actions, self.whole = head("actions"), head("whole")
        self.said = head("said") if "said.scores.weight" in weights else None
        self.kinds, self.acts = expand(weights, "kinds.weight"), expand(weights, "acts.weight")
        self.recall_weight = float(expand(weights, "recall"))

    def scored(self, questions: Sequence[Prepared]) -> Iterator[Scored]:
        """Score the axis of each question, apart from the others."""
        for question in questions:
            with one_thread():
                found = self._scored(question)
            yield found

    def keep(self, most: int) -> None:
        """Set how many readings of questions and texts are kept."""
        self.reader.keep(most)

    def forget(self) -> None:
        """Forget words of tables that may be gone."""
        self.wordpieces.forget()

    def knows(self, word: str) -> bool:
        """Say whether a word is a piece of its own, as common ones are."""
        return len(self.wordpieces.ids([word])[0]) == 1

    def facts(self) -> dict[str, str]:
        """Return the encoder's sizes and its wordpieces, and the names of the rows of its heads."""
        return {
            NAMES: self.names.to_json(),
            "encoder": self._shape,
            "tokenizer": self._tokenizer,
        }

    def weights(self) -> Arrays:
        """Return its weights as they were saved."""
        return self._weights

    def _scored(self, question: Prepared) -> Scored:
        """Score the axis of a question."""
        widths = widths_of([question], outcome=True)
        read = self.reader(question)
        states = self.encoder(read.pieces, (read.parts > 3).astype(np.int64), read.places)
        sums = np.concatenate([np.zeros((1, states.shape[1]), np.float32), states.cumsum(axis=0)])
        asked = states[read.parts == 1].sum(axis=0) / np.float32(max(1, (read.parts == 1).sum()))
        features = np.concatenate([states[0], asked, question_features_of(question)])
        summary = np.tanh(self.summary(features))  # (M,)
        match = Matching(self.encoder.words, self.importance, read.pieces, read.parts)
        of_columns, columns = self._columns(question, read, sums, summary, match)
        of_values, values = self._values(
            question, read, sums, summary, match, columns, widths["equal"]
        )
        stated = self.constant_state(_spans(sums, read.constants, widths["constant"]))
        of_constants, constants = self.constants(stated, summary)
        sought = self.word_state(_spans(sums, read.words[: widths["word"]], widths["word"]))
        of_words, words = self.words(sought, summary)
        of_actions = self.actions(summary)[0][0]
        heads = {
            "columns": of_columns,
            "values": of_values,
            "constants": of_constants,
            "words": of_words,
        }
        entries = self._entries(widths, heads, of_actions)
        offsets = offsets_of(widths)
        vectors = self._vectors(widths, columns, values, constants, words)
        vectors[offsets[BLOCKS.index("fixed")] + NOTHING] = 0
        refine = partial(self._refine, _Axis(vectors, summary))
        said = None
        if self.said is not None:
            shown = values[read.shown].max(axis=0) if len(read.shown) else np.zeros_like(summary)
            said = self.said(summary, columns.max(axis=0), shown)[0][0]
        return Scored(entries[None], offsets, asked[None], refine, said)

    def _columns(
        self,
        question: Prepared,
        read: QuestionText,
        sums: Floats,
        summary: Floats,
        match: Matching,
    ) -> tuple[Floats, Floats]:
        """(C, heads) the scores of columns, and (C, M) what they are."""
        count = len(question.names)
        names = self.reader.texts(question.names, question.table)
        return self.columns(
            self.column_state(_spans(sums, read.columns, count)),
            self.column_words(mean_vectors(self.encoder.words, names, count)),
            summary,
            match(names, count),
            column_features_of(question, read.phrases),
        )

    def _values(
        self,
        question: Prepared,
        read: QuestionText,
        sums: Floats,
        summary: Floats,
        match: Matching,
        columns: Floats,
        count: int,
    ) -> tuple[Floats, Floats]:
        """(V, heads) the scores of values, and (V, M) what they are.

        Those that are not in the text go by their words and their column.
        """
        there = len(question.values)
        texts = self.reader.texts(question.values, question.table)
        of_column = np.zeros(count, np.int64)
        of_column[:there] = question.axes.values[0]
        features = np.zeros((count, VALUE_FEATURES), np.float32)
        features[:there] = value_features_of(question, read.phrases)
        shown = np.full(count, -1, np.int64)
        shown[read.shown] = np.arange(len(read.shown))
        return self.values(
            (self.value_state(_spans(sums, read.cells, len(read.cells))), shown),
            (columns, of_column),
            summary,
            match(texts, count),
            features,
            (shown >= 0)[:, None].astype(np.float32),
        )

    def _entries(
        self, widths: Mapping[str, int], heads: Mapping[str, Floats], of_actions: Floats
    ) -> Floats:
        """(L,) the scores of all axis entries, block after block."""
        own = self.names
        scores = {
            name: scored[:, row]
            for head, scored in heads.items()
            for row, name in enumerate(own.heads[head])
        }
        compared = own.entries("constants", "compare")
        scores["compare"] = placed(heads["constants"], compared).reshape(-1)
        for block in ACTIONS:
            scores[block] = placed(of_actions, own.entries("actions", block))
        scores["fixed"][NOTHING] = 0
        zeros = (np.zeros(widths[name], np.float32) for name in BLOCKS)
        return np.concatenate(
            [scores.get(name, zero) for name, zero in zip(BLOCKS, zeros, strict=True)]
        )

    def _vectors(
        self,
        widths: Mapping[str, int],
        columns: Floats,
        values: Floats,
        constants: Floats,
        words: Floats,
    ) -> Floats:
        """(L, M) an entry's vector: its own or its head's hidden layer, plus its block's."""
        own = self.names
        acts = {
            block: placed(self.acts.T, own.entries("acts", block)).T for block in ENTRIES["acts"]
        }
        compared = constants[:, None] + acts.pop("compare")[None]  # (K, comparisons, M)
        found = {
            **dict.fromkeys(own.heads["columns"], columns),
            **dict.fromkeys(own.heads["values"], values),
            **dict.fromkeys(own.heads["constants"], constants),
            **dict.fromkeys(own.heads["words"], words),
            "compare": compared.reshape(len(constants) * len(COMPARISONS), -1),
            **acts,
        }
        vectors = np.zeros((sum(widths[name] for name in BLOCKS), columns.shape[1]), np.float32)
        start = 0
        for name, row in zip(BLOCKS, own.rows("kinds", BLOCKS), strict=True):
            end = start + widths[name]
            if name in found:
                vectors[start:end] = found[name] + (self.kinds[row] if row >= 0 else 0)
            start = end
        return vectors

    def _refine(self, axis: _Axis, parts: Ids, features: Floats) -> Floats:
        """(1, K) what is added to the scores of programs, by the sum of what their entries are."""
        program = axis.vectors[parts[0]].sum(axis=1)  # (K, M)
        return self.whole(program, axis.summary, features[0])[0].T


def placed(scores: Floats, rows: Sequence[int]) -> Floats:
    """(..., wanted) the scores of some rows of (..., own), 0 where the row is -1.

    >>> placed(np.array([[5.0, 6.0, 7.0]], np.float32), (2, -1, 0)).tolist()
    [[7.0, 0.0, 5.0]]
    """
    wanted = np.array(rows)
    found: Floats = scores[..., wanted]
    found[..., wanted < 0] = 0
    return found


def _spans(sums: Floats, spans: Ids, count: int) -> Floats:
    """(count, D) the means of [start, end), 0 for an empty one and where there is none."""
    found = np.zeros((count, sums.shape[1]), np.float32)
    start, end = spans[:, 0], spans[:, 1]
    sizes = np.maximum(end - start, 1).astype(np.float32)
    found[: len(spans)] = (sums[end] - sums[start]) / sizes[:, None]
    return found
