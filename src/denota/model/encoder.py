"""A scorer on a pretrained encoder: what is near in meaning, not only in letters, is found.

The encoder reads a question with its history, the column names and the cells that share a word with
it (`model.reading`). What it makes of a column, a cell or a number, joined with how far their words
match the question's, piece by piece, gives the scores of the axes. B questions, T pieces, C
columns, V values, K constants, D dimensions of the encoder, M of the scorer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final, Self

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from denota.config import ModelConfig
from denota.model.dropout import Dropout
from denota.model.encoder_batch import EncoderBatch, make_encoder_batch
from denota.model.encoder_entries import (
    ACTIONS,
    COLUMN_FEATURES,
    ENTRIES,
    MATCHES,
    QUESTION_FEATURES,
    REFINED,
    VALUE_FEATURES,
)
from denota.model.matching import Matching, _all_but, _each, _means, _spans, _sums
from denota.model.names import LEGACY_ENCODER, RowNames, new_names, read_names
from denota.model.pretrained import find_pretrained
from denota.model.reading import Reader
from denota.model.scorer import Axis, Scorer, appended, placed
from denota.model.shape import Shape
from denota.model.transformer import Transformer
from denota.model.transformer_weights import read_transformer
from denota.model.wordpieces import Wordpieces, read_wordpieces, wordpieces_of
from denota.search.axes import BLOCKS, COMPARISONS, FIXED
from denota.search.prepare import Prepared

TOGETHER: Final = {"answering": 4, "learning": 16}
"""At most this many texts of like length are read at once on a CPU."""


SAID: Final = "said."
"""What names of weights begin with that older files do not have."""


class Encoder(Scorer):
    """Scores for the axes of a batch of questions, by a pretrained encoder."""

    outcome = True
    refines = REFINED
    in_bfloat16 = False
    """Whether the pretrained part computes in bfloat16, from weights in float32."""

    def __init__(
        self,
        encoder: Transformer,
        wordpieces: Wordpieces,
        width: int,
        cells: int,
        dropout: float,
        names: RowNames = LEGACY_ENCODER,
        usual: int = 0,
    ) -> None:
        super().__init__()
        self.names = names
        rows = {head: len(own) for head, own in names.heads.items()}
        self.encoder, self.wordpieces = encoder, wordpieces
        self.encoder.words.weight.requires_grad_(
            False
        )  # what was never seen in training stays comparable
        self.reader = Reader(wordpieces, cells, usual)
        size = encoder.shape.size
        self.importance = nn.Linear(size, 1)
        """How much a piece counts when texts are matched."""
        self.summary = nn.Linear(2 * size + QUESTION_FEATURES, width)
        self.column_state, self.column_words = nn.Linear(size, width), nn.Linear(size, width)
        self.value_state = nn.Linear(size, width)
        self.constant_state = nn.Linear(size, width)
        self.word_state = nn.Linear(size, width)
        self.columns = Head(3 * width + MATCHES + COLUMN_FEATURES, width, rows["columns"], dropout)
        self.values = Head(3 * width + MATCHES + VALUE_FEATURES + 1, width, rows["values"], dropout)
        self.constants = Head(2 * width, width, rows["constants"], dropout)
        self.words = Head(2 * width, width, rows["words"], dropout)
        self.actions = Head(width, width, rows["actions"], dropout)
        self.recall = nn.Parameter(torch.zeros(()))
        self.kinds = nn.Embedding(rows["kinds"], width)
        """What an entry is for, beside what it is."""
        self.acts = nn.Embedding(rows["acts"], width)
        self.whole = Head(2 * width + 2, width, 1, dropout)
        self.said = Head(3 * width, width, 1, dropout)
        """Whether the table says what is asked for: learnt from questions that it does not."""
        for untaught in (self.whole, self.said):  # as if they were not there, at first
            nn.init.zeros_(untaught.scores.weight)

    @classmethod
    def new(
        cls,
        cfg: ModelConfig,
        questions: Sequence[Prepared],
        source: str,
        operators: frozenset[str],
    ) -> Self:
        """Return an untrained scorer on a pretrained encoder."""
        folder = find_pretrained(cfg.encoder)
        encoder = read_transformer(
            folder, cfg.layers or None, dropout=cfg.dropout, attention_dropout=cfg.dropout
        )
        names = new_names(operators, LEGACY_ENCODER)
        pieces = read_wordpieces(folder)
        scorer = cls(encoder, pieces, cfg.width, cfg.cells, cfg.dropout, names, cfg.usual)
        scorer.grow(operators)
        return scorer

    @classmethod
    def restored(
        cls, cfg: ModelConfig, facts: Mapping[str, str], weights: Mapping[str, Tensor]
    ) -> Self:
        """Return a scorer as it was saved; nothing besides the file is needed."""
        shape = Shape(**json.loads(facts["encoder"]))
        encoder = Transformer(shape, dropout=cfg.dropout, attention_dropout=cfg.dropout)
        wordpieces = wordpieces_of(Tokenizer.from_str(facts["tokenizer"]))
        names = read_names(facts, LEGACY_ENCODER)
        scorer = cls(encoder, wordpieces, cfg.width, cfg.cells, cfg.dropout, names, cfg.usual)
        untaught = {name: w for name, w in scorer.state_dict().items() if name.startswith(SAID)}
        scorer.load_state_dict({**untaught, **weights})  # older files have no such head
        return scorer

    def grow(self, operators: frozenset[str]) -> None:
        """Make room for the operators of another language: rows of zeros behind those there are."""
        grown = self.names.grown(operators, ENTRIES)
        for head, names in grown.heads.items():
            count = len(names) - len(self.names.heads[head])
            part = getattr(self, head)
            if count and isinstance(part, Head):
                part.grow(count)
            elif count and isinstance(part, nn.Embedding):
                more = torch.zeros(count, part.embedding_dim)
                part.weight, part.num_embeddings = appended(part.weight, more), len(names)
        self.names = grown

    def facts(self) -> dict[str, str]:
        """Return the encoder's sizes and its wordpieces, and the names of the rows of its heads."""
        return {
            **super().facts(),
            "encoder": json.dumps(asdict(self.encoder.shape)),
            "tokenizer": self.wordpieces.tokenizer.to_str(),
        }

    def knows(self, word: str) -> bool:
        """Say whether a word is a piece of its own, as common ones are."""
        return len(self.wordpieces.ids([word])[0]) == 1

    def set_dropout(self, share: float) -> None:
        """Change how much is dropped in training, everywhere."""
        for module in self.modules():
            if isinstance(module, nn.Dropout):
                module.p = share

    def batch(self, questions: Sequence[Prepared]) -> EncoderBatch:
        """Return questions as tensors."""
        return make_encoder_batch(questions, self.reader)

    def reads_like(self, other: Scorer) -> bool:
        """Say whether another scorer makes the same batches: of the same pieces, as many cells."""
        return isinstance(other, Encoder) and self.reader.manner == other.reader.manner

    def text_length(self, question: Prepared) -> int:
        """Return how many pieces it reads of a question."""
        return len(self.reader(question).pieces)

    def keep(self, most: int) -> None:
        """Set how many readings of questions and texts are kept."""
        self.reader.keep(most)

    def forget(self) -> None:
        """Forget words of tables that may be gone."""
        self.wordpieces.forget()

    def forward(self, batch: EncoderBatch) -> Tensor:
        """(B, L) the scores of all axis entries, block after block."""
        return self.read(batch).entries

    def refine(self, axis: Axis, parts: Tensor, features: Tensor) -> Tensor:
        """(B, K) what is added to the scores of programs, by the sum of what their entries are."""
        assert axis.vectors is not None and axis.summary is not None
        flat = axis.vectors.reshape(-1, axis.vectors.shape[2])
        program = flat[parts].sum(dim=2)  # (B, K, M)
        given = [program, _each(axis.summary, program), features]
        more: Tensor = self.whole(torch.cat(given, dim=2))[0]
        return more[..., 0]

    def read(self, batch: EncoderBatch) -> Axis:
        """Score the axis of a batch."""
        states = self._states(batch)  # (B, T, D)
        sums = _sums(states)
        asked = _asked(states, batch)  # (B, D)
        summary = self._summary(states, asked, batch)  # (B, M)
        match = Matching(self.encoder.word_vectors, self.importance, batch)
        of_columns, columns = self._columns(sums, summary, match, batch)
        of_values, values = self._values(sums, summary, match, columns, batch)
        stated = self.constant_state(_spans(sums, batch.constants))
        of_constants, constants = self.constants(torch.cat([stated, _each(summary, stated)], dim=2))
        sought = self.word_state(_spans(sums, batch.words))
        of_words, words = self.words(torch.cat([sought, _each(summary, sought)], dim=2))
        of_actions, _ = self.actions(summary)
        own = self.names
        acts = {block: placed(of_actions, own.entries("actions", block)) for block in ACTIONS}
        acts["fixed"] = acts["fixed"] * _all_but(len(FIXED), FIXED.index("nothing"), acts["fixed"])
        heads = {"columns": of_columns, "values": of_values, "constants": of_constants}
        scores = {
            **{
                name: of_head[..., row]
                for head, of_head in {**heads, "words": of_words}.items()
                for row, name in enumerate(own.heads[head])
            },
            "compare": placed(of_constants, own.entries("constants", "compare")).flatten(1),
            **acts,
        }
        zero = summary.new_zeros(len(summary), 1)
        parts = [scores[n] if n in scores else zero.expand(-1, batch.widths[n]) for n in BLOCKS]
        entries = torch.cat(parts, dim=1)
        vectors = self._vectors(batch, columns, values, constants, words)
        return Axis(entries, vectors, summary, asked, self._said(summary, columns, values, batch))

    def _said(
        self, summary: Tensor, columns: Tensor, values: Tensor, batch: EncoderBatch
    ) -> Tensor:
        """(B,) whether the table says what is asked for, in log-odds.

        By the question, and by the most that any column, and any value in the text, is.
        """
        names = _most(columns, batch.columns[..., 1] > 0)
        said: Tensor = self.said(torch.cat([summary, names, _most(values, batch.shown >= 0)], 1))[0]
        return said[:, 0]

    def _summary(self, states: Tensor, asked: Tensor, batch: EncoderBatch) -> Tensor:
        """(B, M) a question as one vector: the first mark, the mean piece, a few features."""
        features = torch.cat([states[:, 0], asked, batch.question_features], dim=1)
        return torch.tanh(self.summary(features))

    def _columns(
        self, sums: Tensor, summary: Tensor, match: Matching, batch: EncoderBatch
    ) -> tuple[Tensor, Tensor]:
        """(B, C, heads) the scores of columns, and (B, C, M) what they are."""
        names = match(batch.names)  # (B, C, MATCHES)
        given = [
            self.column_state(_spans(sums, batch.columns)),
            self.column_words(_means(self.encoder.word_vectors, batch.names)),
            _each(summary, names),
            names,
            batch.column_features,
        ]
        scored: tuple[Tensor, Tensor] = self.columns(torch.cat(given, dim=2))
        return scored

    def _values(
        self,
        sums: Tensor,
        summary: Tensor,
        match: Matching,
        columns: Tensor,
        batch: EncoderBatch,
    ) -> tuple[Tensor, Tensor]:
        """(B, V, heads) the scores of values, and (B, V, M) what they are.

        Those that are not in the text go by their words and their column.
        """
        texts = match(batch.values)  # (B, V, MATCHES)
        width = columns.shape[2]
        shown = batch.shown[..., None].clamp(min=0).expand(-1, -1, width)  # (B, V, M)
        there = (batch.shown >= 0)[..., None].to(sums.dtype)
        given = [
            self.value_state(_spans(sums, batch.cells)).gather(1, shown) * there,
            columns.gather(1, batch.value_columns[..., None].expand(-1, -1, width)),
            _each(summary, texts),
            texts,
            batch.value_features,
            there,
        ]
        scored: tuple[Tensor, Tensor] = self.values(torch.cat(given, dim=2))
        return scored

    def _states(self, batch: EncoderBatch) -> Tensor:
        """(B, T, D) what the encoder makes of the texts, in the type of the weights.

        On a CPU those of like length are read together, for padding takes time there.
        """
        there = batch.pieces != self.wordpieces.pad
        kinds = (batch.parts > 3).long()
        together = TOGETHER["learning" if self.training else "answering"]
        # entered once, so that weights are cast once
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.in_bfloat16):
            if self.device.type != "cpu" or len(there) <= together:
                read: Tensor = self.encoder(batch.pieces, there, kinds, places=batch.places)
                return read.to(self.recall)
            lengths = there.sum(dim=1)
            found = self.recall.new_zeros(*there.shape, self.encoder.shape.size)
            for some in torch.split(lengths.argsort(stable=True), together):
                longest = int(lengths[some].max())
                texts = (t[some, :longest] for t in (batch.pieces, there, kinds, batch.places))
                pieces, own, kind, places = texts
                states = self.encoder(pieces, own, kind, places=places)
                found[some, :longest] = states.to(self.recall)
        return found

    def _vectors(
        self, batch: EncoderBatch, columns: Tensor, values: Tensor, constants: Tensor, words: Tensor
    ) -> Tensor:
        """(B, L, M) an entry's vector: its own or its head's hidden layer, plus its block's."""
        own, count = self.names, len(columns)
        every = self.acts.weight.T  # (M, acts)
        acts = {
            block: placed(every, own.entries("acts", block)).T[None].expand(count, -1, -1)
            for block in ENTRIES["acts"]
        }
        compared = acts.pop("compare").repeat(1, constants.shape[1], 1)
        found = {
            **dict.fromkeys(own.heads["columns"], columns),
            **dict.fromkeys(own.heads["values"], values),
            **dict.fromkeys(own.heads["constants"], constants),
            **dict.fromkeys(own.heads["words"], words),
            "compare": constants.repeat_interleave(len(COMPARISONS), dim=1) + compared,
            **acts,
        }
        zero = columns.new_zeros(count, 1, columns.shape[2])
        parts = [
            found[name] + (self.kinds.weight[row] if row >= 0 else 0)
            if name in found
            else zero.expand(-1, batch.widths[name], -1)
            for name, row in zip(BLOCKS, own.rows("kinds", BLOCKS), strict=True)
        ]
        vectors = torch.cat(parts, dim=1)
        nothing = int(batch.offsets[BLOCKS.index("fixed")]) + FIXED.index("nothing")
        return vectors * _all_but(vectors.shape[1], nothing, vectors)[:, None]


