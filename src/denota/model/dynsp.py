"""DynSP++: the paper's parser. One small scoring module an action, as in DynSP (Iyyer et al. 2017), with the changes of the paper's appendix.

Question and previous question are read by LSTMs over word vectors; columns and values are averages of theirs. Every action's score is made of a few
dot products and surface features; a combiner, a bias-free tanh layer as wide as its input, joins them where there are several. The scores are
entries of the axes (`search.axes`): SELECT column, WHERE column, = value, and so on. B questions, T words, C columns, V values, K constants, D dimensions.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from denota.model.batch import Bags, Batch
from denota.model.vectors import WordVectors
from denota.programs.lexicon import triggers
from denota.search.axes import BLOCKS, FIXED

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


def starting_words() -> frozenset[str]:
    """Return the words that actions' vectors start from, so that vectors can be had for them."""
    phrases = (*STARTS.values(), *(phrase for words in triggers().values() for phrase in words))
    return frozenset(word for phrase in phrases for word in phrase.split())


class DynSP(nn.Module):
    """Scores for the axes of a batch of questions."""

    def __init__(self, vectors: WordVectors, hidden: int = 50, dropout: float = 0.5) -> None:
        super().__init__()
        size = vectors.matrix.shape[1]
        matrix = torch.from_numpy(vectors.matrix)
        self.words = nn.Embedding(
            len(matrix), size, padding_idx=0, sparse=True, _weight=matrix.clone()
        )
        self.dropout = nn.Dropout(dropout)
        self.question = _Reader(size, hidden)
        self.previous = _Reader(size, hidden)
        self.prior = nn.ParameterDict(
            {
                name: nn.Parameter(0.1 * torch.randn(size))
                for name in ("select", "where", "follow_where")
            }
        )
        self.select = Combiner(4 + 3)
        self.where = Combiner(5 + 3)
        self.follow_where = Combiner(9 + 6)
        self.equal = nn.Parameter(torch.zeros(2))
        self.follow_equal = nn.Parameter(torch.zeros(4))
        self.not_equal = Combiner(2 + 2)
        self.follow_not_equal = Combiner(2 + 4)
        self.compare = nn.Parameter(
            torch.stack(
                [_start(name, vectors) for name in ("greater", "at_least", "less", "at_most")]
            )
        )
        self.negation = nn.Parameter(_start("not_equal", vectors))
        self.actions = nn.Parameter(torch.stack([_start(name, vectors) for name in FIXED]))
        self.bias = nn.Parameter(torch.zeros(len(FIXED)))
        """What an action costs or earns by itself: the largest of several dot products is seldom below 0, which not to take an action scores."""
        self.same = nn.Parameter(torch.full((2,), 0.5))
        self.recall = nn.Parameter(torch.zeros(()))
        """The learned weight of the recall feature, which says what share of the question's table tokens a program misses."""

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
            "compare": self._comparisons(batch, _vectors(words, batch.before_constant)),
            "fixed": self._fixed(now),
        }
        zero = names.new_zeros(len(batch.question), 1)
        parts = [scores[n] if n in scores else zero.expand(-1, batch.widths[n]) for n in BLOCKS]
        return torch.cat(parts, dim=1)

    def _columns(
        self, batch: Batch, now: _Read, then: _Read, names: Tensor, words: Tensor
    ) -> dict[str, Tensor]:
        """SELECT, WHERE and FOLLOW-UP WHERE for each column, by the (B, C, D) means and the (B, W, D) words of their names."""
        of_now = self._name_features(batch, now, names, words)  # (B, C, 3)
        of_then = self._name_features(batch, then, names, words)
        surface = batch.column_surface.to(names.dtype)
        number = batch.has_number.to(names.dtype)[:, None, None].expand(-1, names.shape[1], 1)
        prior = {name: (names @ vector)[..., None] for name, vector in self.prior.items()}
        return {
            "select": self.select(prior["select"], of_now, surface[..., :3]),
            "where": self.where(prior["where"], of_now, number, surface[..., :3]),
            "follow_where": self.follow_where(
                prior["follow_where"],
                of_now,
                (names @ self.prior["where"])[..., None],
                of_then,
                number,
                surface,
            ),
        }

    def _name_features(self, batch: Batch, read: _Read, names: Tensor, words: Tensor) -> Tensor:
        """(B, C, 3) how a question goes with the columns' names: word by word, on average, and as the LSTM reads it."""
        best = _best_dot(words, read).masked_fill(batch.name_words == 0, 0)  # (B, W)
        count = names.new_zeros(names.shape[:2])
        total = count.scatter_add(1, batch.name_columns, best)
        count = count.scatter_add(1, batch.name_columns, (batch.name_words != 0).to(names.dtype))
        average = torch.einsum("bcd,bd->bc", names, read.average)
        state = torch.einsum("bcd,bd->bc", names, read.state)
        return torch.stack([total / count.clamp(min=1), average, state], dim=-1)

    def _values(self, batch: Batch, now: _Read, then: _Read, values: Tensor) -> dict[str, Tensor]:
        """= and != for each value; a follow-up looks at both questions."""
        of_now = _best_dot(values, now)  # (B, V)
        of_both = torch.maximum(of_now, _best_dot(values, then))
        surface = batch.value_surface.to(values.dtype)
        negated = (now.average @ self.negation)[:, None].expand_as(of_now)
        return {
            "equal": of_now + surface[..., :2] @ self.equal,
            "not_equal": self.not_equal(of_now[..., None], negated[..., None], surface[..., :2]),
            "follow_equal": of_both + surface @ self.follow_equal,
            "follow_not_equal": self.follow_not_equal(
                of_both[..., None], negated[..., None], surface
            ),
        }

    def _comparisons(self, batch: Batch, words: Tensor) -> Tensor:
        """(B, 4 K) each constant with > >= < <=, by the (B, K, 2, D) two words before it."""
        count = (batch.before_constant != 0).sum(dim=2, keepdim=True).clamp(min=1)
        context = words.sum(dim=2) / count  # (B, K, D)
        scores: Tensor = (context @ self.compare.T).flatten(1)
        return scores

    def _fixed(self, now: _Read) -> Tensor:
        """(B, F) actions without an argument: by the best word, STOP and FOLLOW-UP CELL by the average, SAME AS PREVIOUS by both readings."""
        best = (
            (now.words @ self.actions.T).masked_fill(now.padding[..., None], -torch.inf).amax(dim=1)
        )
        average = now.average @ self.actions.T
        place = FIXED.index("same_as_previous")
        same = self.same[0] * (now.state @ self.actions[place]) + self.same[1] * average[:, place]
        scores = [best[:, f] + self.bias[f] for f in range(len(FIXED))]
        for name in ("stop", "cell"):
            scores[FIXED.index(name)] = average[:, FIXED.index(name)]
        scores[place] = same
        scores[FIXED.index("nothing")] = torch.zeros_like(same)
        return torch.stack(scores, dim=1)


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


