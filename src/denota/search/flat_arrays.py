"""The small arrays that the programs of a batch follow from, for a GPU.

The programs of a family are selections by conditions, so a family is a line of numbers and what all
P programs are is worked out where they are searched (`search.flat_programs`): arrays of millions of
programs are never made or sent. Where the words of programs are known one by one only, those two
arrays are sent as they are.

B questions, S selections, N conditions, F families, M conditions of families, R rewarded programs,
Q of them in the pools that EXPLORE is taken from, W words of 64 tokens, P programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.config import SearchConfig
from denota.search.axes import BLOCK_NUMBER, FIXED_NUMBER
from denota.search.prepare import Prepared, Rewarded
from denota.search.token_counts import TokenCounts

_NONE = Rewarded(np.zeros(0, np.int32), np.zeros(0, np.float32))


@dataclass(frozen=True, eq=False)
class CountedWords:
    """Critique and recall of programs, as counts over the axes."""

    select_class: Tensor  #: (S,) where the line of each selection begins in `missed`
    condition_class: Tensor  #: (N,) the place of each condition in such a line
    missed: Tensor  #: (classes by classes of each question, end to end) the recall feature
    select_sizes: Tensor  #: (S, 2) how many tokens it has, and has of the question
    condition_sizes: Tensor  #: (N, 2)
    select_names: Tensor  #: (S, W) the tokens of column names, a bit each
    condition_names: Tensor  #: (N, W)
    asked: Tensor  #: (B, W) those of the question
    select_called: Tensor  #: (S,) what the question's words for its operators add
    condition_called: Tensor  #: (N,)


@dataclass(frozen=True, eq=False)
class ListedWords:
    """Critique and recall of programs, one by one."""

    recall_missed: Tensor  #: (P,)
    critique: Tensor  #: (P,)


@dataclass(frozen=True, eq=False)
class FlatArrays:
    """A batch before its programs are laid end to end; tensors on the CPU or on a device."""

    width: int
    """L, the length of the padded axis."""
    total: int
    """P."""
    most: int
    """The most programs of a question."""
    largest_pool: int
    """Q of the question with most."""
    offsets: Tensor  #: (blocks,) where each block begins on the padded axis
    counts: Tensor  #: (B,) programs of each question
    select_counts: Tensor  #: (B,) its selections
    condition_counts: Tensor  #: (B,) its conditions
    pool_counts: Tensor  #: (B,) its programs that can be among the first by reward
    rewarded_counts: Tensor  #: (B,) its rewarded programs
    select: tuple[Tensor, Tensor]  #: (S, width) block and entry of each part of a selection
    condition: tuple[tuple[Tensor, Tensor], ...]  #: (N, widths) likewise, to be put side by side
    vacuous: Tensor  #: (N,) True for a condition that keeps every row of its scope
    families: Tensor  #: (F, 5) first program, programs, first selection, conditions, first of M
    family_counts: Tensor  #: (B,) families of each question
    members: Tensor  #: (M,) the conditions of the families, by their numbers in the question
    pool: Tensor  #: (Q,) ids in the question
    pool_critique: Tensor  #: (Q,)
    pool_rewards: Tensor  #: (Q,)
    rewarded: Tensor  #: (R,) ids in the question
    rewards: Tensor  #: (R,)
    agreement: Tensor | None  #: (R,) on altered tables, None where it is not known
    words: CountedWords | ListedWords


def flat_arrays(
    questions: Sequence[Prepared],
    offsets: NDArray[np.int64],
    width: int,
    cfg: SearchConfig,
    outcome: bool = False,
    answered: bool = True,
) -> FlatArrays:
    """Return the arrays of a batch; of a question without an answer no program is rewarded.

    Args:
        questions: B of them.
        offsets: where each block begins on the padded axis.
        width: L, the length of the padded axis.
        cfg: the settings of the search.
        outcome: whether conditions are scored by what they would answer as well.
        answered: whether answers may be known.
    """
    axes = [q.axes for q in questions]
    counts = np.array([one.programs for one in axes])
    known = [q.rewarded_programs if answered else None for q in questions]
    some = [one if one is not None else _NONE for one in known]
    with_pool = [q for q, one in zip(questions, known, strict=True) if one is not None]
    pools = [
        q.rewarded(cfg.explore, cfg.vacuous) if one is not None else np.zeros(0, np.int64)
        for q, one in zip(questions, known, strict=True)
    ]
    critiques = [q.rewarded_critique(cfg.explore, cfg.vacuous) for q in with_pool]
    rewards = [q.rewards_of(pool) for q, pool in zip(questions, pools, strict=True) if len(pool)]
    condition = [[(one.condition_block, one.condition_entry) for one in axes]]
    if outcome:
        condition.append([q.outcome for q in questions])
    return FlatArrays(
        width,
        int(counts.sum()),
        int(counts.max()),
        max(map(len, pools)),
        torch.from_numpy(np.asarray(offsets, np.int64)),
        torch.from_numpy(counts),
        torch.tensor([len(one.select_block) for one in axes]),
        torch.tensor([len(one.condition_block) for one in axes]),
        torch.tensor([len(pool) for pool in pools]),
        torch.tensor([len(one.ids) for one in some]),
        _select(questions, outcome),
        tuple(_both(pairs) for pairs in condition),
        _end_to_end([q.vacuous for q in questions]),
        _families(questions),
        torch.tensor([len(one.places) for one in axes]),
        _end_to_end([place.conditions for one in axes for place in one.places]),
        _end_to_end([pool.astype(np.int32) for pool in pools]),
        _end_to_end([np.zeros(0, np.float32), *critiques]),
        _end_to_end([np.zeros(0, np.float32), *rewards]),
        _end_to_end([one.ids for one in some]),
        _end_to_end([one.rewards for one in some]),
        _agreement(questions, some) if answered else None,
        _words(questions),
    )


def _select(questions: Sequence[Prepared], outcome: bool) -> tuple[Tensor, Tensor]:
    """(S, width) block and entry of each part of each selection, filled up with `nothing`."""
    blocks, entries = [], []
    columns = max(q.axes.select_block.shape[1] for q in questions)
    for q in questions:
        breadth, of_breadth = q.breadth if outcome else (q.axes.select_block[:, :0],) * 2
        own = q.axes.select_block.shape[1]
        shape = (len(q.axes.select_block), columns + breadth.shape[1])
        block = np.full(shape, BLOCK_NUMBER["fixed"], np.int8)
        entry = np.full(shape, FIXED_NUMBER["nothing"], np.int16)
        block[:, :own], entry[:, :own] = q.axes.select_block, q.axes.select_entry
        block[:, columns:], entry[:, columns:] = breadth, of_breadth
        blocks.append(block)
        entries.append(entry)
    return _end_to_end(blocks), _end_to_end(entries)


def _families(questions: Sequence[Prepared]) -> Tensor:
    """(F, 5) what the programs of each family follow from, counted over the batch."""
    lines = []
    first_program = first_select = 0
    for q in questions:
        lines.append(q.axes.families + np.array([first_program, 0, first_select, 0]))
        first_program += q.axes.programs
        first_select += len(q.axes.select_block)
    families = np.concatenate(lines)
    members = families[:, 3].cumsum() - families[:, 3]
    return torch.from_numpy(np.column_stack([families, members]))


def _agreement(questions: Sequence[Prepared], some: Sequence[Rewarded]) -> Tensor | None:
    if all(q.agreement is None for q in questions):
        return None
    return _end_to_end(
        [
            q.agreement if q.agreement is not None else np.zeros(len(one.ids), np.float32)
            for q, one in zip(questions, some, strict=True)
        ]
    )


def _words(questions: Sequence[Prepared]) -> CountedWords | ListedWords:
    words = [q.words for q in questions]
    counted = [one for one in words if isinstance(one, TokenCounts)]
    if len(counted) < len(words):
        return ListedWords(
            _end_to_end([one.recall_missed for one in words]),
            _end_to_end([one.critique for one in words]),
        )
    missed = [one.missed for one in counted]
    begins = np.cumsum([0, *(one.table.size for one in missed[:-1])])
    lines = [
        (one.select * np.int32(one.table.shape[1]) + begin).astype(np.int32)
        for one, begin in zip(missed, begins.tolist(), strict=True)
    ]
    return CountedWords(
        _end_to_end(lines),
        _end_to_end([one.condition for one in missed]),
        _end_to_end([one.table.ravel() for one in missed]),
        _end_to_end([one.select_sizes[:, :2] for one in counted]),
        _end_to_end([one.condition_sizes[:, :2] for one in counted]),
        _bits([one.select_names for one in counted]),
        _bits([one.condition_names for one in counted]),
        _bits([one.name_kinds[1:2] for one in counted]),
        _end_to_end([one.select_called for one in counted]),
        _end_to_end([one.condition_called for one in counted]),
    )


def _bits(sets: Sequence[NDArray[np.uint64]]) -> Tensor:
    """(lines, W) sets of bits end to end, as wide as the widest, in the integers that torch has."""
    width = max(one.shape[1] for one in sets)
    wide = [
        one if one.shape[1] == width else np.pad(one, ((0, 0), (0, width - one.shape[1])))
        for one in sets
    ]
    return torch.from_numpy(np.concatenate(wide).view(np.int64))


def _both(pairs: Sequence[tuple[NDArray[np.int8], NDArray[np.int16]]]) -> tuple[Tensor, Tensor]:
    """(N, width) blocks end to end, and entries likewise."""
    return _end_to_end([block for block, _ in pairs]), _end_to_end([entry for _, entry in pairs])


def _end_to_end(parts: Sequence[NDArray[np.generic]]) -> Tensor:
    return torch.from_numpy(np.concatenate(parts))
