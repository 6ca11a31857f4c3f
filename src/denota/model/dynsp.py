"""DynSP++: the paper's parser. One small scoring module an action, as in DynSP (Iyyer et al. 2017), with the changes of the paper's appendix.

Question and previous question are read by LSTMs over word vectors; columns and values are averages of theirs. Every action's score is made of a few
dot products and surface features; a combiner, a bias-free tanh layer as wide as its input, joins them where there are several. The scores are
entries of the axes (`search.axes`): SELECT column, WHERE column, = value, and so on. B questions, T words, C columns, V values, K constants, D dimensions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from denota.config import ModelConfig
from denota.model.batch import Bags, Batch, make_batch
from denota.model.names import LEGACY_DYNSP, Names, new_names, read_names
from denota.model.scorer import Scorer, appended, placed
from denota.model.vectors import WordVectors, unknown, word_vectors
from denota.programs.lexicon import triggers, words_of
from denota.search.axes import BLOCKS, FIXED
from denota.search.prepare import Prepared

STARTS: Final[dict[str, str]] = {
    "greater": "more greater larger than",
    "at_least": "least more greater than",
    "less": "less fewer smaller than",
    "at_most": "most less fewer than",
    "max": "most highest largest biggest greatest longest",
    "min": "least lowest smallest fewest shortest",
    "not_equal": "not",
    "or": "or",
}
"""The words an action's vector starts from: the average of theirs. Other actions start from their triggers, or at random."""


def starting_words(operators: Iterable[str] = ()) -> frozenset[str]:
    """Return the words that actions' vectors start from, so that vectors can be had for them: those of the lexicon file, and those that operators are declared with."""
    more = (phrase.removeprefix("^") for name in sorted(operators) for phrase in words_of(name))
    phrases = (*STARTS.values(), *(p for words in triggers().values() for p in words), *more)
    return frozenset(word for phrase in phrases for word in phrase.split())


def _words_of(questions: Sequence[Prepared]) -> Iterable[str]:
    """The words of some questions and their tables, each table looked at once."""
    texts = {id(t): t for one in questions for t in (one.names, one.values)}
    for one in questions:
        yield from one.question
        yield from one.previous_question
    for text in texts.values():
        yield from chain.from_iterable(text)


