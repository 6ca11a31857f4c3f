"""The programs of a batch on a device, worked out there from small arrays.

The same search as `flat_batch`, which is quicker on a CPU; here nothing is done a question at a
time, and nothing waits for the device. B questions, P programs of all of them together, S
selections, N conditions and F families likewise, L entries of the padded axis, K chosen programs,
R rewarded ones, Q in the largest pool that EXPLORE is taken from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from denota.config import SearchConfig
from denota.search.flat_arrays import CountedWords, FlatArrays
from denota.search.flat_lists import ChosenPrograms, Listed, best_by_padding
from denota.search.policies import margin_scores
from denota.search.prepare import Prepared


@dataclass(frozen=True, eq=False)
class FlatPrograms:
    """The programs of a batch laid end to end; what all P are is computed once it is asked for."""

    arrays: FlatArrays
    questions: Sequence[Prepared] = ()
    """For a beam, which looks at them one by one."""
    outcome: bool = False
    """Whether conditions are scored by what they would answer as well."""

    @property
    def device(self) -> torch.device:
        """Where the search runs."""
        return self.arrays.counts.device

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each block begins on the padded axis."""
        found: NDArray[np.int64] = self.arrays.offsets.cpu().numpy()
        return found

    @property
    def counts(self) -> Tensor:
        """(B,) how many programs each question has."""
        return self.arrays.counts

    @property
    def most(self) -> int:
        """The largest of the counts."""
        return self.arrays.most

    @property
    def total(self) -> int:
        """P."""
        return self.arrays.total

    @property
    def vacuous(self) -> Tensor:
        """(N,) True for a condition that keeps every row of its scope."""
        return self.arrays.vacuous

    @cached_property
    def starts(self) -> Tensor:
        """(B,) the first program of each question."""
        return _starts(self.arrays.counts)

    @cached_property
    def select(self) -> Tensor:
        """(S, width) entries of each selection, as places in the (B, L) scores laid flat."""
        return self._entries(*self.arrays.select, self.arrays.select_counts)

    @cached_property
    def condition(self) -> Tensor:
        """(N, width) entries of each condition, likewise."""
        blocks, entries = zip(*self.arrays.condition, strict=True)
        counts = self.arrays.condition_counts
        return self._entries(torch.cat(blocks, dim=1), torch.cat(entries, dim=1), counts)

    def _entries(self, block: Tensor, entry: Tensor, counts: Tensor) -> Tensor:
        line = _repeated(_numbers(counts) * self.arrays.width, counts, len(block))
        return self.arrays.offsets[block.long()] + entry + line[:, None]

    # The pools of EXPLORE

    @cached_property
    def some(self) -> Tensor:
        """(B, Q) True where a pool has a program."""
        column = torch.arange(max(1, self.arrays.largest_pool), device=self.device)
        return column < self.arrays.pool_counts[:, None]

    @cached_property
    def rewarded(self) -> Tensor:
        """(B, Q) programs that can be among the first by reward, padded with 0."""
        return (self._pooled(self.arrays.pool) + self.starts[:, None]) * self.some

    @cached_property
    def rewarded_critique(self) -> Tensor:
        """(B, Q) their critique."""
        return self._pooled(self.arrays.pool_critique)

    @cached_property
    def rewarded_rewards(self) -> Tensor:
        """(B, Q) their rewards, -1 for padding."""
        return self._pooled(self.arrays.pool_rewards).masked_fill(~self.some, -1)

    def _pooled(self, values: Tensor) -> Tensor:
        """(B, Q) what the programs of all pools have, padded with 0."""
        column = torch.arange(self.some.shape[1], device=self.device)
        place = _starts(self.arrays.pool_counts)[:, None] + column
        return pad(values, (0, 1))[place * self.some] * self.some  # there may be no program at all

    # All programs

    @cached_property
    def _axes(self) -> tuple[Tensor, Tensor]:
        """(P,) the selection and (P,) the condition of each program, by index arithmetic."""
        arrays = self.arrays
        families = arrays.families  # (F, 5)
        first = _repeated(_starts(arrays.condition_counts), arrays.family_counts, len(families))
        own = _repeated(_numbers(families), families[:, 1], self.total)
        place = torch.arange(self.total, device=self.device) - families[:, 0][own]
        count = families[:, 3][own]
        line = place.div(count, rounding_mode="floor")
        member = families[:, 4][own] + place - line * count
        return families[:, 2][own] + line, arrays.members[member] + first[own]

    @cached_property
    def recall_missed(self) -> Tensor:
        """(P,) the recall feature."""
        words = self.arrays.words
        if not isinstance(words, CountedWords):
            return words.recall_missed
        select, condition = self._axes
        return words.missed[(words.select_class[select] + words.condition_class[condition]).long()]

    @cached_property
    def critique(self) -> Tensor:
        """(P,) by the words of the question alone."""
        words = self.arrays.words
        if not isinstance(words, CountedWords):
            return words.critique
        return _critique(
            words, *self._axes, _repeated(_numbers(self.counts), self.counts, self.total)
        )

    def scores(self, entries: Tensor, recall: Tensor, model_eta: float) -> Tensor:
        """(P,) the scores of all programs, from the (B, L) scores of the axis."""
        line = entries.reshape(-1)
        select, condition = self._axes
        scores = line[self.select].sum(dim=1)[select]
        scores += line[self.condition].sum(dim=1)[condition]
        scores += recall * self.recall_missed
        return scores + model_eta * self.critique if model_eta else scores

    def rival_keys(self, scores: Tensor, cfg: SearchConfig) -> Tensor:
        """(P,) what RIVALS are ranked by."""
        places = self._rewarded_places
        return scores.index_copy(0, places, margin_scores(scores[places], self.arrays.rewards, cfg))

    def best(self, keys: Tensor, count: int) -> Listed:
        """The programs of each question with the highest (P,) keys, ties by place."""
        return best_by_padding(keys, self.starts, self.counts, self.most, count)

    def ranked(self, keys: Tensor) -> Tensor:
        """(B, Q) the order of the pools by reward, then by (B, Q) key, then by place."""
        order = keys.masked_fill(~self.some, -torch.inf).sort(dim=1, descending=True, stable=True)[
            1
        ]
        rewards = self.rewarded_rewards.gather(1, order)
        return order.gather(1, rewards.sort(dim=1, descending=True, stable=True)[1])

    # Some programs

    def programs(self, chosen: Tensor) -> ChosenPrograms:
        """Return what is known of (B, K) programs, given by their places in the flat order."""
        select, condition = (axis[chosen] for axis in self._axes)
        words, line = self.arrays.words, _numbers(chosen)[:, None]
        if isinstance(words, CountedWords):
            critique = _critique(words, select, condition, line.expand_as(chosen))
        else:
            critique = words.critique[chosen]
        if self.arrays.agreement is not None:
            critique = critique + self._looked_up(self.arrays.agreement, chosen)
        rewards = self._looked_up(self.arrays.rewards, chosen)
        return ChosenPrograms(select, condition, self.recall_missed[chosen], critique, rewards)

    @cached_property
    def _rewarded_places(self) -> Tensor:
        """(R,) the rewarded programs, in order."""
        ids, counts = self.arrays.rewarded, self.arrays.rewarded_counts
        return ids + _repeated(self.starts, counts, len(ids))

    def _looked_up(self, values: Tensor, chosen: Tensor) -> Tensor:
        """(B, K) the (R,) values of rewarded programs, 0 for any other."""
        known = pad(self._rewarded_places, (0, 1), value=self.total)
        place = torch.searchsorted(known, chosen)
        return torch.where(known[place] == chosen, pad(values, (0, 1))[place], 0)