class _Read:
    """A question as read: its words, their average and the LSTM's state."""

    def __init__(self, words: Tensor, padding: Tensor, average: Tensor, state: Tensor) -> None:
        self.words, self.padding, self.average, self.state = words, padding, average, state


class _Reader(nn.Module):
    """A bidirectional LSTM over a question's words; its last states make the question's vector."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(size, hidden, batch_first=True, bidirectional=True)
        self.join = nn.Linear(2 * hidden, size)

    def forward(self, words: Tensor, ids: Tensor) -> _Read:
        """Read (B, T, D) words; a question of no words has average and state 0."""
        padding = ids == 0
        lengths = (~padding).sum(dim=1)
        packed = pack_padded_sequence(
            words, lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
        )
        _, (last, _) = self.lstm(packed)
        some = (lengths > 0).to(words.dtype)[:, None]
        state = torch.tanh(self.join(torch.cat([last[0], last[1]], dim=1))) * some
        average = words.sum(dim=1) / lengths.clamp(min=1)[:, None]
        return _Read(words, padding, average, state)


def _vectors(words: Tensor, places: Tensor) -> Tensor:
    """(..., D) the vectors of words, 0 on padding, which learns nothing."""
    return nn.functional.embedding(places, words, padding_idx=0)


def _mean(words: Tensor, bags: Bags) -> Tensor:
    """(B, texts, D) the average vector of each text, 0 for an empty one."""
    flat = nn.functional.embedding_bag(bags.words, words, bags.offsets, mode="mean")
    return nn.functional.embedding(bags.places, flat, padding_idx=len(flat) - 1)


def _best_dot(texts: Tensor, read: _Read) -> Tensor:
    """(B, texts) the largest dot product of a text with a word of the question; 0 if it has no words."""
    dots = texts @ read.words.transpose(1, 2)  # (B, texts, T)
    dots = dots.masked_fill(read.padding[:, None, :], -torch.inf)
    best = dots.amax(dim=2)
    return torch.where(read.padding.all(dim=1)[:, None], 0.0, best)


def _start(name: str, vectors: WordVectors) -> Tensor:
    words = STARTS.get(name, " ".join(triggers().get(name, ()))).split()
    known = [vectors.words[word] for word in words if word in vectors.words]
    if not known:
        generator = torch.Generator().manual_seed(sum(map(ord, name)))
        return 0.1 * torch.randn(vectors.matrix.shape[1], generator=generator)
    return torch.from_numpy(vectors.matrix[known]).mean(dim=0)
