"""An encoder small enough for tests: letters as pieces, two layers, random weights."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from denota.model.encoder import Encoder
from denota.model.names import LEGACY_ENCODER, RowNames
from denota.model.shape import Shape
from denota.model.transformer import Transformer
from denota.model.wordpieces import Wordpieces, wordpieces_of


def letters() -> Wordpieces:
    """Letters as pieces, so that any word has some."""
    letters = [chr(c) for c in range(33, 127)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{c}" for c in letters)]
    pieces += ["ship", "built", "which", "oslo"]
    known = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(known, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return wordpieces_of(tokenizer)


def tiny_encoder(names: RowNames = LEGACY_ENCODER) -> Encoder:
    """Return an untrained scorer on a random encoder."""
    wordpieces = letters()
    shape = Shape("bert", wordpieces.size, 16, 2, 2, 32, 512, 0, 2, 0, 1e-12)
    torch.manual_seed(0)
    encoder = Transformer(shape)
    for weight in encoder.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    return Encoder(encoder, wordpieces, width=8, cells=6, dropout=0.0, names=names).eval()
