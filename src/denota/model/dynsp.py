"""DynSP++: the paper's parser.

One small scoring module an action, as in DynSP (Iyyer et al. 2017), with the changes of the paper's
appendix.

Question and previous question are read by LSTMs over word vectors; columns and values are averages
of theirs. Every action's score is made of a few dot products and surface features; a combiner, a
bias-free tanh layer as wide as its input, joins them where there are several. The scores are
entries of the axes (`search.axes`): SELECT column, WHERE column, = value, and so on. B questions, T
words, C columns, V values, K constants, D dimensions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from torch import Tensor, nn

from denota.config import ModelConfig
from denota.model.batch import Batch, make_batch
from denota.model.dynsp_modules import (
    Combiner,
    QuestionLSTM,
    Read,
    best_word,
    by_column,
    mean_vectors,
    nearest_of_each,
    vectors_at,
)
from denota.model.dynsp_starts import STARTS as STARTS
from denota.model.dynsp_starts import Start, starting_vectors, starting_words
from denota.model.dynsp_starts import starting_vector as starting_vector
from denota.model.names import LEGACY_DYNSP, RowNames, new_names, read_names
from denota.model.scorer import Scorer, appended, placed
from denota.model.vectors import WordVectors, unknown, word_vectors
from denota.search.axes import BLOCKS, FIXED
from denota.search.prepare import Prepared


def _words_of(questions: Sequence[Prepared]) -> Iterable[str]:
    """The words of some questions and their tables, each table looked at once."""
    texts = {id(t): t for one in questions for t in (one.names, one.values)}
    for one in questions:
        yield from one.question
        yield from one.previous_question
    for text in texts.values():
        yield from chain.from_iterable(text)


@dataclass(frozen=True, eq=False, slots=True)
class ColumnFeatures:
    """What the modules of columns see."""

    prior: Mapping[str, Tensor]  #: of each module (B, C, 1) how it likes a name
    now: Tensor  #: (B, C, 3) how the question fits the names
    then: Tensor  #: (B, C, 3) how the previous question does
    surface: Tensor  #: (B, C, 6)
    cues: Mapping[str, Tensor]  #: of each module (B, C, CUES)


class DynSP(Scorer):
    """Scores for the axes of a batch of questions, by word vectors."""

    PRIORS: tuple[str, ...] = ("select", "where", "follow_where")
    """The modules that score columns."""
    CUES = 0
    """How many more inputs a column's combiners have; `model.cues` adds some to the paper's."""

    def __init__(
        self,
        vectors: WordVectors,
        hidden: int = 50,
        dropout: float = 0.5,
        *,
        surface: bool = True,
        bias: bool = True,
        source: str = "random",
        names: RowNames = LEGACY_DYNSP,
        start: Start = "dynsp",
        same_as_previous: str = "questions",
    ) -> None:
        super().__init__()
        self.start, self.compares_questions = start, same_as_previous == "questions"
        self.names = names
        self.vectors, self.source = vectors, source
        self.surface = surface
        size = vectors.matrix.shape[1]
        matrix = torch.from_numpy(vectors.matrix)
        self.words = nn.Embedding(
            len(matrix), size, padding_idx=0, sparse=True, _weight=matrix.clone()
        )
        self.dropout = nn.Dropout(dropout)
        self.question = QuestionLSTM(size, hidden)
        self.previous = QuestionLSTM(size, hidden)
        self.prior = nn.ParameterDict(
            {name: nn.Parameter(0.1 * torch.randn(size)) for name in self.PRIORS}
        )
        self.select = Combiner(4 + 3 + self.CUES)
        self.where = Combiner(5 + 3 + self.CUES)
        self.follow_where = Combiner(9 + 6 + self.CUES)
        self.equal = nn.Parameter(torch.zeros(2))
        self.follow_equal = nn.Parameter(torch.zeros(4))
        self.not_equal = Combiner(2 + 2)
        self.follow_not_equal = Combiner(2 + 4)
        self.compare = nn.Parameter(starting_vectors(names.heads["compare"], vectors, start))
        self.negation = nn.Parameter(starting_vector("not_equal", vectors, start))
        self.actions = nn.Parameter(starting_vectors(names.heads["actions"], vectors, start))
        self.bias = nn.Parameter(torch.zeros(len(names.heads["actions"])), requires_grad=bias)
        """What an action costs or earns by itself.

        Differs from the paper: it has no bias. The largest of several dot products is seldom below
        0, the score of not taking the action, so nothing could say that there is no OR."""
        self.same = nn.Parameter(torch.full((2,), 0.5))
        self.recall = nn.Parameter(torch.zeros(()))
        self.nearness = nn.Parameter(torch.zeros(2)) if start == "blank" else None
        """The weights of the dot product in = and FOLLOW-UP =, both 1 unless the start is blank."""

    @classmethod
    def new(
        cls,
        cfg: ModelConfig,
        questions: Sequence[Prepared],
        source: str,
        operators: frozenset[str],
    ) -> DynSP:
        """Return an untrained scorer that knows the words of some questions."""
        words = {*_words_of(questions), *starting_words(operators, cfg.start)}
        vectors = word_vectors(words, source, cfg.dimension)
        scorer = cls._with(cfg, vectors, new_names(operators, LEGACY_DYNSP))
        scorer.grow(operators)
        return scorer

    @classmethod
    def restored(
        cls, cfg: ModelConfig, facts: Mapping[str, str], weights: Mapping[str, Tensor]
    ) -> DynSP:
        """Return a scorer as it was saved."""
        words = {word: place for place, word in enumerate(json.loads(facts["words"]), start=1)}
        matrix = weights["words.weight"]
        vectors = WordVectors(words, np.zeros(tuple(matrix.shape), np.float32))
        scorer = cls._with(cfg, vectors, read_names(facts, LEGACY_DYNSP))
        scorer.load_state_dict(weights)
        scorer.vectors = WordVectors(words, matrix.numpy().copy())
        return scorer

    @classmethod
    def _with(cls, cfg: ModelConfig, vectors: WordVectors, names: RowNames) -> DynSP:
        return cls(
            vectors,
            cfg.hidden,
            cfg.dropout,
            surface=cfg.surface,
            bias=cfg.bias,
            source=cfg.vectors,
            names=names,
            start=cfg.start,
            same_as_previous=cfg.same_as_previous,
        )

    def grow(self, operators: frozenset[str]) -> None:
        """Make room for the operators of another language.

        Their vectors start as those of a new scorer do.
        """
        grown = self.names.grown(operators, {"actions": ("fixed",), "compare": ("compare",)})
        new = {head: names[len(self.names.heads[head]) :] for head, names in grown.heads.items()}
        for head in (head for head, names in new.items() if names):
            more = starting_vectors(new[head], self.vectors, self.start)
            setattr(self, head, appended(getattr(self, head), more))
        if new["actions"]:
            self.bias = appended(self.bias, torch.zeros(len(new["actions"])))
        self.names = grown

    def facts(self) -> dict[str, str]:
        """Return its words, and the names of the rows of its actions."""
        words = sorted(self.vectors.words, key=self.vectors.words.__getitem__)
        return {**super().facts(), "words": json.dumps(words)}

    def set_dropout(self, share: float) -> None:
        """Change how many words are dropped in training."""
        self.dropout.p = share

    def batch(self, questions: Sequence[Prepared]) -> Batch:
        """Return questions as tensors."""
        return make_batch(questions, self.vectors)

    def keep(self, most: int) -> None:
        """Set how many lists of texts are kept as numbers."""
        self.vectors.keep(most)

    def meet(self, questions: Sequence[Prepared]) -> None:
        """Give words that were never seen the vectors that belong to them."""
        known = self.vectors
        texts = [t for q in questions for t in (q.names, q.values) if not known.has_met(t, q.table)]
        asked = (word for q in questions for word in (*q.question, *q.previous_question))
        words = {*asked, *chain.from_iterable(chain.from_iterable(texts))}
        new = sorted(word for word in words if word not in known.words)
        if not new:
            return
        dimension = known.matrix.shape[1]
        rows = np.stack([unknown(word, dimension, self.source) for word in new])
        numbers = {word: len(known.matrix) + place for place, word in enumerate(new)}
        matrix = np.concatenate([known.matrix, rows])
        self.vectors = WordVectors({**known.words, **numbers}, matrix)
        self.vectors.keep(known.kept)
        weight = self.words.weight
        more = torch.cat([weight.detach(), torch.from_numpy(rows).to(weight)])
        self.words = nn.Embedding(len(matrix), dimension, padding_idx=0, sparse=True, _weight=more)

    def forward(self, batch: Batch) -> Tensor:
        """(B, L) the scores of all axis entries, block after block."""
        words = self.words(batch.words)  # (U, D)
        now = self.question(self.dropout(vectors_at(words, batch.question)), batch.question)
        then = self.previous(vectors_at(words, batch.previous), batch.previous)
        names = mean_vectors(words, batch.names)  # (B, C, D)
        values = mean_vectors(words, batch.values)  # (B, V, D)
        scores = {
            **self._columns(batch, now, then, names, vectors_at(words, batch.name_words)),
            **self._values(batch, now, then, values),
            "compare": self._comparisons(batch, now, vectors_at(words, batch.before_constant)),
            "fixed": self._fixed(now, then),
            **self._results(now),
        }
        zero = names.new_zeros(len(batch.question), 1)
        parts = [scores[n] if n in scores else zero.expand(-1, batch.widths[n]) for n in BLOCKS]
        return torch.cat(parts, dim=1)

    def _columns(
        self, batch: Batch, now: Read, then: Read, names: Tensor, words: Tensor
    ) -> dict[str, Tensor]:
        """SELECT, WHERE and FOLLOW-UP WHERE scores for each column.

        `names` (B, C, D) are the means of the words in the columns' names, `words` (B, W, D) the
        words.
        """
        seen = self._column_features(batch, now, then, names, words)
        surface = seen.surface[..., :3]
        of = {name: (seen.prior[name], seen.now, seen.cues[name]) for name in self.PRIORS}
        number = batch.has_number.to(names.dtype)[:, None, None].expand(-1, names.shape[1], 1)
        return {
            "select": self.select(*of["select"], surface),
            "where": self.where(*of["where"], number, surface),
            "follow_where": self.follow_where(
                *of["follow_where"], seen.prior["where"], seen.then, number, seen.surface
            ),
            **self._tested(of, surface),
        }

    def _column_features(
        self, batch: Batch, now: Read, then: Read, names: Tensor, words: Tensor
    ) -> ColumnFeatures:
        best = nearest_of_each(words, (now, then))  # (B, W)
        of_now, of_then = (
            self._name_features(batch, read, names, near)
            for read, near in zip((now, then), best, strict=True)
        )
        priors = names @ torch.stack(list(self.prior.values()), dim=1)  # (B, C, modules)
        prior = dict(zip(self.prior, torch.split(priors, 1, dim=2), strict=True))
        cues = self._column_cues(batch, now, words, names.shape[1])
        return ColumnFeatures(
            prior, of_now, of_then, self._surface(batch.column_surface, names), cues
        )

    def _tested(self, of: Mapping[str, tuple[Tensor, ...]], surface: Tensor) -> dict[str, Tensor]:
        """The scores of tested columns by the kind of test: none in the paper's parser."""
        return {}

    def _results(self, now: Read) -> dict[str, Tensor]:
        """The scores of what a program would answer: none in the paper's parser."""
        return {}

    def _column_cues(
        self, batch: Batch, now: Read, words: Tensor, columns: int
    ) -> dict[str, Tensor]:
        """(B, C, CUES) more inputs of each column module: none in the paper's parser."""
        none = words.new_zeros(len(words), columns, 0)
        return dict.fromkeys(self.prior, none)

    def _name_features(self, batch: Batch, read: Read, names: Tensor, best: Tensor) -> Tensor:
        """(B, C, 3) how a question fits the columns' names: by word, on average, by the LSTM."""
        each = by_column(batch, best[..., None], names.shape[1])
        whole = names @ torch.stack([read.average, read.state], dim=2)  # (B, C, 2)
        return torch.cat([each, whole], dim=-1)

    def _values(self, batch: Batch, now: Read, then: Read, values: Tensor) -> dict[str, Tensor]:
        """= and != for each value; a follow-up looks at both questions."""
        of_now, of_then = nearest_of_each(values, (now, then))  # (B, V)
        of_both = torch.maximum(of_now, of_then)
        surface = self._surface(batch.value_surface, values)
        negated = self._negated(now)[:, None].expand_as(of_now)
        one, both = (1, 1) if self.nearness is None else self.nearness
        return {
            "equal": one * of_now + surface[..., :2] @ self.equal,
            "not_equal": self.not_equal(of_now[..., None], negated[..., None], surface[..., :2]),
            "follow_equal": both * of_both + surface @ self.follow_equal,
            "follow_not_equal": self.follow_not_equal(
                of_both[..., None], negated[..., None], surface
            ),
        }

    def _surface(self, features: Tensor, texts: Tensor) -> Tensor:
        """The surface features of texts, all 0 for a scorer that does without."""
        return features.to(texts.dtype) if self.surface else torch.zeros_like(features)

    def _negated(self, now: Read) -> Tensor:
        """(B,) how much a question negates."""
        return now.average @ self.negation

    def _comparisons(self, batch: Batch, now: Read, words: Tensor) -> Tensor:
        """(B, 4 K) each constant with > >= < <=, by the (B, K, 2, D) two words before it."""
        count = (batch.before_constant != 0).sum(dim=2, keepdim=True).clamp(min=1)
        context = words.sum(dim=2) / count  # (B, K, D)
        scores: Tensor = context @ self.compare.T
        return placed(scores, self.names.entries("compare", "compare")).flatten(1)

    def _fixed(self, now: Read, then: Read) -> Tensor:
        """(B, F) actions without an argument, each scored by its best word.

        STOP and FOLLOW-UP CELL go by the average word, SAME AS PREVIOUS by the average and the
        LSTM: how near they are to the previous question's, or to a learnt vector.
        """
        rows = dict(zip(FIXED, self.names.entries("actions", "fixed"), strict=True))
        best = best_word(now, self.actions) + self.bias
        average = now.average @ self.actions.T
        again = rows["same_as_previous"]
        if self.compares_questions:
            states, averages = (now.state * then.state).sum(1), (now.average * then.average).sum(1)
        else:
            states, averages = now.state @ self.actions[again], average[:, again]
        same = self.same[0] * states + self.same[1] * averages
        zero = torch.zeros_like(same)
        scores = {name: best[:, row] if row >= 0 else zero for name, row in rows.items()}
        for name in ("stop", "cell"):
            scores[name] = average[:, rows[name]]
        return torch.stack([*{**scores, "same_as_previous": same, "nothing": zero}.values()], dim=1)