def _asked(states: Tensor, batch: EncoderBatch) -> Tensor:
    """(B, D) the mean of the question's pieces."""
    asked = (batch.parts == 1).to(states.dtype)  # (B, T)
    return (asked[:, None] @ states)[:, 0] / asked.sum(dim=1, keepdim=True).clamp(min=1)


def _most(vectors: Tensor, there: Tensor) -> Tensor:
    """(B, M) the largest of the (B, n, M) vectors that are there, 0 where there is none."""
    most = vectors.masked_fill(~there[..., None], -torch.inf).amax(dim=1)
    return most.masked_fill(most.isinf(), 0.0)


class Head(nn.Module):
    """Features to some scores, through one hidden layer."""

    def __init__(self, inputs: int, width: int, scores: int, dropout: float) -> None:
        super().__init__()
        self.hidden = nn.Linear(inputs, width)
        self.dropout = Dropout(dropout)
        self.scores = nn.Linear(width, scores)
        nn.init.zeros_(self.scores.bias)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """(..., inputs) to (..., scores) and the (..., width) hidden layer."""
        hidden = nn.functional.gelu(self.hidden(features))
        return self.scores(self.dropout(hidden)), hidden

    def grow(self, count: int) -> None:
        """Add rows that score 0."""
        scores = self.scores
        scores.weight = appended(scores.weight, torch.zeros(count, scores.in_features))
        scores.bias = appended(scores.bias, torch.zeros(count))
        scores.out_features += count
