"""Words to wordpieces: the pieces of a pretrained encoder's vocabulary that a word is made of.

Questions, column names and cells are already split into words (`tokens.tokenise`). A wordpiece
vocabulary splits at every blank and never looks past one, so the pieces of a text are those of its
words, end to end, and a word met before costs one lookup.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tokenizers import Tokenizer

from denota.errors import ModelError

KEPT_WORDS: Final = 1 << 17
"""At most this many words have their pieces kept."""


@dataclass(frozen=True, eq=False)
class Wordpieces:
    """The pieces of words, and the marks that an encoder expects around a text."""

    tokenizer: Tokenizer = field(repr=False)
    cls: int
    """Stands before a text: `[CLS]`, or `<s>` for MPNet."""
    sep: int
    """Stands after a text: `[SEP]`, or `</s>`."""
    pad: int
    """Fills up a batch: `[PAD]`, or `<pad>`."""
    size: int
    """How many pieces the vocabulary has."""

    _known: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False)

    def ids(self, words: Iterable[str]) -> list[tuple[int, ...]]:
        """Return the pieces of each word.

        A word of nothing but characters that the vocabulary drops, such as control characters, has
        none. Text never becomes a mark: a word `[SEP]` is read as its letters.
        """
        known = self._known
        return [known.get(word) or self._pieces(word) for word in words]

    def forget(self) -> None:
        """Forget the words whose pieces are kept."""
        self._known.clear()

    def _pieces(self, word: str) -> tuple[int, ...]:
        known = self._known
        if word not in known:
            if len(known) >= KEPT_WORDS:
                known.clear()
            known[word] = tuple(self.tokenizer.encode(_valid(word), add_special_tokens=False).ids)
        return known[word]


def read_wordpieces(folder: Path) -> Wordpieces:
    """Read the vocabulary of an encoder from the `tokenizer.json` of its folder.

    Raises:
        ModelError: there is none, or it is not one of wordpieces.
    """
    path = folder / "tokenizer.json"
    try:
        text = path.read_text(encoding="utf-8")
        settings = json.loads(text)
        kind = settings["model"]["type"]
        splits = settings["pre_tokenizer"]["type"]
    except FileNotFoundError:
        raise ModelError(f"there is no tokenizer.json in {folder}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path} is not a tokenizer: {error}") from None
    if (kind, splits) != ("WordPiece", "BertPreTokenizer"):
        raise ModelError(
            f"{path} is a tokenizer of type {kind} with {splits}; only WordPiece with "
            "BertPreTokenizer is known"
        )
    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # the library raises no class of its own
        raise ModelError(f"{path} is not a tokenizer: {error}") from None
    return wordpieces_of(tokenizer, path)


def wordpieces_of(tokenizer: Tokenizer, path: Path | None = None) -> Wordpieces:
    """Return the wordpieces of a tokenizer."""
    padding = tokenizer.padding
    tokenizer.no_padding()  # files of sentence encoders pad and cut at 128 pieces
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True
    marks = tokenizer.encode("").ids
    pads = [padding["pad_id"]] if padding else []
    pads += [tokenizer.token_to_id(name) for name in ("<pad>", "[PAD]")]
    pad = next((number for number in pads if number is not None), None)
    if len(marks) != 2 or pad is None:
        raise ModelError(
            f"{path or 'the tokenizer'} does not say how a text begins and ends and is padded"
        )
    return Wordpieces(tokenizer, marks[0], marks[1], pad, tokenizer.get_vocab_size())


def _valid(word: str) -> str:
    """The word with a replacement for half a character, which UTF-8 cannot hold."""
    return word.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
