"""Wordpieces word by word are the tokenizer's own of the whole text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from denota.errors import ModelError
from denota.model.wordpieces import Wordpieces, read_wordpieces
from denota.tokens import tokenise

MARKS = {"bert": ("[PAD]", "[UNK]", "[CLS]", "[SEP]"), "mpnet": ("<s>", "<pad>", "</s>", "[UNK]")}
PIECES = tuple("ship ##s ##ping oslo 1 ##9 9 . ' s [ ] < > / sep pad 漢 e ##e ? un ##k cls".split())
HOSTILE = (
    *("", " ", "\t\n", "\x00", "\u200b", "\ufeff", "\ufffd", "\u0301", "e\u0301"),
    *("é", "İ", "ß", "ﬁ", "Σς", "漢字", "ship漢s"),
    *("[SEP]", "[CLS]", "[PAD]", "<s>", "</s>", "<pad>", "<mask>", "<unk>", "[UNK]", "[MASK]"),
    *("[sep]", "##s", "ships[SEP]"),
    *("s" * 100, "s" * 101, "ship" * 5000, "1999.9", "ship's"),
    *("\U0001f6a2", "👩‍👩‍👧", "a\u00a0b", "\u3000", "ship\u0085s", "\u2028"),
)
WORDS = st.lists(st.one_of(st.text(max_size=12), st.sampled_from(HOSTILE), st.sampled_from(PIECES)))


def small(kind: str) -> dict[str, Any]:
    """A tokenizer with few pieces; it pads and cuts, as those of sentence encoders do."""
    vocabulary = {piece: number for number, piece in enumerate((*MARKS[kind], *PIECES))}
    cls, sep, pad = ("[CLS]", "[SEP]", "[PAD]") if kind == "bert" else ("<s>", "</s>", "<pad>")
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {
        "version": "1.0",
        "truncation": {"max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": {
            "strategy": {"Fixed": 4},
            "direction": "Right",
            "pad_id": vocabulary[pad],
            "pad_type_id": 0,
            "pad_token": pad,
        },
        "added_tokens": [
            {"id": vocabulary[mark], "content": mark, "special": True, **flags}
            for mark in MARKS[kind]
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "RobertaProcessing",
            "sep": [sep, vocabulary[sep]],
            "cls": [cls, vocabulary[cls]],
            "trim_offsets": True,
            "add_prefix_space": False,
        },
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocabulary,
        },
    }


@pytest.fixture(scope="module", params=["bert", "mpnet", "minilm", "real mpnet"])
def folder(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    pretrained: Callable[[str], Path],
) -> Path:
    if request.param in MARKS:
        path = tmp_path_factory.mktemp(request.param)
        (path / "tokenizer.json").write_text(json.dumps(small(request.param)), encoding="utf-8")
        return path
    return pretrained(request.param.removeprefix("real "))


@pytest.fixture(scope="module")
def pieces(folder: Path) -> Wordpieces:
    return read_wordpieces(folder)


@pytest.fixture(scope="module")
def own(folder: Path) -> Tokenizer:
    """The tokenizer's own pipeline; it neither pads nor cuts, nor takes text for marks."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True
    return tokenizer


@given(words=WORDS)
def test_word_by_word_is_the_whole_text(
    pieces: Wordpieces, own: Tokenizer, words: list[str]
) -> None:
    found = pieces.ids(words)
    assert len(found) == len(words)
    whole = own.encode(" ".join(words), add_special_tokens=False)
    assert [i for word in found for i in word] == whole.ids
    assert pieces.ids(words) == found


@pytest.mark.parametrize(
    "text", ["Which ships passed Oslo in 1,999.9?", "the ship's", " ".join(["ships"] * 50)]
)
def test_our_words_with_the_marks_are_the_text_as_encoded(
    folder: Path, pieces: Wordpieces, text: str
) -> None:
    own = Tokenizer.from_file(str(folder / "tokenizer.json"))
    own.no_padding()
    own.no_truncation()
    words = tokenise(text)
    ids = [pieces.cls, *(i for word in pieces.ids(words) for i in word), pieces.sep]
    assert ids == own.encode(" ".join(words)).ids