class DynSP(Scorer):
    """Scores for the axes of a batch of questions, by word vectors."""

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
        names: Names = LEGACY_DYNSP,
    ) -> None:
        super().__init__()
        self.names = names
        self.vectors, self.source = vectors, source
        self.surface = surface
        size = vectors.matrix.shape[1]
        matrix = torch.from_numpy(vectors.matrix)
        self.words = nn.Embedding(
            len(matrix), size, padding_idx=0, sparse=True, _weight=matrix.clone()
        )
        self.dropout = nn.Dropout(dropout)
        self.question = Reader(size, hidden)
        self.previous = Reader(size, hidden)
        self.prior = nn.ParameterDict(
            {
                name: nn.Parameter(0.1 * torch.randn(size))
                for name in ("select", "where", "follow_where")
            }
        )
        self.select = Combiner(4 + 3 + self.CUES)
        self.where = Combiner(5 + 3 + self.CUES)
        self.follow_where = Combiner(9 + 6 + self.CUES)
        self.equal = nn.Parameter(torch.zeros(2))
        self.follow_equal = nn.Parameter(torch.zeros(4))
        self.not_equal = Combiner(2 + 2)
        self.follow_not_equal = Combiner(2 + 4)
        self.compare = nn.Parameter(_starting_vectors(names.heads["compare"], vectors))
        self.negation = nn.Parameter(starting_vector("not_equal", vectors))
        self.actions = nn.Parameter(_starting_vectors(names.heads["actions"], vectors))
        self.bias = nn.Parameter(torch.zeros(len(names.heads["actions"])), requires_grad=bias)
        """What an action costs or earns by itself: the largest of several dot products is seldom below 0, which not to take an action scores."""
        self.same = nn.Parameter(torch.full((2,), 0.5))
        self.recall = nn.Parameter(torch.zeros(()))

    @classmethod
    def new(
        cls,
        cfg: ModelConfig,
        questions: Sequence[Prepared],
        source: str,
        operators: frozenset[str],
    ) -> DynSP:
        """Return an untrained scorer that knows the words of some questions."""
        words = {*_words_of(questions), *starting_words(operators)}
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
    def _with(cls, cfg: ModelConfig, vectors: WordVectors, names: Names) -> DynSP:
        return cls(
            vectors,
            cfg.hidden,
            cfg.dropout,
            surface=cfg.surface,
            bias=cfg.bias,
            source=cfg.vectors,
            names=names,
        )

    def grow(self, operators: frozenset[str]) -> None:
        """Make room for the operators of another language; their vectors start as those of a new scorer do."""
        grown = self.names.grown(operators, {"actions": ("fixed",), "compare": ("compare",)})
        new = {head: names[len(self.names.heads[head]) :] for head, names in grown.heads.items()}
        for head in (head for head, names in new.items() if names):
            more = _starting_vectors(new[head], self.vectors)
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

    def meet(self, questions: Sequence[Prepared]) -> None:
        """Give words that were never seen the vectors that belong to them."""
        known = self.vectors
        texts = [t for q in questions for t in (q.names, q.values) if not known.has_met(t)]
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
        weight = self.words.weight
        more = torch.cat([weight.detach(), torch.from_numpy(rows).to(weight)])
        self.words = nn.Embedding(len(matrix), dimension, padding_idx=0, sparse=True, _weight=more)

    def forward(self, batch: Batch) -> Tensor:
        """(B, L) the scores of all axis entries, block after block."""
        words = self.words(batch.words)  # (U, D)
        now = self.question(self.dropout(_vectors(words, batch.question)), batch.question)
        then = self.previous(_vectors(words, batch.previous), batch.previous)
        names = _mean(words, batch.names)  # (B, C, D)
        values = _mean(words, batch.values)  # (B, V, D)
        scores = {
            **self._columns(batch, now, then, names, _vectors(words, batch.name_words)),
            **self._values(batch, now, then, values),
            "compare": self._comparisons(batch, now, _vectors(words, batch.before_constant)),
            "fixed": self._fixed(now),
        }
        zero = names.new_zeros(len(batch.question), 1)
        parts = [scores[n] if n in scores else zero.expand(-1, batch.widths[n]) for n in BLOCKS]
        return torch.cat(parts, dim=1)

    def _columns(
        self, batch: Batch, now: Read, then: Read, names: Tensor, words: Tensor
    ) -> dict[str, Tensor]:
        """SELECT, WHERE and FOLLOW-UP WHERE for each column, by the (B, C, D) means and the (B, W, D) words of their names."""
        best = nearest_of_each(words, (now, then))  # (B, W)
        of_now, of_then = (
            self._name_features(batch, read, names, near)  # (B, C, 3)
            for read, near in zip((now, then), best, strict=True)
        )
        surface = self._surface(batch.column_surface, names)
        number = batch.has_number.to(names.dtype)[:, None, None].expand(-1, names.shape[1], 1)
        priors = names @ torch.stack(list(self.prior.values()), dim=1)  # (B, C, 3)
        prior = dict(zip(self.prior, torch.split(priors, 1, dim=2), strict=True))
        cues = self._column_cues(batch, now, words, names.shape[1])
        return {
            "select": self.select(prior["select"], of_now, cues["select"], surface[..., :3]),
            "where": self.where(prior["where"], of_now, cues["where"], number, surface[..., :3]),
            "follow_where": self.follow_where(
                prior["follow_where"],
                of_now,
                cues["follow_where"],
                prior["where"],
                of_then,
                number,
                surface,
            ),
        }

    def _column_cues(
        self, batch: Batch, now: Read, words: Tensor, columns: int
    ) -> dict[str, Tensor]:
        """(B, C, CUES) more inputs of each column module: none in the paper's parser."""
        none = words.new_zeros(len(words), columns, 0)
        return dict.fromkeys(self.prior, none)

    def _name_features(self, batch: Batch, read: Read, names: Tensor, best: Tensor) -> Tensor:
        """(B, C, 3) how a question goes with the columns' names: word by word, on average, and as the LSTM reads it."""
        each = by_column(batch, best[..., None], names.shape[1])
        whole = names @ torch.stack([read.average, read.state], dim=2)  # (B, C, 2)
        return torch.cat([each, whole], dim=-1)

    def _values(self, batch: Batch, now: Read, then: Read, values: Tensor) -> dict[str, Tensor]:
        """= and != for each value; a follow-up looks at both questions."""
        of_now, of_then = nearest_of_each(values, (now, then))  # (B, V)
        of_both = torch.maximum(of_now, of_then)
        surface = self._surface(batch.value_surface, values)
        negated = self._negated(now)[:, None].expand_as(of_now)
        return {
            "equal": of_now + surface[..., :2] @ self.equal,
            "not_equal": self.not_equal(of_now[..., None], negated[..., None], surface[..., :2]),
            "follow_equal": of_both + surface @ self.follow_equal,
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

    def _fixed(self, now: Read) -> Tensor:
        """(B, F) actions without an argument: by the best word, STOP and FOLLOW-UP CELL by the average, SAME AS PREVIOUS by both readings."""
        rows = dict(zip(FIXED, self.names.entries("actions", "fixed"), strict=True))
        best = best_word(now, self.actions) + self.bias
        average = now.average @ self.actions.T
        again = rows["same_as_previous"]
        same = self.same[0] * (now.state @ self.actions[again]) + self.same[1] * average[:, again]
        zero = torch.zeros_like(same)
        scores = {name: best[:, row] if row >= 0 else zero for name, row in rows.items()}
        for name in ("stop", "cell"):
            scores[name] = average[:, rows[name]]
        return torch.stack([*{**scores, "same_as_previous": same, "nothing": zero}.values()], dim=1)


class Combiner(nn.Module):
    """Some features to one score: a bias-free tanh layer as wide as its input, and a weight each."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mix = nn.Linear(width, width, bias=False)
        self.weigh = nn.Linear(width, 1, bias=False)

    def forward(self, *features: Tensor) -> Tensor:
        """(..., widths) features, joined on the last axis, to (...) scores."""
        score: Tensor = self.weigh(torch.tanh(self.mix(torch.cat(features, dim=-1))))
        return score.squeeze(-1)


@dataclass(frozen=True, eq=False, slots=True)
class Read:
    """A question as read."""

    words: Tensor  #: (B, T, D)
    padding: Tensor  #: (B, T) True where there is no word
    average: Tensor  #: (B, D) of the words
    state: Tensor  #: (B, D) made of the LSTM's last states
    states: Tensor  #: (B, T, 2 hidden) its states at each word


class Reader(nn.Module):
    """A bidirectional LSTM over a question's words; its last states make the question's vector."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(size, hidden, batch_first=True, bidirectional=True)
        self.join = nn.Linear(2 * hidden, size)

    def forward(self, words: Tensor, ids: Tensor) -> Read:
        """Read (B, T, D) words; a question of no words has average and state 0."""
        padding = ids == 0
        lengths = (~padding).sum(dim=1)
        packed = pack_padded_sequence(
            words, lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
        )
        every, (last, _) = self.lstm(packed)
        states, _ = pad_packed_sequence(every, batch_first=True, total_length=words.shape[1])
        some = (lengths > 0).to(words.dtype)[:, None]
        state = torch.tanh(self.join(torch.cat([last[0], last[1]], dim=1))) * some
        average = words.sum(dim=1) / lengths.clamp(min=1)[:, None]
        return Read(words, padding, average, state, states)


def _vectors(words: Tensor, places: Tensor) -> Tensor:
    """(..., D) the vectors of words, 0 on padding, which learns nothing."""
    return nn.functional.embedding(places, words, padding_idx=0)


def _mean(words: Tensor, bags: Bags) -> Tensor:
    """(B, texts, D) the average vector of each text, 0 for an empty one."""
    flat = nn.functional.embedding_bag(bags.words, words, bags.offsets, mode="mean")
    return nn.functional.embedding(bags.places, flat, padding_idx=len(flat) - 1)


def nearest(texts: Tensor, read: Read) -> tuple[Tensor, Tensor]:
    """(B, texts) the largest dot product of a text with a word of the question, 0 if it has no words; and that word's place."""
    dots = texts @ read.words.transpose(1, 2)  # (B, texts, T)
    best, place = dots.masked_fill(read.padding[:, None, :], -torch.inf).max(dim=2)
    return torch.where(read.padding.all(dim=1)[:, None], 0.0, best), place


def nearest_of_each(texts: Tensor, reads: Sequence[Read]) -> list[Tensor]:
    """(B, texts) the largest dot products with a word of each of several questions, from one matrix product."""
    words = torch.cat([read.words for read in reads], dim=1)
    padding = torch.cat([read.padding for read in reads], dim=1)
    dots = texts @ words.transpose(1, 2)  # (B, texts, T + T')
    dots = dots.masked_fill(padding[:, None, :], -torch.inf)
    parts = torch.split(dots, [read.words.shape[1] for read in reads], dim=2)
    return [
        torch.where(read.padding.all(dim=1)[:, None], 0.0, part.amax(dim=2))
        for read, part in zip(reads, parts, strict=True)
    ]


def by_column(batch: Batch, of_words: Tensor, columns: int) -> Tensor:
    """(B, C, F) the average over the words of each column's name, from (B, W, F)."""
    some = (batch.name_words != 0)[..., None].to(of_words.dtype)
    owner = batch.name_columns[..., None]
    zero = of_words.new_zeros(len(of_words), columns, of_words.shape[2])
    total = zero.scatter_add(1, owner.expand_as(of_words), of_words * some)
    count = zero[..., :1].scatter_add(1, owner, some)
    return total / count.clamp(min=1)


def best_word(read: Read, actions: Tensor) -> Tensor:
    """(B, actions) the largest dot product of an action's vector with a word of the question, 0 if it has no words."""
    dots = read.words @ actions.T  # (B, T, actions)
    best = dots.masked_fill(read.padding[..., None], -torch.inf).amax(dim=1)
    return torch.where(read.padding.all(dim=1)[:, None], 0.0, best)


def _starting_vectors(names: Sequence[str], vectors: WordVectors) -> Tensor:
    """(names, D) the vectors that actions of names such as "fixed/max" start from."""
    return torch.stack([starting_vector(name.partition("/")[2], vectors) for name in names])


def starting_vector(name: str, vectors: WordVectors) -> Tensor:
    """(D,) the average of the words that an action's vector starts from, or a small random one."""
    words = STARTS.get(name, " ".join(words_of(name)).replace("^", "")).split()
    known = [vectors.words[word] for word in words if word in vectors.words]
    if not known:
        generator = torch.Generator().manual_seed(sum(map(ord, name)))
        return 0.1 * torch.randn(vectors.matrix.shape[1], generator=generator)
    return torch.from_numpy(vectors.matrix[known]).mean(dim=0)