def _critique(words: CountedWords, select: Tensor, condition: Tensor, line: Tensor) -> Tensor:
    """(...) the critique of programs of (...) selections, conditions and questions."""
    both = words.select_names[select] & words.condition_names[condition]  # (..., W)
    sizes = words.select_sizes[select].int() + words.condition_sizes[condition]  # (..., 2)
    total = sizes[..., 0] - _bits_set(both)
    met = sizes[..., 1] - _bits_set(both & words.asked[line])
    called = words.select_called[select] + words.condition_called[condition]
    return (met.double() / total.clamp(min=1) + called).float()


def _bits_set(sets: Tensor) -> Tensor:
    """(...) how many bits of (..., W) integers are 1, all of a word at once.

    >>> _bits_set(torch.tensor([[0, -1], [5, 1 << 62]])).tolist()
    [64, 3]
    """
    pairs = sets - ((sets >> 1) & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333)
    eights = (fours + (fours >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((eights * 0x0101010101010101) >> 56).sum(dim=-1)


def _numbers(lines: Tensor) -> Tensor:
    """(lines,) 0, 1, 2 and so on, one for each line."""
    return torch.arange(len(lines), device=lines.device)


def _starts(counts: Tensor) -> Tensor:
    """Where each of some parts laid end to end begins."""
    return counts.cumsum(0) - counts


def _repeated(values: Tensor, counts: Tensor, total: int) -> Tensor:
    """(total,) each value as often as its count says; the total is given to wait for no device."""
    return values.repeat_interleave(counts, output_size=total)
