"""The parts that DynSP++ is made of: a combiner of features, LSTMs over a question, dot products.

B questions, T words, C columns, D dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from denota.model.batch import Bags, Batch


class Combiner(nn.Module):
    """Features to one score: a bias-free tanh layer as wide as its input, then one weight each."""

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


class QuestionLSTM(nn.Module):
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


def vectors_at(words: Tensor, places: Tensor) -> Tensor:
    """(..., D) the vectors of words, 0 on padding, which learns nothing."""
    return nn.functional.embedding(places, words, padding_idx=0)


def mean_vectors(words: Tensor, bags: Bags) -> Tensor:
    """(B, texts, D) the average vector of each text, 0 for an empty one."""
    flat = nn.functional.embedding_bag(bags.words, words, bags.offsets, mode="mean")
    return nn.functional.embedding(bags.places, flat, padding_idx=len(flat) - 1)


def nearest(texts: Tensor, read: Read) -> tuple[Tensor, Tensor]:
    """(B, texts) the largest dot product of a text with a question word, and that word's place.

    It is 0 for a question without words.
    """
    dots = texts @ read.words.transpose(1, 2)  # (B, texts, T)
    best, place = dots.masked_fill(read.padding[:, None, :], -torch.inf).max(dim=2)
    return torch.where(read.padding.all(dim=1)[:, None], 0.0, best), place


def nearest_of_each(texts: Tensor, reads: Sequence[Read]) -> list[Tensor]:
    """(B, texts) the largest dot products with a word of each question, from one matrix product."""
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
    """(B, actions) the largest dot product of an action's vector with a question word.

    It is 0 for a question without words.
    """
    dots = read.words @ actions.T  # (B, T, actions)
    best = dots.masked_fill(read.padding[..., None], -torch.inf).amax(dim=1)
    return torch.where(read.padding.all(dim=1)[:, None], 0.0, best)
