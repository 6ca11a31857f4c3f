"""The encoder: equal to `transformers` in both kinds, and indifferent to padding.

It is clear about files it cannot read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from denota.errors import ModelError
from denota.model.transformer import Transformer, distance_buckets
from denota.model.transformer_weights import load_weights, read_transformer, shape_of, weights_of
from denota.model.wordpieces import read_wordpieces

PAD = {"bert": 0, "mpnet": 1}
SETTINGS: dict[str, Any] = {
    "vocab_size": 60,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "max_position_embeddings": 180,
    "layer_norm_eps": 1e-6,
    "hidden_act": "gelu",
}
SENTENCES = (
    "which ship is the longest?",
    "how many people live in oslo or bergen, "
    "and in which of the two towns did more than 300,000 live before 1990?",
    "oslo",
    "of those, who has the latest departure? " * 12,
)


def settings_of(kind: str) -> dict[str, Any]:
    return {**SETTINGS, "model_type": kind, "pad_token_id": PAD[kind]}


@pytest.fixture(scope="module")
def reference() -> Callable[[str, int], torch.nn.Module]:
    """Make a small `transformers` model, all of its weights random, norms too."""
    from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

    def make(kind: str, seed: int) -> torch.nn.Module:
        torch.manual_seed(seed)
        of = {"bert": (BertModel, BertConfig), "mpnet": (MPNetModel, MPNetConfig)}
        model, config = of[kind]
        made = model(config(**{k: v for k, v in settings_of(kind).items() if k != "model_type"}))
        with torch.no_grad():
            for name, weight in made.named_parameters():
                scale = 1.0 if "relative_attention" in name else 0.2
                weight.add_(scale * torch.randn(weight.shape))
        return made.eval()

    return make


def small(kind: str, seed: int = 0, layers: int | None = None) -> Transformer:
    """An encoder of our own with random weights, those of norms around 1."""
    torch.manual_seed(seed)
    model = Transformer(shape_of(settings_of(kind)), layers)
    own = model.state_dict()  # norms begin at 1, all else at 0
    load_weights(
        model, {name: start + 0.3 * torch.randn(start.shape) for name, start in own.items()}
    )
    return model.eval()


def batch(kind: str, lengths: tuple[int, ...], seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, mask and segments of texts of some lengths, padded."""
    generator = torch.Generator().manual_seed(seed)
    size = (len(lengths), max(lengths))
    mask = torch.arange(size[1])[None, :] < torch.tensor(lengths)[:, None]
    ids = torch.randint(4, SETTINGS["vocab_size"], size, generator=generator)
    segments = torch.randint(0, 2, size, generator=generator)
    return ids.masked_fill(~mask, PAD[kind]), mask, segments


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", PAD)
def test_equal_to_transformers(
    kind: str, seed: int, reference: Callable[[str, int], torch.nn.Module]
) -> None:
    theirs = reference(kind, seed)
    ours = Transformer(shape_of(settings_of(kind)))
    load_weights(ours.eval(), weights_of(theirs.state_dict(), ours.shape))
    for lengths in ((170, 3, 64), (9, 9), (1,)):
        ids, mask, segments = batch(kind, lengths, seed)
        more = {"token_type_ids": segments} if kind == "bert" else {}
        with torch.no_grad():
            expected = theirs(ids, mask.long(), **more).last_hidden_state
            found = ours(ids, mask, segments)
        assert torch.allclose(found[mask], expected[mask], rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", PAD)
def test_first_layers_are_those_of_the_whole(
    kind: str, reference: Callable[[str, int], torch.nn.Module]
) -> None:
    theirs = reference(kind, 5)
    ids, mask, _ = batch(kind, (7, 4))
    ours = Transformer(shape_of(settings_of(kind)), 2).eval()
    load_weights(ours, weights_of(theirs.state_dict(), shape_of(settings_of(kind))))
    with torch.no_grad():
        states = theirs(ids, mask.long(), output_hidden_states=True).hidden_states
        found = ours(ids, mask)
    assert len(ours.layers) == ours.shape.layers == 2
    assert torch.allclose(found[mask], states[2][mask], rtol=0, atol=1e-5)
    assert not torch.allclose(found[mask], states[3][mask], rtol=0, atol=1e-2)


@pytest.mark.parametrize("name", ["minilm", pytest.param("mpnet", marks=pytest.mark.slow)])
def test_real_weights_equal_to_transformers(name: str, pretrained: Callable[[str], Path]) -> None:
    folder = pretrained(name)
    from transformers import AutoModel

    theirs = AutoModel.from_pretrained(folder).eval()
    ours, pieces = read_transformer(folder), read_wordpieces(folder)
    texts = [
        [pieces.cls, *(i for word in pieces.ids(s.split()) for i in word), pieces.sep]
        for s in SENTENCES
    ]
    longest = max(map(len, texts))
    ids = torch.tensor([text + [pieces.pad] * (longest - len(text)) for text in texts])
    mask = ids != pieces.pad
    with torch.no_grad():
        expected, found = theirs(ids, mask.long()).last_hidden_state, ours(ids, mask)
    assert (found - expected)[mask].abs().max() < 1e-5
    assert torch.equal(ours.word_vectors, theirs.embeddings.word_embeddings.weight)


@pytest.mark.parametrize("kind", PAD)
def test_padding_and_company_do_not_matter(kind: str) -> None:
    model = small(kind)
    lengths = (12, 1, 7)
    ids, mask, segments = batch(kind, lengths)
    with torch.no_grad():
        together = model(ids, mask, segments)
        for row, length in enumerate(lengths):
            alone = model(ids[row : row + 1, :length], None, segments[row : row + 1, :length])
            assert torch.allclose(together[row, :length], alone[0], rtol=0, atol=1e-5)
    assert together.isfinite().all()


@pytest.mark.parametrize("kind", PAD)
def test_a_text_of_padding_alone_is_finite(kind: str) -> None:
    model = small(kind).train()
    ids, mask, _ = batch(kind, (5, 3))
    mask[1] = False
    found = model(ids, mask)
    found.sum().backward()
    assert found.isfinite().all()
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


@pytest.mark.parametrize("kind", PAD)
def test_order_and_segments_matter(kind: str) -> None:
    model = small(kind)
    ids, mask, segments = batch(kind, (8,))
    swapped = model(ids.flip(1)).flip(1)
    assert not torch.allclose(model(ids), swapped, atol=1e-2)
    same = torch.allclose(model(ids, mask, segments), model(ids, mask, 1 - segments), atol=1e-2)
    assert same == (kind == "mpnet")
    assert torch.equal(model(ids, mask), model(ids, mask, torch.zeros_like(ids)))


@pytest.mark.parametrize("kind", PAD)
def test_words_stand_in_for_ids(kind: str) -> None:
    model = small(kind)
    ids, mask, _ = batch(kind, (6, 3))
    vectors = model.word_vectors[ids]
    assert torch.equal(model(None, mask, words=vectors), model(ids, mask))
    assert not torch.allclose(model(None, mask, words=2 * vectors), model(ids, mask), atol=1e-2)
    for both in ((None, None), (ids, vectors)):
        with pytest.raises(ValueError, match="one of the two"):
            model(both[0], mask, words=both[1])


@pytest.mark.parametrize("kind", PAD)
def test_gradients_reach_every_weight(kind: str) -> None:
    model = small(kind).train()
    ids, mask, segments = batch(kind, (170, 20))
    (model(ids, mask, segments)[mask] * torch.randn(24)).sum().backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None and weight.grad.isfinite().all(), name
        keys = slice(24, 48) if name.endswith("look.bias") else slice(0, 0)
        learns = weight.grad.clone()
        learns[keys] = 1  # softmax takes no notice of what all keys share
        assert (learns != 0).any(), name


@pytest.mark.parametrize("kind", PAD)
def test_dropout_only_in_training(kind: str) -> None:
    ids, mask, _ = batch(kind, (9, 5))
    for rates in (
        {"dropout": 0.5, "attention_dropout": 0.0},
        {"dropout": 0.0, "attention_dropout": 0.5},
    ):
        model = Transformer(shape_of(settings_of(kind)), **rates)
        load_weights(model, small(kind).state_dict())
        model.train()
        assert not torch.equal(model(ids, mask), model(ids, mask))
        assert torch.equal(model.eval()(ids, mask), small(kind)(ids, mask))


@pytest.mark.parametrize("kind", PAD)
def test_learning_attends_as_answering_does(kind: str) -> None:
    """Attention in steps, as a CPU learns, is the fused one, values and gradients alike."""
    model = Transformer(shape_of(settings_of(kind)), dropout=0.0, attention_dropout=0.0)
    load_weights(model, small(kind).state_dict())
    ids, mask, segments = batch(kind, (9, 5))
    found = []
    for learns in (True, False):
        model.train(learns).zero_grad()
        states = model(ids, mask, segments)
        (states[mask] ** 3).sum().backward()
        found.append([states[mask], *(weight.grad.clone() for weight in model.parameters())])
    for own, fused in zip(*found, strict=True):
        assert torch.allclose(own, fused, atol=1e-4)


@pytest.mark.parametrize("kind", PAD)
def test_bfloat16(kind: str) -> None:
    model = small(kind)
    ids, mask, _ = batch(kind, (9, 5))
    with torch.no_grad():
        exact = model(ids, mask)
        with torch.autocast("cpu", torch.bfloat16):
            mixed = model(ids, mask)
        half = model.bfloat16()(ids, mask)
    assert half.dtype == torch.bfloat16
    for rough in (mixed, half):
        assert torch.cosine_similarity(rough.float(), exact, -1)[mask].min() > 0.99


def test_distances_before_and_after_have_buckets_of_their_own() -> None:
    buckets = distance_buckets(300, 32)
    assert buckets.unique().tolist() == [b for b in range(32) if b != 16]
    assert (buckets.T[0] == buckets[0] - 16 * (torch.arange(300) > 0)).all()
    assert (buckets[0].diff() >= 0)[1:].all() and (buckets[0, 128:] == 31).all()


@pytest.fixture
def folder(tmp_path: Path, reference: Callable[[str, int], torch.nn.Module]) -> Path:
    """A small encoder on disk, as `transformers` names its weights."""
    weights = {k: v.contiguous() for k, v in reference("bert", 0).state_dict().items()}
    save_file(weights, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(settings_of("bert")))
    return tmp_path


def test_read_from_disk(folder: Path, reference: Callable[[str, int], torch.nn.Module]) -> None:
    ids, mask, _ = batch("bert", (8, 2))
    model = read_transformer(folder, 3)
    assert not model.training
    expected = reference("bert", 0)(ids, mask.long()).last_hidden_state
    assert torch.allclose(model(ids, mask)[mask], expected[mask], rtol=0, atol=1e-5)


def test_training_leaves_the_file_alone(folder: Path) -> None:
    before = (folder / "model.safetensors").read_bytes()
    model = read_transformer(folder)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(1)
    assert (folder / "model.safetensors").read_bytes() == before


def test_buffers_and_pooler_of_old_files_are_left(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    assert "pooler.dense.weight" in weights
    weights["embeddings.position_ids"] = torch.arange(180)[None]
    save_file(weights, folder / "model.safetensors")
    read_transformer(folder)


def test_half_precision_files_are_read_as_float32(folder: Path) -> None:
    weights = {k: v.half() for k, v in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors")
    assert {w.dtype for w in read_transformer(folder).parameters()} == {torch.float32}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"encoder.layer.1.output.dense.bias": None},
            "encoder.layer.1.output.dense.bias is missing",
        ),
        (
            {"encoder.layer.3.output.dense.bias": torch.zeros(24)},
            "layer.3.output.dense.bias is not expected",
        ),
        ({"a": torch.zeros(1), "b": torch.zeros(1)}, "a and 1 more are not expected"),
        (
            {"embeddings.LayerNorm.bias": torch.zeros(7)},
            r"norm.bias has shape \(7,\) and should have \(24,\)",
        ),
        (
            {"encoder.layer.0.attention.self.key.weight": torch.zeros(24, 7)},
            "the parts of layers.0.look.weight differ in shape",
        ),
    ],
)
def test_weights_that_do_not_fit(folder: Path, change: dict[str, Tensor | None], says: str) -> None:
    weights = {**load_file(folder / "model.safetensors"), **change}
    save_file({k: v for k, v in weights.items() if v is not None}, folder / "model.safetensors")
    with pytest.raises(ModelError, match=says) as error:
        read_transformer(folder)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"model_type": "t5"}, "type t5 is not known; those are bert, mpnet"),
        ({"model_type": None}, "type None is not known"),
        ({"hidden_act": "relu"}, "hidden_act is relu, and only gelu is known"),
        ({"position_embedding_type": "relative_key"}, "only absolute is known"),
        ({"num_attention_heads": 5}, "24 dimensions do not divide among 5 heads"),
        ({"num_attention_heads": 0}, "0 heads"),
        ({"hidden_size": "wide"}, "not a number"),
    ],
)
def test_settings_that_are_not_known(folder: Path, change: dict[str, Any], says: str) -> None:
    (folder / "config.json").write_text(json.dumps({**settings_of("bert"), **change}))
    with pytest.raises(ModelError, match=says):
        read_transformer(folder)


def test_missing_and_damaged_files(folder: Path) -> None:
    config = folder / "config.json"
    for text, says in (
        ("{", "cannot be read"),
        ("[]", "not a list of settings"),
        ('{"model_type": "bert"}', "vocab_size is missing"),
    ):
        good = config.read_text()
        config.write_text(text)
        with pytest.raises(ModelError, match=says):
            read_transformer(folder)
        config.write_text(good)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ModelError, match="damaged"):
        read_transformer(folder)
    weights.unlink()
    with pytest.raises(ModelError, match="no weights at"):
        read_transformer(folder)
    config.unlink()
    with pytest.raises(ModelError, match=r"no config\.json"):
        read_transformer(folder)


def test_limits() -> None:
    for kind, longest in (("bert", 180), ("mpnet", 178)):
        model = small(kind)
        assert model(torch.full((1, longest), 5)).shape == (1, longest, 24)
        with pytest.raises(ModelError, match=f"{longest + 1} pieces is too long"):
            model(torch.full((1, longest + 1), 5))
    for layers in (0, 4, -1):
        with pytest.raises(ModelError, match="cannot keep"):
            Transformer(shape_of(settings_of("bert")), layers)