def test_text_never_becomes_a_mark(pieces: Wordpieces) -> None:
    found = {i for word in pieces.ids(HOSTILE) for i in word}
    assert not found & {pieces.cls, pieces.sep, pieces.pad}


def test_marks(folder: Path, pieces: Wordpieces) -> None:
    name = pieces.tokenizer.id_to_token
    marks = [name(pieces.cls), name(pieces.sep), name(pieces.pad)]
    assert marks in (["[CLS]", "[SEP]", "[PAD]"], ["<s>", "</s>", "<pad>"])
    assert pieces.size == pieces.tokenizer.get_vocab_size() > max(pieces.cls, pieces.pad)


def test_pieces_of_words(pieces: Wordpieces) -> None:
    names = [
        [pieces.tokenizer.id_to_token(i) for i in word]
        for word in pieces.ids(["oslo", "", "1999.9", "é", "\x00"])
    ]
    assert names[0] == ["oslo"] and names[1] == names[4] == []
    assert names[2][-2:] == [".", "9"]
    assert names[3] == ["e"]


def test_half_a_character_is_no_piece(pieces: Wordpieces) -> None:
    assert pieces.ids(["\ud800", "oslo\udfff"]) == [(), *pieces.ids(["oslo"])]


class Counting:
    """A tokenizer that counts what it is asked."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.asked = 0

    def encode(self, text: str, **settings: Any) -> Any:
        self.asked += 1
        return self.tokenizer.encode(text, **settings)


def test_a_word_is_taken_apart_once(pieces: Wordpieces) -> None:
    counting = Counting(pieces.tokenizer)
    mine = Wordpieces(counting, pieces.cls, pieces.sep, pieces.pad, pieces.size)
    words = ["oslo", "", "\x00", "ships", "oslo"] * 3
    assert mine.ids(words) == pieces.ids(words) == mine.ids(words)
    assert counting.asked == 4


def test_what_is_kept_does_not_grow_without_end(
    pieces: Wordpieces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("denota.model.wordpieces.KEPT_WORDS", 10)
    counting = Counting(pieces.tokenizer)
    mine = Wordpieces(counting, pieces.cls, pieces.sep, pieces.pad, pieces.size)
    words = [f"ship{number}" for number in range(100)]
    assert mine.ids(words) == pieces.ids(words)
    mine.ids(words[:1])
    assert counting.asked == 101


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"model": {"type": "BPE", "vocab": {}, "merges": []}}, "type BPE"),
        ({"pre_tokenizer": None}, "is not a tokenizer"),
        ({"pre_tokenizer": {"type": "Metaspace"}}, "only WordPiece with BertPreTokenizer"),
        ({"post_processor": None}, "does not say how a text begins"),
        ({"added_tokens": 3}, "is not a tokenizer"),
    ],
)
def test_tokenizers_that_are_not_known(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps({**small("bert"), **change}))
    with pytest.raises(ModelError, match=says) as error:
        read_wordpieces(tmp_path)
    assert "\n" not in str(error.value)


def test_missing_and_damaged_files(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no tokenizer\.json"):
        read_wordpieces(tmp_path)
    for bad in (b"{", b"\xff\xfe", b"[]", b"{}"):
        (tmp_path / "tokenizer.json").write_bytes(bad)
        with pytest.raises(ModelError, match="is not a tokenizer"):
            read_wordpieces(tmp_path)


def test_padding_by_name_where_the_file_does_not_pad(tmp_path: Path) -> None:
    for kind, pad in (("bert", 0), ("mpnet", 1)):
        (tmp_path / "tokenizer.json").write_text(json.dumps({**small(kind), "padding": None}))
        assert read_wordpieces(tmp_path).pad == pad
